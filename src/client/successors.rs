//! Successors: the calls of the account interface that replace those of the first REST version and
//! of GraphQL, which the service is retiring.

/// The advice that names the successor of an operation, for the error of a 410. A query of the
/// caller's own has no known successor.
pub(super) fn successor(operation: &str) -> Option<&'static str> {
    Some(match operation {
        "get_pod" => "use `client.account().get_pod(…)` (feature `account`) instead",
        "get_template" => "use `client.account().get_template(…)` (feature `account`) instead",
        "SaveTemplate" => "use `client.account().create_template(…)` (feature `account`) instead",
        "ModifyTemplate" => "use `client.account().update_template(…)` (feature `account`) instead",
        "DeleteTemplate" => "use `client.account().delete_template(…)` (feature `account`) instead",
        "SecretCreate" | "SecretDelete" => {
            "nothing replaces it: the account interface has no secrets"
        }
        _ => return None,
    })
}
