//! Source of the program that makes the calls.

use std::collections::BTreeSet;
use std::path::Path;

use crate::generated::{Argument, Call, Wire};

const HEAD: &str = "#![allow(warnings)]\nmod support;\n#[allow(unused_imports)]\nuse ::podqueue as __runtime;\ninclude!(\"generated.rs\");\n";

/// A program with a line for each call. The peer stands for all servers that operations name.
pub fn program(calls: &[(usize, &Call)], servers: &BTreeSet<String>) -> String {
    let mut code = HEAD.to_owned();
    code.push_str(
        "fn api(case: &crate::support::Case<'_>) -> ::podqueue::Result<Api> { \
         let none = ::podqueue::Authorization::none; \
         let service = ::podqueue::Service::from(case.client).at(case.url(), none())?; ",
    );
    for server in servers {
        code.push_str(&format!(
            "let service = service.with_server({server}, case.url(), none())?; "
        ));
    }
    code.push_str("Ok(Api::new(service)) }\n");
    for (index, call) in calls {
        code.push_str(&function(*index, call));
    }
    code.push_str("fn main() {\n    let runtime = ::tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();\n    runtime.block_on(crate::support::drive(&[\n");
    for (index, _) in calls {
        code.push_str(&format!("        ({index}, call_{index}),\n"));
    }
    code.push_str("    ]));\n}\n");
    code
}

/// The line of the program that contains a call.
pub fn line_of(index: usize, program: &Path) -> usize {
    let code = std::fs::read_to_string(program).unwrap_or_default();
    let start = format!("fn call_{index}(");
    code.lines().position(|line| line.starts_with(&start)).map_or(0, |it| it + 1)
}

fn function(index: usize, call: &Call) -> String {
    let arguments: Vec<_> = call.arguments.iter().map(|it| value(call, it, "required")).collect();
    let mut code = format!(
        "fn call_{index}(case: ::std::rc::Rc<crate::support::Case<'static>>) -> crate::support::Coming {{ \
         ::std::boxed::Box::pin(async move {{ \
         let api = api(&case).map_err(|it| it.to_string())?; let call = api.{}({}); ",
        call.function,
        arguments.join(", ")
    );
    for setter in &call.setters {
        let (value, name) = (value(call, setter, "optional"), &setter.name);
        code.push_str(&format!(
            "let call = match {value} {{ Some(it) => call.{name}(it), None => call }}; "
        ));
    }
    let returned = match call.returns.as_str() {
        it if it.contains("Bytes") => "|it| ::serde_json::json!({ \"bytes\": it.len() })",
        it if it.contains("ServerEvents") => "|_| ::serde_json::json!({ \"events\": true })",
        _ => "|it| ::serde_json::to_value(it).unwrap()",
    };
    code.push_str(&format!("Ok(call.await.map({returned})) }}) }}\n"));
    code
}

/// The expression for an argument; for an unknown one, an expression that does not compile.
fn value(call: &Call, argument: &Argument, how: &str) -> String {
    let (place, name) = match call.wire.get(&argument.name) {
        Some(Wire::Path(name)) => ("path", name),
        Some(Wire::Query(name)) => ("query", name),
        Some(Wire::Header(name)) => ("header", name),
        Some(Wire::Part(name)) => ("part", name),
        Some(Wire::Body(media)) => ("body", media),
        None => return "unknown".to_owned(),
    };
    let files = argument.ty.starts_with("Vec<") && argument.ty.contains("Part");
    match argument.ty.as_str() {
        _ if files && how == "required" => format!("[case.required_file({place:?}, {name:?})?]"),
        _ if files => format!("case.optional_file({place:?}, {name:?})?.map(|it| [it])"),
        ty if ty.ends_with("Upload") => format!("case.{how}_bytes({place:?}, {name:?})?"),
        ty if ty.ends_with("Part") => format!("case.{how}_file({place:?}, {name:?})?"),
        ty => format!("case.{how}::<{ty}>({place:?}, {name:?})?"),
    }
}
