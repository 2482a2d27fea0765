//! Members that a type does not declare.

use super::super::error::DecodeError;
use super::super::json::{self, text::Entries};
use super::{Decode, Object, Table, Text, Value};
use serde::ser::{Error, Serialize, SerializeMap, Serializer};
use std::fmt;

/// Members that a type does not declare, in the order in which they were received. Takes the size
/// of one pointer while it is empty.
///
/// A peer that implements a later revision or an extension sends members that this type does not
/// declare. They are kept here and are written back. Encoding fails if one of them has the name of
/// a declared member.
#[derive(Clone, Default, PartialEq)]
pub struct Extra(Option<Box<Object>>);

impl Extra {
    /// Creates an empty collection.
    #[must_use]
    pub const fn new() -> Self {
        Self(None)
    }

    /// Returns `true` if there are no members.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Returns the value of a member.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.as_ref()?.get(name)
    }

    /// Sets a member and returns its previous value.
    pub fn insert(&mut self, name: impl AsRef<str>, value: impl Into<Value>) -> Option<Value> {
        self.0.get_or_insert_default().insert(name, value)
    }

    /// Removes a member and returns its value.
    pub fn remove(&mut self, name: &str) -> Option<Value> {
        let object = self.0.as_mut()?;
        // Called through a function pointer to reduce compile time; see `json::from_str`.
        let remove: fn(&mut Object, &str) -> _ = Object::remove;
        let value = remove(object, name);
        if object.is_empty() {
            self.0 = None;
        }
        value
    }

    /// Returns an iterator over the members, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().flat_map(|object| object.iter())
    }

    /// Appends a member, and returns the place of its value.
    #[inline]
    pub(super) fn add(&mut self, name: &str) -> &mut Value {
        let object = self.0.get_or_insert_default();
        object.push_vacant(name, Value::vacant())
    }

    /// Returns the name of a duplicate member. `add` does not check for duplicates, so that
    /// decoding many members does not need a search for each.
    pub(super) fn duplicate(&self) -> Option<&str> {
        self.0.as_ref()?.duplicate()
    }

    /// Writes the members after the declared ones.
    pub(super) fn write<M: SerializeMap>(
        &self,
        map: &mut M,
        declared: &Table,
    ) -> Result<(), M::Error> {
        for (name, value) in self.iter() {
            if declared.names.contains(&name) {
                return Err(M::Error::custom(format_args!(
                    "`extra` contains `{name}`, which is a declared member of the type"
                )));
            }
            map.serialize_entry(name, value)?;
        }
        Ok(())
    }
}

impl fmt::Debug for Extra {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl From<Object> for Extra {
    fn from(object: Object) -> Self {
        Self(if object.is_empty() {
            None
        } else {
            Some(Box::new(object))
        })
    }
}

impl From<Extra> for Object {
    fn from(extra: Extra) -> Self {
        extra.0.map_or_else(Self::new, |object| *object)
    }
}

/// An object that must have no members.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Empty;

impl Serialize for Empty {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_map(Some(0))?.end()
    }
}

impl Decode for Empty {
    fn vacant() -> Self {
        Self
    }

    fn decode(&mut self, text: &mut Text<'_>) -> Result<(), DecodeError> {
        let mut members = Entries::of(text, &"an empty object")?;
        match members.name()? {
            Some(name) => Err(super::declared::unknown_member(&name)),
            None => members.end(),
        }
    }
}

json::deserialize_from_text! { Empty }
