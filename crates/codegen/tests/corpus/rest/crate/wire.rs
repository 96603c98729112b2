//! Wire format of small descriptions: the requests of calls, and the responses that they read.

use futures_util::StreamExt;
use podqueue::{Part, Result, ServerEvents, TypedEvents};

use crate::checks::{said, Checks};
use crate::server::Server;
use crate::{alike_names, base_with_discriminator, clearing, conditions, contradictory_types, default_errors, empty_responses, files, further_fields, loose, mapped_files, media, merge, methods, multipart, parameters, paths, pattern_properties, query_objects, read_only, responses_by_status, streams};

/// Returns the failed checks.
pub async fn failures() -> Vec<String> {
    let mut checks = Checks::default();
    responses(&mut checks).await;
    every_method(&mut checks).await;
    clearing(&mut checks).await;
    media(&mut checks).await;
    parts(&mut checks).await;
    events(&mut checks).await;
    loose(&mut checks).await;
    texts(&mut checks).await;
    files(&mut checks).await;
    paths(&mut checks).await;
    query_objects(&mut checks).await;
    further_fields(&mut checks).await;
    pattern_properties(&mut checks).await;
    conditions(&mut checks).await;
    mapped_files(&mut checks).await;
    bases(&mut checks).await;
    read_only(&mut checks).await;
    alike_names(&mut checks).await;
    responses_by_status(&mut checks).await;
    contradictory_types(&mut checks).await;
    exact_urls(&mut checks).await;
    checks.0
}

async fn responses(checks: &mut Checks) {
    let server = Server::start("");
    let rest = default_errors::Api::new(&server.client());
    checks.same("a deletion", said(rest.delete_thing("a").await), "Ok(())");
    let server = Server::responding("200 OK", "text/html", "<p>fine");
    let rest = default_errors::Api::new(&server.client());
    checks.same("a run", said(rest.run_thing("a").await), "Ok(())");
    let server = Server::responding("422 No", "application/json", r#"{"message": "not so"}"#);
    let rest = default_errors::Api::new(&server.client());
    let refused = rest.delete_thing("a").await.map_err(|error| error.status());
    checks.same("an error", refused, "Err(Some(422))");
    let server = Server::start(r#"{"id": "b"}"#);
    let rest = default_errors::Api::new(&server.client());
    let thing = said(rest.get_thing("a").await.map(|it| it.and_then(|it| it.id)));
    checks.same("all there is", thing, r#"Ok(Some("b"))"#);
    let server = Server::responding("201 Created", "", "");
    let rest = default_errors::Api::new(&server.client());
    let nothing = said(rest.get_thing("a").await.map(|it| it.is_none()));
    checks.same("nothing where `default` may be an error", nothing, "Ok(true)");

    let server = Server::start("");
    let rest = empty_responses::Api::new(&server.client());
    checks.same("nothing at all", said(rest.delete_thing("a").await), "Ok(())");
    checks.same("no thing", said(rest.get_thing().await.map(|it| it.map(|it| it.id))), "Ok(None)");
    checks.same("no things", said(rest.find_things().await), "Ok(None)");
    checks.same("null or nothing", said(rest.get_null().await), "Ok(None)");
    let server = Server::start(r#"[1, "2"]"#);
    let rest = empty_responses::Api::new(&server.client());
    checks.same("two things", said(rest.find_things().await), "Ok(Some([1, 2]))");
}

/// A wire name that is a valid Rust name is kept.
async fn alike_names(checks: &mut Checks) {
    let server = Server::start(r#"{"@id": "a", "id": "b"}"#);
    let rest = alike_names::Api::new(&server.client());
    let pet = alike_names::types::Pet {
        id_4: Some("@".into()),
        self_: Some("s".into()),
        x: Some(1),
        ..alike_names::types::Pet::new("i", alike_names::types::PetKind::Cat)
    };
    checks.same("a pet", said(rest.get_pet(pet).await.map(|it| it.id)), r#"Ok(Some("b"))"#);
    let sent = r#"{"@id":"@","id":"i","kind":"Cat","self":"s","x":1}"#;
    checks.same("a pet's request", server.request(), &format!("{:?}", ("POST /v1/b", sent)));
    let server = Server::start("");
    let rest = alike_names::Api::new(&server.client());
    checks.same("another", said(rest.get_pet_2("A", "b").x_kind("c").await), "Ok(())");
    checks.same("another's request", server.request().0, r#""GET /v1/a/A/b?x_kind=c""#);
}

async fn contradictory_types(checks: &mut Checks) {
    use contradictory_types::types::FindIdsItem2;
    let server = Server::start("");
    let rest = contradictory_types::Api::new(&server.client());
    let any = [serde_json::Value::from(1), "*".into()];
    let ids = any.map(|it| serde_json::from_value::<FindIdsItem2>(it).expect("it is one"));
    let call = || rest.find(ids.clone()).ids(ids.clone()).id("x").size(2.5).either(["2", "*"]);
    checks.same("numbers or texts", said(call().await), "Ok(())");
    let line = server.request().0;
    let expected = r#""GET /v1/a?ids=1&ids=%2A&id=x&size=2.5&either=2&either=%2A""#;
    checks.same("numbers or texts", line, expected);
    checks.same("numbers or texts", said(call().await), "Ok(())");
    checks.same("numbers or texts", server.header_and_body("all").0, r#""1,*""#);
}

async fn exact_urls(checks: &mut Checks) {
    let server = Server::start("");
    let builder = || podqueue::Client::builder().api_key("key").rest_url("http://127.0.0.1:1");
    for (url, line) in [("", "GET /a"), ("/", "GET /a"), ("/b/", "GET /b/a")] {
        let exact = builder().exact_rest_url(format!("{}{url}", server.url())).build().expect("a client");
        checks.same("an exact URL", said(methods::Api::new(&exact).get_a().await), "Ok(())");
        checks.same("an exact URL", server.request().0, &format!("{line:?}"));
    }
    let client = builder().exact_rest_url("http://127.0.0.1:1").rest_url(server.url()).build();
    let rest = methods::Api::new(&client.expect("a client"));
    checks.same("a URL without a path", said(rest.get_a().await), "Ok(())");
    checks.same("a URL without a path", server.request().0, r#""GET /v1/a""#);
}

async fn responses_by_status(checks: &mut Checks) {
    use responses_by_status::{Api, RangeResponse, RunQueryResponse};

    for (status, media, body, expected) in [
        ("200 OK", "application/json", r#"{"result": "r"}"#, r#"Status200(RunQueryResponse { result: Some("r") })"#),
        ("202 Accepted", "application/json", r#"{"job": "j"}"#, r#"Status202(Job { job: Some("j") })"#),
        ("203 Other", "application/json", r#"[1, null, "2"]"#, "Status203([Some(1), None, Some(2)])"),
        ("204 No Content", "", "", "Status204"),
        ("206 Partial", "text/csv", "a;b", r#"Status206("a;b")"#),
        ("207 Multi", "application/zip", "PK", r#"Status207(b"PK")"#),
        ("201 Created", "application/json", r#"{"token": "t", "ids": [1]}"#, "Other(201, [redacted])"),
    ] {
        let server = Server::responding(status, media, body);
        let done = Api::new(&server.client()).run_query().by_status().await;
        checks.same(status, said(done).map(|it| format!("{it:?}")).unwrap_or_else(|it| it), &format!("{expected:?}"));
        let accept = "application/json, text/csv, application/zip";
        checks.same("what is asked for", server.header_and_body("accept").0, &format!("{accept:?}"));
    }
    for (body, expected) in [(r#"{"a": 1}"#, r#"Some((201, Object {"a": Number(1)}))"#), ("plain", r#"Some((201, String("plain")))"#), ("", "Some((201, Null))")] {
        let server = Server::responding("201 Created", "application/json", body);
        let other = match Api::new(&server.client()).run_query().by_status().await {
            Ok(RunQueryResponse::Other(status, body)) => Some((status, body)),
            _ => None,
        };
        checks.same("a status that is not described", other, expected);
    }
    let server = Server::responding("202 Accepted", "application/json", r#"{"result": 5, "job": []}"#);
    let error = Api::new(&server.client()).run_query().by_status().await.expect_err("the job is no text");
    checks.same("an error", (error.kind(), error.status()), "(OutcomeUnknown, Some(202))");
    let server = Server::responding("299 Odd", "application/json", r#"{"job": "j"}"#);
    let job = match Api::new(&server.client()).range().by_status().await {
        Ok(RangeResponse::Success(job)) => job.job,
        _ => None,
    };
    checks.same("a range", job, r#"Some("j")"#);
    let server = Server::responding("202 Accepted", "application/json", r#"{"job": "j"}"#);
    let error = Api::new(&server.client()).run_query().await.expect_err("it is no result");
    let is_told = error.to_string().contains("the status 202 is that of a response of another type");
    checks.same("a job in place of a result", (error.kind(), error.status(), is_told), "(OutcomeUnknown, Some(202), true)");
    let server = Server::responding("200 OK", "application/json", r#"{"result": "r"}"#);
    let done = Api::new(&server.client()).run_query().await.expect("a result");
    checks.same("a result", done.and_then(|it| it.result), r#"Some("r")"#);
    let server = Server::responding("202 Accepted", "application/json", r#"{"job": "j"}"#);
    let same = Api::new(&server.client()).same().await;
    checks.same("one type for two statuses", said(same.map(|it| it.job)), r#"Ok(Some("j"))"#);
}

async fn every_method(checks: &mut Checks) {
    let server = Server::start("");
    let rest = methods::Api::new(&server.client());
    let sent = [
        ("GET", rest.get_a().await),
        ("PUT", rest.put_a().await),
        ("POST", rest.post_a().await),
        ("DELETE", rest.delete_a().await),
        ("OPTIONS", rest.options_a().await),
        ("HEAD", rest.head_a().await),
        ("PATCH", rest.patch_a().await),
        ("TRACE", rest.trace_a().await),
    ];
    for (method, done) in sent {
        checks.same(method, said(done), "Ok(())");
        checks.same(method, server.request().0, &format!("{:?}", format!("{method} /v1/a")));
    }
    let server = Server::responding("200 OK", "application/json", "");
    let rest = methods::Api::new(&server.client());
    checks.same("HEAD of what has content", said(rest.head_b().await), "Ok(())");
}

async fn clearing(checks: &mut Checks) {
    let server = Server::start("");
    let rest = clearing::Api::new(&server.client());
    let part = clearing::types::ChangePartsItem { note: Some("n".into()) };
    let change = clearing::types::Change { parts: vec![part], ..Default::default() };
    let none: [&str; 0] = [];
    let call = rest.patch_thing(change).null("name").set("tags", none).null("parts[0].note");
    checks.same("a clearing", said(call.await), "Ok(())");
    let (media, body) = server.header_and_body("content-type");
    checks.same("its type", media, r#""application/merge-patch+json""#);
    checks.same("its body", body, r##""{\"name\":null,\"parts\":[{\"note\":null}],\"tags\":[]}""##);

    let change = clearing::types::Change {
        size: Some(None),
        named_size: Some(None),
        within: Some(clearing::types::ChangeWithin { size: Some(None) }),
        never: Some(String::new()),
        ..Default::default()
    };
    checks.same("nulls", said(rest.patch_thing(change).await), "Ok(())");
    let nulls = r##""{\"named_size\":null,\"never\":\"\",\"size\":null,\"within\":{\"size\":null}}""##;
    checks.same("nulls", server.request().1, nulls);

    checks.same("no body", said(rest.patch_optional().await), "Ok(())");
    checks.same("no body", server.header_and_body("content-type"), r#"("", "")"#);
    checks.same("only null", said(rest.patch_optional().null("name").await), "Ok(())");
    checks.same("only null", server.request().1, r##""{\"name\":null}""##);
    let nowhere = rest.patch_optional().null("name[0]").await.map_err(|error| error.field().map(str::to_owned));
    checks.same("no place", nowhere, r#"Err(Some("name[0]"))"#);
}

async fn media(checks: &mut Checks) {
    let server = Server::start(r#"{"id": "c"}"#);
    let rest = media::Api::new(&server.client());
    let card = media::types::ChargeBodyCard {
        number: "4 2".into(),
        owner: Some(media::types::ChargeBodyCardOwner { name: Some("n".into()) }),
    };
    let body = media::types::ChargeBody {
        amount: 5,
        memo: None,
        expand: vec!["a".into(), "b".into()],
        ids: vec![1, 2],
        card: Some(card),
        plain: [("x".to_owned(), 1)].into(),
        spread: [("y".to_owned(), 2)].into(),
    };
    checks.same("a form", said(rest.charge(body).await.map(|it| it.id)), r#"Ok(Some("c"))"#);
    let (media, body) = server.header_and_body("content-type");
    checks.same("a form's type", media, r#""application/x-www-form-urlencoded""#);
    checks.same(
        "a form's body",
        body,
        "\"amount=5&card%5Bnumber%5D=4%202&card%5Bowner%5D%5Bname%5D=n&expand%5B0%5D=a&expand%5B1%5D=b\
         &ids=1%2C2&plain=%7B%22x%22%3A1%7D&y=2\"",
    );
    checks.same("no form", said(rest.token().await), "Ok(())");
    checks.same("no form's body", server.header_and_body("content-type"), r#"("", "")"#);

    let server = Server::responding("200 OK", "text/markdown", "# Ü");
    let rest = media::Api::new(&server.client());
    checks.same("text", said(rest.put_note("tea").await), r##"Ok("# Ü")"##);
    let (media, body) = server.header_and_body("content-type");
    checks.same("what was sent", (media, body), r#"("text/plain", "tea")"#);
    checks.same("text", said(rest.put_note("tea").await), r##"Ok("# Ü")"##);
    checks.same("what was asked for", server.header_and_body("accept").0, r#""text/markdown""#);
    checks.same("XML", said(rest.post_xml().body("<a/>").await), r##"Ok("# Ü")"##);
    let (media, body) = server.header_and_body("content-type");
    checks.same("XML as it was sent", (media, body), r#"("application/soap+xml", "<a/>")"#);
    let file = rest.put_file("bytes").await.map(|it| it.len());
    checks.same("a file", said(file), "Ok(4)");
    let (accept, body) = server.header_and_body("accept");
    checks.same("a file", (accept, body), r#"("application/pdf, image/png", "bytes")"#);

    let server = Server::start(r#"{"a": "b"}"#);
    let rest = media::Api::new(&server.client());
    let body = media::types::VendorBody { a: None };
    checks.same("a vendor", said(rest.vendor(body.clone()).await.map(|it| it.a)), r#"Ok(Some("b"))"#);
    let (media, _) = server.header_and_body("content-type");
    checks.same("its type", media, r#""application/vnd.api+json""#);
    checks.same("a vendor", said(rest.vendor(body).await.map(|it| it.a)), r#"Ok(Some("b"))"#);
    let (media, _) = server.header_and_body("accept");
    checks.same("its type", media, r#""application/vnd.api+json, application/json""#);
}

async fn parts(checks: &mut Checks) {
    let server = Server::start("");
    let rest = multipart::Api::new(&server.client());
    let owner = multipart::types::Owner::new("o");
    let more = [Part::file("1", "one"), Part::text("two")];
    let call = rest
        .upload("a/b", 3, Part::file("a\"b.png", "pixels"), more, owner.clone())
        .file("by query")
        .part_2("also")
        .kind("b")
        .note("**n**")
        .sizes([1, 2])
        .labels([("k".to_owned(), "v".to_owned())].into())
        .place(multipart::types::UploadPlace { x: Some(1) })
        .owners([owner])
        .masks([Part::file("m", "mask").content_type("image/gif")])
        .thumb(Part::file("t", "small"))
        .any(Part::text("any"))
        .modern(Part::file("p", "pdf"))
        .api_key("s3cret")
        .sheet(Part::text("<x/>"))
        .sheets([Part::text("<y/>")])
        .part("extra", Part::text("more"));
    checks.same("parts", said(call.await), "Ok(())");
    let (media, body) = server.header_and_body("content-type");
    let boundary = media.strip_prefix("multipart/form-data; boundary=").unwrap_or_default();
    let parts = body.split(&format!("--{boundary}\r\n")).collect::<String>();
    let parts = parts.replace("content-disposition: form-data; ", "").replace("\r\n", "|");
    checks.same(
        "parts",
        parts.replace("content-type: ", "").replace(boundary, "BOUNDARY").replace('"', "'"),
        concat!(
            "\"name='any'||any|name='api_key'||s3cret|name='count'||3|",
            "name='file'; filename='a%22b.png'|image/png||pixels|name='kind'||b|",
            "name='labels'|application/json||{'k':'v'}|",
            "name='masks'; filename='m'|image/gif||mask|",
            "name='modern'; filename='p'|application/octet-stream||pdf|",
            "name='more'; filename='1'|application/octet-stream||one|name='more'||two|",
            "name='note'|text/markdown||**n**|",
            "name='owner'|application/vnd.owner+json||{'name':'o'}|",
            "name='owners'|application/json||{'name':'o'}|",
            "name='place'|application/json||{'x':1}|name='sheet'|application/xml||<x/>|",
            "name='sheets'|text/xml||<y/>|name='sizes'||1|name='sizes'||2|",
            "name='thumb'; filename='t'|image/webp||small|name='extra'||more|--BOUNDARY--|\"",
        ),
    );
    checks.same("no parts", said(rest.optional().await), "Ok(())");
    checks.same("no parts", server.header_and_body("content-type"), r#"("", "")"#);
    checks.same("no required parts", said(rest.free().await), "Ok(())");
    checks.same("no required parts", server.request().1.ends_with("--\r\n"), "true");
    let call = rest.form_or_file().url("u").file(Part::text("f"));
    checks.same("a file or a URL", said(call.await), "Ok(())");
    checks.same("a file or a URL", server.request().0, r#""POST /v1/form""#);
    let url = multipart::types::JsonOrFileBody { url: Some("u".into()) };
    checks.same("JSON", said(rest.json_or_file(url).await), "Ok(())");
    let sent = server.header_and_body("content-type");
    checks.same("JSON", sent, r#"("application/json", "{\"url\":\"u\"}")"#);
    let call = rest.json_or_file_multipart().file(Part::file("f", "bytes"));
    checks.same("a file in place of JSON", said(call.await), "Ok(())");
    let (line, body) = server.request();
    checks.same("a file in place of JSON", line, r#""POST /v1/json""#);
    checks.same("a file in place of JSON", body.contains("name=\"file\"; filename=\"f\""), "true");
    let odd = Part::text("").content_type("a\r\nb: c");
    let odd = rest.free().part("p", odd).await.map_err(|error| error.field().map(str::to_owned));
    checks.same("an odd type", odd, r#"Err(Some("p"))"#);

    let refusal = r#"{"message": "bad s3cret"}"#;
    let server = Server::responding("400 No", "application/json", refusal);
    let call = multipart::Api::new(&server.client()).free().part("api_key", Part::text("s3cret"));
    let error = said(call.await).err().unwrap_or_default();
    checks.same("a secret", error.contains("bad [redacted]"), "true");
}

async fn events(checks: &mut Checks) {
    async fn all(events: Result<ServerEvents>) -> String {
        let events = events.expect("a stream").map(|event| match event {
            Ok(event) => format!("{} {}", event.event, event.data),
            Err(error) => error.to_string(),
        });
        events.collect::<Vec<_>>().await.join(", ")
    }
    let text = ": hi\n\nevent: tick\ndata: {\"n\": 1}\n\ndata: [DONE]\n\n";
    let server = Server::responding("200 OK", "text/event-stream; charset=utf-8", text);
    let api = streams::Api::new(&server.client());
    let expected = r#""tick {\"n\": 1}, message [DONE]""#;
    let watch = async || api.watch().await.map(TypedEvents::into_events);
    checks.same("events", all(watch().await).await, expected);
    checks.same("events asked for", server.header_and_body("accept").0, r#""text/event-stream""#);
    let ticks = api.watch().await.expect("a stream");
    let ticks: Vec<Option<i64>> = ticks.map(|tick| tick.expect("a tick").n).collect().await;
    checks.same("the events' data, up to the last event", ticks, "[Some(1)]");
    checks.same("words", all(api.words().events_2("e").await).await, expected);
    let body = streams::types::ChatBody { stream: Some(true), ..streams::types::ChatBody::new("t") };
    let chat = api.chat(body.clone()).events().await.map(TypedEvents::into_events);
    checks.same("events on request", all(chat).await, expected);
    let log = api.log().events().await.map(TypedEvents::into_events);
    checks.same("events of a log", all(log).await, expected);

    let text = "event: tick\ndata: {\"n\": 1}\n\nevent: word\ndata: {\"word\": \"w\"}\n\n";
    let server = Server::responding("200 OK", "text/event-stream", text);
    let named = all(streams::Api::new(&server.client()).both().await).await;
    checks.same("events of two names", named, r#""tick {\"n\": 1}, word {\"word\": \"w\"}""#);

    // What services report after the response began, by the name of the event or in its data.
    let text = "data: {\"n\": 1}\n\n\
                event: error\ndata: {\"type\": \"error\", \"error\": {\"type\": \"overloaded_error\", \"message\": \"Overloaded\"}}\n\n\
                data: {\"error\": {\"message\": \"out of memory\", \"code\": 500}}\n\n\
                event: error\n\n\
                event: error\ndata: {\"error\": \"\", \"message\": \"no model\"}\n\n\
                data: {\"n\": 2, \"error\": null}\n\n\
                data: {\"n\": 3, \"error\": \"\"}\n\n";
    let server = Server::responding("200 OK", "text/event-stream", text);
    let ticks = streams::Api::new(&server.client()).watch().await.expect("a stream");
    let ticks = ticks.map(|tick| tick.map(|it| it.n).map_err(|it| (it.kind(), it.to_string())));
    let ticks: Vec<_> = ticks.collect().await;
    let reported = "watch on the REST interface: the service reported an error within the stream";
    let expected = format!(
        "[Ok(Some(1)), Err((Server, {:?})), Err((Server, {:?})), Err((Server, {reported:?})), \
         Err((Server, {:?})), Ok(Some(2)), Ok(Some(3))]",
        format!("{reported}: Overloaded"),
        format!("{reported}: out of memory"),
        format!("{reported}: no model"),
    );
    checks.same("errors within a stream", ticks, &expected);

    let server = Server::start(r#"{"all": "of it"}"#);
    let api = streams::Api::new(&server.client());
    let whole = api.chat(body.clone()).await.map(|it| it.all);
    checks.same("no events", said(whole), r#"Ok(Some("of it"))"#);
    checks.same("JSON asked for", server.header_and_body("accept").0, r#""application/json""#);
    let none = api.watch().await.map(drop).map_err(|error| error.kind());
    checks.same("JSON in place of events", none, "Err(Decode)");
    let unknown = api.chat(body).events().await.map(drop).map_err(|error| error.kind());
    checks.same("JSON in place of events", unknown, "Err(OutcomeUnknown)");
    let server = Server::start("");
    let api = streams::Api::new(&server.client());
    let nothing = api.watch().await.map(TypedEvents::into_events);
    checks.same("no content", all(nothing).await, "\"\"");
}

async fn loose(checks: &mut Checks) {
    let server = Server::start(
        r#"{"id": "a", "zones": "a,b", "quoted": ["a"], "max": 18446744073709551615, "count": "7",
            "counter": 18446744073709551615, "parts": [{"size": "large"}], "when": "now"}"#,
    );
    let rest = loose::Api::new(&server.client());
    let thing = rest.get_thing().await.map(|it| {
        let size = it.parts[0].size.clone();
        (it.id, it.zones, it.quoted, it.max, it.count, it.counter, size)
    });
    checks.same(
        "what does not fit",
        said(thing),
        "Ok((Some(\"a\"), Some(String(\"a,b\")), [\"a\"], Some(Number(18446744073709551615)), \
         Some(7), Some(18446744073709551615), Some(String(\"large\"))))",
    );
    let server = Server::start(
        r#"{"id": 123456789012345678901234567890, "max": 1e400, "count": 123456789012345678901234567890,
            "counter": -1, "parts": [{"size": 1}], "when": "123456789012345678901234567890",
            "wide": 18446744073709551615}"#,
    );
    let thing = loose::Api::new(&server.client()).get_thing().await;
    let thing = thing.map(|it| (it.id, it.max, it.count, it.counter, it.parts.len(), it.when, it.wide));
    checks.same(
        "numbers that do not fit",
        said(thing),
        "Ok((None, None, None, None, 1, Some(\"123456789012345678901234567890\"), Some(18446744073709551615)))",
    );
    let server = Server::start(
        r#"{"either": 18446744073709551615, "above": 9223372036854775808,
            "both_parts": 18446744073709551615, "share": 0.5}"#,
    );
    let thing = loose::Api::new(&server.client()).get_thing().await;
    let thing = thing.map(|it| (it.either, it.above, it.both_parts, it.share));
    checks.same(
        "numbers of two ranges",
        said(thing),
        "Ok((Some(Number(18446744073709551615)), Some(9223372036854775808), \
         Some(18446744073709551615), Some(0.5)))",
    );
    let server = Server::start("");
    let rest = loose::Api::new(&server.client());
    checks.same("a fraction", said(rest.list_parts().least(0.5).await), "Ok(())");
    checks.same("a fraction", server.request().0, r#""GET /v1/parts?least=0.5""#);
    let new = loose::types::New { n: None, i: Some(3), s: None, e: None, zones: vec!["z".into()] };
    checks.same("what must be there", said(rest.put_thing(new).await), "Ok(())");
    let body = server.request().1;
    checks.same(
        "null where it must be there",
        body,
        r##""{\"e\":null,\"i\":3,\"n\":null,\"s\":null,\"zones\":[\"z\"]}""##,
    );
}

/// Numbers and booleans where there should be text. The JSON type selects the shape of a choice.
async fn texts(checks: &mut Checks) {
    let server = Server::start(
        r#"{"code": 78652, "kind": 1, "kinds": [1.5, true, 7], "lines": [10, false, "c", null],
            "labels": {"a": 3}, "beside": {"code": 5, "more": 6}, "sizes": [{"value": "7"}, {"value": 7}]}"#,
    );
    let rest = loose::Api::new(&server.client());
    let address = rest.get_address().await;
    let sizes = address.as_ref().map(|it| serde_json::to_string(&it.sizes).unwrap_or_default());
    let sizes = sizes.unwrap_or_default();
    let read = address.map(|it| {
        let beside = it.beside.clone().unwrap_or_default();
        (it.code.clone(), it.kind.clone(), it.kinds.clone(), it.lines.clone(), it.labels.clone(), beside.code)
    });
    checks.same(
        "texts that are none",
        said(read),
        r#"Ok((Some("78652"), Some(V1), [V1_5, True, Other("7")], ["10", "false", "c"], {"a": "3"}, Some("5")))"#,
    );
    checks.same("choices", sizes, r##""[{\"value\":\"7\"},{\"value\":7}]""##);
    let server = Server::start(r#"[1, "b", null, true]"#);
    let codes = loose::Api::new(&server.client()).list_codes().await;
    checks.same("a list of them", said(codes), r#"Ok(["1", "b", "true"])"#);
}

async fn files(checks: &mut Checks) {
    let server = Server::start(r#"[{"name": "a", "owner": {"name": "b"}, "friends": [{"age": 3}]}]"#);
    let rest = files::Api::new(&server.client());
    let pets = said(rest.list_pets().limit(2).await.map(|pets| {
        let pet = pets[0].clone();
        (pet.name, pet.owner.and_then(|it| it.name), pet.friends[0].age)
    }));
    checks.same("in another file", pets, r#"Ok((Some("a"), Some("b"), Some(3)))"#);
    checks.same("its request", server.request().0, r#""GET /v1/pets?limit=2""#);
    let server = Server::start(r#"{"mine": "m", "odd": {"a": "1"}, "spaced": {"b": "2"}, "part": {"self": {"d": "3"}}}"#);
    let rest = files::Api::new(&server.client());
    let thing = said(rest.get_things().await.map(|it| it.mine));
    checks.same("an operation elsewhere", thing, r#"Ok(Some("m"))"#);
    let here = said(rest.get_here().limit(1).await.map(|it| {
        let deep = it.part.and_then(|it| it.self_).and_then(|it| it.d);
        (it.odd.and_then(|it| it.a), it.spaced.and_then(|it| it.b), deep)
    }));
    checks.same("odd references", here, r#"Ok((Some("1"), Some("2"), Some("3")))"#);
}

async fn paths(checks: &mut Checks) {
    let server = Server::start("");
    let rest = paths::Api::new(&server.client());
    checks.same("a query in a path", said(rest.read("x&y").c("z").await), "Ok(())");
    checks.same("a query in a path", server.request().0, r#""GET /v1/t?kind=a&b=x%26y&c=z""#);
    checks.same("a repeated parameter", said(rest.repeated("x").await), "Ok(())");
    let line = server.request().0;
    checks.same("a repeated parameter", line, r#""GET /v1/queries/x?b=x&c=x&d%20e=f%26g""#);
    checks.same("declared elsewhere", said(rest.declared(7, "x").await), "Ok(())");
    checks.same("declared elsewhere", server.request().0, r#""GET /v1/queries?h=7&j=x""#);
    checks.same("a query template", said(rest.template().l("x").await), "Ok(())");
    checks.same("a query template", server.request().0, r#""GET /v1/templates/?l=x""#);
    let call = rest.list("x").page("1").size(2).text("t");
    checks.same("a template of several", said(call.await), "Ok(())");
    let line = server.request().0;
    checks.same("a template of several", line, r#""GET /v1/lists/x?page=1&text=t&size=2""#);
    checks.same("no slash in front", said(rest.rootless("x").await), "Ok(())");
    checks.same("no slash in front", server.request().0, r#""GET /v1/rootless/x""#);
    checks.same("a fragment in a path", said(rest.other().await), "Ok(())");
    checks.same("a fragment in a path", server.request().0, r#""POST /v1/t""#);
    checks.same("an odd path", said(rest.odd("i").await), "Ok(())");
    let line = server.request().0;
    checks.same("an odd path", line, r#""GET /v1/a%20b/%20/%C3%BC/i:archive""#);
    checks.same("styles in a path", said(rest.styled(7, "x/y", ["z", "v"]).e("w").await), "Ok(())");
    let line = server.request().0;
    checks.same("styles in a path", line, r#""GET /v1/styles/.7/;b%20c=x%2Fy/x;d=z;d=v?e=w""#);

    let server = Server::start(r#"{"a": "1", "c": "2"}"#);
    let rest = merge::Api::new(&server.client());
    let thing = said(rest.get_thing().await.map(|it| it.c));
    checks.same("merged", thing, r#"Ok(Some("2"))"#);
    server.request();
    let body = merge::types::FindThingBody { text: Some("t".into()) };
    let thing = said(rest.find_thing(body).await.map(|it| it.c));
    checks.same("a query", thing, r#"Ok(Some("2"))"#);
    let (line, body) = server.request();
    checks.same("a query", line + &body, r##""QUERY /v1/thing{\"text\":\"t\"}""##);
    checks.same("another method", said(rest.copy_thing().await), "Ok(())");
    checks.same("another method", server.request().0, r#""COPY /v1/thing""#);
}

async fn query_objects(checks: &mut Checks) {
    use query_objects::types::{
        Filter, FilterOwner, FindPodsCreated, FindPodsPage, FindPodsPointsItem, FindPodsQuery,
        FindPodsSize,
    };
    let server = Server::start("");
    let rest = query_objects::Api::new(&server.client());
    let mut filter = Filter::new("a&b");
    filter.zones = vec!["x".into(), "y".into()];
    filter.owner = Some(FilterOwner { id: Some(7) });
    let call = rest
        .find_pods(filter.clone(), ["x", "y"])
        .created(FindPodsCreated::Object { gt: Some(1), lt: None })
        .expand(["a.b", "c"])
        .with(["d", "e"])
        .page(FindPodsPage { limit: Some(2), after: Some("c".into()) })
        .labels([("k".to_owned(), "v".to_owned())].into())
        .size(FindPodsSize { width: Some(3), height: Some(4) })
        .range([("from".to_owned(), 5)].into())
        .query(FindPodsQuery { all: vec!["d".into()] })
        .term(query_objects::types::StringOrInteger::String("t".into()))
        .points([FindPodsPointsItem { x: Some(6) }]);
    checks.same("objects in a query", said(call.await), "Ok(())");
    let (line, _) = server.request();
    let line = line.replace("%5B", "[").replace("%5D", "]").replace("%22", "'").replace("%2C", ",");
    checks.same(
        "objects in a query",
        line.replace("%7B", "{").replace("%7D", "}").replace("%3A", ":").replace("%7C", "|"),
        concat!(
            "\"GET /v1/pods?created[gt]=1&filter[name]=a%26b&filter[owner][id]=7",
            "&filter[zones][0]=x&filter[zones][1]=y",
            "&expand[0]=a.b&expand[1]=c&with[]=d&with[]=e&after=c&limit=2&k=v&size=height,4,width,3",
            "&range=from|5&query={'all':['d']}&term='t'&points={'x':6}\"",
        ),
    );
    let api = parameters::Api::new(&server.client());
    let call = api.read(1, "t", "u", [2, 3]).spaced(10.0).tags(["a", "b"]).x_trace_2("t").encoded([("k".to_owned(), 1.into())].into_iter().collect());
    checks.same("a name with spaces", said(call.await), "Ok(())");
    let line = server.request().0;
    checks.same(
        "a name with spaces",
        line,
        "\"GET /v1/a/1/t/u?tags=a&tags=b&ids%5B%5D=2&ids%5B%5D=3&encoded=%7B%22k%22%3A1%7D&%20spaced%20=10\"",
    );
    let call = api.read(1, "t", "u", [2, 3]).spaced(f64::NAN);
    let refused = call.await.map_err(|it| (it.kind(), it.field().map(str::to_owned)));
    let expected = r#"Err((InvalidRequest, Some(" spaced ")))"#;
    checks.same("a number that no query has", refused.map(drop), expected);
    checks.same("a fragment", said(api.fragment("i").await), "Ok(())");
    checks.same("a fragment", server.request().0, "\"GET /v1/b/i\"");
    let call = rest.find_pods(filter, ["x", "y"]).created(FindPodsCreated::Integer(8));
    checks.same("a number in a query", said(call.await), "Ok(())");
    checks.same("a number in a query", server.header_and_body("x-zones").0, "\"x,y\"");
}

async fn further_fields(checks: &mut Checks) {
    let server = Server::start(r#"{"a": "b", "extra": 1, "n": "2", "c": [null], "d": "4", "all": {"x": "y", "z": null}}"#);
    let rest = further_fields::Api::new(&server.client());
    let extra = [("k".to_owned(), "v".to_owned())].into();
    let sent = further_fields::types::Sent { n: "n".into(), m: None, extra };
    let got = rest.post(sent.clone()).await.map(|it| it.extra_2.contains_key("d").then(|| format!("{it:?}")));
    let shown = got.ok().flatten().unwrap_or_default();
    checks.same("further fields are shown", shown.contains(r#"extra: {"z":null}"#), "true");
    server.request();
    let got = said(rest.post(sent).await.map(|it| {
        let all = it.all.unwrap_or_default();
        (it.a, it.extra, it.n, it.extra_2, all.x, all.extra)
    }));
    checks.same(
        "further fields",
        got,
        "Ok((Some(\"b\"), Some(1), Some(2), {\"d\": 4}, Some(\"y\"), {\"z\": Null}))",
    );
    checks.same("further fields", server.request().1, r##""{\"n\":\"n\",\"k\":\"v\"}""##);
}

async fn pattern_properties(checks: &mut Checks) {
    use pattern_properties::types::{StringOrInteger, Sent};
    let server = Server::start(r#"{"name": "n", "x-a": "b"}"#);
    let rest = pattern_properties::Api::new(&server.client());
    let extra = [("x-a".to_owned(), "b".to_owned())].into();
    let got = rest.beside(Sent { name: "n".into(), extra }).await;
    checks.same("fields by pattern", said(got.map(|it| it.extra)), r#"Ok({"x-a": "b"})"#);
    checks.same("fields by pattern", server.request().1, r##""{\"name\":\"n\",\"x-a\":\"b\"}""##);
    let server = Server::start("");
    let rest = pattern_properties::Api::new(&server.client());
    let several = [("x-a".to_owned(), StringOrInteger::String("b".into()))];
    checks.same("several patterns", said(rest.several(several.into()).await), "Ok(())");
    checks.same("several patterns", server.request().1, r##""{\"x-a\":\"b\"}""##);
}

/// Fields that an object has under a condition only are read and written.
async fn conditions(checks: &mut Checks) {
    use conditions::types::{StringOrInteger, Thing};
    let text = r#"{"further":{"name":"n","b":3},"height":2,"kind":"b","map":{"x-a":1,"y":"z"},"owner":"o","parts":{"unit":"text","value":"v","width":1},"size":{"width":4}}"#;
    let server = Server::start(text);
    let rest = conditions::Api::new(&server.client());
    let got = rest.put_thing(Thing::default()).await.expect("a thing");
    let value = got.parts.clone().and_then(|it| it.value);
    checks.same("a value by its unit", value == Some(StringOrInteger::String("v".into())), "true");
    checks.same("without fields", server.request().1, r##""{}""##);
    let again = said(rest.put_thing(got.clone()).await.map(|it| it == got));
    checks.same("fields under conditions, sent and read again", again, "Ok(true)");
    checks.same("fields under conditions", server.request().1, &format!("{text:?}"));
    let share = Thing { share: Some(f64::NAN), ..Thing::default() };
    let refused = rest.put_thing(share).await.map_err(|it| it.kind());
    checks.same("a number that JSON does not have", refused.map(drop), "Err(InvalidRequest)");
}

/// A mapping leads to the schema that it refers to, and not to one of the same name.
async fn mapped_files(checks: &mut Checks) {
    use mapped_files::types::{Animal, Cat, Dog2, Fox, Pack, Unmapped};
    let server = Server::replying(&[
        ("200 OK", "content-type: application/json", r#"{"kind": "wild", "howls": true}"#),
        ("200 OK", "content-type: application/json", r#"{"kind": "dog", "barks": true}"#),
        ("200 OK", "content-type: application/json", r#"{"kind": "cat", "lives": 9}"#),
    ]);
    let rest = mapped_files::Api::new(&server.client());
    for (animal, sent) in [
        (Animal::Dog2(Dog2 { howls: Some(true), ..Dog2::default() }), r#"{"howls":true,"kind":"wild"}"#),
        (Animal::Cat(Cat { lives: Some(9), ..Cat::default() }), r#"{"lives":9,"kind":"cat"}"#),
        (Animal::Dog(Default::default()), r#"{"kind":"dog"}"#),
    ] {
        let got = rest.add_animal(animal).await.expect("an animal");
        let is_read = match &got {
            Animal::Dog2(dog) => dog.howls == Some(true),
            Animal::Dog(dog) => dog.barks == Some(true),
            Animal::Cat(cat) => cat.lives == Some(9),
            _ => false,
        };
        checks.same("an animal of another file", is_read, "true");
        checks.same("an animal of another file", server.request().1, &format!("{sent:?}"));
    }
    let server = Server::start("");
    let rest = mapped_files::Api::new(&server.client());
    for (member, sent) in [
        (Pack::Dog2(Dog2::default()), r#"{"kind":"d"}"#),
        (Pack::Fox(Fox { tails: Some(1), ..Fox::default() }), r#"{"tails":1,"kind":"f"}"#),
    ] {
        checks.same("a member", said(rest.add_to_pack(member).await), "Ok(())");
        checks.same("a member", server.request().1, &format!("{sent:?}"));
    }
    for (animal, sent) in [
        (Unmapped::Dog2(Dog2::default()), r#"{"kind":"Dog"}"#),
        (Unmapped::Cat(Cat::default()), r#"{"kind":"cat"}"#),
    ] {
        checks.same("without a mapping", said(rest.add_unmapped(animal).await), "Ok(())");
        checks.same("without a mapping", server.request().1, &format!("{sent:?}"));
    }
}

async fn read_only(checks: &mut Checks) {
    use read_only::types::{Item, NewOrder};
    let server = Server::start("");
    let rest = read_only::Api::new(&server.client());
    checks.same("an order", said(rest.add_order(NewOrder::new("n")).await), "Ok(())");
    checks.same("an order", server.request().1, r##""{\"name\":\"n\"}""##);
    let server = Server::start(r#"{"id": "i", "name": "n"}"#);
    let rest = read_only::Api::new(&server.client());
    let made = rest.add_item(Item::new("n")).await.map(|it| it.id);
    checks.same("an item", said(made), r#"Ok(Some("i"))"#);
    checks.same("an item", server.request().1, r##""{\"name\":\"n\"}""##);
}

async fn bases(checks: &mut Checks) {
    let server = Server::start(r#"{"kind": "cat", "lives": 9}"#);
    let rest = base_with_discriminator::Api::new(&server.client());
    let animal = rest.get_animal().await.map(|it| (it.kind, it.extra));
    checks.same("a base", said(animal), r#"Ok((Some("cat"), {"lives": Number(9)}))"#);
}
