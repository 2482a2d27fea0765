//! Rewrites JSON according to the two leniencies of the types.

use serde_json::Value;

use super::node::Node;
use super::scalar::whole;
use super::schemas::Schemas;

/// Rewrites `value` as a decoder sees it that treats `null` as absent and `1.0` as `1`:
///
/// * A member that is declared, not required, `null`, and not allowed to be `null`, is removed, unless
///   the schemas are [exact](Schemas::exact).
/// * A float without a fraction becomes an integer if the schema requires an integer.
///
/// In a union, both are applied as in any variant for which the value is valid afterwards. A type
/// accepts what the schema accepts after this rewriting, and two documents that are equal after it
/// are equal for the type.
pub(crate) fn forgive(schemas: &Schemas, name: &str, value: &Value) -> Value {
    rewrite(schemas, schemas.node(name), value)
}

fn rewrite(schemas: &Schemas, node: &Node, value: &Value) -> Value {
    match (node, value) {
        (Node::Ref(name), _) => rewrite(schemas, schemas.node(name), value),
        (Node::Union { variants, .. }, _) => {
            let mut forgiven = value.clone();
            for variant in variants {
                let candidate = rewrite(schemas, variant, &forgiven);
                if holds(schemas, variant, &candidate) {
                    forgiven = candidate;
                }
            }
            forgiven
        }
        (Node::Enum(values), Value::Number(_)) => {
            let same = values
                .iter()
                .find(|one| one.is_number() && one.as_f64() == value.as_f64());
            same.unwrap_or(value).clone()
        }
        (Node::Integer { .. }, Value::Number(number)) if number.is_f64() => number
            .as_f64()
            .and_then(whole)
            .map_or_else(|| value.clone(), Value::from),
        (Node::Array { items, .. }, Value::Array(values)) => values
            .iter()
            .map(|item| rewrite(schemas, items, item))
            .collect(),
        (Node::Object { members, rest }, Value::Object(values)) => {
            let kept = values.iter().filter_map(|(name, value)| {
                let Some(member) = members.get(name) else {
                    return Some((name.clone(), rewrite(schemas, rest, value)));
                };
                let absent = schemas.null_as_absent
                    && value.is_null()
                    && !member.required
                    && !holds(schemas, &member.node, value);
                (!absent).then(|| (name.clone(), rewrite(schemas, &member.node, value)))
            });
            Value::Object(kept.collect())
        }
        _ => value.clone(),
    }
}

/// Returns `true` if a value is valid for a node.
///
/// This is a second validator, for positions that are not definitions. The self-test compares it
/// with the first one.
pub(crate) fn holds(schemas: &Schemas, node: &Node, value: &Value) -> bool {
    let within = |size: usize, min: usize, max: Option<usize>| {
        size >= min && max.is_none_or(|max| size <= max)
    };
    match (node, value) {
        (Node::Any, _) | (Node::Null, Value::Null) | (Node::Boolean, Value::Bool(_)) => true,
        (Node::Ref(name), _) => holds(schemas, schemas.node(name), value),
        (
            Node::Union {
                variants,
                exactly_one,
            },
            _,
        ) => {
            let mut holding = variants
                .iter()
                .filter(|variant| holds(schemas, variant, value));
            holding.next().is_some() && (!exactly_one || holding.next().is_none())
        }
        (Node::Enum(values), _) => values.iter().any(|one| {
            one == value || (one.is_number() && value.is_number() && one.as_f64() == value.as_f64())
        }),
        (Node::Integer { min, max }, Value::Number(number)) => {
            let float = number.as_f64().unwrap_or(f64::NAN);
            match number.as_i64().or_else(|| whole(float)) {
                Some(n) => min.is_none_or(|min| n >= min) && max.is_none_or(|max| n <= max),
                None if float.fract() != 0.0 => false,
                None if float > 0.0 => max.is_none(),
                None => min.is_none(),
            }
        }
        (Node::Number { min, max }, Value::Number(number)) => {
            let float = number.as_f64().unwrap_or(f64::NAN);
            min.is_none_or(|min| float >= min) && max.is_none_or(|max| float <= max)
        }
        (Node::String { min, max, .. }, Value::String(text)) => {
            within(text.chars().count(), *min, *max)
        }
        (
            Node::Array {
                items, min, max, ..
            },
            Value::Array(values),
        ) => within(values.len(), *min, *max) && values.iter().all(|v| holds(schemas, items, v)),
        (Node::Object { members, rest }, Value::Object(values)) => {
            let present = |(name, _): &(&String, _)| values.contains_key(*name);
            members
                .iter()
                .filter(|(_, member)| member.required)
                .all(|member| present(&member))
                && values.iter().all(|(name, value)| {
                    let node = members.get(name).map_or(&**rest, |member| &member.node);
                    holds(schemas, node, value)
                })
        }
        _ => false,
    }
}
