//! Checks that the types generated for a schema accept what the schema accepts.
//!
//! Arguments: the number of the schema in the list of types, a file about the schema, and the number
//! of cases for each definition. The file has the definitions that the types express, from which
//! instances are drawn, the original ones, and lists of those that are checked less strictly. For each
//! definition, instances and mutants of these are judged by a validator of other people and the
//! original schema:
//!
//! * A valid one decodes, and comes back as the same JSON. It may be refused by the definitions in the
//!   list `narrow`.
//! * An invalid one is refused. It may be accepted by the definitions in the list `loose`.
//!
//! Prints the counts as one line of JSON, and the first disagreements on standard error.

#![allow(
    mixed_script_confusables,
    reason = "titles of schemas are not all in one script"
)]

mod list;

#[path = "draw/mod.rs"]
mod draw;

use std::process::ExitCode;
use std::sync::Arc;

use jsonschema::Draft;

use draw::{Schemas, forgive, instance, mutate};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use serde_json::{Map, Value, json};

/// The number of disagreements that are shown.
const SHOWN: usize = 10;

/// How strictly a definition is checked.
struct Leniency {
    /// The version of JSON Schema of the original definitions.
    draft: Draft,
    /// There are warnings about it, or about one to which it refers.
    loose: bool,
    narrow: bool,
}

#[derive(Default)]
struct Counts {
    values: u64,
    valid: u64,
    /// Valid values that are refused under a warning.
    refused: u64,
    /// Invalid values that are accepted under a warning.
    accepted: u64,
    disagreements: Vec<String>,
}

/// Enough for the generator of instances, which calls itself for each value inside another one.
const STACK: usize = 256 << 20;

fn main() -> ExitCode {
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(run);
    match thread.expect("a thread").join() {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn run() {
    let mut arguments = std::env::args().skip(1);
    let mut next = || arguments.next().expect("an argument");
    let schema: usize = next().parse().expect("a number");
    let about = object(&next());
    let definitions = |name: &str| about[name].as_object().expect("definitions").clone();
    let is_in = |list: &str, name: &str| {
        let names = about[list].as_array().expect("a list");
        names.iter().any(|other| other == name)
    };
    let cases: u64 = next().parse().expect("a number");
    let schemas = Schemas::exact(definitions("expressed"));
    let original = definitions("original");
    let mut counts = Counts::default();
    for (name, through) in list::SCHEMAS[schema] {
        let leniency = Leniency {
            draft: if about["draft07"] == true {
                Draft::Draft7
            } else {
                Draft::Draft202012
            },
            loose: is_in("loose", name),
            narrow: is_in("narrow", name),
        };
        let subject = (*name, *through);
        check(&schemas, &original, subject, &leniency, cases, &mut counts);
    }
    let line = json!({
        "values": counts.values,
        "valid": counts.valid,
        "refused": counts.refused,
        "accepted": counts.accepted,
        "disagreements": counts.disagreements.len(),
    });
    println!("{line}");
    for disagreement in counts.disagreements.iter().take(SHOWN) {
        eprintln!("{disagreement}");
    }
}

fn object(file: &str) -> Map<String, Value> {
    let text = std::fs::read_to_string(file).expect("the file is there");
    serde_json::from_str(&text).expect("the file contains an object")
}

fn check(
    schemas: &Arc<Schemas>,
    original: &Map<String, Value>,
    (name, through): (&str, fn(&str) -> Result<String, String>),
    leniency: &Leniency,
    cases: u64,
    counts: &mut Counts,
) {
    let mut all = original.clone();
    all.insert("$corpus".to_owned(), json!({ "$ref": format!("#/$defs/{name}") }));
    let strict = jsonschema::options()
        .with_draft(leniency.draft)
        .should_validate_formats(false)
        .build(&json!({ "$ref": "#/$defs/$corpus", "$defs": all }));
    let strict = match strict {
        Ok(strict) => strict,
        Err(error) => {
            eprintln!("{name}: the original schema cannot be used: {error}");
            return;
        }
    };
    let mut runner = TestRunner::deterministic();
    let strategy = instance(schemas, name);
    for _ in 0..cases {
        // A definition may have no instance that is small enough.
        let Ok(tree) = strategy.new_tree(&mut runner) else {
            return;
        };
        let drawn = tree.current();
        let (what, mutant) = match mutate(schemas, name, &drawn).new_tree(&mut runner) {
            Ok(tree) => tree.current(),
            Err(_) => continue,
        };
        for (what, value) in [("an instance", &drawn), (what.as_str(), &mutant)] {
            // `1.0` for an integer comes back as `1`.
            if forgive(schemas, name, value) != *value {
                continue;
            }
            let is_valid = strict.is_valid(value);
            counts.values += 1;
            counts.valid += u64::from(is_valid);
            let fault = match through(&value.to_string()) {
                Ok(text) if is_valid => {
                    let back: Value = serde_json::from_str(&text).expect("it writes JSON");
                    if back == *value {
                        continue;
                    }
                    format!("became {text}")
                }
                Ok(_) if leniency.loose => {
                    counts.accepted += 1;
                    continue;
                }
                Ok(_) => "is invalid, but accepted".to_owned(),
                Err(_) if !is_valid => continue,
                Err(_) if leniency.narrow => {
                    counts.refused += 1;
                    continue;
                }
                Err(error) => format!("is refused: {error}"),
            };
            let fault = format!("{name}: {value} ({what}) {fault}");
            counts.disagreements.push(fault);
        }
    }
}
