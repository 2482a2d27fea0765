//! [`Guard`]: refuses a value with which an object may be another variant of its union.

use super::super::json::text::{AHEAD, Lookahead, first_string};
use serde::de::{DeserializeSeed, Deserializer, Visitor};
use std::fmt;

/// A member, and values of it with which an object may fit another variant of its union.
#[derive(Clone, Copy, Debug)]
pub(super) struct Guard {
    pub(super) member: &'static str,
    pub(super) refused: Refused,
}

/// Values that the decoder of a struct refuses.
#[derive(Clone, Copy, Debug)]
pub(super) enum Refused {
    /// These strings.
    Strings(&'static [&'static str]),
    /// Objects with a member of this name.
    ObjectsWith(&'static str),
}

impl Guard {
    /// Returns `true` if a value is refused, given the text from it on. Some other values are refused, too,
    /// if it would take longer to find out.
    fn refuses(&self, text: &str) -> bool {
        match self.refused {
            // A value of another kind, or with escapes, is seldom, and may be one of the strings.
            Refused::Strings(strings) => {
                first_string(text).is_none_or(|string| strings.contains(&string))
            }
            Refused::ObjectsWith(name) => text.starts_with('{') && has_member(text, name),
        }
    }
}

/// Returns the name of a member if one of the guards looks at it.
pub(super) fn guarded(guards: &[Guard], name: &str) -> Option<&'static str> {
    let mut members = guards.iter().map(|guard| guard.member);
    members.find(|member| *member == name)
}

/// Returns `true` if one of the guards refuses the value of a member, given the text from it on.
pub(super) fn refuse(guards: &[Guard], member: &str, text: &str) -> bool {
    let mut guards = guards.iter().filter(|guard| guard.member == member);
    guards.any(|guard| guard.refuses(text))
}

/// Returns the text from the value of a member on, which can be decoded afterwards.
pub(super) struct TextAhead;

impl<'de> DeserializeSeed<'de> for TextAhead {
    type Value = &'de str;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<&'de str, D::Error> {
        deserializer.deserialize_newtype_struct(AHEAD, self)
    }
}

impl<'de> Visitor<'de> for TextAhead {
    type Value = &'de str;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON text")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<&'de str, E> {
        Ok(text)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn value_is_refused_if_any_guard_of_its_member_refuses_it() {
        let guard = |member, text: &'static [&'static str]| Guard {
            member,
            refused: Refused::Strings(text),
        };
        let guards = [
            guard("kind", &["one"]),
            guard("kind", &["two"]),
            guard("other", &["three"]),
        ];
        assert_eq!(guarded(&guards, "kind"), Some("kind"));
        assert_eq!(guarded(&guards, "name"), None);
        assert!(refuse(&guards, "kind", r#""one""#));
        assert!(refuse(&guards, "kind", r#""two""#));
        assert!(!refuse(&guards, "kind", r#""three""#));
    }
}
