//! [`Output`]: a serializer that appends compact JSON to a buffer.
//!
//! The text is that of `serde_json`, which the tests compare. Strings are searched for characters to
//! escape several bytes at a time.

use serde::ser::{
    Error as _, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant,
    SerializeTuple, SerializeTupleStruct, SerializeTupleVariant, Serializer,
};
use serde_json::{Error, Result};

use super::super::de::RAW;
use super::super::raw::NUMBER;
use super::name::{Name, RawText};
use super::string;
use super::watch::Watch;

/// A buffer with JSON text.
pub(super) struct Output<'a> {
    pub(super) buffer: &'a mut Vec<u8>,
    /// Watches the members of the outermost object, if they matter.
    pub(super) watch: Option<Watch<'a>>,
}

impl<'a> Output<'a> {
    pub(super) fn new(buffer: &'a mut Vec<u8>, watch: Option<Watch<'a>>) -> Self {
        Self { buffer, watch }
    }

    /// Writes the bracket that opens an array or an object.
    #[inline]
    fn open(&mut self, bracket: u8) {
        if let Some(watch) = &mut self.watch {
            watch.open();
        }
        self.buffer.push(bracket);
    }

    #[inline]
    fn close_array(&mut self) {
        if let Some(watch) = &mut self.watch {
            watch.close();
        }
        self.buffer.push(b']');
    }

    #[inline]
    fn close_object(&mut self) {
        if let Some(watch) = &mut self.watch {
            watch.complete(self.buffer);
            watch.close();
        }
        self.buffer.push(b'}');
    }

    /// Writes the name of a member, and what stands before and after it.
    #[inline]
    pub(super) fn name(&mut self, name: &str, is_first: bool) {
        let mut is_first = is_first;
        if let Some(watch) = &mut self.watch {
            if watch.separates(is_first) {
                self.buffer.push(b'\n');
                is_first = true;
            }
            watch.name(name);
        }
        string::write_name(self.buffer, name, is_first);
    }

    /// Writes the name of a declared member. `json` is a comma, the name in quotes, and a colon.
    #[inline]
    pub(super) fn declared_name(&mut self, json: &'static str, name: &'static str, is_first: bool) {
        if self.watch.is_some() {
            return self.name(name, is_first);
        }
        let start = usize::from(is_first);
        let text = json.as_bytes().get(start..).unwrap_or_default();
        self.buffer.extend_from_slice(text);
    }

    /// Writes text that is JSON already, in one line.
    pub(super) fn raw(&mut self, text: &str) {
        if let Some(watch) = &self.watch
            && watch.separates_raw()
        {
            self.buffer.push(b'\n');
        }
        string::write_in_one_line(self.buffer, text);
    }

    fn open_variant(&mut self, variant: &'static str) {
        self.open(b'{');
        self.name(variant, true);
    }
}

/// Methods for types that `serde_json` writes. It chooses the digits of a number.
macro_rules! by_serde_json {
    ($($method:ident($type:ty))*) => {$(
        #[inline]
        fn $method(self, value: $type) -> Result<()> {
            serde_json::to_writer(&mut *self.buffer, &value)
        }
    )*};
}

impl<'o, 'a> Serializer for &'o mut Output<'a> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Container<'o, 'a>;
    type SerializeTuple = Container<'o, 'a>;
    type SerializeTupleStruct = Container<'o, 'a>;
    type SerializeTupleVariant = Container<'o, 'a>;
    type SerializeMap = Container<'o, 'a>;
    type SerializeStruct = Container<'o, 'a>;
    type SerializeStructVariant = Container<'o, 'a>;

    by_serde_json! {
        serialize_i8(i8) serialize_i16(i16) serialize_i32(i32) serialize_i64(i64)
        serialize_i128(i128)
        serialize_u8(u8) serialize_u16(u16) serialize_u32(u32) serialize_u64(u64)
        serialize_u128(u128)
        serialize_f32(f32) serialize_f64(f64)
    }

    #[inline]
    fn serialize_bool(self, value: bool) -> Result<()> {
        let word: &[u8] = if value { b"true" } else { b"false" };
        self.buffer.extend_from_slice(word);
        Ok(())
    }

    fn serialize_char(self, value: char) -> Result<()> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    #[inline]
    fn serialize_str(self, text: &str) -> Result<()> {
        string::write(self.buffer, text);
        Ok(())
    }

    fn serialize_bytes(self, bytes: &[u8]) -> Result<()> {
        bytes.serialize(self)
    }

    #[inline]
    fn serialize_unit(self) -> Result<()> {
        self.buffer.extend_from_slice(b"null");
        Ok(())
    }

    #[inline]
    fn serialize_unit_struct(self, _name: &'static str) -> Result<()> {
        self.serialize_unit()
    }

    #[inline]
    fn serialize_none(self) -> Result<()> {
        self.serialize_unit()
    }

    #[inline]
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<()> {
        value.serialize(self)
    }

    #[inline]
    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        value: &T,
    ) -> Result<()> {
        value.serialize(self)
    }

    #[inline]
    fn serialize_unit_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
    ) -> Result<()> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<()> {
        self.open_variant(variant);
        value.serialize(&mut *self)?;
        self.close_object();
        Ok(())
    }

    #[inline]
    fn serialize_seq(self, _len: Option<usize>) -> Result<Container<'o, 'a>> {
        self.open(b'[');
        Ok(Container::new(self))
    }

    fn serialize_tuple(self, len: usize) -> Result<Container<'o, 'a>> {
        self.serialize_seq(Some(len))
    }

    fn serialize_tuple_struct(self, _name: &'static str, len: usize) -> Result<Container<'o, 'a>> {
        self.serialize_seq(Some(len))
    }

    fn serialize_tuple_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        _len: usize,
    ) -> Result<Container<'o, 'a>> {
        self.open_variant(variant);
        self.open(b'[');
        Ok(Container::new(self))
    }

    #[inline]
    fn serialize_map(self, _len: Option<usize>) -> Result<Container<'o, 'a>> {
        self.open(b'{');
        Ok(Container::new(self))
    }

    /// A struct with one of the private names of `serde_json` is a raw value or the digits of a number.
    #[inline]
    fn serialize_struct(self, name: &'static str, len: usize) -> Result<Container<'o, 'a>> {
        if name == RAW || name == NUMBER {
            return Ok(Container {
                is_raw: true,
                ..Container::new(self)
            });
        }
        self.serialize_map(Some(len))
    }

    fn serialize_struct_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        _len: usize,
    ) -> Result<Container<'o, 'a>> {
        self.open_variant(variant);
        self.open(b'{');
        Ok(Container::new(self))
    }
}

/// An array or an object that was begun.
pub(super) struct Container<'o, 'a> {
    output: &'o mut Output<'a>,
    is_first: bool,
    /// `true` if its only field is text that is JSON already.
    is_raw: bool,
}

impl<'o, 'a> Container<'o, 'a> {
    #[inline]
    fn new(output: &'o mut Output<'a>) -> Self {
        Self {
            output,
            is_first: true,
            is_raw: false,
        }
    }

    #[inline]
    fn element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        if !self.is_first {
            self.output.buffer.push(b',');
        }
        self.is_first = false;
        value.serialize(&mut *self.output)
    }

    #[inline]
    fn field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<()> {
        if self.is_raw {
            return value.serialize(RawText(self.output));
        }
        self.output.name(name, self.is_first);
        self.is_first = false;
        value.serialize(&mut *self.output)
    }

    fn end_object(self) {
        if !self.is_raw {
            self.output.close_object();
        }
    }
}

impl SerializeMap for Container<'_, '_> {
    type Ok = ();
    type Error = Error;

    #[inline]
    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<()> {
        let is_first = std::mem::replace(&mut self.is_first, false);
        key.serialize(Name {
            output: &mut *self.output,
            is_first,
        })
    }

    #[inline]
    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        value.serialize(&mut *self.output)
    }

    #[inline]
    fn end(self) -> Result<()> {
        self.end_object();
        Ok(())
    }
}

impl SerializeStruct for Container<'_, '_> {
    type Ok = ();
    type Error = Error;

    #[inline]
    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<()> {
        self.field(name, value)
    }

    #[inline]
    fn end(self) -> Result<()> {
        self.end_object();
        Ok(())
    }
}

impl SerializeStructVariant for Container<'_, '_> {
    type Ok = ();
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<()> {
        self.field(name, value)
    }

    fn end(self) -> Result<()> {
        self.output.close_object();
        self.output.close_object();
        Ok(())
    }
}

/// Implements a trait for arrays.
macro_rules! array {
    ($($trait:ident $method:ident)*) => {$(
        impl $trait for Container<'_, '_> {
            type Ok = ();
            type Error = Error;

            #[inline]
            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
                self.element(value)
            }

            #[inline]
            fn end(self) -> Result<()> {
                self.output.close_array();
                Ok(())
            }
        }
    )*};
}

array! {
    SerializeSeq serialize_element
    SerializeTuple serialize_element
    SerializeTupleStruct serialize_field
}

impl SerializeTupleVariant for Container<'_, '_> {
    type Ok = ();
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        self.element(value)
    }

    fn end(self) -> Result<()> {
        self.output.close_array();
        self.output.close_object();
        Ok(())
    }
}

/// Returns the error for a name that is not a string.
#[cold]
pub(super) fn no_name() -> Error {
    Error::custom("key must be a string")
}
