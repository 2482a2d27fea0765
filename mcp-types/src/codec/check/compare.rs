//! Comparisons of values, without rounding.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::fmt::Write as _;

use super::super::super::error::{DecodeError, excerpt};
use super::super::{Number, Value};
use super::{Check, Literal};

pub(super) type Outcome = Result<(), DecodeError>;

pub(super) fn fail(message: impl Into<String>) -> Outcome {
    Err(DecodeError::data(message))
}

/// Compares a number with its bound, or with what it has to be a multiple of.
pub(super) fn bound(check: &Check, number: &Number) -> Outcome {
    let (is_valid, demand, bound) = match check {
        Check::Minimum(bound) => (number.compare(bound) != Ordering::Less, "at least", bound),
        Check::Maximum(bound) => (number.compare(bound) != Ordering::Greater, "at most", bound),
        Check::Above(bound) => (
            number.compare(bound) == Ordering::Greater,
            "more than",
            bound,
        ),
        Check::Below(bound) => (number.compare(bound) == Ordering::Less, "less than", bound),
        Check::MultipleOf(step) => (number.is_multiple_of(step), "a multiple of", step),
        _ => return Ok(()),
    };
    if is_valid {
        return Ok(());
    }
    let text = number.to_string();
    fail(format!("{} is not {demand} {bound}", excerpt(&text)))
}

impl Literal {
    /// Returns `true` if a value is equal, however its numbers are written.
    pub(super) fn is(&self, value: &Value) -> bool {
        match (self, value) {
            (Self::Null, Value::Null) => true,
            (Self::Bool(own), Value::Bool(value)) => own == value,
            (Self::Number(own), Value::Number(value)) => value.compare(own) == Ordering::Equal,
            (Self::String(own), Value::String(value)) => own == value,
            (Self::Array(own), Value::Array(values)) => {
                own.len() == values.len()
                    && own.iter().zip(values).all(|(own, value)| own.is(value))
            }
            (Self::Object(own), Value::Object(object)) => {
                let mut members = own.iter();
                own.len() == object.len()
                    && members.all(|(name, own)| object.get(name).is_some_and(|it| own.is(it)))
            }
            _ => false,
        }
    }
}

/// Fails if two elements are equal.
pub(super) fn unique(items: &[Value]) -> Outcome {
    let mut known = HashMap::new();
    for (at, item) in items.iter().enumerate() {
        let mut key = String::new();
        write_key(item, &mut key);
        if let Some(first) = known.insert(key, at) {
            let error = DecodeError::data(format!(
                "equal to element {first}, but all elements must differ"
            ));
            return Err(error.inside_index(at));
        }
    }
    Ok(())
}
/// Writes a text that is the same for equal values only, however they are written in JSON.
fn write_key(value: &Value, key: &mut String) {
    match value {
        Value::Null => key.push('n'),
        Value::Bool(true) => key.push('t'),
        Value::Bool(false) => key.push('f'),
        Value::Number(number) => key.push_str(&number.canonical()),
        Value::String(text) => write_text(text, key),
        Value::Array(elements) => {
            key.push('[');
            for element in elements {
                write_key(element, key);
                key.push(',');
            }
            key.push(']');
        }
        Value::Object(object) => {
            let mut members: Vec<_> = object.iter().collect();
            members.sort_unstable_by_key(|(name, _)| *name);
            key.push('{');
            for (name, value) in members {
                write_text(name, key);
                write_key(value, key);
                key.push(',');
            }
            key.push('}');
        }
    }
}

/// Writes a text behind its length, so that no other texts look like it.
fn write_text(text: &str, key: &mut String) {
    // Writing to a string does not fail.
    let _ = write!(key, "{}:{text}", text.len());
}
