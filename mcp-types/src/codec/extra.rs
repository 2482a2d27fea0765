//! Members beyond the declared ones.

use super::{Key, Object, Value};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Error, Serialize, SerializeMap, Serializer};
use std::fmt;

/// Members that a type does not name, in the order in which they came. Costs one pointer while
/// empty.
///
/// A peer of a later revision, or one with an extension, sends members that this type knows
/// nothing of; they are kept here and written back. Writing fails if one has the name of a
/// declared member.
#[derive(Clone, Default, PartialEq)]
pub struct Extra(Option<Box<Object>>);

impl Extra {
    /// No members.
    #[must_use]
    pub const fn new() -> Self {
        Self(None)
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// A member's value.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.as_ref()?.get(name)
    }

    /// Sets a member and gives back its old value.
    pub fn insert(&mut self, name: impl AsRef<str>, value: impl Into<Value>) -> Option<Value> {
        self.0.get_or_insert_default().insert(name, value)
    }

    /// Takes a member out.
    pub fn remove(&mut self, name: &str) -> Option<Value> {
        let object = self.0.as_mut()?;
        // Through a pointer, as `from_str` reads, and for the same reason.
        let remove: fn(&mut Object, &str) -> _ = Object::remove;
        let value = remove(object, name);
        if object.is_empty() {
            self.0 = None;
        }
        value
    }

    /// The members in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().flat_map(|object| object.iter())
    }

    /// Puts a member that was read behind the others. `rest` is how many will follow, if that is
    /// known.
    pub(super) fn push(&mut self, name: &str, value: Value, rest: Option<usize>) {
        self.0.get_or_insert_default().push_read(name, value, rest);
    }

    /// The name of a member that came twice. Reading only appends, so that many members cost no
    /// search.
    pub(super) fn duplicate(&self) -> Option<&str> {
        self.0.as_ref()?.duplicate()
    }

    /// Writes the members behind the declared ones, whose names they must not have.
    pub(super) fn write<M: SerializeMap>(
        &self,
        map: &mut M,
        known: &[&str],
    ) -> Result<(), M::Error> {
        for (name, value) in self.iter() {
            if known.contains(&name) {
                return Err(M::Error::custom(format_args!(
                    "`extra` has a member `{name}`, which the type declares itself"
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

/// An object that must be empty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Empty;

impl Serialize for Empty {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_map(Some(0))?.end()
    }
}

impl<'de> Deserialize<'de> for Empty {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct EmptyVisitor;

        impl<'de> Visitor<'de> for EmptyVisitor {
            type Value = Empty;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an empty object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Empty, A::Error> {
                match members.next_key::<Key<'de>>()? {
                    Some(key) => Err(super::unknown_member(&key)),
                    None => Ok(Empty),
                }
            }
        }

        deserializer.deserialize_map(EmptyVisitor)
    }
}
