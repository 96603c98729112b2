//! Calls over HTTP, as a caller of the generated code writes them.

use crate::server::Server;
use crate::{bodies, choices, cloud, json, parameters, success_codes, type_arrays};

/// Returns the failed checks.
pub async fn failures() -> Vec<String> {
    let mut failures = Vec::new();
    let mut same = |what: &str, is: String, should: &str| {
        if is != should {
            failures.push(format!("{what}: is {is}, should be {should}"));
        }
    };

    let server = Server::start("");
    let rest = parameters::Api::new(&server.client());
    let call = rest
        .read(7, "a/b", "c", [1, 2])
        .page(3)
        .tags(["x y", "z"])
        .levels([parameters::types::Level::Low, "soon".into()])
        .since("today")
        .either("7")
        .one_or_more(["a"])
        .fn_(true)
        .limit(5);
    same("a call without an answer", format!("{:?}", call.await.ok()), "Some(())");
    let (line, _) = server.request();
    same(
        "parameters",
        line,
        "GET /v1/a/7/a%2Fb/c?page=3&tags=x%20y&tags=z&levels=low&levels=soon&ids%5B%5D=1\
         &ids%5B%5D=2&since=today&either=7&one_or_more=a&fn=true&limit=5",
    );

    let server = Server::start(r#"{"items": null}"#);
    let rest = cloud::Api::new(&server.client());
    let call = rest.compute_instances_list_2("p", "r").top(5).fields(["id", "name"]);
    let call = call.zones(["a", "b"]).states([cloud::types::State::Running, "NEW".into()]);
    same("lists in one text", format!("{:?}", call.await.map(|it| it.items.len()).ok()), "Some(0)");
    let (line, _) = server.request();
    same(
        "lists in one text",
        line,
        "GET /v1/v1/projects/p/instances?%24top=5&fields=id,name&zones=a%20b&states=RUNNING%7CNEW",
    );

    let server = Server::start("");
    let rest = bodies::Api::new(&server.client());
    let part = bodies::types::NewPartsItem { id: "p".into() };
    let new = bodies::types::New {
        level: Some("low".into()),
        ..bodies::types::New::new(bodies::types::StringOrStringList::String("e".into()), "n", [part])
    };
    same("a body", format!("{:?}", rest.json(new).await.ok()), "Some(())");
    let (line, body) = server.request();
    same("a body's request", line, "POST /v1/json");
    same("a body's text", body, r#"{"either":"e","level":"low","name":"n","parts":[{"id":"p"}]}"#);
    same("no body", format!("{:?}", rest.optional().await.ok()), "Some(())");
    same("no body's text", server.request().1, "");
    same("a list", format!("{:?}", rest.list(["a"]).await.ok()), "Some(())");
    same("a list's text", server.request().1, r#"["a"]"#);

    let made = r#"{"id": "made", "job": 5, "tomorrow": {}}"#;
    let server = Server::responding("201 Created", "application/json", made);
    let made = success_codes::Api::new(&server.client()).make().await.ok();
    same("one of several answers", format!("{:?}", made.and_then(|it| it?.id)), r#"Some("made")"#);

    let server = Server::start(r#"[{"id": "a", "price": "0.5"}, {"id": null}]"#);
    #[allow(deprecated)]
    let things = json::Api::new(&server.client()).list_things().await.unwrap_or_default();
    let prices: Vec<_> = things.iter().map(|it| it.price).collect();
    same("a list of things", format!("{prices:?}"), "[Some(0.5), None]");

    let server = Server::start(
        r#"{"name": null, "size": "50.0", "tags": ["a", null], "version": 3, "parent": {"id": "p"}}"#,
    );
    let thing = type_arrays::Api::new(&server.client()).get_thing("t").await.expect("a thing");
    same("a size", format!("{:?}", thing.size), "Some(50)");
    same("a number or a name", format!("{:?}", thing.version), "Some(Integer(3))");
    same("a parent", format!("{:?}", thing.parent.and_then(|it| it.id)), r#"Some("p")"#);

    let server = Server::start(
        r#"{"pet": {"kind": "dog", "barks": true}, "pets": [{"kind": "cow"}, null],
            "text_or_list": ["a"], "text_or_part": {"id": "p"}, "text_or_number": [true]}"#,
    );
    let thing = choices::Api::new(&server.client()).get_thing("t").await.expect("a thing");
    let pet = match thing.pet {
        Some(choices::types::CatOrDog::Dog(dog)) => format!("{:?} {:?}", dog.kind, dog.barks),
        other => format!("{other:?}"),
    };
    same("which pet", pet, "Some(Dog) Some(true)");
    same("how many pets", thing.pets.len().to_string(), "1");
    let cow = match &thing.pets[0] {
        choices::types::CatOrDog::Other(json) => json.to_string(),
        known => format!("{known:?}"),
    };
    same("another pet", cow, r#"{"kind":"cow"}"#);
    let list = matches!(thing.text_or_list, Some(choices::types::StringOrStringList::Array(_)));
    same("one or several", list.to_string(), "true");
    let other = matches!(thing.text_or_number, Some(choices::types::StringOrNumber::Other(_)));
    same("what nobody knew", other.to_string(), "true");
    failures
}
