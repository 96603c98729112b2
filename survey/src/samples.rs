//! Samples: seeded, schema-valid values of every component go through the generated types and back.
//!
//! For each component a call that responds with it is added to the description, so that the
//! generator itself says which type the component is read as. A value goes JSON → type → JSON; the
//! result has to be valid, and equal but for the [differences](comparison::Rule) that reading
//! leniently documents, each of which is counted. Values that a union forbids must be kept as JSON.
//!
//! Validity is judged by a library, never by the code that makes the values.

mod comparison;
mod forbidden;
mod program;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use podqueue_fake::{Description, Sampler, component};
use serde_json::{Value, json};

use self::comparison::{Difference, Rule};
use crate::generation::{Outcome, generate};
use crate::table::{first_lines, short};
use crate::user_crate::UserCrate;
use crate::{Failure, description, generated};

/// The most lines of generated code that are compiled together.
const LINES: usize = 80_000;

/// The path of the call that responds with the component of a number.
const PATH: &str = "/podqueue-sample";

/// The most findings that are shown of a description.
const SHOWN: usize = 12;

/// Takes at least `count` samples of all components through the generated types. False if a value
/// is lost without a warning, or read as a branch that forbids it, or if fewer samples were judged.
pub fn run(count: usize, seed: u64, places: &[PathBuf]) -> Result<bool, Failure> {
    // Schemas are followed through each other, by the sampler and by the validator.
    const BYTES: usize = 1 << 30;
    std::thread::scope(|scope| {
        let sampling = || sample(count, seed, places).map_err(|failure| failure.to_string());
        let thread = std::thread::Builder::new().stack_size(BYTES).spawn_scoped(scope, sampling)?;
        thread.join().map_err(|_| "the sampling thread panicked")?.map_err(Failure::from)
    })
}

fn sample(count: usize, seed: u64, places: &[PathBuf]) -> Result<bool, Failure> {
    let user = UserCrate::new("sampled")?;
    let mut sampled = Vec::new();
    for path in description::find(places)? {
        match Sampled::new(&path, sampled.len(), &user) {
            Ok(Some(one)) => sampled.push(one),
            Ok(None) => {}
            Err(failure) => {
                let failure = first_lines(&failure.to_string(), 5);
                println!("{}: not sampled: {failure}", short(&path));
            }
        }
    }
    sampled.iter_mut().for_each(|it| it.keep_judged(seed));
    let components: usize = sampled.iter().map(|it| it.types.len()).sum();
    let each = count.div_ceil(components.max(1));
    println!("{components} components, {each} samples of each, seed {seed}");
    println!(
        "{:32} {:>5} {:>8} {:>8} {:>9} {:>8} {:>8} {:>7} {:>9} {:>6}",
        "description",
        "types",
        "samples",
        "unjudged",
        "discarded",
        "equal",
        "lenient",
        "warned",
        "forbidden",
        "lost"
    );
    let mut total = Counts::default();
    let mut rest = sampled.as_mut_slice();
    while !rest.is_empty() {
        let mut lines = 0;
        let fits = rest.iter().take_while(|it| {
            lines += it.lines;
            lines <= LINES
        });
        let (batch, others) = rest.split_at_mut(fits.count().max(1).min(rest.len()));
        let program = build(&user, batch)?;
        for one in batch {
            one.round_trips(&program, each, seed, &user)?;
            print!("{one}");
            total.add(&one.counts);
        }
        rest = others;
    }
    println!("{}", total.row("all", components));
    for (rule, count) in &total.rules {
        println!("  {count:>8} {rule}");
    }
    println!("\n{}", total.sentence(components));
    Ok(total.lost == 0 && total.samples >= count)
}

fn build(user: &UserCrate, batch: &[Sampled]) -> Result<PathBuf, Failure> {
    user.write("main.rs", &program::program(batch.iter().map(|it| (it.number, &it.types))))?;
    match user.build()? {
        Some(program) => Ok(program),
        None => Err(format!("it does not compile:\n{}", first_lines(&user.log()?, 40)).into()),
    }
}

/// What became of samples.
#[derive(Default)]
struct Counts {
    samples: usize,
    /// Components of which no value is judged.
    unjudged: usize,
    discarded: u64,
    equal: usize,
    lenient: usize,
    /// Values that lose what a warning of the generator names.
    warned: usize,
    /// Values that a union forbids and that are kept as JSON.
    forbidden: usize,
    lost: usize,
    rules: BTreeMap<String, usize>,
}

impl Counts {
    fn add(&mut self, other: &Self) {
        self.samples += other.samples;
        self.unjudged += other.unjudged;
        self.discarded += other.discarded;
        self.equal += other.equal;
        self.lenient += other.lenient;
        self.warned += other.warned;
        self.forbidden += other.forbidden;
        self.lost += other.lost;
        for (rule, count) in &other.rules {
            *self.rules.entry(rule.clone()).or_default() += count;
        }
    }

    fn row(&self, name: &str, types: usize) -> String {
        format!(
            "{name:32} {types:>5} {:>8} {:>8} {:>9} {:>8} {:>8} {:>7} {:>9} {:>6}",
            self.samples,
            self.unjudged,
            self.discarded,
            self.equal,
            self.lenient,
            self.warned,
            self.forbidden,
            self.lost
        )
    }

    fn sentence(&self, components: usize) -> String {
        format!(
            "{} samples of {components} components judged, {} forbidden values kept, {} components \
             not judged: {} losses without a warning, {} with one",
            self.samples, self.forbidden, self.unjudged, self.lost, self.warned
        )
    }
}

/// A description with the types that its components are read as.
struct Sampled {
    name: String,
    number: usize,
    description: Description,
    /// As the description says it, before its schemas are rewritten.
    tree: Value,
    warnings: Vec<String>,
    lines: usize,
    types: Vec<ComponentType>,
    counts: Counts,
    findings: BTreeMap<String, (usize, String)>,
    /// The components of which no value is judged, each with the reason.
    unjudged: Vec<String>,
}

/// A component and the type that it is read as.
pub struct ComponentType {
    pub component: String,
    pub ty: String,
    /// The variant of values of no branch, if the type is a union.
    pub other: Option<String>,
}

impl Sampled {
    /// None if the description has no components.
    fn new(path: &Path, number: usize, user: &UserCrate) -> Result<Option<Self>, Failure> {
        let tree = description::read(path)?;
        let mut with_calls = tree.clone();
        let schemas = tree.pointer("/components/schemas").and_then(Value::as_object);
        let names: Vec<String> = schemas.into_iter().flatten().map(|(it, _)| it.clone()).collect();
        if names.is_empty() {
            return Ok(None);
        }
        for (index, name) in names.iter().enumerate() {
            with_calls["paths"][format!("{PATH}/{index}")] = json!({ "get": {
                "operationId": format!("podqueueSample{index}"),
                "responses": { "200": { "description": "A sample.", "content": {
                    "application/json": { "schema": { "$ref": format!("#{}", component(name)) } },
                } } },
            } });
        }
        let file = user.folder.join("description.json");
        fs::write(&file, with_calls.to_string())?;
        let code_file = user.file(&format!("d{number}.rs"));
        let warnings = match generate(&file, &code_file)?.outcome {
            Outcome::Generated { warnings } => warnings,
            Outcome::Refused { diagnostics } => return Err(diagnostics.join("; ").into()),
            Outcome::Panicked { message } => return Err(message.into()),
        };
        let code = fs::read_to_string(&code_file)?;
        let calls = generated::calls(&code)?;
        let unions = forbidden::unions(&code);
        let mut unjudged = Vec::new();
        let mut types = Vec::new();
        for (index, name) in names.into_iter().enumerate() {
            let operation = format!("GET {PATH}/{index}");
            let call = calls.iter().find(|it| it.operation == operation);
            let returns = call.and_then(|it| it.returns.split_once("Sending <"));
            let ty = returns.and_then(|it| it.1.rsplit_once('>'));
            let Some((ty, _)) = ty else {
                unjudged.push(format!("{name}: the generator leaves out a response with it"));
                continue;
            };
            let ty = ty.trim().trim_end_matches(',').trim().to_owned();
            let last = ty.rsplit(' ').next().unwrap_or_default();
            if ["Bytes", "ServerEvents"].contains(&last) && !ty.starts_with("types") {
                unjudged.push(format!("{name}: a response with it is no JSON but {last}"));
                continue;
            }
            let other = unions.get(last).cloned();
            types.push(ComponentType { component: name, ty, other });
        }
        Ok(Some(Self {
            name: short(path),
            number,
            description: Description::new(tree.clone())?,
            tree,
            warnings,
            lines: code.lines().count(),
            types,
            counts: Counts::default(),
            findings: BTreeMap::new(),
            unjudged,
        }))
    }

    /// Keeps the components of which a valid value can be made.
    fn keep_judged(&mut self, seed: u64) {
        let mut sampler = Sampler::new(&self.description, seed);
        self.types.retain(|it| match sampler.sample(&component(&it.component)) {
            Ok(_) => true,
            Err(error) => {
                self.unjudged.push(format!("{}: {error}", it.component));
                false
            }
        });
        self.counts.unjudged = self.unjudged.len();
    }

    fn round_trips(
        &mut self,
        program: &Path,
        each: usize,
        seed: u64,
        user: &UserCrate,
    ) -> Result<(), Failure> {
        let mut sampler = Sampler::new(&self.description, seed);
        let mut lines = String::new();
        for (index, ty) in self.types.iter().enumerate() {
            let pointer = component(&ty.component);
            // Its default branch takes every value, also one with fields of no branch.
            let union = &self.tree["components"]["schemas"][&ty.component]["discriminator"];
            let has_default = union["defaultMapping"].is_string();
            for _ in 0..each {
                // A value that is rarely valid is tried for once more.
                let value = sampler.sample(&pointer).or_else(|_| sampler.sample(&pointer));
                let Ok(value) = value else { continue };
                lines.push_str(&json!([index, "sample", value]).to_string());
                lines.push('\n');
                if ty.other.is_some() && !has_default {
                    for value in forbidden::of(&value, union["propertyName"].as_str()) {
                        if self.description.check(&pointer, &value).is_err() {
                            lines.push_str(&json!([index, "forbidden", value]).to_string());
                            lines.push('\n');
                        }
                    }
                }
            }
        }
        self.counts.discarded = sampler.discarded();
        let file = user.folder.join("samples.jsonl");
        fs::write(&file, &lines)?;
        let output = Command::new(program)
            .arg(self.number.to_string())
            .arg(&file)
            .stderr(Stdio::inherit())
            .output()?;
        if !output.status.success() {
            return Err(format!("the program ended: {}", output.status).into());
        }
        let output = String::from_utf8(output.stdout)?;
        for (given, became) in lines.lines().zip(output.lines()) {
            self.judge(&serde_json::from_str(given)?, &serde_json::from_str(became)?);
        }
        Ok(())
    }

    /// Counts what became of a value.
    fn judge(&mut self, given: &Value, became: &Value) {
        let ty = &self.types[given[0].as_u64().unwrap_or_default() as usize];
        let value = &given[2];
        let found = if given[1] == "forbidden" {
            let is_kept = became["variant"].as_str() == ty.other.as_deref();
            if is_kept && became["value"] == *value {
                self.counts.forbidden += 1;
                return;
            }
            ("a forbidden value has a branch", became.to_string())
        } else {
            self.counts.samples += 1;
            match self.differences(ty, value, became) {
                Ok(differences) if differences.is_empty() => {
                    self.counts.equal += 1;
                    return;
                }
                Ok(differences) => {
                    self.counts.lenient += 1;
                    for difference in differences {
                        *self.counts.rules.entry(difference.rule.to_string()).or_default() += 1;
                    }
                    return;
                }
                Err(found) => found,
            }
        };
        if self.warnings.iter().any(|it| is_about(it, &ty.component)) {
            self.counts.warned += 1;
            return;
        }
        self.counts.lost += 1;
        let finding = format!("{}: {}", ty.component, found.0);
        self.findings.entry(finding).or_insert((0, format!("{} of {value}", found.1))).0 += 1;
    }

    /// The documented differences between a value and what became of it; else what is lost.
    fn differences(
        &self,
        ty: &ComponentType,
        value: &Value,
        became: &Value,
    ) -> Result<Vec<Difference>, (&'static str, String)> {
        if let Some(error) = became["error"].as_str() {
            return Err(("is not read", error.to_owned()));
        }
        if became["same"] != true {
            return Err(("another value after the second time", became["value"].to_string()));
        }
        let pointer = component(&ty.component);
        let schema = self.tree.pointer(&pointer).unwrap_or(&Value::Null);
        // The value of a base that others extend may be none of these.
        let lists_branches = ["oneOf", "anyOf"].iter().any(|it| schema.get(it).is_some());
        if lists_branches && ty.other.as_deref().is_some_and(|it| became["variant"] == it) {
            return Err(("has no branch", became["value"].to_string()));
        }
        let is_described = |place: &str| description::has_place(&self.tree, schema, place);
        let differences = comparison::differences(value, &became["value"], &is_described);
        if let Some(loss) = differences.iter().find(|it| it.rule == Rule::Lost) {
            return Err(("loses", loss.place.clone()));
        }
        // A type that is sent is written as requests have it: without what is only read.
        let checked = self.description.check(&pointer, &became["value"]);
        if let Err(error) = checked
            && self.description.check_request(&pointer, &became["value"]).is_err()
        {
            return Err((
                "is written as what is not valid",
                format!("{error}: {}", became["value"]),
            ));
        }
        Ok(differences)
    }
}

/// Returns true if a warning of the generator is about a component.
fn is_about(warning: &str, component: &str) -> bool {
    warning.split(|it: char| !it.is_alphanumeric() && !"._-".contains(it)).any(|it| it == component)
}

impl std::fmt::Display for Sampled {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "{}", self.counts.row(&self.name, self.types.len()))?;
        for (finding, (times, detail)) in self.findings.iter().take(SHOWN) {
            let detail: String = detail.chars().take(400).collect();
            writeln!(f, "  {finding} ({times} times): {detail}")?;
        }
        for reason in &self.unjudged {
            writeln!(f, "  not judged: {}", reason.chars().take(200).collect::<String>())?;
        }
        Ok(())
    }
}
