//! Values that are read and written: types that are both sent and received are read leniently, and
//! written as described; nothing of a valid value is lost.

use podqueue::__private::serde_json::{from_str, to_value};

use crate::both_ways::types::{Owner, Part, Thing, ThingLevel};
use crate::both_ways::Api;
use crate::checks::{said, Checks};
use crate::lossless::types::{Merged, Report};
use crate::server::Server;

/// Returns the failed checks.
pub async fn failures() -> Vec<String> {
    let mut checks = Checks::default();
    reading(&mut checks).await;
    writing(&mut checks).await;
    booleans(&mut checks).await;
    lossless(&mut checks);
    checks.0
}

async fn reading(checks: &mut Checks) {
    let server = Server::start(
        r#"{"count": "7", "flag": "true", "parts": [{}, {"size": "3", "inner": {}}], "owner": {},
            "level": "new", "price": "0.5", "flags": {"a": 1, "b": null},
            "gone": null, "labels": {"k": null}, "owners": {"o": null}}"#,
    );
    let thing = Api::new(&server.client()).get_thing().await.expect("a thing");
    checks.same("what is missing", (&thing.id, &thing.note), "(None, None)");
    checks.same("what is loose", (thing.count, thing.flag, thing.price), "(Some(7), Some(true), Some(0.5))");
    let sizes: Vec<_> = thing.parts.iter().map(|it| it.size).collect();
    checks.same("what is within", sizes, "[None, Some(3)]");
    checks.same("flags", &thing.flags, r#"{"a": true}"#);

    server.request();
    let api = Api::new(&server.client());
    checks.same("what was read", said(api.put_thing(thing).await.map(drop)), "Ok(())");
    checks.same(
        "what was read, written",
        server.request().1.replace('"', "'"),
        concat!(
            "\"{'count':7,'flag':true,'flags':{'a':true},'gone':null,'labels':{'k':null},'level':'new',",
            "'note':null,'owner':{},'owners':{'o':null},'parts':[{},{'inner':{},'size':3}],'price':0.5}\"",
        ),
    );
}

async fn writing(checks: &mut Checks) {
    let server = Server::start(r#"{"id": "t"}"#);
    let api = Api::new(&server.client());
    let none: [Part; 0] = [];
    let thing = Thing::new(7, true, "t", ThingLevel::Low, None, None, none);
    checks.same("the least", said(api.put_thing(thing).await.map(|it| it.id)), r#"Ok(Some("t"))"#);
    checks.same(
        "the least",
        server.request().1.replace('"', "'"),
        "\"{'count':7,'flag':true,'id':'t','level':'low','note':null,'owner':null,'parts':[]}\"",
    );
    let thing = Thing {
        price: Some(2.0),
        ..Thing::new(0, false, "", "high".into(), Some("n".into()), Some(Owner::new("o")), [Part::new(1)])
    };
    checks.same("more", said(api.put_thing(thing).await.map(|it| it.id)), r#"Ok(Some("t"))"#);
    checks.same(
        "more",
        server.request().1.replace('"', "'"),
        concat!(
            "\"{'count':0,'flag':false,'id':'','level':'high','note':'n','owner':{'name':'o'},",
            "'parts':[{'size':1}],'price':2.0}\"",
        ),
    );
}

async fn booleans(checks: &mut Checks) {
    let server = Server::start(r#"[true, "false", 1, null]"#);
    let flags = Api::new(&server.client()).get_flags().await;
    checks.same("a list of flags", said(flags), "Ok([true, false, true])");
    let server = Server::start(r#""True""#);
    checks.same("a flag", said(Api::new(&server.client()).get_flag().await), "Ok(true)");
    let server = Server::start(r#"{"flag": 2}"#);
    let refused = Api::new(&server.client()).get_thing().await.map(drop).map_err(|it| it.kind());
    checks.same("no flag", refused, "Err(Decode)");
    for (value, expected) in [("true", r#"{"value":true}"#), (r#""true""#, r#"{"value":"true"}"#)] {
        let server = Server::start(&format!(r#"{{"either": {{"value": {value}}}}}"#));
        let thing = Api::new(&server.client()).get_thing().await.expect("a thing");
        let either = serde_json::to_string(&thing.either).unwrap_or_default();
        checks.same("a choice", either, &format!("{expected:?}"));
    }
}

fn lossless(checks: &mut Checks) {
    for text in [
        r#"{"any":null,"any_by_name":null,"described":null,"named":{"name":null},"names":null,"next":null,"pages":null,"rows":[],"totals":{},"undescribed":null}"#,
        r#"{"any":7,"any_by_name":[null],"described":[],"names":[],"next":"","pages":[],"rows":[598723.4887763419,218029.01811961964],"totals":{"a":1},"undescribed":[1]}"#,
        r#"{"any":[],"any_by_name":{"a":null},"by_day":{"a":null,"b":[],"c":[1]},"by_digit":{"codes":[]},"by_tag":{"kind":"off","since":7},"described":null,"matrix":[null,[],[0.5]],"names":["a"],"next":"b","pages":[7],"rows":[0.5],"totals":{},"undescribed":{"a":null}}"#,
        r#"{"any":{},"any_by_name":"a","closed":[0.5,1.5],"described":[1],"full":["a","b"],"names":null,"next":null,"open":[0.5,9007199254740993,"x",null,[true]],"open_of_lists":[["a"],"b",[1]],"open_of_two":["a",7,null,{"b":1}],"pages":null,"rows":[],"same":[0.5,1.5],"totals":{},"undescribed":7}"#,
    ] {
        let report: Result<Report, _> = from_str(text);
        let written = report.map_err(|it| it.to_string()).and_then(|it| to_value(&it).map_err(|it| it.to_string()));
        checks.same("what was read, written", written.map(|it| it.to_string()), &format!("Ok({text:?})"));
    }
    let both = r#"{"name":"a","size":1}"#;
    for text in [
        r#"{"alone":BOTH,"beside":[BOTH],"both":{"kind":"off","name":"a","since":7,"size":1},"deep":[[BOTH]],"either":BOTH,"list":[BOTH],"map":{"k":BOTH},"nested":{"inner":{"color":"red","name":"a","size":1}},"nothing":null,"patterns":{"n-a":1,"x-a":"b"},"tuple":[BOTH],"union":{"color":"red","name":"a","size":1}}"#,
        r#"{"either":"a","nothing":"b","within":{"either":BOTH,"list":[BOTH],"map":{"k":BOTH},"one":{"inner":BOTH}}}"#,
        r#"{"nothing":"b","within":{"either":"a"}}"#,
        r#"{"cycle":{"all":{"child":{},"name":"a"},"child":{"parent":{"name":"b"}}},"nothing":"b"}"#,
        r#"{"narrowed":{"child":{"child":{"child":{"child":{"color":"red","kind":"k","name":"a","size":1},"color":"red","kind":"k","name":"a","size":1},"color":"red","kind":"k","name":"a","size":1},"kind":"k","name":"a","size":1},"kind":"k","size":1},"nothing":"b"}"#,
    ] {
        let text = text.replace("BOTH", both);
        let merged: Result<Merged, _> = from_str(&text);
        let written = merged.map_err(|it| it.to_string()).and_then(|it| to_value(&it).map_err(|it| it.to_string()));
        checks.same("what several schemas describe", written.map(|it| it.to_string()), &format!("Ok({text:?})"));
    }
    let report: Report = from_str(r#"{"closed": [1], "same": [1], "full": ["a"]}"#).expect("a report");
    let typed: (Vec<f64>, Vec<f64>, Vec<String>) = (report.closed, report.same, report.full);
    checks.same("tuples without further items, or with typed ones", typed, r#"([1.0], [1.0], ["a"])"#);
}
