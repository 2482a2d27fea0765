//! Checks that the types and the schema accept the same values.
//!
//! For every type of every revision, including proposals and the extension if their features are
//! enabled:
//!
//! * A value generated from the type encodes to JSON that the schema accepts, and decodes to
//!   itself.
//! * An instance generated from the schema decodes, and encodes to the same JSON.
//! * A mutated instance is accepted by the type exactly if the schema accepts it.
//!
//! `PROPTEST_CASES` sets the number of cases per type and property (default 256).

#![cfg(all(feature = "registry", feature = "proptest"))]

use crate::common::{lenient, schemas};
use crate::draw::{Schemas, forgive, instance, mutate};
use mcp_types::Revision;
use mcp_types::error::{DecodeError, Rule, Segment};
use mcp_types::registry::{self, Entry};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, TestRunner};
use serde_json::Value;
use std::sync::Arc;

fn cases() -> u32 {
    Config::default().cases
}

/// Checks one property for every published type of every revision in this build.
fn for_every_type(
    property: &str,
    mut check: impl FnMut(&Arc<Schemas>, &Entry, &mut TestRunner) -> Tally,
) {
    let mut runner = TestRunner::deterministic();
    let mut total = Tally::default();
    for revision in Revision::ALL {
        let types: Vec<&Entry> = registry::types(*revision).iter().collect();
        if types.is_empty() {
            continue;
        }
        let schemas = schemas(*revision);
        for name in schemas.definitions() {
            let entry = registry::find(*revision, name);
            let adopted = entry.is_none() && *revision != Revision::LATEST;
            if adopted {
                // A type of a proposal to which only members of shared types refer.
                continue;
            }
            let entry = entry.unwrap_or_else(|| panic!("{revision} has no type for {name}"));
            let tally = check(&schemas, entry, &mut runner);
            total = Tally {
                types: total.types + 1,
                tried: total.tried + tally.tried,
                accepted: total.accepted + tally.accepted,
                disagreements: [total.disagreements, tally.disagreements].concat(),
            };
            assert!(
                total.disagreements.len() < 12,
                "{property}: {}",
                total.disagreements.join("\n")
            );
        }
    }
    println!(
        "{property}: {} types, {} tried, {} accepted, {} disagreements",
        total.types,
        total.tried,
        total.accepted,
        total.disagreements.len()
    );
    assert!(total.types > 0, "no type was tested");
    assert!(
        total.disagreements.is_empty(),
        "{property}: {}",
        total.disagreements.join("\n")
    );
}

#[derive(Default)]
struct Tally {
    types: usize,
    tried: usize,
    accepted: usize,
    disagreements: Vec<String>,
}

#[test]
fn typed_values_are_valid_and_decode_to_themselves() {
    for_every_type("typed values", |schemas, entry, runner| {
        let mut tally = Tally::default();
        let validator = schemas.validator(entry.name());
        let strategy = entry.samples();
        for _ in 0..cases() {
            let sample = strategy.new_tree(runner).unwrap().current();
            tally.tried += 1;
            match &sample.text {
                Ok(text) => {
                    let value: Value = serde_json::from_str(text).unwrap();
                    if !validator.is_valid(&value) {
                        tally.disagreements.push(format!(
                            "{}: {text} is invalid: {}",
                            entry.name(),
                            validator.errors(&value)
                        ));
                    } else if !sample.equal && !is_same_text(entry, text) {
                        tally
                            .disagreements
                            .push(format!("{}: {text} decodes to another value", entry.name()));
                    } else {
                        tally.accepted += 1;
                    }
                }
                Err(error) => tally
                    .disagreements
                    .push(format!("{}: {error}", entry.name())),
            }
        }
        tally
    });
}

#[test]
fn instances_of_the_schema_survive_decode_and_encode() {
    for_every_type("instances", |schemas, entry, runner| {
        let mut tally = Tally::default();
        let strategy = instance(schemas, entry.name());
        for _ in 0..cases() {
            let drawn = strategy.new_tree(runner).unwrap().current();
            tally.tried += 1;
            let expected = forgive(schemas, entry.name(), &drawn);
            for (way, outcome) in both_ways(entry, &drawn) {
                let back = outcome.map(|text| {
                    forgive(
                        schemas,
                        entry.name(),
                        &serde_json::from_str::<Value>(&text).unwrap(),
                    )
                });
                if back.as_ref() != Ok(&expected) {
                    tally
                        .disagreements
                        .push(format!("{} {way}: {drawn} became {back:?}", entry.name()));
                }
            }
            tally.accepted += 1;
        }
        tally
    });
}

#[test]
fn mutants_are_accepted_exactly_when_the_schema_accepts_them() {
    for_every_type("mutants", |schemas, entry, runner| {
        let mut tally = Tally::default();
        let validator = schemas.validator(entry.name());
        let strategy = instance(schemas, entry.name());
        for _ in 0..cases() {
            let drawn = strategy.new_tree(runner).unwrap().current();
            let (what, mutant) = mutate(schemas, entry.name(), &drawn)
                .new_tree(runner)
                .unwrap()
                .current();
            tally.tried += 1;
            let expected = lenient(schemas, entry.name(), &mutant);
            let valid = validator.is_valid(&expected);
            tally.accepted += usize::from(valid);
            let faults = entry.validate(&mutant.to_string());
            // Those who check others learn about leniencies, too.
            let is_exact = validator.is_valid(&mutant);
            if let Some(why) = unfit_faults(&faults, is_exact, &mutant) {
                let name = entry.name();
                let fault = format!("{name} validated, {what}: {mutant}: {why}: {faults:?}");
                tally.disagreements.push(fault);
            }
            for (way, outcome) in both_ways(entry, &mutant) {
                if outcome.is_ok() != valid {
                    tally.disagreements.push(format!(
                        "{} {way}, {what}: {mutant} is {}, the type says {outcome:?}",
                        entry.name(),
                        if valid { "valid" } else { "invalid" },
                    ));
                } else if let Ok(text) = &outcome {
                    let back = lenient(schemas, entry.name(), &serde_json::from_str(text).unwrap());
                    if back != expected {
                        tally.disagreements.push(format!(
                            "{} {way}, {what}: {mutant} became {text}",
                            entry.name()
                        ));
                    }
                }
            }
        }
        tally
    });
}

/// Returns what is wrong with the faults of a value.
fn unfit_faults(faults: &[DecodeError], valid: bool, value: &Value) -> Option<String> {
    if faults.is_empty() != valid {
        return Some(format!(
            "the value is {}",
            if valid { "valid" } else { "invalid" }
        ));
    }
    faults.iter().find_map(|fault| {
        let mut found = Some(value);
        for segment in fault.path().segments() {
            found = match segment {
                Segment::Member(name) => found.and_then(|it| it.get(name)),
                Segment::Index(index) => found.and_then(|it| it.get(index)),
            };
        }
        let has_value = found.is_some();
        let has_rule = fault.rule() != Rule::Other;
        (!has_value || !has_rule)
            .then(|| format!("{fault} has a value: {has_value}, and a rule: {has_rule}"))
    })
}

/// Unions with variants that look alike. A value may decode as another variant that is encoded in
/// the same way: `decide` in `schema/hints.json` defines the order in which they are tried, and a
/// complete result whose `resultType` says that input is required decodes as an input request.
const LOOKALIKES: [&str; 6] = [
    "ClientResult",
    "ServerResult",
    "JSONRPCMessage",
    "CallToolResultResponse",
    "GetPromptResultResponse",
    "ReadResourceResultResponse",
];

fn is_same_text(entry: &Entry, text: &str) -> bool {
    let tree = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    LOOKALIKES.contains(&entry.name())
        && entry
            .round_trip(text)
            .is_ok_and(|back| tree(&back) == tree(text))
}

/// Decodes from text and from a value.
fn both_ways(entry: &Entry, value: &Value) -> [(&'static str, Result<String, String>); 2] {
    let from_text = entry
        .round_trip(&value.to_string())
        .map_err(|error| error.to_string());
    let from_tree = entry
        .round_trip_value(value.clone().into())
        .map_err(|error| error.to_string());
    [("from text", from_text), ("from a tree", from_tree)]
}

#[test]
fn strategy_for_an_empty_range_names_the_bounds() {
    use mcp_types::arbitrary::{draw, int, list, number};
    use std::ops::RangeInclusive;

    fn refused<T>(strategy: impl FnOnce() -> T + std::panic::UnwindSafe) -> String {
        let panic = std::panic::catch_unwind(strategy).map(drop).unwrap_err();
        panic.downcast_ref::<String>().unwrap().clone()
    }
    let refused = [
        refused(|| int(RangeInclusive::new(5, 3))),
        refused(|| number(RangeInclusive::new(0.5, 0.25))),
        refused(|| list(draw::<String>(), RangeInclusive::new(2, 1))),
    ];
    let expected = [
        "no integer is within the bounds 5..=3",
        "no number is within the bounds 0.5..=0.25",
        "no length is within the bounds 2..=1",
    ];
    assert_eq!(refused, expected);
}
