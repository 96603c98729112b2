//! Formats as types: where values of them are taken.

use std::fs;

use podqueue_codegen::{Build, Dates};

use crate::build_script::Folder;
use crate::support::item;

const DESCRIPTION: &str = "openapi: 3.0.3
info: {title: Test, version: '1'}
paths:
  /loans/{id}:
    post:
      operationId: renew
      parameters:
        - {name: id, in: path, required: true, schema: {type: string, format: uuid}}
        - {name: day, in: query, required: true, schema: {type: string, format: date}}
        - {name: days, in: query, required: true, schema: {type: array, items: {type: string, format: date}}}
        - {name: times, in: query, schema: {type: array, items: {type: string, format: date-time}}}
      requestBody: {required: true, content: {application/json: {schema: {$ref: '#/components/schemas/Renewal'}}}}
      responses: {'204': {description: Done.}}
components:
  schemas:
    Renewal:
      type: object
      required: [at, days, loans]
      properties:
        at: {type: string, format: date-time}
        days: {type: array, items: {type: string, format: date}}
        loans: {type: array, items: {type: string, format: uuid}}
        note: {type: string}
";

#[test]
fn lists_take_the_dates_and_uuids_that_single_ones_take() {
    for (dates, of) in [(Dates::Chrono, "chrono"), (Dates::Jiff, "jiff"), (Dates::Time, "time")] {
        let folder = Folder::new(of);
        folder.write("openapi/loans.yaml", DESCRIPTION);
        let build = Build::new().rest(folder.path("openapi")).dates(dates).uuids();
        let (directives, failed) = folder.directives(&build);
        assert!(!failed, "{directives}");
        let code = fs::read_to_string(folder.path("out/podqueue_rest_loans.rs")).unwrap();
        let formats = "__runtime::__private::lenient::formats";
        let parsed = |name: &str| format!("impl Into<{formats}::Parsed<{formats}::{name}>>");
        let (day, time) = (parsed(&format!("{of}::Date")), parsed(&format!("{of}::DateTime")));
        let uuid = parsed("uuid::Uuid");
        let plain = |text: &str| text.split_whitespace().collect::<String>().replace(",>", ">");
        let new = plain(item(&code, "impl Renewal {"));
        let expected = format!(
            "pub fn new(at: {time}, days: impl IntoIterator<Item = {day}>, \
             loans: impl IntoIterator<Item = {uuid}>"
        );
        assert!(new.contains(&plain(&expected)), "{expected} in {new}");
        let call = plain(item(&code, "pub fn renew("));
        for given in [format!("day: {day}"), format!("days: impl IntoIterator<Item = {day}>")] {
            assert!(call.contains(&plain(&given)), "{given} in {call}");
        }
        let setter = plain(item(&code, "pub fn times("));
        let expected = plain(&format!("impl IntoIterator<Item = {time}>"));
        assert!(setter.contains(&expected), "{setter}");
    }
}
