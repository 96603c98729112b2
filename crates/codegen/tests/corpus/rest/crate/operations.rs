//! GraphQL operations over HTTP: the requests that they send, and the responses that they read.

use serde::{Deserialize, Serialize};

use crate::graphql::{alone, find, me, since, text, variants, whole, Alone, Find, Me, Since, Text, Variants, Whole};
use crate::server::Server;

/// Rust type of the scalar `DateTime`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Moment(String);

/// Returns the failed checks.
pub async fn failures() -> Vec<String> {
    let mut failures = Vec::new();
    let mut same = |what: &str, is: String, should: &str| {
        if is != should {
            failures.push(format!("{what}: is {is}, should be {should}"));
        }
    };
    let server = Server::start(
        r#"{"data": {"me": {"name": "n", "gen": 2, "id": "i", "born": "today", "__typename": "User"}, "try": 1,
            "find": [{"dyn": 3, "born": "then"}]}}"#,
    );
    let graphql = server.client().graphql();
    let read = graphql.execute::<Me>(me::Variables).await.map(|it| {
        let me = it.me.expect("somebody");
        (me.name, me.gen_, me.id, me.born, it.try_)
    });
    same(
        "a fragment on an interface beside fields",
        format!("{read:?}"),
        r#"Ok((Some("n"), Some(2), "i", Some(Moment("today")), Some(1)))"#,
    );
    let read = graphql.execute::<Alone>(alone::Variables).await;
    same("such a fragment alone", format!("{:?}", read.map(|it| it.me.map(|it| it.id))), r#"Ok(Some("i"))"#);
    server.request();
    server.request();
    let found = graphql.execute::<Find>(find::Variables { gen_: Some(4) }).await;
    same("a word of Rust", format!("{:?}", found.map(|it| it.find[0].dyn_)), "Ok(Some(3))");
    let body = server.request().1;
    same("a word of Rust", body, r#"{"query":"query Find { find(gen: 4) { dyn } }"}"#);
    let found = graphql.execute::<Text>(text::Variables).await;
    same("characters", found.is_ok().to_string(), "true");
    let body = server.request().1;
    same("characters", body, r#"{"query":"query Text { find(text: \"😀 😀\") { dyn } }"}"#);
    let now = Moment("now".into());
    let found = graphql.execute::<Since>(since::Variables { since: now }).await;
    same("a scalar", format!("{:?}", found.map(|it| it.find[0].born.clone())), r#"Ok(Some(Moment("then")))"#);
    let body = server.request().1;
    same("a scalar", body, r#"{"query":"query Since { find(since: \"now\") { born } }"}"#);
    let server = Server::start(
        r#"{"data": {"node": {"__typename": "User", "id": "i", "name": "n", "born": "then"}}}"#,
    );
    let graphql = server.client().graphql();
    let read = graphql.execute::<Variants>(variants::Variables).await;
    same(
        "a fragment that asks for types, of a variant",
        format!("{:?}", read.map(|it| it.node.map(|it| it.on))),
        r#"Ok(Some(User(OfNodeOnUser { name: Some("n"), born: Some(Moment("then")) })))"#,
    );
    let read = graphql.execute::<Whole>(whole::Variables).await;
    same(
        "such a fragment in that of the variant",
        format!("{:?}", read.map(|it| it.node.map(|it| it.on))),
        r#"Ok(Some(User(WholeNodeOnUser { name: Some("n"), born: Some(Moment("then")) })))"#,
    );
    failures
}
