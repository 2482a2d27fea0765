//! Decides whether a JSON value is a value of a type.

use super::{Bounds, Kind, Model, Object, Ty};
use serde_json::{Map, Value};

/// Returns `true` if a value is valid. Members of proposals are valid whether or not they are
/// enabled. A value of a hand-written type is any string or number.
#[must_use]
pub fn is_valid(model: &Model, ty: &Ty, value: &Value) -> bool {
    match (model.resolve(ty), value) {
        (Ty::Any, _)
        | (Ty::AnyObject, Value::Object(_))
        | (Ty::Null | Ty::Nullable(_), Value::Null)
        | (Ty::Bool, Value::Bool(_))
        | (Ty::Base64, Value::String(_)) => true,
        (Ty::Int(bounds), Value::Number(number)) => {
            (number.is_i64() || number.is_u64()) && within(bounds, number.as_f64())
        }
        (Ty::Number(bounds), Value::Number(number)) => within(bounds, number.as_f64()),
        (Ty::String(bounds), Value::String(text)) => within_count(bounds, text.chars().count()),
        (Ty::Array(item, bounds), Value::Array(items)) => {
            within_count(bounds, items.len()) && items.iter().all(|it| is_valid(model, item, it))
        }
        (Ty::Map(item), Value::Object(members)) => {
            members.values().all(|member| is_valid(model, item, member))
        }
        (Ty::EmptyObject, Value::Object(members)) => members.is_empty(),
        (Ty::Nullable(inner), value) => is_valid(model, inner, value),
        (Ty::Const(constant), value) => constant == value,
        (Ty::Named(name), value) => match model.get(name).map(|def| &def.kind) {
            Some(Kind::Object(object)) => value
                .as_object()
                .is_some_and(|members| object_is_valid(model, object, members)),
            Some(Kind::Union(union)) => {
                let mut variants = union.variants.iter();
                variants.any(|variant| is_valid(model, &variant.ty, value))
            }
            Some(Kind::Enum(known)) => value.as_str().is_some_and(|text| {
                known.open || known.values.iter().any(|(known, _)| known == text)
            }),
            Some(Kind::Native(_)) => value.is_string() || value.is_number(),
            Some(Kind::Alias(_)) | None => false,
        },
        _ => false,
    }
}

fn object_is_valid(model: &Model, object: &Object, members: &Map<String, Value>) -> bool {
    let declared = |json: &String| object.members.iter().any(|member| member.json == *json);
    let known = object.open || members.keys().all(declared);
    known
        && object
            .members
            .iter()
            .all(|member| match members.get(&member.json) {
                Some(value) => is_valid(model, &member.ty, value),
                None => !member.required,
            })
}

fn within(bounds: &Bounds, number: Option<f64>) -> bool {
    let Some(number) = number else {
        return false;
    };
    let bound = |bound: &Option<serde_json::Number>| bound.as_ref()?.as_f64();
    bound(&bounds.min).is_none_or(|min| number >= min)
        && bound(&bounds.max).is_none_or(|max| number <= max)
}

fn within_count(bounds: &Bounds, count: usize) -> bool {
    let bound = |bound: &Option<serde_json::Number>| {
        let bound = bound.as_ref()?.as_u64()?;
        usize::try_from(bound).ok()
    };
    bound(&bounds.min).is_none_or(|min| count >= min)
        && bound(&bounds.max).is_none_or(|max| count <= max)
}
