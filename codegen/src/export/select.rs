//! How a decoder selects the variant of a union, as JSON.

use crate::discriminate::{Candidate, JsonKind, Objects, plan};
use crate::hints::Hints;
use crate::model::{Model, Union};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Returns the variants to try for each kind of JSON value, by their positions.
pub(super) fn select(model: &Model, hints: &Hints, name: &str, union: &Union) -> Value {
    let plan = plan(model, hints, name, union);
    let scalars = plan.scalars.iter();
    let mut select: Map<String, Value> = scalars
        .map(|(kind, tried)| (word(*kind).to_owned(), json!(tried)))
        .collect();
    let object = match &plan.objects {
        Objects::None => return Value::Object(select),
        Objects::Only(variant) => json!({ "try": [{ "variant": variant }] }),
        Objects::Shape(candidates) => {
            json!({ "try": candidates.iter().map(conditions).collect::<Vec<_>>() })
        }
        Objects::Tag { name, arms, absent } => {
            let values = arms.iter().flat_map(|(values, variant)| {
                let values = values.iter();
                values.map(move |value| (value.clone(), json!(variant)))
            });
            let mut tag = json!({ "tag": name, "values": values.collect::<Map<_, _>>() });
            if let Some(absent) = absent {
                tag["absent"] = json!(absent);
            }
            tag
        }
    };
    select.insert("object".to_owned(), object);
    Value::Object(select)
}

fn word(kind: JsonKind) -> &'static str {
    match kind {
        JsonKind::Null => "null",
        JsonKind::Bool => "boolean",
        JsonKind::Number => "number",
        JsonKind::String => "string",
        JsonKind::Array => "list",
    }
}

/// Returns the conditions under which an object can be a variant.
fn conditions(candidate: &Candidate) -> Value {
    let mut form = json!({ "variant": candidate.variant });
    if !candidate.required.is_empty() {
        form["has"] = json!(candidate.required);
    }
    if !candidate.nested.is_empty() {
        let mut inside: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (outer, inner) in &candidate.nested {
            inside.entry(outer).or_default().push(inner);
        }
        form["inside"] = json!(inside);
    }
    if !candidate.consts.is_empty() {
        form["equals"] = json!(candidate.consts);
    }
    form
}
