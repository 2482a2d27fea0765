//! Values in tables, and the values that a schema allows.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use crate::schema::Document;
use crate::schema::exact::{ExactNumbers, canonical};
use crate::schema::keyword::restricts;
use crate::schema::resolve::resolve;
use crate::schema::simplify::accepts_all;

/// Returns what the values of an enumeration are sorted by: `codec::Check::Values` has the order.
pub(super) fn order(value: &Value, numbers: &ExactNumbers) -> (u8, String) {
    match value {
        Value::Null => (0, String::new()),
        Value::Bool(false) => (1, String::new()),
        Value::Bool(true) => (2, String::new()),
        Value::Number(number) => (3, canonical(&numbers.text(number))),
        Value::String(text) => (4, text.clone()),
        Value::Array(_) | Value::Object(_) => (5, String::new()),
    }
}

/// Returns the expression for a value.
pub(super) fn literal(value: &Value, numbers: &ExactNumbers) -> String {
    let literal = |value| literal(value, numbers);
    match value {
        Value::Null => "codec::Literal::Null".to_owned(),
        Value::Bool(value) => format!("codec::Literal::Bool({value})"),
        Value::Number(number) => {
            let text = canonical(&numbers.text(number));
            format!("codec::Literal::Number({text:?})")
        }
        Value::String(text) => format!("codec::Literal::String({text:?})"),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(literal).collect();
            format!("codec::Literal::Array(&[{}])", items.join(", "))
        }
        Value::Object(members) => {
            let members = members.iter();
            let members: Vec<String> = members
                .map(|(name, value)| format!("({name:?}, {})", literal(value)))
                .collect();
            format!("codec::Literal::Object(&[{}])", members.join(", "))
        }
    }
}

/// Returns `true` if it is known that no value fits both schemas: they are of other types, have other
/// constants, or a member that both require has other constants.
pub(super) fn differ(document: &Document, a: &Value, b: &Value) -> bool {
    let (a, b) = (resolve(document, a), resolve(document, b));
    if let (Some(a), Some(b)) = (types(a), types(b))
        && a.is_disjoint(&b)
        && !(a.contains("integer") && b.contains("number"))
        && !(a.contains("number") && b.contains("integer"))
    {
        return true;
    }
    if let (Some(a), Some(b)) = (texts(a), texts(b)) {
        return a.is_disjoint(&b);
    }
    let required = |schema: &Value| -> BTreeSet<String> {
        let names = schema.get("required").and_then(Value::as_array);
        let names = names.into_iter().flatten().filter_map(Value::as_str);
        names.map(str::to_owned).collect()
    };
    let is_object = |schema: &Value| schema.get("type").is_some_and(|ty| ty == "object");
    if !is_object(a) || !is_object(b) {
        return false;
    }
    let member = |schema: &'_ Value, name: &str| -> Option<BTreeSet<String>> {
        texts(resolve(document, schema.get("properties")?.get(name)?))
    };
    let shared = required(a);
    let mut shared = shared
        .intersection(&required(b))
        .cloned()
        .collect::<Vec<_>>()
        .into_iter();
    shared.any(|name| match (member(a, &name), member(b, &name)) {
        (Some(a), Some(b)) => a.is_disjoint(&b),
        _ => false,
    })
}

/// Returns `true` for the schema of an object that is put together from parts which declare different
/// members, or narrow the type of one, and say nothing about others.
pub(super) fn is_plain_object<'a>(
    document: &'a Document,
    members: &'a Map<String, Value>,
    declared: &mut BTreeMap<&'a str, &'a Value>,
    seen: &mut BTreeSet<*const Map<String, Value>>,
) -> bool {
    // What stands there twice, or contains itself, says nothing new.
    if !seen.insert(members) {
        return true;
    }
    members
        .iter()
        .all(|(keyword, value)| match keyword.as_str() {
            "type" => value == "object",
            "additionalProperties" => accepts_all(value),
            "properties" => {
                let mut names = value.as_object().into_iter().flatten();
                names.all(|(name, schema)| {
                    let before = declared.insert(name, schema);
                    before.is_none_or(|before| covers(before, schema) || covers(schema, before))
                })
            }
            "allOf" => {
                let mut parts = value.as_array().into_iter().flatten();
                parts.all(|part| {
                    let part = resolve(document, part).as_object();
                    part.is_some_and(|part| is_plain_object(document, part, declared, seen))
                })
            }
            "required" => true,
            other => !restricts(other),
        })
}

/// Returns `true` if an alternative has the type that stands beside the alternatives, or gets it because
/// it says nothing of types.
pub(super) fn is_of(document: &Document, part: &Value, ty: &Value) -> bool {
    let part = resolve(document, part);
    let combined = ["$ref", "allOf", "anyOf", "oneOf", "const", "enum"];
    match part.get("type") {
        Some(own) => own == ty,
        None => combined.iter().all(|keyword| part.get(*keyword).is_none()),
    }
}

/// Returns `true` if a schema says at most of which type a value is, and another one says that, too.
fn covers(outer: &Value, inner: &Value) -> bool {
    let mut members = outer.as_object().into_iter().flatten();
    accepts_all(outer)
        || members.all(|(keyword, value)| match keyword.as_str() {
            "type" => inner.get("type") == Some(value),
            other => !restricts(other),
        })
}

fn types(schema: &Value) -> Option<BTreeSet<&str>> {
    match schema.get("type") {
        Some(Value::String(one)) => Some([one.as_str()].into()),
        Some(Value::Array(all)) => Some(all.iter().filter_map(Value::as_str).collect()),
        _ => texts(schema).map(|_| ["string"].into()),
    }
}

/// Returns the strings that a schema allows, if it allows nothing else.
fn texts(schema: &Value) -> Option<BTreeSet<String>> {
    let all = match (schema.get("const"), schema.get("enum")) {
        (Some(one), _) => vec![one],
        (None, Some(Value::Array(all))) => all.iter().collect(),
        _ => return None,
    };
    let texts = all.iter().map(|value| value.as_str().map(str::to_owned));
    texts.collect()
}
