//! [`Case`]: examples, and what becomes of them when they are changed.

use std::path::Path;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use xtask_support::workspace;

use crate::judge::Judge;

/// A member that no type declares, and its value.
const UNKNOWN: &str = "com.example/unknown";
fn unknown_value() -> Value {
    json!({ "a": [1] })
}

/// How many times an example is changed at random.
const RANDOM: usize = 50;

/// A text that is given to decoders.
pub(crate) struct Case {
    /// The name of the type.
    pub(crate) of: String,
    pub(crate) kind: Kind,
    pub(crate) value: Value,
    pub(crate) text: String,
    /// Whether it is valid by the published schema.
    pub(crate) published: bool,
    /// Whether it is valid by the schema with all corrections.
    pub(crate) corrected: bool,
}

pub(crate) enum Kind {
    /// As it is published.
    Example,
    /// The object at this JSON pointer has a member that its type does not declare.
    Unknown(String),
    /// A value was replaced or removed.
    Mutant,
}

/// Returns `true` if the object at a place has the member that no type declares, with its value.
pub(crate) fn keeps_unknown(value: &Value, place: &str) -> bool {
    let object = value.pointer(place);
    object.and_then(|object| object.get(UNKNOWN)) == Some(&unknown_value())
}

/// Reads the examples in a folder, which has a folder for each type.
pub(crate) fn read(folder: &Path, judge: &Judge, seed: Option<u64>) -> Result<Vec<Case>> {
    let mut cases = Vec::new();
    let mut random = seed.map(fastrand::Rng::with_seed);
    for file in workspace::files(folder)? {
        let of = file.parent().and_then(Path::file_name);
        let of = workspace::text(Path::new(of.context("a folder for each type")?))?;
        let example: Value = serde_json::from_str(&workspace::read(&file)?)?;
        let mut add = |kind, value: Value| -> Result<()> {
            cases.push(Case {
                of: of.to_owned(),
                kind,
                text: value.to_string(),
                published: judge.is_published(of, &value)?,
                corrected: judge.is_corrected(of, &value)?,
                value,
            });
            Ok(())
        };
        let mut places = Vec::new();
        places_in(&example, String::new(), &mut places);
        for place in &places {
            let mut changed = example.clone();
            if let Some(Value::Object(members)) = changed.pointer_mut(place) {
                members.insert(UNKNOWN.to_owned(), unknown_value());
                // A map of another type has no room for it.
                if judge.is_published(of, &changed)? {
                    add(Kind::Unknown(place.clone()), changed)?;
                }
            }
            for mutant in mutants(&example, place) {
                add(Kind::Mutant, mutant)?;
            }
        }
        for _ in 0..random.as_ref().map_or(0, |_| RANDOM) {
            let random = random.as_mut().context("a seed")?;
            let mut value = example.clone();
            for _ in 0..2 {
                let place = random.choice(&places).context("a place")?;
                if let Some(mutant) = random.choice(mutants(&value, place)) {
                    value = mutant;
                }
            }
            add(Kind::Mutant, value)?;
        }
        add(Kind::Example, example)?;
    }
    Ok(cases)
}

/// Collects the pointers to a value and to everything in it.
fn places_in(value: &Value, at: String, places: &mut Vec<String>) {
    let children: Vec<(String, &Value)> = match value {
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| (name.replace('~', "~0").replace('/', "~1"), value))
            .collect(),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .map(|(index, item)| (index.to_string(), item))
            .collect(),
        _ => Vec::new(),
    };
    for (name, child) in children {
        places_in(child, format!("{at}/{name}"), places);
    }
    places.push(at);
}

/// Returns the example without the value at a place, and with values of all kinds there.
fn mutants(example: &Value, place: &str) -> Vec<Value> {
    let others = [
        json!("x"),
        json!(-1),
        json!(1.5),
        json!(true),
        json!([]),
        json!({}),
        json!(null),
    ];
    let mut mutants: Vec<Value> = others
        .into_iter()
        .filter_map(|other| {
            let mut mutant = example.clone();
            let value = mutant.pointer_mut(place)?;
            (*value != other).then(|| *value = other)?;
            Some(mutant)
        })
        .collect();
    let mut without = example.clone();
    if let Some((parent, name)) = place.rsplit_once('/')
        && let Some(Value::Object(members)) = without.pointer_mut(parent)
    {
        members.remove(&name.replace("~1", "/").replace("~0", "~"));
        mutants.push(without);
    }
    mutants
}
