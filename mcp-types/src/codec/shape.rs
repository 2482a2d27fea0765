//! Unions without a tag: the variant is selected by the members of the object.

use super::super::json::{self, text::Lookahead};
use super::{FromAny, FromMembers, Members, Object, Value};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, DeserializeOwned, Error, MapAccess};
use std::borrow::Cow;
use std::cmp::Reverse;

/// The conditions under which an object can be a variant of a union.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    /// The type of the variant.
    pub name: &'static str,
    /// Members that must be present.
    pub required: &'static [&'static str],
    /// Members that must be present in a nested object: the name of the object's member, then the
    /// name of the member in it.
    pub nested: &'static [(&'static str, &'static str)],
    /// Members that must be present with one of the listed strings as value. An empty list allows
    /// any value.
    pub texts: &'static [(&'static str, &'static [&'static str])],
}

/// An object of which nothing was decoded yet.
#[derive(Debug)]
pub enum Undecided<'de, A> {
    /// The members in the input.
    Members(Members<'de, A>),
    /// The members, buffered.
    Object(Object),
}

impl<'de, A: MapAccess<'de>> Undecided<'de, A> {
    /// Decodes a struct.
    pub fn object<T: FromMembers<'de> + DeserializeOwned>(self) -> Result<T, A::Error> {
        self.read(FromMembers::from_members)
    }

    /// Decodes a union.
    pub fn union<T: FromAny<'de> + DeserializeOwned>(self) -> Result<T, A::Error> {
        self.read(FromAny::from_object)
    }

    /// Decodes any other type.
    pub fn map<T: DeserializeOwned>(self) -> Result<T, A::Error> {
        self.read(super::from_map)
    }

    fn read<T: DeserializeOwned>(
        self,
        read: fn(Members<'de, A>) -> Result<T, A::Error>,
    ) -> Result<T, A::Error> {
        match self {
            Self::Members(members) => read(members),
            Self::Object(object) => json::from_object(object).map_err(A::Error::custom),
        }
    }
}

/// Decodes an object as the variant with the given type.
pub type Decode<'de, T, A> = fn(&str, Undecided<'de, A>) -> Result<T, <A as MapAccess<'de>>::Error>;

/// Returns the error for a variant that is not compiled.
#[must_use]
pub fn unknown_variant<E: Error>(name: &str) -> E {
    E::custom(format_args!("`{name}` is not a variant of the union"))
}

/// How well an object meets the conditions of a candidate. The greatest one is the best: that with
/// the fewest contradictions, and among these the one with the most conditions met.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Likeness {
    /// The number of members with a value that the candidate excludes.
    contradictions: Reverse<usize>,
    met: usize,
}

impl Candidate {
    /// Returns `true` if the object has all members that the variant requires.
    fn fits(&self, object: &impl Shape) -> bool {
        self.required.iter().all(|name| object.has(name))
            && self.nested.iter().all(|pair| object.has_nested(*pair))
            && self
                .texts
                .iter()
                .all(|(name, texts)| object.has_text(name, texts) == Some(true))
    }

    /// Returns `true` if the conditions mention a member.
    fn mentions(&self, name: &str) -> bool {
        self.required.contains(&name)
            || self.nested.iter().any(|(outer, _)| *outer == name)
            || self.texts.iter().any(|(text, _)| *text == name)
    }

    fn likeness(&self, object: &Object) -> Likeness {
        let required = self.required.iter();
        let required = required.filter(|name| object.has(name)).count();
        let nested = self.nested.iter();
        let nested = nested.filter(|pair| object.has_nested(**pair)).count();
        let (mut met, mut contradictions) = (required + nested, 0);
        for (name, texts) in self.texts {
            match object.has_text(name, texts) {
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

/// What is known of an object before it is decoded.
trait Shape {
    fn has(&self, name: &str) -> bool;

    fn has_nested(&self, names: (&str, &str)) -> bool;

    /// Returns whether a member has one of the listed texts, or `None` if it is absent.
    fn has_text(&self, name: &str, texts: &[&str]) -> Option<bool>;
}

impl Shape for Object {
    fn has(&self, name: &str) -> bool {
        self.contains_key(name)
    }

    fn has_nested(&self, (outer, inner): (&str, &str)) -> bool {
        let value = self.get(outer);
        value.is_some_and(|value| value.get(inner).is_some())
    }

    fn has_text(&self, name: &str, texts: &[&str]) -> Option<bool> {
        Some(match self.get(name)? {
            Value::String(text) => texts.is_empty() || texts.contains(&text.as_str()),
            _ => texts.is_empty(),
        })
    }
}

/// The members of a text that the conditions mention, with the texts of their values.
struct Outline<'de>(Vec<(&'de str, &'de str)>);

impl<'de> Outline<'de> {
    /// Returns `None` if a mentioned name has escapes, or if the text is not valid.
    fn of(text: &'de str, mentions: impl Fn(&str) -> bool) -> Option<Self> {
        let mut members = Lookahead::new(text);
        let mut found: Vec<(&str, &str)> = Vec::new();
        while let Some(name) = members.name().ok()? {
            let value = members.value().ok()?;
            match name {
                name if !mentions(&name) => {}
                // A duplicate is rejected by the decoder of the variant.
                Cow::Borrowed(name) if found.iter().all(|(known, _)| *known != name) => {
                    found.push((name, value));
                }
                Cow::Borrowed(_) => {}
                Cow::Owned(_) => return None,
            }
        }
        Some(Self(found))
    }

    fn get(&self, name: &str) -> Option<&'de str> {
        let found = self.0.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| *value)
    }
}

impl Shape for Outline<'_> {
    fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    fn has_nested(&self, (outer, inner): (&str, &str)) -> bool {
        let Some(text) = self.get(outer).filter(|text| text.starts_with('{')) else {
            return false;
        };
        Self::of(text, |name| name == inner).is_some_and(|nested| nested.has(inner))
    }

    fn has_text(&self, name: &str, texts: &[&str]) -> Option<bool> {
        let value = self.get(name)?;
        let is_listed = || {
            value.starts_with('"')
                && value.contains('\\')
                && json::from_str::<String>(value).is_ok_and(|text| texts.contains(&text.as_str()))
        };
        let plain = value
            .strip_prefix('"')
            .and_then(|rest| rest.strip_suffix('"'));
        let is_plain = plain.is_some_and(|plain| texts.contains(&plain));
        Some(texts.is_empty() || is_plain || is_listed())
    }
}

/// Decodes an object as the first candidate that accepts it. The candidates with the most required
/// members come first.
///
/// If the text of the object is known, and if one candidate fits, as almost always, the members are
/// decoded directly. Otherwise they are buffered as exact values. If several fit, the schema accepts
/// what any of them accepts, so each is tried in turn. If none fits, but the object resembles one of
/// them more than all others, the error is that of this candidate, with its path: the object lacks a
/// member of it, and may have another fault that explains more.
pub fn read_shape<'de, T, A: MapAccess<'de>>(
    members: Members<'de, A>,
    union: &'static str,
    candidates: &[Candidate],
    decode: Decode<'de, T, A>,
) -> Result<T, A::Error> {
    // Called through function pointers to reduce compile time; see `json::from_str`.
    let (only_one, fitting): (fn(_, _) -> _, fn(&_, _) -> _) = (only_one, fitting);
    if let Some(text) = members.text()
        && let Some(name) = only_one(text, candidates)
    {
        return decode(name, Undecided::Members(members));
    }
    let object = Object::deserialize(MapAccessDeserializer::new(members))?;
    let names: Vec<&'static str> = fitting(&object, candidates);
    let Some((last, others)) = names.split_last() else {
        return Err(refuse(object, union, candidates, decode));
    };
    let mut first_error = None;
    for name in others {
        match decode(name, Undecided::Object(object.clone())) {
            Ok(value) => return Ok(value),
            Err(error) => first_error = first_error.or(Some(error)),
        }
    }
    decode(last, Undecided::Object(object)).map_err(|error| first_error.unwrap_or(error))
}

/// Returns the only candidate that an object fits, given its text.
fn only_one(text: &str, candidates: &[Candidate]) -> Option<&'static str> {
    let mentions = |name: &str| candidates.iter().any(|it| it.mentions(name));
    let outline = Outline::of(text, mentions)?;
    let mut fitting = candidates.iter().filter(|it| it.fits(&outline));
    let only = fitting.next()?;
    fitting.next().is_none().then_some(only.name)
}

/// Returns the candidates that an object fits.
fn fitting(object: &Object, candidates: &[Candidate]) -> Vec<&'static str> {
    let fitting = candidates.iter().filter(|it| it.fits(object));
    fitting.map(|candidate| candidate.name).collect()
}

/// Returns the error for an object that no candidate fits.
#[cold]
fn refuse<'de, T, A: MapAccess<'de>>(
    object: Object,
    union: &'static str,
    candidates: &[Candidate],
    decode: Decode<'de, T, A>,
) -> A::Error {
    if let Some(closest) = closest(&object, candidates).and_then(|at| candidates.get(at))
        && let Err(error) = decode(closest.name, Undecided::Object(object))
    {
        return error;
    }
    // A candidate may require more members than its type does. Such an object is not valid for the
    // union even if the type alone accepts it.
    A::Error::custom(nothing_fits(union, candidates))
}

/// Returns the position of the candidate that the object resembles more than any other one, or
/// `None` if there is no such candidate.
fn closest(object: &Object, candidates: &[Candidate]) -> Option<usize> {
    let likeness = candidates
        .iter()
        .map(|candidate| candidate.likeness(object));
    let similar: Vec<(usize, &Candidate, Likeness)> = (0..)
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

fn nothing_fits(union: &'static str, candidates: &[Candidate]) -> String {
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
