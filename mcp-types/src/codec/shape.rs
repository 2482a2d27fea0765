//! Unions without a tag: the variant is selected by the members of the object.

use super::super::error::DecodeError;
use super::{Object, Value};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Error, MapAccess};

/// The conditions under which an object can be a variant of a union.
pub struct Candidate<T: 'static> {
    /// The type of the variant, for error messages.
    pub name: &'static str,
    /// Members that must be present.
    pub required: &'static [&'static str],
    /// Members that must be present in a nested object: the name of the object's member, then the
    /// name of the member in it.
    pub nested: &'static [(&'static str, &'static str)],
    /// Members that must be present with one of the listed strings as value. An empty list allows
    /// any value.
    pub texts: &'static [(&'static str, &'static [&'static str])],
    /// Decodes the variant.
    pub take: fn(Object) -> Result<T, DecodeError>,
}

impl<T> Candidate<T> {
    /// Returns `true` if the object has all members that the variant requires.
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

/// Decodes an object as the first candidate that accepts it. The candidates with the most required
/// members come first.
///
/// The members are buffered as exact values. In almost all cases one candidate fits and consumes
/// them without a copy. If several fit, the schema accepts what any of them accepts, so each is
/// tried in turn.
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
            format!("{} requires {}", candidate.name, members.join(", "))
        })
        .collect();
    format!(
        "the object matches no variant of `{union}`: {}",
        demands.join("; ")
    )
}
