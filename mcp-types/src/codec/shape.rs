//! Unions without a tag: the variant is selected by the members of the object.

use super::super::error::DecodeError;
use super::{Object, Value};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Error, MapAccess};
use std::cmp::Reverse;

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
    const fn demands(&self) -> Demands {
        Demands {
            name: self.name,
            required: self.required,
            nested: self.nested,
            texts: self.texts,
        }
    }
}

/// The conditions of a candidate. They do not depend on the type of the union, so that the
/// functions below are compiled only once.
#[derive(Clone, Copy)]
struct Demands {
    name: &'static str,
    required: &'static [&'static str],
    nested: &'static [(&'static str, &'static str)],
    texts: &'static [(&'static str, &'static [&'static str])],
}

/// How well an object meets the conditions of a candidate. The greatest one is the best: that with
/// the fewest contradictions, and among these the one with the most conditions met.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Likeness {
    /// The number of members with a value that the candidate excludes.
    contradictions: Reverse<usize>,
    met: usize,
}

impl Demands {
    /// Returns `true` if the object has all members that the variant requires.
    fn fits(&self, object: &Object) -> bool {
        self.required.iter().all(|name| object.contains_key(name))
            && self.nested.iter().all(|pair| has_nested(object, *pair))
            && self
                .texts
                .iter()
                .all(|(name, texts)| has_text(object, name, texts) == Some(true))
    }

    fn likeness(&self, object: &Object) -> Likeness {
        let required = self.required.iter();
        let required = required.filter(|name| object.contains_key(name)).count();
        let nested = self.nested.iter();
        let nested = nested.filter(|pair| has_nested(object, **pair)).count();
        let (mut met, mut contradictions) = (required + nested, 0);
        for (name, texts) in self.texts {
            match has_text(object, name, texts) {
                Some(true) => met += 1,
                Some(false) => contradictions += 1,
                None => {}
            }
        }
        Likeness {
            contradictions: Reverse(contradictions),
            met,
        }
    }
}

fn has_nested(object: &Object, (outer, inner): (&str, &str)) -> bool {
    let value = object.get(outer);
    value.is_some_and(|value| value.get(inner).is_some())
}

/// Returns whether a member has one of the listed texts, or `None` if it is absent.
fn has_text(object: &Object, name: &str, texts: &[&str]) -> Option<bool> {
    Some(match object.get(name)? {
        Value::String(text) => texts.is_empty() || texts.contains(&text.as_str()),
        _ => texts.is_empty(),
    })
}

/// Decodes an object as the first candidate that accepts it. The candidates with the most required
/// members come first.
///
/// The members are buffered as exact values. In almost all cases one candidate fits and consumes
/// them without a copy. If several fit, the schema accepts what any of them accepts, so each is
/// tried in turn. If none fits, but the object resembles one of them more than all others, the error
/// is that of this candidate, with its path: the object lacks a member of it, and may have another
/// fault that explains more.
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
        .filter(|candidate| candidate.demands().fits(&object));
    let Some(mut candidate) = fitting.next() else {
        return Err(refuse(object, union, candidates));
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

/// Returns the error for an object that no candidate fits.
#[cold]
fn refuse<T>(object: Object, union: &'static str, candidates: &[Candidate<T>]) -> DecodeError {
    let demands: Vec<Demands> = candidates.iter().map(Candidate::demands).collect();
    if let Some(closest) = closest(&object, &demands).and_then(|at| candidates.get(at))
        && let Err(error) = (closest.take)(object)
    {
        return error;
    }
    // A candidate may require more members than its type does. Such an object is not valid for the
    // union even if the type alone accepts it.
    DecodeError::data(nothing_fits(union, &demands))
}

/// Returns the position of the candidate that the object resembles more than any other one, or
/// `None` if there is no such candidate.
fn closest(object: &Object, candidates: &[Demands]) -> Option<usize> {
    let likeness = candidates.iter().map(|demands| demands.likeness(object));
    let similar: Vec<(usize, &Demands, Likeness)> = (0..)
        .zip(candidates)
        .zip(likeness)
        .map(|((at, demands), likeness)| (at, demands, likeness))
        .filter(|(_, _, likeness)| likeness.met > 0)
        .collect();
    let (at, closest, best) = *similar.iter().max_by_key(|(_, _, likeness)| *likeness)?;
    // A variant that is a union itself has a candidate for each of its own variants.
    let is_clear = similar
        .iter()
        .all(|(_, demands, likeness)| *likeness < best || demands.name == closest.name);
    is_clear.then_some(at)
}

fn nothing_fits(union: &'static str, candidates: &[Demands]) -> String {
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
