//! The parts of a text: elements, members and variants.

use serde::de::value::{BorrowedStrDeserializer, StrDeserializer};
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, EnumAccess, Error as _, MapAccess, SeqAccess,
    VariantAccess, Visitor,
};

use super::super::super::error::{DecodeError, ErrorKind};
use super::name::Name;
use super::sizes::LONG;
use super::{Result, Text};

/// The elements of an array.
pub(super) struct Elements<'a, 'de> {
    text: &'a mut Text<'de>,
    next: usize,
    /// The number of elements that follow, if the list is long.
    rest: Option<usize>,
}

impl<'a, 'de> Elements<'a, 'de> {
    pub(super) fn new(text: &'a mut Text<'de>) -> Self {
        Self {
            text,
            next: 0,
            rest: None,
        }
    }

    /// Returns how many elements of a long list follow the next one.
    #[cold]
    fn count_down(&mut self) {
        if self.next == LONG {
            self.rest = self.text.sizes.rest(self.text.bytes(), self.text.at);
        }
        self.rest = self.rest.and_then(|rest| rest.checked_sub(1));
    }
}

impl<'de> SeqAccess<'de> for Elements<'_, 'de> {
    type Error = DecodeError;

    #[inline]
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        if self.next >= LONG {
            self.count_down();
        }
        if !self.text.next_in(b']', self.next == 0)? {
            return Ok(None);
        }
        let index = self.next;
        self.next += 1;
        match seed.deserialize(&mut *self.text) {
            Ok(element) => Ok(Some(element)),
            Err(error) => Err(inside(error, |error| error.inside_index(index))),
        }
    }

    fn size_hint(&self) -> Option<usize> {
        self.rest
    }
}

/// The members of an object.
pub(super) struct Entries<'a, 'de> {
    text: &'a mut Text<'de>,
    /// The position of the current member's name; zero before the first one.
    name: usize,
    /// The index of the declared member that is expected next.
    expected: usize,
}

impl<'a, 'de> Entries<'a, 'de> {
    pub(super) fn new(text: &'a mut Text<'de>) -> Self {
        Self {
            text,
            name: 0,
            expected: 0,
        }
    }
}

impl<'de> MapAccess<'de> for Entries<'_, 'de> {
    type Error = DecodeError;

    #[inline]
    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        if !self.text.next_in(b'}', self.name == 0)? {
            return Ok(None);
        }
        self.name = self.text.at;
        let name = Name {
            text: &mut *self.text,
            expected: &mut self.expected,
        };
        seed.deserialize(name).map(Some)
    }

    #[inline]
    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value> {
        self.text.colon()?;
        match seed.deserialize(&mut *self.text) {
            Ok(value) => Ok(value),
            Err(error) => Err(self.text.inside_member(error, self.name)),
        }
    }
}

impl<'de> Text<'de> {
    /// Moves to the next element or member. Returns `false` at the end of the array or object.
    #[inline]
    pub(super) fn next_in(&mut self, close: u8, is_first: bool) -> Result<bool> {
        let next = self.peek();
        if next == Some(close) {
            return Ok(false);
        }
        if is_first {
            return Ok(true);
        }
        if next != Some(b',') {
            return Err(self.syntax("expected `,`"));
        }
        self.at += 1;
        match self.peek() {
            Some(byte) if byte == close => Err(self.syntax("trailing comma")),
            _ => Ok(true),
        }
    }

    /// Reads the name of a member.
    #[inline]
    pub(super) fn name(&mut self) -> Result<std::borrow::Cow<'de, str>> {
        if self.peek() == Some(b'"') {
            self.string()
        } else {
            Err(self.syntax("key must be a string"))
        }
    }

    /// Reads the colon after a name.
    #[inline]
    pub(super) fn colon(&mut self) -> Result<()> {
        if self.peek() == Some(b':') {
            self.at += 1;
            return Ok(());
        }
        Err(self.syntax("expected `:`"))
    }

    /// Adds the member whose name is at a position to the path of an error.
    #[cold]
    fn inside_member(&self, error: DecodeError, at: usize) -> DecodeError {
        let mut again = Text::new(self.whole);
        again.at = at;
        match again.name() {
            Ok(name) => inside(error, |error| error.inside_member(name)),
            Err(_) => error,
        }
    }
}

/// Adds to the path of an error. An error of the text has none.
#[cold]
fn inside(error: DecodeError, add: impl FnOnce(DecodeError) -> DecodeError) -> DecodeError {
    if error.kind() == ErrorKind::Data {
        add(error)
    } else {
        error
    }
}

/// One member whose value is part of the text.
pub(super) struct Lent<'de> {
    name: Option<&'static str>,
    text: &'de str,
}

impl<'de> Lent<'de> {
    pub(super) fn new(name: &'static str, text: &'de str) -> Self {
        let name = Some(name);
        Self { name, text }
    }
}

impl<'de> MapAccess<'de> for Lent<'de> {
    type Error = DecodeError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        let name = self.name.take().map(BorrowedStrDeserializer::new);
        name.map(|name| seed.deserialize(name)).transpose()
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value> {
        seed.deserialize(BorrowedStrDeserializer::new(self.text))
    }
}

/// A number or an object, named by its text.
pub(super) struct Named<'a, 'de> {
    text: &'de str,
    object: Option<&'a mut Text<'de>>,
}

impl<'a, 'de> Named<'a, 'de> {
    pub(super) fn number(digits: &'de str) -> Self {
        Self {
            text: digits,
            object: None,
        }
    }

    pub(super) fn object(text: &'de str, object: &'a mut Text<'de>) -> Self {
        Self {
            text,
            object: Some(object),
        }
    }
}

impl<'de> EnumAccess<'de> for Named<'_, 'de> {
    type Error = DecodeError;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self)> {
        let name = BorrowedStrDeserializer::<DecodeError>::new(self.text);
        Ok((seed.deserialize(name)?, self))
    }
}

impl<'de> VariantAccess<'de> for Named<'_, 'de> {
    type Error = DecodeError;

    fn unit_variant(self) -> Result<()> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value> {
        match self.object {
            Some(text) => seed.deserialize(text),
            None => seed.deserialize(BorrowedStrDeserializer::new(self.text)),
        }
    }

    fn tuple_variant<V: Visitor<'de>>(self, _len: usize, visitor: V) -> Result<V::Value> {
        match self.object {
            Some(text) => visitor.visit_seq(Attempts::new(text)),
            None => Err(DecodeError::custom("a number has no elements")),
        }
    }

    #[inline]
    fn struct_variant<V: Visitor<'de>>(
        self,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        match self.object {
            Some(text) => text.visit_union_members(visitor),
            None => Err(DecodeError::custom("a number has no members")),
        }
    }
}

/// An array whose elements are all the same object, so that it can be decoded again.
struct Attempts<'a, 'de> {
    text: &'a mut Text<'de>,
    start: usize,
    depth: usize,
    sizes: usize,
}

impl<'a, 'de> Attempts<'a, 'de> {
    fn new(text: &'a mut Text<'de>) -> Self {
        Self {
            start: text.at,
            depth: text.depth,
            sizes: text.sizes.position(),
            text,
        }
    }
}

impl<'de> SeqAccess<'de> for Attempts<'_, 'de> {
    type Error = DecodeError;

    #[inline]
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        self.text.at = self.start;
        self.text.depth = self.depth;
        self.text.sizes.return_to(self.sizes);
        seed.deserialize(&mut *self.text).map(Some)
    }
}

/// A variant that is an object with one member.
pub(super) struct Chosen<'a, 'de>(pub(super) &'a mut Text<'de>);

impl<'a, 'de> EnumAccess<'de> for Chosen<'a, 'de> {
    type Error = DecodeError;
    type Variant = Content<'a, 'de>;

    fn variant_seed<S: DeserializeSeed<'de>>(
        self,
        seed: S,
    ) -> Result<(S::Value, Content<'a, 'de>)> {
        let text = self.0;
        if text.peek() == Some(b'}') {
            return Err(DecodeError::data("expected an object with one member"));
        }
        let at = text.at;
        let name = text.name()?;
        let value = seed.deserialize(StrDeserializer::<DecodeError>::new(&name))?;
        text.colon()?;
        Ok((value, Content { text, name: at }))
    }
}

/// The content of a variant, and the position of its name.
pub(super) struct Content<'a, 'de> {
    text: &'a mut Text<'de>,
    name: usize,
}

impl<'de> Content<'_, 'de> {
    fn read<T>(self, read: impl FnOnce(&mut Text<'de>) -> Result<T>) -> Result<T> {
        let value = read(&mut *self.text);
        value.map_err(|error| self.text.inside_member(error, self.name))
    }
}

impl<'de> VariantAccess<'de> for Content<'_, 'de> {
    type Error = DecodeError;

    fn unit_variant(self) -> Result<()> {
        self.read(|text| <()>::deserialize(text))
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value> {
        self.read(|text| seed.deserialize(text))
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value> {
        self.read(|text| text.deserialize_tuple(len, visitor))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        self.read(|text| text.deserialize_struct("", fields, visitor))
    }
}
