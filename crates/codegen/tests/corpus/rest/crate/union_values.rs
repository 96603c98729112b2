//! Values of unions: every branch round-trips through JSON, a value of no branch stays JSON, and
//! written values have their tag and the fields that their branch requires.

use std::fmt::Debug;

use podqueue::__private::serde::Serialize;
use podqueue::__private::serde::de::DeserializeOwned;
use podqueue::__private::serde_json::{Value, from_str, json, to_value};

use crate::checks::{said, Checks};
use crate::server::Server;
use crate::unions::types::{
    ByDay, ByDayOrByName, Card, Cat, CustomerOrDeletedCustomer, Dog, Events, EventsAround,
    EventsBeside, EventsFirst, Iban, Maker, MakerOrStock, Message, Order, PartOrWhole, Payment, Pet,
    Stock,
};
use crate::tags;
use crate::tags::types::{
    Alike, Animal, AnimalBase, Bike, Contradiction, Fallback, Flag, Half, Left, Number, One, Policy, Release, Rest,
    Vehicle, Version, Whole, Wide,
};
use crate::unions::Api;

/// Returns the failed checks.
pub async fn failures() -> Vec<String> {
    let mut checks = Checks::default();
    tags(&mut checks);
    tags_that_are_no_texts(&mut checks);
    tags_in_other_ranges(&mut checks);
    tags_of_the_wire(&mut checks).await;
    required_fields(&mut checks);
    inheritance(&mut checks);
    nested(&mut checks);
    forbidden(&mut checks);
    written(&mut checks).await;
    debug(&mut checks);
    checks.0
}

/// Reads a value, and writes it again, which must give the same JSON.
fn read<T: Serialize + DeserializeOwned + Debug + PartialEq>(checks: &mut Checks, text: &str) -> T {
    let value: T = from_str(text).expect(text);
    let again = to_value(&value).expect("it can be written");
    let before: Value = from_str(text).expect(text);
    checks.same("what was read, written", &again, &format!("{before:?}"));
    let same: T = from_str(&again.to_string()).expect("it can be read again");
    checks.same("what was read, written and read", same == value, "true");
    value
}

fn tags(checks: &mut Checks) {
    for tag in ["card", "credit"] {
        let text = format!(r#"{{"type": "{tag}", "number": "42"}}"#);
        let Payment::Card(card) = read(checks, &text) else { panic!("{text} is a card") };
        checks.same("a card", (card.type_, card.number), &format!("(Some({tag:?}), Some(\"42\"))"));
    }
    // Beside a mapping, the name of a schema counts, too.
    let is_card = matches!(read(checks, r#"{"type": "Card", "number": "42"}"#), Payment::Card(_));
    checks.same("a card by the name of its schema", is_card, "true");
    let is_iban = matches!(read(checks, r#"{"type": "iban", "iban": "DE"}"#), Payment::Iban(_));
    checks.same("an IBAN", is_iban, "true");
    let stock: MakerOrStock = read(checks, r#"{"kind": "stock", "shelf": 7}"#);
    checks.same("stock", stock == MakerOrStock::from(Stock::new(7)), "true");
    let maker: MakerOrStock = read(checks, r#"{"kind": "maker"}"#);
    checks.same("a maker", maker == MakerOrStock::from(Maker::new()), "true");

    // Neither a null, an unknown field nor a missing field changes the branch.
    for text in [
        r#"{"type": "card", "number": null, "iban": null, "tomorrow": {"a": [1]}}"#,
        r#"{"type": "card", "number": 42}"#,
        r#"{"type": "card"}"#,
    ] {
        let is_card = matches!(from_str(text), Ok(Payment::Card(_)));
        checks.same(text, is_card, "true");
    }
}

fn tags_that_are_no_texts(checks: &mut Checks) {
    let number = |text: &str| match from_str(text).expect(text) {
        Number::One(one) => format!("one, {:?}", one.version),
        Number::Two(two) => format!("two, {:?}", two.version),
        Number::Other(other) => format!("other, {other}"),
    };
    for (text, should) in [
        (r#"{"version": 1}"#, "one, Some(1)"),
        (r#"{"version": 1.0}"#, "one, Some(1)"),
        (r#"{"version": 2}"#, "two, Some(2)"),
        (r#"{"version": 3}"#, "two, Some(3)"),
        (r#"{"version": 4}"#, r#"other, {"version":4}"#),
        (r#"{"version": "1"}"#, r#"other, {"version":"1"}"#),
    ] {
        checks.same(text, number(text), &format!("{should:?}"));
    }
    let is_on = |text: &str| matches!(from_str(text), Ok(Flag::On(_)));
    let is_off = |text: &str| matches!(from_str(text), Ok(Flag::Off(_)));
    let flags = (is_on(r#"{"active": true}"#), is_off(r#"{"active": false}"#));
    checks.same("flags", flags, "(true, true)");
    let is_v2 = matches!(from_str(r#"{"v": 2, "b": "c"}"#), Ok(Version::V2(_)));
    checks.same("a branch by inheritance", is_v2, "true");

    // What either the mapping or the schema says selects the branch.
    let side = |side: &str| match from_str(&format!(r#"{{"side": "{side}"}}"#)).expect(side) {
        Contradiction::Left(_) => "left",
        Contradiction::Right(_) => "right",
        _ => "other",
    };
    let sides = ["l", "left", "right", "r", "Left", "x"].map(side);
    checks.same("sides", sides, r#"["left", "left", "right", "right", "other", "other"]"#);

    let mut default = |text: &str| match read(checks, text) {
        Fallback::Known(_) => "known",
        Fallback::Rest(_) => "rest",
        _ => "other",
    };
    let texts = [r#"{"kind": "known"}"#, r#"{"kind": "new", "name": "n"}"#, r#"{"name": "n"}"#, "[1]"];
    let defaults = texts.map(&mut default);
    checks.same("defaults", defaults, r#"["known", "rest", "rest", "other"]"#);
}

/// Tags beyond an `i64`, tags in another type, and the same tag twice.
fn tags_in_other_ranges(checks: &mut Checks) {
    let mut wide = |text: &str| match read(checks, text) {
        Wide::Whole(_) => "whole",
        Wide::Half(_) => "half",
        _ => "other",
    };
    let sizes = [r#"{"size": 18446744073709551615}"#, r#"{"size": 0.5}"#, r#"{"size": 0}"#];
    let sizes = sizes.map(&mut wide);
    checks.same("sizes", sizes, r#"["whole", "half", "other"]"#);

    let mut release = |text: &str| match read(checks, text) {
        Release::First(_) => "first",
        Release::Later(_) => "later",
        _ => "other",
    };
    let texts = [r#"{"version": 1, "date": "d"}"#, r#"{"version": 2}"#, "{}", r#"{"version": "1", "date": "d"}"#];
    let releases = texts.map(&mut release);
    checks.same("releases", releases, r#"["first", "later", "later", "other"]"#);

    let mut animal = |text: &str| match read(checks, text) {
        Animal::AnimalBase(_) => "animal",
        Animal::HouseCat(_) => "cat",
        _ => "other",
    };
    let kinds = ["animal", "Animal", "cat", "HouseCat", "AnimalBase", "Animal_base", "dog"];
    let animals = kinds.map(|it| animal(&format!(r#"{{"kind": "{it}", "name": "n"}}"#)));
    let expected = r#"["animal", "animal", "cat", "cat", "other", "other", "other"]"#;
    checks.same("animals", animals, expected);

    let mut vehicle = |text: &str| match read(checks, text) {
        Vehicle::VehicleBase(_) => "vehicle",
        Vehicle::Bike(Bike::BikeBase(_)) => "bike",
        Vehicle::Car(_) => "car",
        Vehicle::Trike(_) | Vehicle::Bike(_) => "trike",
        Vehicle::Other(_) => "other",
    };
    let vehicles = [0, 2, 4, 5].map(|it| vehicle(&format!(r#"{{"wheels": {it}}}"#)));
    checks.same("vehicles", vehicles, r#"["vehicle", "bike", "car", "other"]"#);

    let mut policy = |text: &str| match read(checks, text) {
        Policy::DefaultPolicy(_) => "default",
        Policy::BanditPolicy(_) => "bandit",
        Policy::Other(_) => "other",
    };
    let policies = ["Default", "Bandit", "Median"].map(|it| policy(&format!(r#"{{"name": "{it}"}}"#)));
    checks.same("policies", policies, r#"["default", "bandit", "other"]"#);

    let mut alike = |text: &str| match read(checks, text) {
        Alike::Long(_) => "long",
        Alike::Short(_) => "short",
        _ => "other",
    };
    let texts = [r#"{"kind": "size", "long": "l"}"#, r#"{"kind": "size", "short": "s"}"#];
    let found = texts.map(&mut alike);
    checks.same("the same tag", found, r#"["long", "short"]"#);
}

/// Tags in what a call sends.
async fn tags_of_the_wire(checks: &mut Checks) {
    let server = Server::start(r#"{"version": 2, "name": "b"}"#);
    let api = tags::Api::new(&server.client());
    let received = api.numbers(One { name: Some("a".into()), ..One::new() }).await;
    let is_two = matches!(&received, Ok(Number::Two(two)) if two.name.as_deref() == Some("b"));
    checks.same("a number received", is_two, "true");
    checks.same("a number sent", server.request().1, r##""{\"name\":\"a\",\"version\":1}""##);
    let server = Server::start(r#"{"side": "left"}"#);
    let api = tags::Api::new(&server.client());
    let received = api.contradictions(Left::new()).await;
    checks.same("a side received", matches!(received, Ok(Contradiction::Left(_))), "true");
    checks.same("a side sent", server.request().1, r##""{\"side\":\"left\"}""##);
    let server = Server::start(r#"{"name": "b"}"#);
    let api = tags::Api::new(&server.client());
    let received = api.defaults(Rest { name: Some("a".into()), ..Rest::default() }).await;
    checks.same("a default received", matches!(received, Ok(Fallback::Rest(_))), "true");
    checks.same("a default sent", server.request().1, r##""{\"name\":\"a\"}""##);
    let server = Server::start(r#"{"size": 18446744073709551615}"#);
    let api = tags::Api::new(&server.client());
    let is_whole = matches!(api.wide(Whole::new()).await, Ok(Wide::Whole(it)) if it.size == Some(u64::MAX));
    checks.same("a wide tag received", is_whole, "true");
    checks.same("a wide tag sent", server.request().1, r##""{\"size\":18446744073709551615}""##);
    api.wide(Half::new()).await.expect("it is sent");
    checks.same("a fraction sent", server.request().1, r##""{\"size\":0.5}""##);
    let server = Server::start(r#"{"kind": "animal", "name": "b"}"#);
    let api = tags::Api::new(&server.client());
    let received = api.animals(AnimalBase { name: Some("a".into()), ..AnimalBase::new() }).await;
    checks.same("a base received", matches!(received, Ok(Animal::AnimalBase(_))), "true");
    checks.same("a base sent", server.request().1, r##""{\"kind\":\"animal\",\"name\":\"a\"}""##);
}

fn required_fields(checks: &mut Checks) {
    let is_part = matches!(read(checks, r#"{"id": "a"}"#), PartOrWhole::Part(_));
    checks.same("a part", is_part, "true");
    let is_whole = matches!(read(checks, r#"{"id": "a", "size": 3}"#), PartOrWhole::Whole(_));
    checks.same("a whole", is_whole, "true");
    let is_whole = matches!(from_str(r#"{"id": "a", "size": null}"#), Ok(PartOrWhole::Whole(_)));
    checks.same("a whole of no size", is_whole, "true");
    let text = r#"{"id": "c", "object": "customer", "name": "n"}"#;
    let is_there = matches!(read(checks, text), CustomerOrDeletedCustomer::Customer(_));
    checks.same("a customer", is_there, "true");
    let text = r#"{"id": "c", "object": "customer", "deleted": true}"#;
    let is_gone = matches!(read(checks, text), CustomerOrDeletedCustomer::DeletedCustomer(_));
    checks.same("a deleted customer", is_gone, "true");
    let is_day = matches!(read(checks, r#"{"id": "1", "day": "d"}"#), EventsBeside::ByDay(_));
    checks.same("a choice beside fields", is_day, "true");
}

fn inheritance(checks: &mut Checks) {
    let text = r#"{"petType": "Cat", "name": "T", "lives": 9, "friend": {"petType": "dog", "bark": "b"}}"#;
    match read(checks, text) {
        Pet::Cat(cat) => {
            checks.same("a cat", (cat.name, cat.lives), r#"(Some("T"), Some(9))"#);
            checks.same("its friend", matches!(cat.friend, Some(Pet::Dog(_))), "true");
        }
        other => checks.same("a cat", other, "Cat"),
    }
    let is_puppy = matches!(read(checks, r#"{"petType": "Puppy", "bark": "y"}"#), Pet::Puppy(_));
    checks.same("a puppy", is_puppy, "true");
}

fn nested(checks: &mut Checks) {
    let text = r#"{
        "first": {"type": "text", "text": "t", "reply": {"type": "image", "url": "u"}},
        "all": [{"type": "image", "url": "u"}, {"type": "video", "length": 7}],
        "by_name": {"a": {"type": "text", "text": "t"}},
        "around": {"page": 7, "type": "image", "url": "u"}
    }"#;
    let events: Events = read(checks, text);
    let Some(EventsFirst::Message(Message::Text(text))) = events.first else { panic!("a text") };
    checks.same("a reply", matches!(text.reply.as_deref(), Some(Message::Image(_))), "true");
    let kinds: Vec<_> = events.all.iter().map(|it| matches!(it, Message::Other(_))).collect();
    checks.same("of no branch", kinds, "[false, true]");
    let Some(EventsAround::Image(image)) = events.around else { panic!("an image") };
    checks.same("fields around", (image.page, image.url), r#"(Some(7), Some("u"))"#);
    let is_ping = matches!(read(checks, r#"{"type": "ping", "at": 1}"#), EventsFirst::Ping(_));
    checks.same("inline", is_ping, "true");
    let is_string = matches!(read(checks, r#""text""#), EventsFirst::String(_));
    checks.same("no object", is_string, "true");
    let events: Events = from_str(r#"{"first": null, "all": null, "around": null}"#).expect("nulls");
    checks.same("null", events.first.is_none() && events.all.is_empty(), "true");
}

/// A forbidden value matches no branch, and round-trips unchanged.
fn forbidden(checks: &mut Checks) {
    let is_other = |it: &Payment| matches!(it, Payment::Other(_));
    for text in [
        r#"{"type": "cash", "number": "42"}"#,
        r#"{"number": "42"}"#,
        r#"{"type": null, "number": "42"}"#,
        r#"{"type": "card", "number": {"digits": 42}}"#,
        r#"{"type": ["card"], "number": "42"}"#,
        r#"["card"]"#,
        r#""card""#,
        "{}",
    ] {
        let value = read(checks, text);
        checks.same(text, is_other(&value), "true");
    }
    for text in [r#"{"name": "n", "day": "d"}"#, r#"{"name": null}"#, "{}", "7"] {
        let value = read(checks, text);
        checks.same(text, matches!(value, ByDayOrByName::Other(_)), "true");
    }
}

async fn written(checks: &mut Checks) {
    let server = Server::start(r#"{"type": "iban", "iban": "DE"}"#);
    let api = Api::new(&server.client());
    let answer = api.put_payment(Card::new("42", "")).await.map(|it| matches!(it, Payment::Iban(_)));
    checks.same("an IBAN", said(answer), "Ok(true)");
    sent(checks, "its tag", &server, r#"{"number":"42","type":"card"}"#);
    api.put_payment(Card::new("42", "credit")).await.expect("it is sent");
    sent(checks, "its own tag", &server, r#"{"number":"42","type":"credit"}"#);
    api.put_payment(Iban::new("DE")).await.expect("it is sent");
    sent(checks, "its only tag", &server, r#"{"iban":"DE","type":"iban"}"#);
    let refused = said(api.put_payment(Card::default()).await.map(drop));
    let refused = refused.map_err(|it| it.contains("Card lacks its required field `number`"));
    checks.same("no number", refused, "Err(true)");

    let server = Server::start("");
    let api = Api::new(&server.client());
    let order = Order { sources: vec![Maker::new().into()], ..Order::new(Stock::new(1).into()) };
    api.pay(order).await.expect("it is sent");
    let expected = r#"{"source":{"kind":"stock","shelf":1},"sources":[{"kind":"maker"}]}"#;
    sent(checks, "constant tags", &server, expected);

    let server = Server::start("[]");
    let day = ByDay { day: "d".to_owned() };
    Api::new(&server.client()).find_payments().filter(day).await.expect("it is sent");
    let target = server.request().0;
    checks.same("in a query", target, r#""GET /v1/payments?filter=%7B%22day%22%3A%22d%22%7D""#);

    let server = Server::start(r#"{"petType": "dog", "bark": "b"}"#);
    let api = Api::new(&server.client());
    let dog = api.add_pet(Dog::new("b")).await.map(|it| matches!(it, Pet::Dog(_)));
    checks.same("a dog", said(dog), "Ok(true)");
    sent(checks, "by its name", &server, r#"{"bark":"b","petType":"dog"}"#);
    api.add_pet(Cat { lives: Some(9), ..Cat::default() }).await.expect("it is sent");
    sent(checks, "without a tag", &server, r#"{"lives":9,"petType":"Cat"}"#);
    api.add_pet(Pet::Other(json!({"petType": "fish"}))).await.expect("it is sent");
    sent(checks, "of no branch", &server, r#"{"petType":"fish"}"#);
}

/// Compares the body of the last request.
fn sent(checks: &mut Checks, what: &str, server: &Server, expected: &str) {
    checks.same(what, server.request().1, &format!("{expected:?}"));
}

fn debug(checks: &mut Checks) {
    let text = r#"{"type": "card", "password": "hunter2"}"#;
    let card: Payment = from_str(text).expect("a card");
    checks.same("a secret of a branch", format!("{card:?}").contains("hunter2"), "false");
    let other: Payment = from_str(r#"{"type": "cash", "pin": "hunter2"}"#).expect("anything");
    checks.same("of no branch", &other, r#"Other([redacted])"#);
}
