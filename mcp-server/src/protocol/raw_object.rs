//! [`RawObject`]: an object taken apart, its values lent as text.
//!
//! The server's own handlers look at two or three members of their params. They ask for those by
//! name, and only those are decoded: no type for each request has to be compiled.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

use mcp_types::codec::Key;
use mcp_types::error::DecodeError;
use mcp_types::json;
use serde::de::{DeserializeOwned, Deserializer, Error, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::protocol::error_text::short;

/// Up to so many members, comparing each name with each takes less time than hashing them.
const FEW: usize = 16;

/// The members of an object in the order of the text.
#[derive(Default)]
pub(crate) struct RawObject<'a> {
    all: Vec<(Cow<'a, str>, &'a RawValue)>,
    /// The member of params that the object is, where it is not the params themselves.
    of: Option<&'static str>,
}

impl<'a> RawObject<'a> {
    /// Takes an object apart.
    pub(crate) fn read(text: &'a RawValue) -> Result<Self, DecodeError> {
        // What was a raw value before ends where its text does.
        let mut text = serde_json::Deserializer::from_str(text.get());
        Ok(text.deserialize_map(MembersVisitor)?)
    }

    /// Takes apart the object that a member of the params is.
    pub(crate) fn read_in(name: &'static str, text: &'a RawValue) -> Result<Self, DecodeError> {
        let Self { all, .. } = Self::read(text).map_err(|error| error.inside_member(name))?;
        let of = Some(name);
        Ok(Self { all, of })
    }

    /// The text of a member; `null` counts as absent.
    ///
    /// # Errors
    ///
    /// Where the object has it twice.
    pub(crate) fn raw(&self, name: &str) -> Result<Option<&'a RawValue>, DecodeError> {
        let mut found = self.all.iter().filter(|(known, _)| known == name);
        let first = found.next();
        if found.next().is_some() {
            let error = DecodeError::data(format!("duplicate field `{name}`"));
            return Err(self.placed(error));
        }
        Ok(first.map(|(_, raw)| *raw).filter(|raw| raw.get() != "null"))
    }

    /// A member, where it is a string: for those who decide nothing by it.
    pub(crate) fn text(&self, name: &str) -> Option<Cow<'a, str>> {
        string(self.raw(name).ok()??)
    }

    /// A member that need not be there.
    pub(crate) fn optional<T: DeserializeOwned>(
        &self,
        name: &str,
    ) -> Result<Option<T>, DecodeError> {
        let Some(raw) = self.raw(name)? else {
            return Ok(None);
        };
        match json::from_str(raw.get()) {
            Ok(value) => Ok(Some(value)),
            Err(error) => Err(self.placed(error.inside_member(name))),
        }
    }

    /// A member that must be there.
    pub(crate) fn required<T: DeserializeOwned>(
        &self,
        name: &'static str,
    ) -> Result<T, DecodeError> {
        self.optional(name)?.ok_or_else(|| self.missing(name))
    }

    /// A member that must be there and an object, taken apart.
    pub(crate) fn object(&self, name: &'static str) -> Result<Self, DecodeError> {
        self.optional_object(name)?
            .ok_or_else(|| self.missing(name))
    }

    /// An object that need not be there, taken apart.
    pub(crate) fn optional_object(&self, name: &'static str) -> Result<Option<Self>, DecodeError> {
        let object = self.raw(name)?.map(|raw| Self::read_in(name, raw));
        object.transpose()
    }

    /// Checks that no name stands twice, not even one that is never asked for.
    pub(crate) fn check_unique(&self) -> Result<(), DecodeError> {
        let names = self.all.iter().map(|(name, _)| name);
        let twice = if self.all.len() <= FEW {
            let mut numbered = names.clone().enumerate();
            numbered.find(|(at, name)| names.clone().take(*at).any(|before| before == *name))
        } else {
            let mut seen = HashSet::with_capacity(self.all.len());
            names.enumerate().find(|(_, name)| !seen.insert(*name))
        };
        match twice {
            Some((_, name)) => {
                let error = DecodeError::data(format!("duplicate member `{}`", short(name)));
                Err(self.placed(error))
            }
            None => Ok(()),
        }
    }

    fn missing(&self, name: &'static str) -> DecodeError {
        self.placed(DecodeError::missing_field(name))
    }

    /// An error as it is seen from the params.
    fn placed(&self, error: DecodeError) -> DecodeError {
        match self.of {
            Some(name) => error.inside_member(name),
            None => error,
        }
    }
}

/// Params of which only members that are the same in all revisions are asked for. The server's own
/// handlers need no more, and what is not asked for is neither decoded nor translated.
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
            of: None,
        })
    }
}

/// The text of a JSON string, lent where it has no escapes.
pub(crate) fn string(raw: &RawValue) -> Option<Cow<'_, str>> {
    let text: Key<'_> = serde_json::from_str(raw.get()).ok()?;
    Some(text.0)
}
