//! The parts of a text: elements, members and variants.

use std::borrow::Cow;

use serde::de::value::{BorrowedStrDeserializer, StrDeserializer, StringDeserializer};
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, EnumAccess, Expected, MapAccess, SeqAccess,
    VariantAccess, Visitor,
};

use super::super::super::error::{DecodeError, ErrorKind};
use super::decode::{Decode, read};
use super::sizes::LONG;
use super::{Position, Result, Text};

/// The most bytes of memory that a list reserves for each byte of the text that follows.
const MEMORY: usize = 22;

/// The elements of an array.
pub(crate) struct Elements<'a, 'de> {
    pub(super) text: &'a mut Text<'de>,
    /// The number of elements so far.
    count: usize,
    /// The number of elements that follow the current one, if the list is long.
    rest: Option<usize>,
}

impl<'a, 'de> Elements<'a, 'de> {
    /// Reads the elements of an array that was entered.
    pub(super) fn new(text: &'a mut Text<'de>) -> Self {
        Self {
            text,
            count: 0,
            rest: None,
        }
    }

    /// Enters the next value, which must be an array.
    #[inline]
    pub(crate) fn of(text: &'a mut Text<'de>) -> Result<Self> {
        if text.peek() != Some(b'[') {
            return Err(text.unfit(&"a sequence"));
        }
        text.enter()?;
        Ok(Self::new(text))
    }

    /// Moves to the next element. Returns `false` after the last one.
    #[inline]
    pub(crate) fn advance(&mut self) -> Result<bool> {
        if self.count >= LONG {
            self.count_down();
        }
        let is_next = self.text.next_in(b']', self.count == 0)?;
        self.count += usize::from(is_next);
        Ok(is_next)
    }

    /// Returns how many elements of a list should have room after the current one, if it is known how many
    /// follow.
    ///
    /// Elements of a large type may be followed by many short ones that are not valid: `0,`. So there is room
    /// for as many as take [`MEMORY`] bytes for each further byte of the text, or for a quarter of the list.
    pub(crate) fn room<T>(&self) -> Option<usize> {
        self.rest.map(|rest| {
            let left = self.text.whole.len().saturating_sub(self.text.at);
            let most = left.saturating_mul(MEMORY) / size_of::<T>().max(1);
            rest.min(most.max(self.count / 4))
        })
    }

    #[cold]
    fn count_down(&mut self) {
        if self.count == LONG {
            self.rest = self.text.sizes.rest(self.text.bytes(), self.text.at);
        }
        self.rest = self.rest.and_then(|rest| rest.checked_sub(1));
    }

    /// Decodes the current element in place.
    #[inline]
    pub(crate) fn decode<T: Decode>(&mut self, place: &mut T) -> Result<()> {
        place.decode(self.text).map_err(|error| self.inside(error))
    }

    /// Decodes the current element.
    #[inline]
    pub(crate) fn read<T: Decode>(&mut self) -> Result<T> {
        read(self.text).map_err(|error| self.inside(error))
    }

    /// Decodes the current element with a function.
    pub(crate) fn decode_with<T>(
        &mut self,
        decode: impl FnOnce(&mut Text<'de>) -> Result<T>,
    ) -> Result<T> {
        decode(self.text).map_err(|error| self.inside(error))
    }

    /// Adds the current element to the path of an error.
    #[cold]
    fn inside(&self, error: DecodeError) -> DecodeError {
        inside(error, |error| {
            error.inside_index(self.count.saturating_sub(1))
        })
    }

    /// Leaves the array.
    #[inline]
    pub(crate) fn end(self) -> Result<()> {
        self.text.leave(b']')
    }
}

impl<'de> SeqAccess<'de> for Elements<'_, 'de> {
    type Error = DecodeError;

    #[inline]
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        if !self.advance()? {
            return Ok(None);
        }
        let element = seed.deserialize(&mut *self.text).map(Some);
        element.map_err(|error| self.inside(error))
    }

    fn size_hint(&self) -> Option<usize> {
        self.rest
    }
}

/// The members of an object.
pub(crate) struct Entries<'a, 'de> {
    pub(super) text: &'a mut Text<'de>,
    /// The position of the current member's name; zero before the first one.
    name: usize,
}

impl<'a, 'de> Entries<'a, 'de> {
    /// Reads the members of an object that was entered.
    pub(super) fn new(text: &'a mut Text<'de>) -> Self {
        Self { text, name: 0 }
    }

    /// Enters the next value, which must be an object.
    #[inline]
    pub(crate) fn of(text: &'a mut Text<'de>, expected: &dyn Expected) -> Result<Self> {
        if text.peek() != Some(b'{') {
            return Err(text.unfit(expected));
        }
        text.enter()?;
        Ok(Self::new(text))
    }

    /// Moves to the name of the next member. Returns `false` after the last one.
    #[inline]
    pub(super) fn advance(&mut self) -> Result<bool> {
        let is_next = self.text.next_in(b'}', self.name == 0)?;
        self.name = self.text.at;
        Ok(is_next)
    }

    /// Reads the name of the next member. Returns `None` after the last one.
    #[inline]
    pub(crate) fn name(&mut self) -> Result<Option<Cow<'de, str>>> {
        if !self.advance()? {
            return Ok(None);
        }
        self.text.name().map(Some)
    }

    /// Decodes the value of the member whose name was read.
    #[inline]
    pub(crate) fn decode<T: Decode>(&mut self, place: &mut T) -> Result<()> {
        self.decode_with(|text| place.decode(text))
    }

    /// Decodes the value of the member whose name was read with a function.
    #[inline]
    pub(crate) fn decode_with<T>(
        &mut self,
        decode: impl FnOnce(&mut Text<'de>) -> Result<T>,
    ) -> Result<T> {
        self.text.colon()?;
        match decode(self.text) {
            Ok(value) => Ok(value),
            Err(error) => Err(self.text.inside_member(error, self.name)),
        }
    }

    /// Returns the position behind the name that was read.
    #[inline]
    pub(crate) fn position(&self) -> Position {
        self.text.position()
    }

    /// Returns to the position behind a name, to decode its value again.
    pub(crate) fn rewind(&mut self, position: Position) {
        self.text.rewind(position);
    }

    /// Leaves the object.
    #[inline]
    pub(crate) fn end(self) -> Result<()> {
        self.text.leave(b'}')
    }
}

impl<'de> MapAccess<'de> for Entries<'_, 'de> {
    type Error = DecodeError;

    #[inline]
    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        let key = match self.name()? {
            Some(Cow::Borrowed(name)) => seed.deserialize(BorrowedStrDeserializer::new(name)),
            Some(Cow::Owned(name)) => seed.deserialize(StringDeserializer::new(name)),
            None => return Ok(None),
        };
        key.map(Some)
    }

    #[inline]
    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value> {
        self.decode_with(|text| seed.deserialize(text))
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
    pub(super) fn name(&mut self) -> Result<Cow<'de, str>> {
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
pub(super) struct SingleMember<'de> {
    name: Option<&'static str>,
    text: &'de str,
}

impl<'de> SingleMember<'de> {
    pub(super) fn new(name: &'static str, text: &'de str) -> Self {
        let name = Some(name);
        Self { name, text }
    }
}

impl<'de> MapAccess<'de> for SingleMember<'de> {
    type Error = DecodeError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        let name = self.name.take().map(BorrowedStrDeserializer::new);
        name.map(|name| seed.deserialize(name)).transpose()
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value> {
        seed.deserialize(BorrowedStrDeserializer::new(self.text))
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
            return Err(DecodeError::not_one_member());
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
