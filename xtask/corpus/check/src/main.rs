//! Checks that the types generated for a schema accept what the schema accepts.
//!
//! Arguments: a file with the definitions that the types express, a file with the original ones, and
//! the number of cases for each definition. For each definition:
//!
//! * An instance drawn from what the types express decodes, and comes back as the same JSON.
//! * A mutant of it is accepted exactly if it is valid for what the types express.
//! * What is valid for the original schema is valid for what the types express.
//!
//! Prints the counts as one line of JSON, and the first disagreements on standard error.

mod list;

#[path = "draw/mod.rs"]
mod draw;

use std::process::ExitCode;
use std::sync::Arc;

use draw::{Schemas, forgive, instance, mutate};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use serde_json::{Map, Value, json};

/// The number of disagreements that are shown.
const SHOWN: usize = 10;

#[derive(Default)]
struct Counts {
    instances: u64,
    mutants: u64,
    refused: u64,
    /// Instances and mutants that are valid for the original schema.
    original: u64,
    disagreements: Vec<String>,
}

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let mut next = || arguments.next().expect("an argument");
    let (expressed, original) = (definitions(&next()), definitions(&next()));
    let cases: u64 = next().parse().expect("a number");
    let schemas = Schemas::new(expressed);
    let mut counts = Counts::default();
    for name in list::NAMES {
        check(&schemas, &original, name, cases, &mut counts);
    }
    let line = json!({
        "instances": counts.instances,
        "mutants": counts.mutants,
        "refused": counts.refused,
        "original": counts.original,
        "disagreements": counts.disagreements.len(),
    });
    println!("{line}");
    for disagreement in counts.disagreements.iter().take(SHOWN) {
        eprintln!("{disagreement}");
    }
    ExitCode::SUCCESS
}

fn definitions(file: &str) -> Map<String, Value> {
    let text = std::fs::read_to_string(file).expect("the file is there");
    serde_json::from_str(&text).expect("the file contains an object")
}

fn check(
    schemas: &Arc<Schemas>,
    original: &Map<String, Value>,
    name: &str,
    cases: u64,
    counts: &mut Counts,
) {
    let validator = schemas.validator(name);
    let mut all = original.clone();
    all.insert("$corpus".to_owned(), json!({ "$ref": format!("#/$defs/{name}") }));
    let strict = jsonschema::options()
        .with_draft(jsonschema::Draft::Draft202012)
        .should_validate_formats(false)
        .build(&json!({ "$ref": "#/$defs/$corpus", "$defs": all }));
    let strict = strict.ok();
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
        counts.instances += 1;
        counts.mutants += 1;
        for (what, value) in [("an instance", &drawn), (what.as_str(), &mutant)] {
            let expected = forgive(schemas, name, value);
            let is_valid = validator.is_valid(&expected);
            if strict.as_ref().is_some_and(|strict| strict.is_valid(value)) {
                counts.original += 1;
                if !is_valid {
                    let fault = format!("{name}: {value} ({what}) is valid for the schema only");
                    counts.disagreements.push(fault);
                    continue;
                }
            }
            counts.refused += u64::from(!is_valid);
            match list::round_trip(name, &value.to_string()) {
                Ok(text) if is_valid => {
                    let back: Value = serde_json::from_str(&text).expect("it writes JSON");
                    if forgive(schemas, name, &back) != expected {
                        let fault = format!("{name}: {value} ({what}) became {text}");
                        counts.disagreements.push(fault);
                    }
                }
                Err(_) if !is_valid => {}
                Ok(_) => {
                    let fault = format!("{name}: {value} ({what}) is invalid, but accepted");
                    counts.disagreements.push(fault);
                }
                Err(error) => {
                    let fault = format!("{name}: {value} ({what}) is refused: {error}");
                    counts.disagreements.push(fault);
                }
            }
        }
    }
}
