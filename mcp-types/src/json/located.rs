//! [`Located`]: a deserializer that records the path of an error.
//!
//! An error of `serde_json` has a line and a column, but no path in the document. `Located`
//! forwards all calls and, when an error passes through a member or an element, records its name or
//! index. So each type is compiled for one deserializer only, and the text is parsed once.
//!
//! An error that is raised while members or elements are read may already have a path, for example
//! when a union was buffered and decoded from the buffer. An error of `serde_json` could keep that
//! path only as text. Therefore the error type of members and elements is [`Placed`], and its path
//! is added to the trail before the error is passed on through `serde_json`.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::super::codec::Key;
use super::super::error::{Path, Segment, excerpt};
use super::de::RAW;

mod placed;
mod sizes;

pub(super) use sizes::string_end;
mod variant;

use placed::Placed;
use sizes::{LONG, Sizes};
use variant::Variants;

/// The path of an error, from the inside out, and what is known about the text.
pub(crate) struct Trail<'t> {
    way: Vec<Segment>,
    sizes: Sizes<'t>,
}

impl<'t> Trail<'t> {
    /// Creates the trail for a text, or for the part of a text that [`Located`] reads.
    pub(crate) fn new(text: &'t str) -> Self {
        Self {
            way: Vec::new(),
            sizes: Sizes::new(text),
        }
    }

    /// Records that the text was read up to the end of this part.
    pub(crate) fn read(&mut self, part: &str) {
        self.sizes.read(part);
    }

    #[cold]
    fn member(&mut self, name: &Key<'_>) {
        let name = excerpt(name.as_str()).into_owned();
        self.way.push(Segment::Member(name));
    }

    #[cold]
    fn element(&mut self, index: usize) {
        self.way.push(Segment::Index(index));
    }

    /// Adds the path from the current value to the error within it.
    #[cold]
    fn within(&mut self, path: Path) {
        self.way.extend(path.into_segments().into_iter().rev());
    }

    /// Returns the segments of the path, starting at the root.
    pub(super) fn inward(self) -> impl Iterator<Item = Segment> {
        self.way.into_iter().rev()
    }
}

/// A deserializer, visitor or accessor of another format, with the trail for its errors.
pub(crate) struct Located<'a, 't, T> {
    inner: T,
    trail: &'a mut Trail<'t>,
}

impl<'a, 't, T> Located<'a, 't, T> {
    pub(crate) fn new(inner: T, trail: &'a mut Trail<'t>) -> Self {
        Self { inner, trail }
    }
}

/// Methods for scalars, which have no nested values and so add nothing to a path.
macro_rules! scalars {
    ($($method:ident)*) => {$(
        #[inline]
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
            self.inner.$method(visitor)
        }
    )*};
}

/// Methods for values that may have nested values.
macro_rules! compounds {
    ($($method:ident($($argument:ident: $kind:ty),*))*) => {$(
        #[inline]
        fn $method<V: Visitor<'de>>(
            self,
            $($argument: $kind,)*
            visitor: V,
        ) -> Result<V::Value, D::Error> {
            self.inner.$method($($argument,)* Located::new(visitor, self.trail))
        }
    )*};
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Located<'_, '_, D> {
    type Error = D::Error;

    scalars! {
        deserialize_bool
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128
        deserialize_f32 deserialize_f64
        deserialize_char deserialize_str deserialize_string deserialize_identifier
        deserialize_unit deserialize_ignored_any
    }

    compounds! {
        deserialize_any() deserialize_bytes() deserialize_byte_buf() deserialize_option()
        deserialize_unit_struct(name: &'static str)
        deserialize_seq() deserialize_tuple(len: usize)
        deserialize_tuple_struct(name: &'static str, len: usize)
        deserialize_map()
        deserialize_struct(name: &'static str, fields: &'static [&'static str])
        deserialize_enum(name: &'static str, variants: &'static [&'static str])
    }

    #[inline]
    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        if name == RAW {
            // `serde_json` passes the text of a raw value as a map, which must not be treated as an
            // object.
            return self.inner.deserialize_newtype_struct(name, visitor);
        }
        let visitor = Located::new(visitor, self.trail);
        self.inner.deserialize_newtype_struct(name, visitor)
    }

    fn is_human_readable(&self) -> bool {
        self.inner.is_human_readable()
    }
}

/// Visitor methods for scalars.
macro_rules! visit_scalars {
    ($($method:ident($kind:ty))*) => {$(
        #[inline]
        fn $method<E: Error>(self, value: $kind) -> Result<V::Value, E> {
            self.inner.$method(value)
        }
    )*};
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Located<'_, '_, V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.expecting(f)
    }

    visit_scalars! {
        visit_bool(bool)
        visit_i8(i8) visit_i16(i16) visit_i32(i32) visit_i64(i64) visit_i128(i128)
        visit_u8(u8) visit_u16(u16) visit_u32(u32) visit_u64(u64) visit_u128(u128)
        visit_f32(f32) visit_f64(f64)
        visit_char(char) visit_str(&str) visit_borrowed_str(&'de str) visit_string(String)
        visit_bytes(&[u8]) visit_borrowed_bytes(&'de [u8]) visit_byte_buf(Vec<u8>)
    }

    #[inline]
    fn visit_unit<E: Error>(self) -> Result<V::Value, E> {
        self.inner.visit_unit()
    }

    #[inline]
    fn visit_none<E: Error>(self) -> Result<V::Value, E> {
        self.inner.visit_none()
    }

    #[inline]
    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<V::Value, D::Error> {
        self.inner
            .visit_some(Located::new(deserializer, self.trail))
    }

    #[inline]
    fn visit_newtype_struct<D: Deserializer<'de>>(
        self,
        deserializer: D,
    ) -> Result<V::Value, D::Error> {
        self.inner
            .visit_newtype_struct(Located::new(deserializer, self.trail))
    }

    #[inline]
    fn visit_seq<A: SeqAccess<'de>>(self, access: A) -> Result<V::Value, A::Error> {
        let trail = self.trail;
        let elements = Elements {
            access,
            next: 0,
            rest: None,
            trail: &mut *trail,
        };
        let value = self.inner.visit_seq(elements);
        value.map_err(|error| error.leave(trail))
    }

    #[inline]
    fn visit_map<A: MapAccess<'de>>(self, access: A) -> Result<V::Value, A::Error> {
        let trail = self.trail;
        let entries = Entries {
            access,
            name: Key::default(),
            trail: &mut *trail,
        };
        let value = self.inner.visit_map(entries);
        value.map_err(|error| error.leave(trail))
    }

    fn visit_enum<A: serde::de::EnumAccess<'de>>(self, access: A) -> Result<V::Value, A::Error> {
        self.inner.visit_enum(Variants::new(access, self.trail))
    }
}

/// Returns how many elements of a long list follow the one at `index`.
fn count_down(index: usize, rest: Option<usize>, trail: &mut Trail<'_>) -> Option<usize> {
    let rest = if index == LONG {
        trail.sizes.rest()
    } else {
        rest
    };
    rest.and_then(|rest| rest.checked_sub(1))
}

/// The elements of an array.
struct Elements<'a, 't, A> {
    access: A,
    next: usize,
    /// The number of elements that follow, if the list is long.
    rest: Option<usize>,
    trail: &'a mut Trail<'t>,
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Elements<'_, '_, A> {
    type Error = Placed<A::Error>;

    #[inline]
    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Placed<A::Error>> {
        let index = self.next;
        self.next += 1;
        if index >= LONG {
            self.rest = count_down(index, self.rest, self.trail);
        }
        let seed = Located::new(seed, self.trail);
        let element = self.access.next_element_seed(seed);
        element.map_err(|error| {
            self.trail.element(index);
            Placed::from(error)
        })
    }

    fn size_hint(&self) -> Option<usize> {
        self.rest
    }
}

/// The members of an object.
struct Entries<'a, 't, 'de, A> {
    access: A,
    /// The name of the member whose value is read next.
    name: Key<'de>,
    trail: &'a mut Trail<'t>,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Entries<'_, '_, 'de, A> {
    type Error = Placed<A::Error>;

    #[inline]
    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Placed<A::Error>> {
        let Some(name) = self.access.next_key::<Key<'de>>()? else {
            return Ok(None);
        };
        if let Cow::Borrowed(name) = &name.0 {
            self.trail.read(name);
        }
        self.name = name;
        self.name.give(seed).map(Some)
    }

    #[inline]
    fn next_value_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<T::Value, Placed<A::Error>> {
        let seed = Located::new(seed, self.trail);
        let value = self.access.next_value_seed(seed);
        value.map_err(|error| {
            self.trail.member(&self.name);
            Placed::from(error)
        })
    }

    fn size_hint(&self) -> Option<usize> {
        self.access.size_hint()
    }
}

impl<'de, T: DeserializeSeed<'de>> DeserializeSeed<'de> for Located<'_, '_, T> {
    type Value = T::Value;

    #[inline]
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<T::Value, D::Error> {
        self.inner
            .deserialize(Located::new(deserializer, self.trail))
    }
}
