//! Successors: the calls of the account interface that replace those of the first REST version and
//! of GraphQL, which the service is retiring.

/// The call that replaces an operation, for the error of a 410. The account interface has no
/// secrets, and a query of the caller's own has no successor that is known.
pub(super) fn successor(operation: &str) -> Option<&'static str> {
    Some(match operation {
        "get_pod" => "`client.account().get_pod(…)` (feature `account`)",
        "get_template" => "`client.account().get_template(…)` (feature `account`)",
        "SaveTemplate" => "`client.account().create_template(…)` (feature `account`)",
        "ModifyTemplate" => "`client.account().update_template(…)` (feature `account`)",
        "DeleteTemplate" => "`client.account().delete_template(…)` (feature `account`)",
        _ => return None,
    })
}
