//! Unions without a tag: the variant is selected by the members of the object.

use super::super::error::DecodeError;
use super::super::json::text::Lookahead;
use super::union::Variant;
use super::{Text, read};
use std::cmp::Reverse;

/// A condition about an object.
#[derive(Clone, Copy, Debug)]
pub enum Condition {
    /// It has a member.
    Has(&'static str),
    /// It has a member whose value is an object that has the second member.
    HasInside(&'static str, &'static str),
    /// It has a member whose value is one of some strings.
    HasOneOf(&'static str, &'static [&'static str]),
}

impl Condition {
    fn member(&self) -> &'static str {
        match self {
            Self::Has(member) | Self::HasInside(member, _) | Self::HasOneOf(member, _) => member,
        }
    }
}

/// A variant of a union, and the conditions under which an object can be it.
#[derive(Debug)]
pub struct Candidate<T> {
    /// The name of the variant's type.
    pub name: &'static str,
    /// The conditions, which an object has to meet all.
    pub conditions: &'static [Condition],
    /// Decodes the object as the variant.
    pub read: Variant<T>,
}

/// Decodes the object that follows as the first candidate whose conditions it meets and that accepts it.
///
/// # Errors
///
/// If the object meets the conditions of several candidates and none accepts it, the error is that of the
/// first one. If it meets those of none, but resembles one more than all others, the error is that of this
/// candidate, because it tells the path of what is wrong.
pub fn first_fit<T>(
    text: &mut Text<'_>,
    union: &str,
    candidates: &[Candidate<T>],
) -> Result<T, DecodeError> {
    let start = text.position();
    let outline = Outline::read(text.rest(), candidates)?;
    // A variant that is a union itself has a candidate for each of its own variants.
    let mut tried: Vec<&str> = Vec::new();
    let mut first_error = None;
    for candidate in candidates {
        if tried.contains(&candidate.name) || !outline.fits(candidate.conditions) {
            continue;
        }
        if !tried.is_empty() {
            text.return_to(start)?;
        }
        match (candidate.read)(text) {
            Ok(value) => return Ok(value),
            Err(error) => first_error = first_error.or(Some(error)),
        }
        tried.push(candidate.name);
    }
    let error = first_error.or_else(|| {
        let closest = closest(&outline, candidates)?;
        (closest.read)(text).err()
    });
    // A candidate may require more members than its type does. Such an object is not valid for the union even
    // if the type alone accepts it.
    Err(error.unwrap_or_else(|| nothing_fits(union, candidates)))
}

/// The members of an object that conditions are about, each with the text of its value.
struct Outline<'de>(Vec<(&'static str, &'de str)>);

impl<'de> Outline<'de> {
    /// Reads the outline of the object at the start of a text.
    fn read<T>(object: &'de str, candidates: &[Candidate<T>]) -> Result<Self, DecodeError> {
        let mut outline = Self(Vec::new());
        let mut members = Lookahead::new(object);
        while let Some(name) = members.name()? {
            let conditions = candidates.iter().flat_map(|candidate| candidate.conditions);
            let known = conditions
                .map(Condition::member)
                .find(|member| *member == name);
            let value = members.value()?;
            if let Some(known) = known
                && outline.get(known).is_none()
            {
                outline.0.push((known, value));
            }
        }
        Ok(outline)
    }

    fn get(&self, name: &str) -> Option<&'de str> {
        let member = self.0.iter().find(|(known, _)| *known == name);
        member.map(|(_, value)| *value)
    }

    /// Returns whether a condition is met, or `None` if its member is absent.
    fn meets(&self, condition: &Condition) -> Option<bool> {
        let value = self.get(condition.member())?;
        Some(match condition {
            Condition::Has(_) => true,
            Condition::HasInside(_, inner) => value.starts_with('{') && has_member(value, inner),
            Condition::HasOneOf(_, strings) => {
                value.starts_with('"')
                    && read::<String>(&mut Text::new(value))
                        .is_ok_and(|text| strings.contains(&text.as_str()))
            }
        })
    }

    fn fits(&self, conditions: &[Condition]) -> bool {
        conditions.iter().all(|it| self.meets(it) == Some(true))
    }

    fn likeness(&self, conditions: &[Condition]) -> Likeness {
        let (mut met, mut contradictions) = (0, 0);
        for condition in conditions {
            match self.meets(condition) {
                Some(true) => met += 1,
                Some(false) if matches!(condition, Condition::HasOneOf(..)) => contradictions += 1,
                _ => {}
            }
        }
        Likeness {
            contradictions: Reverse(contradictions),
            met,
        }
    }
}

/// Returns `true` if an object has a member. In a text that is not JSON, members may be missed, which the
/// decoder rejects.
fn has_member(object: &str, name: &str) -> bool {
    let mut members = Lookahead::new(object);
    while let Ok(Some(member)) = members.name() {
        if member == name {
            return true;
        }
        if members.value().is_err() {
            break;
        }
    }
    false
}

/// How well an object meets the conditions of a candidate. The greatest one is the best: that with
/// the fewest contradictions, and among these the one with the most conditions met.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Likeness {
    /// The number of members with a string that the candidate excludes.
    contradictions: Reverse<usize>,
    met: usize,
}

/// Returns the candidate that the object resembles more than any other one, or `None` if there is no such
/// candidate. If strings contradict all candidates but one, it is that one.
#[cold]
fn closest<'a, T>(
    outline: &Outline<'_>,
    candidates: &'a [Candidate<T>],
) -> Option<&'a Candidate<T>> {
    let likeness = |it: &'a Candidate<T>| (it, outline.likeness(it.conditions));
    let all: Vec<_> = candidates.iter().map(likeness).collect();
    let (contradicted, others): (Vec<_>, Vec<_>) = all
        .iter()
        .partition(|(_, likeness)| likeness.contradictions.0 > 0);
    // A variant that is a union itself has a candidate for each of its own variants.
    if let Some((left, _)) = others.first()
        && !contradicted.is_empty()
        && others.iter().all(|(other, _)| other.name == left.name)
    {
        return Some(left);
    }
    let similar = all.iter().filter(|(_, likeness)| likeness.met > 0);
    let (closest, best) = similar.clone().max_by_key(|(_, likeness)| *likeness)?;
    let is_clear = similar
        .clone()
        .all(|(other, likeness)| likeness < best || other.name == closest.name);
    is_clear.then_some(*closest)
}

fn nothing_fits<T>(union: &str, candidates: &[Candidate<T>]) -> DecodeError {
    let demands = candidates.iter().map(|candidate| {
        let members = candidate
            .conditions
            .iter()
            .map(|condition| match condition {
                Condition::Has(member) => format!("`{member}`"),
                Condition::HasInside(member, inner) => format!("`{member}.{inner}`"),
                Condition::HasOneOf(member, strings) => {
                    format!("`{member}` = `{}`", strings.join("` or `"))
                }
            });
        let members: Vec<String> = members.collect();
        format!("{} requires {}", candidate.name, members.join(", "))
    });
    let demands: Vec<String> = demands.collect();
    let demands = demands.join("; ");
    DecodeError::data(format!(
        "the object matches no variant of `{union}`: {demands}"
    ))
}
