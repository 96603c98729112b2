//! The operations of `queries/`, sent to the service that has the schema.
#![allow(clippy::unwrap_used, reason = "a test that meets what it does not expect shall fail")]

mod library;

use own_schema::types::{Filter, Genre, Json, OptionType};
use own_schema::{
    Arguments, Lend, Nothing, Search, Thing, arguments, lend, nothing, search, thing,
};
use podqueue::{Client, ErrorKind, GraphqlBody};

async fn clients() -> [Client; 2] {
    let url = library::serve().await.unwrap();
    [GraphqlBody::QueryOnly, GraphqlBody::Variables].map(|body| {
        Client::builder().api_key("key").graphql_url(&url).graphql_body(body).build().unwrap()
    })
}

#[test]
fn the_schema_is_the_services() {
    let file = include_str!("../schema.graphql");
    let sdl = library::schema().sdl();
    assert!(file.trim() == sdl.trim(), "write this into schema.graphql:\n{sdl}");
}

#[tokio::test]
async fn unions_and_fragments_are_decoded() {
    for client in clients().await {
        let variables = search::Variables { order: Some(OptionType::Newest), ..Default::default() };
        let found = client.graphql().execute::<Search>(variables).await.unwrap().search;
        let [search::SearchSearch::Film(film), search::SearchSearch::Book(book)] = &found[..]
        else {
            panic!("{found:?}");
        };
        assert_eq!((film.title.as_str(), film.minutes), ("Alien", 117));

        assert_eq!((book.id.as_str(), book.title.as_str()), ("1", "The Odyssey"));
        assert_eq!(book.genre, Some(Genre::Poetry));
        assert_eq!(book.authors[0].title, "Homer");
        assert_eq!(book.authors[0].born, None);
    }
}

#[tokio::test]
async fn nested_inputs_and_defaults_are_sent() {
    for client in clients().await {
        let not = Filter { title: Some("Alien".to_owned()), ..Default::default() };
        let filter = Filter { not: Some(Box::new(not)), ..Default::default() };
        let variables = search::Variables { filter: Some(filter), ..Default::default() };
        let found = client.graphql().execute::<Search>(variables).await.unwrap().search;
        assert!(matches!(&found[..], [search::SearchSearch::Book(_)]), "{found:?}");

        let variables = search::Variables { first: Some(0), ..Default::default() };
        assert!(client.graphql().execute::<Search>(variables).await.unwrap().search.is_empty());
    }
}

#[tokio::test]
async fn an_interface_and_a_field_that_is_left_out() {
    for client in clients().await {
        let thing = |id: &str, with_title| thing::Variables {
            id: id.to_owned(),
            with_title: Some(with_title),
        };
        let book = client.graphql().execute::<Thing>(thing("1", true)).await.unwrap();
        let book = book.node.unwrap();
        assert_eq!((book.id.as_str(), book.title.as_deref()), ("1", Some("The Odyssey")));
        let thing::ThingNodeOn::Book(on) = book.on else { panic!("{:?}", book.on) };
        assert_eq!(on.authors[0].title, "Homer");

        let film = client.graphql().execute::<Thing>(thing("2", false)).await.unwrap();
        let film = film.node.unwrap();
        assert_eq!(film.title, None);
        assert!(matches!(film.on, thing::ThingNodeOn::Film(film) if film.minutes == 117));

        let nobody = client.graphql().execute::<Thing>(thing("0", true)).await.unwrap();
        assert_eq!(nobody.node, None);
    }
}

#[tokio::test]
async fn variables_of_every_kind_arrive_as_they_were_given() {
    for client in clients().await {
        let filter = Filter {
            title: Some("a \"quoted\" {word}\nand \u{1F4DA} C:\\new".to_owned()),
            genres: Some(vec![Genre::Novel, Genre::Crime]),
            any_of: Some(vec![Filter { type_: Some("$id".to_owned()), ..Default::default() }]),
            not: None,
            type_: None,
        };
        let variables = arguments::Variables {
            id: "7".to_owned(),
            ids: Some(vec!["1".to_owned(), "b".to_owned()]),
            count: Some(-3),
            ratio: Some(0.5),
            yes: Some(false),
            genre: Some(Genre::Crime),
            filter: Some(filter),
            any: None,
            notes: Some(vec![Some("one".to_owned()), None]),
            grid: Some(vec![vec![1, 2], vec![]]),
        };
        let answer = client.graphql().execute::<Arguments>(variables).await.unwrap();
        let arrived = answer.arguments.to_string();
        for piece in [
            r#""id":"7""#,
            r#""ids":["1","b"]"#,
            r#""count":-3"#,
            r#""ratio":0.5"#,
            r#""yes":false"#,
            r#""genre":"crime""#,
            r#""genres":["NOVEL","crime"]"#,
            r#""title":"a \"quoted\" {word}\nand 📚 C:\\new""#,
            r#""anyOf":[{"type":"$id"}]"#,
            r#""notes":["one",null]"#,
            r#""grid":[[1,2],[]]"#,
        ] {
            assert!(arrived.contains(piece), "{piece} is not in {arrived}");
        }
        assert!(!arrived.contains("\"not\":"), "{arrived}");
    }
}

#[tokio::test]
async fn absent_is_not_null() {
    // This service takes a variable that was not sent for null, so only the form without
    // variables shows the difference.
    let [client, _] = clients().await;
    let variables = arguments::Variables { id: "7".to_owned(), ..Default::default() };
    let answer = client.graphql().execute::<Arguments>(variables).await.unwrap();
    assert_eq!(answer.arguments.to_string(), r#"{"id":"7"}"#);
    // Null stands where the document says so, and where a scalar of the service is null.
    let answer = client.graphql().execute::<Nothing>(nothing::Variables {}).await.unwrap();
    assert_eq!(
        answer.arguments.to_string(),
        r#"{"count":null,"filter":{"not":{"anyOf":[]},"title":null},"id":7}"#
    );
    let any =
        arguments::Variables { id: "7".to_owned(), any: Some(Json::Null), ..Default::default() };
    let answer = client.graphql().execute::<Arguments>(any).await.unwrap();
    assert_eq!(answer.arguments.to_string(), r#"{"any":null,"id":"7"}"#);
}

#[tokio::test]
async fn null_is_sent_where_it_is_asked_for() {
    for client in clients().await {
        let within = Filter { title: Some("a".to_owned()), ..Default::default() };
        let filter = Filter { any_of: Some(vec![within]), ..Default::default() };
        let variables =
            arguments::Variables { id: "7".to_owned(), filter: Some(filter), ..Default::default() };
        let ask = client.graphql().execute::<Arguments>(variables.clone());
        let answer = ask
            .null("count")
            .null("ids")
            .null("genre")
            .null("filter.title")
            .null("filter.anyOf[0].genres")
            .await
            .unwrap();
        let arrived = &answer.arguments;
        for place in ["/count", "/ids", "/genre", "/filter/title", "/filter/anyOf/0/genres"] {
            assert_eq!(arrived.pointer(place), Some(&Json::Null), "{place} in {arrived}");
        }
        for place in ["/filter/not", "/filter/anyOf/0/not"] {
            assert_eq!(arrived.pointer(place), None, "{place} in {arrived}");
        }

        for (place, rule) in [
            ("id", "has a value"),
            ("nope", "is not declared by the operation"),
            ("filter.nope", "is not a field of its input type"),
        ] {
            let ask = client.graphql().execute::<Arguments>(variables.clone());
            let error = ask.null(place).await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidRequest);
            assert!(error.to_string().contains(rule), "{error}");
        }
        // It has a default, and is of a type without null.
        let variables = thing::Variables { id: "1".to_owned(), with_title: None };
        let error =
            client.graphql().execute::<Thing>(variables).null("withTitle").await.unwrap_err();
        assert!(error.to_string().contains("must not be null"), "{error}");
    }
}

#[tokio::test]
async fn an_error_of_the_service_is_reported() {
    for client in clients().await {
        let lend = |id: &str| lend::Variables { id: id.to_owned(), days: 3 };
        let book = client.graphql().execute::<Lend>(lend("1")).await.unwrap().lend;
        assert_eq!(book.title, "The Odyssey");
        let error = client.graphql().execute::<Lend>(lend("9")).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Graphql);
        assert!(error.to_string().contains("there is no such book"), "{error}");
    }
}
