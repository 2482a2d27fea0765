//! Unions without a tag: the variant is selected by the members of the object.

mod outline;
mod plan;
mod row;

use super::super::json;
use super::retry::{again, bytes_of, is_exhausted};
use super::{FromAny, FromMembers, Members, Object, Vacant, Value};
use plan::Plan;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, DeserializeOwned, Error, MapAccess};
use std::cmp::Reverse;

/// The conditions under which an object can be a variant of a union.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    /// The type of the variant.
    pub name: &'static str,
    /// Members that must be present. Those that all candidates require are left out.
    pub required: &'static [&'static str],
    /// Members that must be present in a nested object: the name of the object's member, then the
    /// name of the member in it.
    pub nested: &'static [(&'static str, &'static str)],
    /// Members that must be present with one of the listed strings as value. An empty list allows
    /// any value.
    pub texts: &'static [(&'static str, &'static [&'static str])],
    /// Members that must be present, although the decoder of the type does not require them.
    pub when: &'static [&'static str],
    /// Members that other candidates do not declare, or rarely. An object with one of them most likely is
    /// this candidate, and the decoder of the type checks all other conditions.
    pub owned: &'static [&'static str],
    /// Members that the type does not declare: one for each earlier candidate that requires such a
    /// member. An object without them does not fit those candidates.
    pub unless: &'static [&'static str],
}

/// The candidates of a union, in the order in which they are tried.
#[derive(Debug)]
pub struct Candidates {
    shared: &'static [&'static str],
    all: &'static [Candidate],
    plan: Plan,
}

impl Candidates {
    /// Prepares the search for the candidate of an object, at compile time. All candidates require the
    /// `shared` members. `decoders` has the method of [`Undecided`] that decodes each candidate.
    #[must_use]
    pub const fn new(
        shared: &'static [&'static str],
        all: &'static [Candidate],
        decoders: &'static [(&'static str, &'static str)],
    ) -> Self {
        Self {
            shared,
            all,
            plan: Plan::new(all, decoders),
        }
    }
}

/// An object of which nothing was decoded yet.
#[derive(Debug)]
pub enum Undecided<'a, 'de, A> {
    /// The members in the input.
    Members(&'a mut Members<'de, A>),
    /// The members, buffered.
    Object(Object),
    /// The same, if another candidate may be tried after this one.
    Lent(&'a Object),
    /// The text of the object.
    Text(&'a str),
}

impl<'de, A: MapAccess<'de>> Undecided<'_, 'de, A> {
    /// Decodes a struct in place.
    pub fn object<T: FromMembers<'de> + DeserializeOwned>(
        self,
        place: &mut T,
    ) -> Result<(), A::Error> {
        self.read(place, Members::object)
    }

    /// Decodes a union in place.
    pub fn union<T: FromAny<'de> + DeserializeOwned>(self, place: &mut T) -> Result<(), A::Error> {
        self.read(place, Members::union)
    }

    /// Decodes any other type in place.
    pub fn map<T: DeserializeOwned>(self, place: &mut T) -> Result<(), A::Error> {
        self.read(place, Members::map)
    }

    #[inline]
    fn read<T: DeserializeOwned>(
        self,
        place: &mut T,
        read: fn(&mut Members<'de, A>, &mut T) -> Result<(), A::Error>,
    ) -> Result<(), A::Error> {
        let value = match self {
            Self::Members(members) => return read(members, place),
            Self::Object(object) => json::from_object(object),
            Self::Lent(object) => json::from_object_ref(object),
            Self::Text(text) => json::text::read_first(text),
        };
        *place = value.map_err(A::Error::custom)?;
        Ok(())
    }
}

/// Decodes an object as the variant with the given type, in place.
pub type Decode<'de, T, A> =
    fn(&mut T, &str, Undecided<'_, 'de, A>) -> Result<(), <A as MapAccess<'de>>::Error>;

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
    fn fits(&self, object: &Object) -> bool {
        self.present().all(|name| object.contains_key(name))
            && self.nested.iter().all(|pair| has_nested(object, *pair))
            && self
                .texts
                .iter()
                .all(|(name, texts)| has_text(object, name, texts) == Some(true))
    }

    /// Returns the members that must be present.
    fn present(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.required.iter().chain(self.when).copied()
    }

    fn likeness(&self, object: &Object) -> Likeness {
        let present = self.present();
        let present = present.filter(|name| object.contains_key(name)).count();
        let nested = self.nested.iter();
        let nested = nested.filter(|pair| has_nested(object, **pair)).count();
        let (mut met, mut contradictions) = (present + nested, 0);
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

/// Decodes an object in place as the first candidate that accepts it. The candidates with the most required
/// members come first.
///
/// If the text of the object is known, the members are decoded directly as the first candidate that
/// fits, as soon as that is known. Only if that fails, or if the text is not known, each candidate that fits is
/// tried in turn: the schema accepts what any of them accepts. Members without a text are buffered before.
/// If none fits, but the object resembles one of them more than all others, the error is that of this
/// candidate, with its path: the object lacks a member of it, and may have another fault that explains
/// more.
///
/// What was decoded in vain is dropped before the next candidate is tried.
pub fn read_shape<'de, T: Vacant, A: MapAccess<'de>>(
    place: &mut T,
    members: &mut Members<'de, A>,
    union: &'static str,
    candidates: &'static Candidates,
    decode: Decode<'de, T, A>,
) -> Result<(), A::Error> {
    // Called through function pointers to reduce compile time; see `json::from_str`.
    let (first_fit, all_fits): (fn(_, _) -> _, fn(_, _) -> _) =
        (outline::first_fit, outline::all_fits);
    let fitting: fn(&_, _) -> _ = fitting;
    let text = members.text();
    let object = if let Some(text) = text
        && let Some(fit) = first_fit(text, &candidates.plan)
    {
        members.refuse(fit.unless, fit.guards);
        let error = match decode(place, fit.name, Undecided::Members(members)) {
            Err(error) if !fit.is_only => error,
            outcome => return outcome,
        };
        *place = T::VACANT;
        // The members were consumed. If another candidate accepts them, `Text` continues behind the
        // end of the object. With a member that was refused, the candidate may have been rejected only
        // because of it, so it is tried again.
        let is_refused = fit.refuses(text);
        let mut fits = all_fits(text, &candidates.plan);
        let has_fitted = fits.names.contains(&fit.name);
        fits.names.retain(|name| is_refused || *name != fit.name);
        if let Some(names) = fits.names.split_last() {
            let error = (has_fitted && !is_refused).then_some(error);
            let text = json::text::first_value(text);
            return try_each(place, names, Source::Text(text), error, decode);
        }
        if !is_refused && fits.resembles(fit.name, &candidates.plan) {
            return Err(error);
        }
        json::text::read_first(text).map_err(A::Error::custom)?
    } else {
        Object::deserialize(MapAccessDeserializer::new(members))?
    };
    let names = fitting(&object, candidates.all);
    let closest = if names.is_empty() {
        closest(&object, candidates.all)
    } else {
        None
    };
    // A text is decoded again, so that no two copies of the members exist at the same time.
    let source = match text {
        Some(text) => {
            drop(object);
            Source::Text(json::text::first_value(text))
        }
        None => Source::Object(object),
    };
    if let Some(names) = names.split_last() {
        return try_each(place, names, source, None, decode);
    }
    let error =
        closest.and_then(|name| again(source.bytes(), || decode(place, name, source.give())).err());
    // A candidate may require more members than its type does. Such an object is not valid for the union even
    // if the type alone accepts it.
    Err(error.unwrap_or_else(|| A::Error::custom(nothing_fits(union, candidates))))
}

/// Decodes an object as the first of some candidates that accepts it. Otherwise returns the first error. The
/// last candidate is given apart.
fn try_each<'de, T: Vacant, A: MapAccess<'de>>(
    place: &mut T,
    (last, others): (&&'static str, &[&'static str]),
    source: Source<'_>,
    mut first_error: Option<A::Error>,
    decode: Decode<'de, T, A>,
) -> Result<(), A::Error> {
    let bytes = source.bytes();
    for name in others {
        match again(bytes, || decode(place, name, source.lend())) {
            Ok(()) => return Ok(()),
            Err(error) if is_exhausted() => return Err(error),
            Err(error) => first_error = first_error.or(Some(error)),
        }
        *place = T::VACANT;
    }
    let outcome = again(bytes, || decode(place, last, source.give()));
    outcome.map_err(|error| match first_error {
        Some(first) if !is_exhausted() => first,
        _ => error,
    })
}

/// What the candidates are decoded from if the first one does not accept the object.
enum Source<'de> {
    /// The text of the object.
    Text(&'de str),
    /// The buffered members.
    Object(Object),
}

impl Source<'_> {
    /// Returns about how many bytes of text there are.
    fn bytes(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Object(object) => bytes_of(object),
        }
    }

    fn lend<'de, A>(&self) -> Undecided<'_, 'de, A> {
        match self {
            Self::Text(text) => Undecided::Text(text),
            Self::Object(object) => Undecided::Lent(object),
        }
    }

    fn give<'a, 'de, A>(self) -> Undecided<'a, 'de, A>
    where
        Self: 'a,
    {
        match self {
            Self::Text(text) => Undecided::Text(text),
            Self::Object(object) => Undecided::Object(object),
        }
    }
}

/// Returns the candidates that an object fits.
fn fitting(object: &Object, candidates: &[Candidate]) -> Vec<&'static str> {
    let fitting = candidates.iter().filter(|it| it.fits(object));
    fitting.map(|candidate| candidate.name).collect()
}

/// Returns the name of the candidate that the object resembles more than any other one, or `None` if there is
/// no such candidate.
#[cold]
fn closest(object: &Object, candidates: &[Candidate]) -> Option<&'static str> {
    let likeness = candidates
        .iter()
        .map(|candidate| candidate.likeness(object));
    let similar: Vec<(&Candidate, Likeness)> = candidates
        .iter()
        .zip(likeness)
        .filter(|(_, likeness)| likeness.met > 0)
        .collect();
    let (closest, best) = *similar.iter().max_by_key(|(_, likeness)| *likeness)?;
    // A variant that is a union itself has a candidate for each of its own variants.
    let is_clear = similar
        .iter()
        .all(|(other, likeness)| *likeness < best || other.name == closest.name);
    is_clear.then_some(closest.name)
}

fn nothing_fits(union: &'static str, candidates: &Candidates) -> String {
    let mut demands: Vec<String> = candidates
        .all
        .iter()
        .map(|candidate| {
            let texts = candidate.texts.iter().map(|(name, texts)| match texts {
                [] => format!("`{name}`"),
                texts => format!("`{name}` = `{}`", texts.join("` or `")),
            });
            let present = candidate.present().map(|name| format!("`{name}`"));
            let nested = candidate
                .nested
                .iter()
                .map(|(outer, inner)| format!("`{outer}.{inner}`"));
            let members: Vec<String> = present.chain(nested).chain(texts).collect();
            format!("{} requires {}", candidate.name, members.join(", "))
        })
        .collect();
    if !candidates.shared.is_empty() {
        let shared = candidates.shared.iter().map(|name| format!("`{name}`"));
        let shared: Vec<String> = shared.collect();
        demands.push(format!("all require {}", shared.join(", ")));
    }
    format!(
        "the object matches no variant of `{union}`: {}",
        demands.join("; ")
    )
}
