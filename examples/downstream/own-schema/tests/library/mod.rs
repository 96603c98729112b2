//! Library service: an implementation of `schema.graphql`, over HTTP on this machine.

use async_graphql::{
    Context, EmptySubscription, Enum, ID, InputObject, Interface, Json, Object, Result, Schema,
    SimpleObject, Union, Value,
};
use axum::routing::post;
use axum::{Json as Body, Router};
use tokio::net::TcpListener;

pub type Library = Schema<Query, Mutation, EmptySubscription>;

pub fn schema() -> Library {
    Schema::build(Query, Mutation, EmptySubscription).finish()
}

/// Serves the schema, and returns its URL.
pub async fn serve() -> std::io::Result<String> {
    let library = schema();
    let answer = |Body(request): Body<async_graphql::Request>| async move {
        Body(library.execute(request).await)
    };
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    tokio::spawn(
        axum::serve(listener, Router::new().route("/graphql", post(answer))).into_future(),
    );
    Ok(format!("http://{address}/graphql"))
}

/// Subject of a book.
#[derive(Clone, Copy, PartialEq, Eq, Enum)]
pub enum Genre {
    /// Longer than one evening.
    Novel,
    Poetry,
    /// Not to be read at night.
    #[graphql(name = "crime")]
    Crime,
}

/// Sort order. Its name is that of a Rust type.
#[derive(Clone, Copy, PartialEq, Eq, Enum)]
#[graphql(name = "Option")]
pub enum Order {
    Title,
    Newest,
}

/// Search terms.
#[derive(InputObject)]
pub struct Filter {
    /// A part of the title.
    title: Option<String>,
    #[graphql(name = "genres")]
    genres: Option<Vec<Genre>>,
    /// Negation.
    not: Option<Box<Filter>>,
    /// One of these is enough.
    any_of: Option<Vec<Filter>>,
    /// The word is a keyword of Rust.
    r#type: Option<String>,
}

#[derive(SimpleObject, Clone)]
pub struct Book {
    id: ID,
    /// As it stands on the spine.
    title: String,
    genre: Option<Genre>,
    published: Option<Json<String>>,
    authors: Vec<Author>,
    #[graphql(deprecation = "Ask for `title`.")]
    name: String,
}

#[derive(SimpleObject, Clone)]
pub struct Film {
    id: ID,
    title: String,
    minutes: i32,
}

#[derive(SimpleObject, Clone)]
pub struct Author {
    id: ID,
    title: String,
    /// Unknown for the ancients.
    born: Option<i32>,
}

/// Whatever can be found by its id.
#[derive(Interface)]
#[graphql(field(name = "id", ty = "&ID"), field(name = "title", ty = "&String"))]
pub enum Node {
    Book(Book),
    Film(Film),
    Author(Author),
}

/// Search result.
#[derive(Union)]
pub enum Found {
    Book(Book),
    Film(Film),
}

fn book() -> Book {
    Book {
        id: "1".into(),
        title: "The Odyssey".to_owned(),
        genre: Some(Genre::Poetry),
        published: None,
        authors: vec![Author { id: "7".into(), title: "Homer".to_owned(), born: None }],
        name: "The Odyssey".to_owned(),
    }
}

fn film() -> Film {
    Film { id: "2".into(), title: "Alien".to_owned(), minutes: 117 }
}

pub struct Query;

#[Object]
impl Query {
    /// One thing by its id.
    async fn node(&self, #[graphql(desc = "Its id.")] id: ID) -> Option<Node> {
        match id.as_str() {
            "1" => Some(book().into()),
            "2" => Some(film().into()),
            "7" => Some(book().authors.swap_remove(0).into()),
            _ => None,
        }
    }

    /// Searches books and films.
    async fn search(
        &self,
        filter: Option<Filter>,
        order: Option<Order>,
        #[graphql(default = 10)] first: i32,
    ) -> Result<Vec<Found>> {
        let wanted = |title: &str| {
            let Some(filter) = &filter else { return true };
            filter.title.as_ref().is_none_or(|part| title.contains(part.as_str()))
                && filter.not.as_ref().is_none_or(|not| not.title.as_deref() != Some(title))
        };
        let mut found = Vec::new();
        if wanted("The Odyssey") {
            found.push(book().into());
        }
        if wanted("Alien") {
            found.push(film().into());
        }
        if order == Some(Order::Newest) {
            found.reverse();
        }
        found.truncate(usize::try_from(first)?);
        Ok(found)
    }

    /// Answers with the arguments as they arrived.
    #[expect(clippy::too_many_arguments, reason = "one for each kind of argument")]
    async fn arguments(
        &self,
        context: &Context<'_>,
        id: ID,
        ids: Option<Vec<ID>>,
        count: Option<i32>,
        ratio: Option<f64>,
        yes: Option<bool>,
        genre: Option<Genre>,
        filter: Option<Filter>,
        any: Option<Json<Value>>,
        notes: Option<Vec<Option<String>>>,
        grid: Option<Vec<Vec<i32>>>,
    ) -> Result<Json<Value>> {
        // They were decoded, so each is of its type.
        let _ = (id, ids, count, ratio, yes, genre, filter, any, notes, grid);
        let arguments = context.field().arguments()?.into_iter();
        Ok(Json(Value::Object(arguments.collect())))
    }
}

pub struct Mutation;

#[Object]
impl Mutation {
    /// Lends a book.
    async fn lend(&self, id: ID, days: i32) -> Result<Book> {
        match (id.as_str(), days) {
            ("1", 1..) => Ok(book()),
            _ => Err("there is no such book".into()),
        }
    }
}
