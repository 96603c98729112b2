//! podqueue's own calls by name, over HTTP: their requests are unchanged, and they read responses
//! with more fields.

use podqueue::graphql::{grow_more, GrowMore};
use podqueue::{NewTemplate, Result};

use crate::server::Server;

/// Returns the failed checks.
pub async fn failures() -> Vec<String> {
    let mut failures = Vec::new();
    let mut same = |what: &str, is: Result<String>, should: &str| {
        let is = is.unwrap_or_else(|error| error.to_string());
        if is != should {
            failures.push(format!("{what}: is {is}, should be {should}"));
        }
    };
    let server = Server::start(
        r#"{"data": {
            "saveTemplate": {"id": "t", "name": "n", "grownText": "g", "grown": {"grown": "C"}},
            "secretCreate": {"id": "s", "name": "n", "grownText": null},
            "secretDelete": null, "deleteTemplate": null, "grow": {"grown": "NEW", "many": null}
        }}"#,
    );
    let client = server.client();
    let draft = NewTemplate::serverless("n", "image:1").container_disk_gb(5);
    let saved = client.templates().create(draft.clone()).await;
    same("a template", saved.map(|it| it.id), "t");
    same(
        "what creates it",
        Ok(sent(&server)),
        r#"saveTemplate(input: {containerDiskInGb: 5, imageName: "image:1", isServerless: true, name: "n", volumeInGb: 0})"#,
    );
    let saved = client.templates().update("t", draft).await;
    same("a changed template", saved.map(|it| it.name), "n");
    let sent_input = sent(&server);
    same("what changes it", Ok(sent_input.contains(r#"id: "t""#).to_string()), "true");
    let deleted = client.templates().delete("n").await;
    same("a deleted template", deleted.map(|()| String::new()), "");
    same("what deletes it", Ok(sent(&server)), r#"deleteTemplate(templateName: "n")"#);
    let secret = client.secrets().create("n", "v").await;
    same("a secret", secret.map(|it| it.id), "s");
    same("what creates it", Ok(sent(&server)), r#"secretCreate(input: {name: "n", value: "v"})"#);
    let deleted = client.secrets().delete("s").await;
    same("a deleted secret", deleted.map(|()| String::new()), "");
    same("what deletes it", Ok(sent(&server)), r#"secretDelete(id: "s")"#);
    let grown = client.graphql().execute::<GrowMore>(grow_more::Variables { grown: None }).await;
    same("what is new", grown.map(|it| format!("{:?}", it.grow.and_then(|it| it.grown))), r#"Some(Other("NEW"))"#);
    sent(&server);

    let server = Server::start(
        r#"{"id": "p", "desiredStatus": "GROWN", "grownMany": [{"grown": "A"}], "gpu": {"count": 2}}"#,
    );
    let rest = server.client().rest();
    let pod = rest.get_pod("p").include_machine(true).await;
    same("a Pod", pod.map(|it| format!("{:?} {:?}", it.id, it.gpu.and_then(|it| it.count))), r#"Some("p") Some(2)"#);
    same("what reads it", Ok(server.request().0), "GET /v1/pods/p?includeMachine=true");
    let template = rest.get_template("t").include_public_templates(true).await;
    same("a template", template.map(|it| format!("{:?}", it.id)), r#"Some("p")"#);
    same(
        "what reads it",
        Ok(server.request().0),
        "GET /v1/templates/t?includePublicTemplates=true",
    );
    let template = rest.get_template("t").grown("g").x_grown(7).await;
    same("a parameter that is new", template.map(|it| it.grown_many.len().to_string()), "1");
    same("what sends it", Ok(server.request().0), "GET /v1/templates/t?grown=g");
    failures
}

/// The one field that a document asks for, without what it selects.
fn sent(server: &Server) -> String {
    let body = server.request().1.replace("\\\"", "\"");
    let field = body.split_once("{ ").map_or("", |(_, field)| field);
    field.split([')']).next().map_or_else(String::new, |it| format!("{it})"))
}
