//! Unions without a tag: objects by their shape.

use super::super::error::DecodeError;
use super::super::json::{self, Map, Raw};
use super::union::expect_forms;
use super::{Key, Object, Value};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, Expected, MapAccess};
use serde_json::value::RawValue;
use std::fmt;

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
    /// Decodes it from its text.
    pub take: fn(&str) -> Result<T, DecodeError>,
}

/// The members of an object with the texts of their values.
type Shape<'a> = Map<&'a RawValue>;

impl<T> Candidate<T> {
    /// Whether the object has all that the variant's schema requires by name.
    fn fits(&self, object: &Shape<'_>) -> bool {
        let inside = |(outer, inner): &(&str, &str)| {
            object
                .get(outer)
                .and_then(|value| serde_json::from_str::<Shape<'_>>(value.get()).ok())
                .is_some_and(|value| value.contains_key(inner))
        };
        let is_one = |value: &RawValue, texts: &[&str]| {
            serde_json::from_str::<Key<'_>>(value.get())
                .is_ok_and(|text| texts.contains(&text.as_str()))
        };
        self.required.iter().all(|name| object.contains_key(name))
            && self.nested.iter().all(inside)
            && self.texts.iter().all(|(name, texts)| {
                object
                    .get(name)
                    .is_some_and(|value| texts.is_empty() || is_one(value, texts))
            })
    }
}

/// Reads an object as the first candidate that accepts it; the most demanding come first.
///
/// Its text is looked at twice: for the names of the members, then by the candidate. Almost always
/// one fits; if several do, the schema accepts what any of them accepts, so the next one gets its
/// try.
pub fn read_shape<'de, T, D: Deserializer<'de>>(
    deserializer: D,
    union: &'static str,
    candidates: &[Candidate<T>],
) -> Result<T, D::Error> {
    let text = Raw::deserialize(deserializer)?;
    choose(text.as_str(), union, candidates).map_err(D::Error::custom)
}

/// The same for a union that has other forms than objects, once an object was met.
pub fn shape_of<'de, T, A: MapAccess<'de>>(
    members: A,
    union: &'static str,
    candidates: &[Candidate<T>],
) -> Result<T, A::Error> {
    let object = Object::deserialize(MapAccessDeserializer::new(members))?;
    choose(&object.to_string(), union, candidates).map_err(A::Error::custom)
}

fn choose<T>(
    text: &str,
    union: &'static str,
    candidates: &[Candidate<T>],
) -> Result<T, DecodeError> {
    let object = shape(text, union)?;
    let mut first_error = None;
    for candidate in candidates
        .iter()
        .filter(|candidate| candidate.fits(&object))
    {
        match (candidate.take)(text) {
            Ok(value) => return Ok(value),
            Err(error) => first_error = first_error.or(Some(error)),
        }
    }
    Err(first_error.unwrap_or_else(|| DecodeError::data(nothing_fits(union, candidates))))
}

fn shape<'a>(text: &'a str, union: &'static str) -> Result<Shape<'a>, DecodeError> {
    struct Forms(&'static str);

    impl Expected for Forms {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            expect_forms(f, self.0)
        }
    }

    if text.starts_with('{') {
        return Ok(serde_json::from_str(text)?);
    }
    let value = json::from_str::<Value>(text)?;
    Err(json::unfit(&value, &Forms(union)))
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
