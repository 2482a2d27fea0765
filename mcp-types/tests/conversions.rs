//! Checks conversions between revisions against the schemas of both.
//!
//! * An instance of the older schema, converted to the newer revision, is valid there. Converted
//!   back, it is the same JSON.
//! * An instance of the newer schema, converted to the older revision, is valid there.
//! * A value that cannot be represented is rejected with an error. If both revisions have a type,
//!   some of its instances must be convertible.
//!
//! After a round trip only the following may differ: values that the types accept leniently; an
//! empty `_meta` or `params`, which a revision that requires it cannot distinguish from a missing
//! one; an unknown member that has the name, but not the type, of a member of the newer revision,
//! which is dropped; `jsonrpc`, which a message keeps once it was added; and a member that the
//! newer revision requires, which keeps the value that stands for a missing one.

#![cfg(all(feature = "registry", feature = "v2024-11-05"))]

use crate::common::{lenient, schemas};
use crate::draw::{Node, Schemas, instance};
use mcp_types::Revision;
use mcp_types::registry::{self, RegistryError};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, TestRunner};
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A revision with its schema.
struct Side {
    revision: Revision,
    schemas: Arc<Schemas>,
}

fn sides() -> Vec<Side> {
    let side = |revision: &Revision| Side {
        revision: *revision,
        schemas: schemas(*revision),
    };
    Revision::WITH_DRAFT.iter().map(side).collect()
}

/// The results for the instances of a type, or of all types.
#[derive(Default)]
struct Tally {
    types: usize,
    tried: usize,
    converted: usize,
    refused: usize,
    /// Types of which no instance could be converted, each with an error.
    never: Vec<String>,
    faults: Vec<String>,
    /// Types of which some instances were rejected, and how many.
    partly: Vec<String>,
}

impl Tally {
    fn add(&mut self, name: &str, one: Tally, why: Option<String>) {
        if one.tried > 0 && one.converted == 0 {
            self.never
                .push(format!("{name} ({})", why.unwrap_or_default()));
        }
        if one.refused > 0 {
            let (refused, tried) = (one.refused, one.tried);
            self.partly.push(format!("{name} {refused} of {tried}"));
        }
        self.types += 1;
        self.tried += one.tried;
        self.converted += one.converted;
        self.refused += one.refused;
        self.faults.extend(one.faults.into_iter().take(1));
    }

    fn report(&self, what: &str, never: &[&str]) {
        println!(
            "{what}: {} types, {} tried, {} converted, {} refused",
            self.types, self.tried, self.converted, self.refused
        );
        if !self.partly.is_empty() {
            println!("  refused: {}", self.partly.join(", "));
        }
        assert!(self.types > 0, "{what}: nothing was tried");
        assert!(
            self.faults.is_empty(),
            "{what}: {} faults\n{}",
            self.faults.len(),
            self.faults.join("\n")
        );
        let unexpected: Vec<_> = self
            .never
            .iter()
            .filter(|name| {
                !never
                    .iter()
                    .any(|known| name.split(' ').next() == Some(known))
            })
            .collect();
        assert!(
            unexpected.is_empty(),
            "{what}: never converted: {unexpected:#?}"
        );
    }
}

/// Returns a complete request: the oldest revisions define requests without the envelope.
fn on_the_wire(name: &str, mut drawn: Value) -> Value {
    if let Value::Object(members) = &mut drawn
        && name.ends_with("Request")
        && members.contains_key("method")
    {
        members.entry("jsonrpc").or_insert("2.0".into());
        members.entry("id").or_insert(7.into());
    }
    drawn
}

/// Runs a check for every published type of a revision that can be converted to the other one.
fn for_every_type(
    sides: &[Side],
    from: usize,
    to: usize,
    check: impl Fn(&str, &str, &Value) -> Outcome,
) -> Tally {
    let mut runner = TestRunner::deterministic();
    let mut total = Tally::default();
    for name in sides[from].schemas.definitions() {
        let (older, newer) = (sides[from].revision, sides[to].revision);
        let Some(target) = registry::convert_name(older, newer, name) else {
            continue;
        };
        let strategy = instance(&sides[from].schemas, name);
        let mut tally = Tally::default();
        let mut why = None;
        for _ in 0..Config::default().cases.div_ceil(4).max(32) {
            let drawn = on_the_wire(name, strategy.new_tree(&mut runner).unwrap().current());
            tally.tried += 1;
            match check(name, target, &drawn) {
                Outcome::Converted => tally.converted += 1,
                Outcome::Refused(error) => {
                    tally.refused += 1;
                    why = Some(error);
                }
                Outcome::Fault(fault) => {
                    tally.faults.push(format!("{name}: {fault}"));
                }
            }
        }
        total.add(name, tally, why);
    }
    total
}

enum Outcome {
    Converted,
    Refused(String),
    Fault(String),
}

fn tree(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// Returns the validation error of a value, or `None` if it is valid or the schema does not define
/// the type.
fn validation_error(side: &Side, name: &str, value: &Value) -> Option<String> {
    if !side.schemas.definitions().any(|known| known == name) {
        return None;
    }
    let validator = side.schemas.validator(name);
    (!validator.is_valid(value)).then(|| validator.errors(value))
}

/// Converts a value and validates the result.
fn convert(
    from: &Side,
    to: &Side,
    name: &str,
    target: &str,
    value: &Value,
) -> Result<Value, Outcome> {
    match registry::convert_text(from.revision, to.revision, name, &value.to_string()) {
        Ok(text) => {
            let there = tree(&text);
            match validation_error(to, target, &there) {
                None => Ok(there),
                Some(why) => {
                    let (value, there) = (short(value), short(&there));
                    Err(Outcome::Fault(format!(
                        "{value} became {there}, which is invalid: {why}"
                    )))
                }
            }
        }
        Err(RegistryError::Convert(error)) => Err(Outcome::Refused(error.to_string())),
        Err(error) => Err(Outcome::Fault(format!("{}: {error}", short(value)))),
    }
}

fn round_trip(sides: &[Side], from: usize, to: usize) -> Tally {
    let required = newly_required(&sides[from..=to]);
    for_every_type(sides, from, to, |name, target, drawn| {
        let (older, newer) = (&sides[from], &sides[to]);
        let up = match convert(older, newer, name, target, drawn) {
            Ok(up) => up,
            Err(outcome) => return outcome,
        };
        let back = registry::convert_name(newer.revision, older.revision, target);
        if back != Some(name) {
            return Outcome::Fault(format!("comes back as {back:?}"));
        }
        let down = match convert(newer, older, target, name, &up) {
            Ok(down) => down,
            Err(Outcome::Refused(error)) => {
                return Outcome::Fault(format!(
                    "does not come back: {error}: {} became {}",
                    short(drawn),
                    short(&up)
                ));
            }
            Err(outcome) => return outcome,
        };
        let expected = lenient(&older.schemas, name, drawn);
        let found = lenient(&older.schemas, name, &down);
        // An unknown member with a name that a newer revision declares, which was dropped there.
        let dropped = |member: &str, value: &Value| {
            let mut newer = sides[from + 1..=to]
                .iter()
                .flat_map(|side| side.schemas.names());
            // The same member may stand at several places, and is dropped only at some.
            newer.any(|known| known == member)
                && count(&up, member, value) < count(drawn, member, value)
        };
        let added = |member: &str, value: &Value| {
            // An object that was added is removed again.
            let is_kept = required.contains(member) && !value.is_object();
            member == "jsonrpc" || (is_kept && count(&up, member, value) > 0)
        };
        match difference(&expected, &found, "$", &dropped, &added) {
            None => Outcome::Converted,
            Some(place) => Outcome::Fault(format!(
                "{place} differs: {} became {} and came back as {}",
                short(drawn),
                short(&up),
                short(&down)
            )),
        }
    })
}

/// Returns the names of the members that a revision requires and the one before it does not.
fn newly_required(sides: &[Side]) -> BTreeSet<String> {
    let members = |side: &Side, name: &str, required: bool| -> BTreeSet<String> {
        let Node::Object { members, .. } = side.schemas.node(name) else {
            return BTreeSet::new();
        };
        let members = members.iter().filter(|(_, it)| it.required == required);
        members.map(|(name, _)| name.clone()).collect()
    };
    let mut found = BTreeSet::new();
    for (older, newer) in sides.iter().zip(&sides[1..]) {
        let is_in_both = |name: &&str| newer.schemas.definitions().any(|other| other == *name);
        for name in older.schemas.definitions().filter(is_in_both) {
            let optional = members(older, name, false);
            found.extend(&optional & &members(newer, name, true));
        }
    }
    found
}

/// Returns how often a value contains such a member, at any depth.
fn count(value: &Value, member: &str, content: &Value) -> usize {
    let below = |value| count(value, member, content);
    match value {
        Value::Object(members) => {
            let here = usize::from(members.get(member) == Some(content));
            here + members.values().map(below).sum::<usize>()
        }
        Value::Array(items) => items.iter().map(below).sum(),
        _ => 0,
    }
}

/// Returns the text of a value, shortened if it is long.
fn short(value: &Value) -> String {
    value.to_string().chars().take(400).collect()
}

/// Returns the first difference between two values that is not allowed. Members may be missing or
/// further ones if `dropped` or `added` says so.
fn difference(
    expected: &Value,
    found: &Value,
    path: &str,
    dropped: &impl Fn(&str, &Value) -> bool,
    added: &impl Fn(&str, &Value) -> bool,
) -> Option<String> {
    match (expected, found) {
        (Value::Object(expected), Value::Object(found)) => {
            let lost = expected
                .iter()
                .find_map(|(name, value)| match found.get(name) {
                    Some(other) => {
                        difference(value, other, &format!("{path}.{name}"), dropped, added)
                    }
                    None if is_empty(value) && matches!(name.as_str(), "_meta" | "params") => None,
                    None if dropped(name, value) => None,
                    None => Some(format!("{path}.{name}")),
                });
            let mut further = found
                .iter()
                .filter(|(name, value)| !expected.contains_key(*name) && !added(name, value));
            lost.or_else(|| further.next().map(|(name, _)| format!("{path}.{name}")))
        }
        (Value::Array(expected), Value::Array(found)) if expected.len() == found.len() => expected
            .iter()
            .zip(found)
            .enumerate()
            .find_map(|(at, (expected, found))| {
                difference(expected, found, &format!("{path}[{at}]"), dropped, added)
            }),
        _ => (expected != found).then(|| path.to_owned()),
    }
}

/// Returns `true` for an object that is empty or has only an empty `_meta`.
fn is_empty(value: &Value) -> bool {
    value.as_object().is_some_and(|members| {
        members
            .iter()
            .all(|(name, value)| name == "_meta" && is_empty(value))
    })
}

/// Requests of the server have become input requests, which have no `id`, and URL elicitation has
/// no `elicitationId` any more. The previous revision requires both, and a conversion cannot invent
/// them.
const NEVER_DOWN: [&str; 4] = [
    "CreateMessageRequest",
    "ElicitRequest",
    "ElicitRequestURLParams",
    "ListRootsRequest",
];

#[test]
fn round_trip_from_the_two_oldest_revisions_is_lossless() {
    let sides = sides();
    via_newer(&sides, 0);
    via_newer(&sides, 1);
}

#[test]
fn round_trip_from_2025_06_18_is_lossless() {
    via_newer(&sides(), 2);
}

#[test]
fn round_trip_from_2025_11_25_is_lossless() {
    via_newer(&sides(), 3);
}

#[test]
fn round_trip_from_later_revisions_is_lossless() {
    let sides = sides();
    for from in 4..sides.len() - 1 {
        via_newer(&sides, from);
    }
}

fn via_newer(sides: &[Side], from: usize) {
    let what = format!(
        "{} to {} and back",
        sides[from].revision,
        sides[from + 1].revision
    );
    round_trip(sides, from, from + 1).report(&what, &[]);
}

#[test]
fn round_trip_from_the_oldest_to_the_newest_revision_is_lossless() {
    let sides = sides();
    round_trip(&sides, 0, Revision::ALL.len() - 1).report("the whole way and back", &[]);
}

#[test]
fn value_converted_to_an_older_revision_is_valid_there() {
    let sides = sides();
    for to in 0..sides.len() - 1 {
        let (older, newer) = (&sides[to], &sides[to + 1]);
        let tally = for_every_type(&sides, to + 1, to, |name, target, drawn| {
            match convert(newer, older, name, target, drawn) {
                Ok(_) => Outcome::Converted,
                Err(outcome) => outcome,
            }
        });
        let hopeless: &[_] = if newer.revision == Revision::V2026_07_28 {
            &NEVER_DOWN
        } else {
            &[]
        };
        tally.report(
            &format!("{} down to {}", newer.revision, older.revision),
            hopeless,
        );
    }
}
