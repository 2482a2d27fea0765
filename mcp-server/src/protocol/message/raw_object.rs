//! [`RawObject`]: the members of a JSON object, with their values as borrowed text.
//!
//! The built-in handlers use two or three members of their params. They get those by name, and only
//! those are decoded, so that no type has to be compiled for each request.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

use mcp_types::codec::Key;
use mcp_types::error::{DecodeError, Rule};
use mcp_types::json;
use serde::Serialize;
use serde::de::{DeserializeOwned, Deserializer, Error, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::protocol::error::handler_error::HandlerError;
use crate::protocol::error::short;

/// Encodes a value that has to be an object.
///
/// # Errors
///
/// -32603 if the value is not an object, or cannot be encoded.
pub(crate) fn object_text(
    value: &(impl Serialize + ?Sized),
) -> Result<Box<RawValue>, HandlerError> {
    let text = json::to_raw(value)?;
    if !text.get().starts_with('{') {
        return Err(HandlerError::internal("a value that is not a JSON object"));
    }
    Ok(text)
}

/// Up to this number of members, comparing all pairs of names is faster than hashing them.
const FEW: usize = 16;

/// The members of an object, in the order of the text.
#[derive(Default)]
pub(crate) struct RawObject<'a> {
    all: Vec<(Cow<'a, str>, &'a RawValue)>,
    /// The name of the params' member that contains the object. `None` for the params themselves.
    parent: Option<&'static str>,
}

// Counts how often an object was parsed on this thread, for tests.
#[cfg(test)]
thread_local! {
    pub(crate) static OBJECTS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

impl<'a> RawObject<'a> {
    /// Parses an object into its members.
    pub(crate) fn read(text: &'a RawValue) -> Result<Self, DecodeError> {
        #[cfg(test)]
        OBJECTS.set(OBJECTS.get() + 1);
        // No check for trailing text: a `RawValue` is exactly one value.
        let mut text = serde_json::Deserializer::from_str(text.get());
        Ok(text.deserialize_map(MembersVisitor)?)
    }

    /// Parses the object in the member `name` of the params.
    pub(crate) fn read_in(name: &'static str, text: &'a RawValue) -> Result<Self, DecodeError> {
        let Self { all, .. } = Self::read(text).map_err(|error| error.inside_member(name))?;
        let parent = Some(name);
        Ok(Self { all, parent })
    }

    /// Returns the JSON text of a member. `null` is treated as absent.
    ///
    /// # Errors
    ///
    /// If the object has two members of this name.
    pub(crate) fn raw(&self, name: &str) -> Result<Option<&'a RawValue>, DecodeError> {
        let mut found = self.all.iter().filter(|(known, _)| known == name);
        let first = found.next();
        if found.next().is_some() {
            let error = DecodeError::data(format!("duplicate field `{name}`"))
                .with_rule(Rule::DuplicateMember, [name.to_owned()]);
            return Err(self.with_parent(error));
        }
        Ok(first.map(|(_, raw)| *raw).filter(|raw| raw.get() != "null"))
    }

    /// Returns a member if it is a string. Lenient getter for logging: do not use it for
    /// validation.
    pub(crate) fn text(&self, name: &str) -> Option<Cow<'a, str>> {
        string(self.raw(name).ok()??)
    }

    /// Decodes an optional member.
    pub(crate) fn optional<T: DeserializeOwned>(
        &self,
        name: &str,
    ) -> Result<Option<T>, DecodeError> {
        let Some(raw) = self.raw(name)? else {
            return Ok(None);
        };
        match json::from_str(raw.get()) {
            Ok(value) => Ok(Some(value)),
            Err(error) => Err(self.with_parent(error.inside_member(name))),
        }
    }

    /// Decodes a required member.
    pub(crate) fn required<T: DeserializeOwned>(
        &self,
        name: &'static str,
    ) -> Result<T, DecodeError> {
        self.optional(name)?.ok_or_else(|| self.missing(name))
    }

    /// Parses a required member that is an object.
    pub(crate) fn object(&self, name: &'static str) -> Result<Self, DecodeError> {
        self.optional_object(name)?
            .ok_or_else(|| self.missing(name))
    }

    /// Parses an optional member that is an object.
    pub(crate) fn optional_object(&self, name: &'static str) -> Result<Option<Self>, DecodeError> {
        let object = self.raw(name)?.map(|raw| Self::read_in(name, raw));
        object.transpose()
    }

    /// Checks that all names are different, including those of members that are never read.
    pub(crate) fn check_unique(&self) -> Result<(), DecodeError> {
        let names = self.all.iter().map(|(name, _)| name);
        let duplicate = if self.all.len() <= FEW {
            let mut numbered = names.clone().enumerate();
            numbered.find(|(at, name)| names.clone().take(*at).any(|before| before == *name))
        } else {
            let mut seen = HashSet::with_capacity(self.all.len());
            names.enumerate().find(|(_, name)| !seen.insert(*name))
        };
        match duplicate {
            Some((_, name)) => {
                let name = short(name);
                let error = DecodeError::data(format!("duplicate member `{name}`"))
                    .with_rule(Rule::DuplicateMember, [name.clone()]);
                Err(self.with_parent(error))
            }
            None => Ok(()),
        }
    }

    fn missing(&self, name: &'static str) -> DecodeError {
        self.with_parent(DecodeError::missing_field(name))
    }

    /// Adds the parent to the path of an error.
    fn with_parent(&self, error: DecodeError) -> DecodeError {
        match self.parent {
            Some(name) => error.inside_member(name),
            None => error,
        }
    }
}

/// Params of a built-in handler that are decoded from a few members, which are the same in all
/// revisions. Other members are neither decoded nor converted.
pub(crate) trait FromMembers: Sized {
    fn from_members(members: &RawObject<'_>) -> Result<Self, DecodeError>;
}

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = RawObject<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<RawObject<'de>, A::Error> {
        let mut members = Vec::new();
        while let Some(Key(name)) = access.next_key()? {
            members.push((name, access.next_value()?));
        }
        Ok(RawObject {
            all: members,
            parent: None,
        })
    }
}

/// Decodes a JSON string. Borrows the text if it has no escapes.
pub(crate) fn string(raw: &RawValue) -> Option<Cow<'_, str>> {
    let text: Key<'_> = serde_json::from_str(raw.get()).ok()?;
    Some(text.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn duplicate_member_has_a_rule() {
        let text: Box<RawValue> = serde_json::from_str(r#"{"a":1,"a":2}"#).unwrap();
        let object = RawObject::read(&text).unwrap();
        let errors = [
            object.raw("a").unwrap_err(),
            object.check_unique().unwrap_err(),
        ];
        for error in errors {
            assert_eq!(error.rule(), Rule::DuplicateMember, "{error}");
            assert_eq!(error.expected(), ["a"], "{error}");
        }
    }
}
