//! Unions without a tag: objects by their shape.

use super::super::error::DecodeError;
use super::{Object, Value};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Error, MapAccess};

/// One way in which an object can be a variant of a union.
pub struct Candidate<T: 'static> {
    /// The variant's type, for messages.
    pub name: &'static str,
    /// Members that it must have.
    pub required: &'static [&'static str],
    /// Members that must be in an object that it has.
    pub nested: &'static [(&'static str, &'static str)],
    /// Members that it must have, with the texts that they may be; any value if none is listed.
    pub texts: &'static [(&'static str, &'static [&'static str])],
    /// Decodes it.
    pub take: fn(Object) -> Result<T, DecodeError>,
}

impl<T> Candidate<T> {
    /// Whether the object has all that the variant's schema requires by name.
    fn fits(&self, object: &Object) -> bool {
        let inside = |(outer, inner): &(&str, &str)| {
            object
                .get(outer)
                .is_some_and(|value| value.get(inner).is_some())
        };
        self.required.iter().all(|name| object.contains_key(name))
            && self.nested.iter().all(inside)
            && self
                .texts
                .iter()
                .all(|(name, texts)| match object.get(name) {
                    Some(Value::String(text)) => texts.is_empty() || texts.contains(&text.as_str()),
                    Some(_) => texts.is_empty(),
                    None => false,
                })
    }
}

/// Reads an object as the first candidate that accepts it; the most demanding come first.
///
/// The members wait as exact values. Almost always one candidate fits and takes them over without
/// a copy; if several do, the schema accepts what any of them accepts, so the next one gets its
/// try.
pub fn read_shape<'de, T, A: MapAccess<'de>>(
    members: A,
    union: &'static str,
    candidates: &[Candidate<T>],
) -> Result<T, A::Error> {
    let object = Object::deserialize(MapAccessDeserializer::new(members))?;
    choose(object, union, candidates).map_err(A::Error::custom)
}

fn choose<T>(
    object: Object,
    union: &'static str,
    candidates: &[Candidate<T>],
) -> Result<T, DecodeError> {
    let mut fitting = candidates
        .iter()
        .filter(|candidate| candidate.fits(&object));
    let Some(mut candidate) = fitting.next() else {
        return Err(DecodeError::data(nothing_fits(union, candidates)));
    };
    let mut first_error = None;
    for next in fitting {
        match (candidate.take)(object.clone()) {
            Ok(value) => return Ok(value),
            Err(error) => first_error = first_error.or(Some(error)),
        }
        candidate = next;
    }
    (candidate.take)(object).map_err(|error| first_error.unwrap_or(error))
}

fn nothing_fits<T>(union: &'static str, candidates: &[Candidate<T>]) -> String {
    let demands: Vec<String> = candidates
        .iter()
        .map(|candidate| {
            let texts = candidate.texts.iter().map(|(name, texts)| match texts {
                [] => format!("`{name}`"),
                texts => format!("`{name}` = `{}`", texts.join("` or `")),
            });
            let required = candidate.required.iter().map(|name| format!("`{name}`"));
            let nested = candidate
                .nested
                .iter()
                .map(|(outer, inner)| format!("`{outer}.{inner}`"));
            let members: Vec<String> = required.chain(nested).chain(texts).collect();
            format!("{} has {}", candidate.name, members.join(", "))
        })
        .collect();
    format!(
        "no form of `{union}` has these members: {}",
        demands.join("; ")
    )
}
