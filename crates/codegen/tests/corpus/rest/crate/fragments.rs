//! GraphQL responses with fields that are selected twice or conditionally.

use std::fmt::Debug;

use podqueue::graphql::Operation;

use crate::graphql::*;
use crate::server::Server;

/// Returns the failed checks.
pub async fn failures() -> Vec<String> {
    let mut failures = Vec::new();
    let mut same = |what: &str, is: String, should: &str| {
        if is != should {
            failures.push(format!("{what}: is {is}, should be {should}"));
        }
    };
    let is = read::<OnlyType>(
        only_type::Variables,
        r#"{"me": {"__typename": "User"}, "node": {"__typename": "Bot"}}"#,
    );
    same("nothing but the type", is.await, "ResponseData { me: Some(OnlyTypeMe), node: Some(Bot) }");
    let is = read::<Beside>(
        beside::Variables,
        r#"{"node": {"__typename": "User", "id": "i", "name": "n",
            "friend": {"__typename": "User", "id": "j", "name": "m"}}}"#,
    );
    same(
        "the same fields beside a type and within it",
        is.await,
        r#"ResponseData { node: Some(BesideNode { id: "i", on: User(BesideNodeOnUser { friend: Some(BesideNodeOnUserFriend { id: "j", on: User(BesideNodeOnUserFriendOnUser { name: Some("m") }) }), name: Some("n") }) }) }"#,
    );
    let is = read::<Nothing>(nothing::Variables, r#"{"node": {"__typename": "Org"}}"#);
    same("a type of which nothing is selected", is.await, "ResponseData { node: Some(Org) }");
    let is = read::<Perhaps>(
        perhaps::Variables { yes: false },
        r#"{"me": {"__typename": "User", "id": "i"}, "node": {"__typename": "User"}}"#,
    );
    same(
        "a condition in a fragment, and in one of two types",
        is.await,
        r#"ResponseData { me: Some(Perhaps1 { id: "i", born: None }), node: Some(User(PerhapsNodeOnUser { gen_: None })) }"#,
    );
    let is = read::<Whether>(
        whether::Variables { yes: false },
        r#"{"me": {"__typename": "User"}, "node": {"__typename": "User", "id": "i"}}"#,
    );
    same(
        "a fragment under a condition",
        is.await,
        r#"ResponseData { me: Some(WhetherMe { id: None }), node: Some(WhetherNode { id: "i", on: User(WhetherNodeOnUser { name: None }) }) }"#,
    );
    let is = read::<WhetherOf>(
        whether_of::Variables { yes: false },
        r#"{"node": {"__typename": "User"}}"#,
    );
    same(
        "a fragment under a condition, of a variant",
        is.await,
        r#"ResponseData { node: Some(User(WhetherOfNodeOnUser { id: None })) }"#,
    );
    let is = read::<Merged>(
        merged::Variables { yes: false },
        r#"{"me": {"__typename": "User", "friend": {"__typename": "User", "name": "n"}}}"#,
    );
    same(
        "a field with a condition and without",
        is.await,
        r#"ResponseData { me: Some(MergedMe { friend: Some(MergedMeFriend { id: None, on: User(MergedMeFriendOnUser { name: Some("n") }) }) }) }"#,
    );
    failures
}

/// Returns the decoded data of an operation, as text.
async fn read<T>(variables: T::Variables, data: &str) -> String
where
    T: Operation<Data: Debug + 'static, Variables: 'static> + 'static,
{
    let server = Server::start(&format!(r#"{{"data": {data}}}"#));
    match server.client().graphql().execute::<T>(variables).await {
        Ok(read) => format!("{read:?}"),
        Err(error) => error.to_string(),
    }
}
