//! [`Text`]: a serializer that writes objects and arrays itself and leaves scalars to `serde_json`.
//!
//! It is as little code for each type as can be: what opens, separates and ends is the same for
//! all, and a sequence is a loop.

use std::io;

use serde::ser::{
    Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};
use serde_json::ser::Formatter;
use serde_json::value::RawValue;
use serde_json::{Error, Result};

use super::meta::{Lack, Meta};

/// What the names of structs begin with whose one field is a text to be written as it stands: raw
/// values, and numbers under `arbitrary_precision`.
const VERBATIM: &str = "$serde_json::private::";

/// A buffer that is written to.
pub(super) struct Text<'a> {
    buffer: &'a mut Vec<u8>,
    meta: Option<Meta<'a>>,
    /// Whether the next string is JSON itself.
    verbatim: bool,
}

impl<'a> Text<'a> {
    pub(super) fn new(buffer: &'a mut Vec<u8>, meta: Option<Meta<'a>>) -> Self {
        Self {
            buffer,
            meta,
            verbatim: false,
        }
    }

    fn open(&mut self, bracket: u8) {
        self.buffer.push(bracket);
        if let Some(meta) = &mut self.meta {
            meta.open();
        }
    }

    /// Sets a comma unless an object or array has just begun. Nothing that stands before a comma
    /// ends in an opening bracket.
    fn separate(&mut self) {
        if !matches!(self.buffer.last(), Some(b'{' | b'[')) {
            self.buffer.push(b',');
        }
    }

    fn name<K: Serialize + ?Sized>(&mut self, name: &K) -> Result<()> {
        self.separate();
        let start = self.buffer.len();
        name.serialize(&mut *self)?;
        if self.buffer.get(start) != Some(&b'"') {
            self.odd_name(start, name)?;
        }
        self.named(start);
        Ok(())
    }

    /// A name that is no string: `serde_json` knows what else can be one, and how.
    #[cold]
    fn odd_name<K: Serialize + ?Sized>(&mut self, start: usize, name: &K) -> Result<()> {
        self.buffer.truncate(start);
        let mut names = serde_json::Serializer::with_formatter(&mut *self.buffer, NameAlone);
        names.serialize_map(None)?.serialize_key(name)
    }

    /// A name was written, from here on.
    fn named(&mut self, start: usize) {
        if let Some(meta) = &mut self.meta {
            meta.name(self.buffer.get(start..).unwrap_or_default());
        }
        self.buffer.push(b':');
    }

    fn close_array(&mut self) {
        if let Some(meta) = &mut self.meta {
            meta.close();
        }
        self.buffer.push(b']');
    }

    fn close_object(&mut self) -> Result<()> {
        if let Some(meta) = &mut self.meta {
            match meta.close_object() {
                Lack::Nothing => {}
                Lack::Member(name, value) => self.add(name, value)?,
                Lack::Meta(meta, name, value) => {
                    self.name(meta)?;
                    self.buffer.push(b'{');
                    self.add(name, value)?;
                    self.buffer.push(b'}');
                }
            }
        }
        self.buffer.push(b'}');
        Ok(())
    }

    /// Adds a member that is not looked at.
    fn add(&mut self, name: &str, value: &RawValue) -> Result<()> {
        self.name(name)?;
        self.raw(value.get());
        Ok(())
    }

    /// JSON that is there already.
    fn raw(&mut self, text: &str) {
        let start = self.buffer.len();
        self.buffer.extend_from_slice(text.as_bytes());
        // The usual case; `contains` is much faster than to look at each character.
        if text.as_bytes().contains(&b'\n') || text.as_bytes().contains(&b'\r') {
            // A line break in JSON is white space: within strings it is escaped.
            for byte in self.buffer.iter_mut().skip(start) {
                if matches!(byte, b'\n' | b'\r') {
                    *byte = b' ';
                }
            }
        }
    }

    fn scalars(&mut self) -> serde_json::Serializer<&mut Vec<u8>> {
        serde_json::Serializer::new(self.buffer)
    }
}

/// Whether a string is written as it stands. Eight bytes at a time: texts are most of what is
/// written.
fn is_plain(text: &[u8]) -> bool {
    let Some(last) = text.last_chunk::<8>() else {
        let special = |byte: &u8| *byte < b' ' || matches!(byte, b'"' | b'\\');
        return !text.iter().any(special);
    };
    // The last chunk overlaps the one before.
    let mut chunks = text.as_chunks::<8>().0.iter().chain([last]);
    chunks.all(|chunk| {
        const EACH: u64 = u64::from_ne_bytes([1; 8]);
        let bytes = u64::from_ne_bytes(*chunk);
        // The highest bit of a byte stays set only where that byte is less than the limit.
        let below = |bytes: u64, limit: u64| bytes.wrapping_sub(EACH * limit) & !bytes;
        let quotes = below(bytes ^ (EACH * u64::from(b'"')), 1);
        let backslashes = below(bytes ^ (EACH * u64::from(b'\\')), 1);
        (below(bytes, 0x20) | quotes | backslashes) & (EACH << 7) == 0
    })
}

/// Writes names of members, of which some are no strings, without the object around them.
struct NameAlone;

impl Formatter for NameAlone {
    fn begin_object<W: io::Write + ?Sized>(&mut self, _: &mut W) -> io::Result<()> {
        Ok(())
    }

    fn begin_object_key<W: io::Write + ?Sized>(&mut self, _: &mut W, _: bool) -> io::Result<()> {
        Ok(())
    }
}

macro_rules! scalars {
    ($($method:ident($type:ty);)*) => {$(
        fn $method(self, value: $type) -> Result<()> {
            self.scalars().$method(value)
        }
    )*};
}

impl<'a, 'b> Serializer for &'a mut Text<'b> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Self;
    type SerializeTuple = Self;
    type SerializeTupleStruct = Self;
    type SerializeTupleVariant = Variant<'a, 'b>;
    type SerializeMap = Self;
    type SerializeStruct = Fields<'a, 'b>;
    type SerializeStructVariant = Variant<'a, 'b>;

    scalars! {
        serialize_bool(bool);
        serialize_i8(i8);
        serialize_i16(i16);
        serialize_i32(i32);
        serialize_i64(i64);
        serialize_i128(i128);
        serialize_u8(u8);
        serialize_u16(u16);
        serialize_u32(u32);
        serialize_u64(u64);
        serialize_u128(u128);
        serialize_f32(f32);
        serialize_f64(f64);
        serialize_char(char);
        serialize_bytes(&[u8]);
    }

    fn serialize_str(self, value: &str) -> Result<()> {
        if self.verbatim {
            self.raw(value);
            return Ok(());
        }
        if !is_plain(value.as_bytes()) {
            return self.scalars().serialize_str(value);
        }
        self.buffer.reserve(value.len() + 2);
        self.buffer.push(b'"');
        self.buffer.extend_from_slice(value.as_bytes());
        self.buffer.push(b'"');
        Ok(())
    }

    fn serialize_none(self) -> Result<()> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<()> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<()> {
        self.buffer.extend_from_slice(b"null");
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<()> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<()> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<()> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<()> {
        self.open(b'{');
        self.name(variant)?;
        value.serialize(&mut *self)?;
        self.close_object()
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Self> {
        self.open(b'[');
        Ok(self)
    }

    fn serialize_tuple(self, _: usize) -> Result<Self> {
        self.serialize_seq(None)
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self> {
        self.serialize_seq(None)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Variant<'a, 'b>> {
        self.open(b'{');
        self.name(variant)?;
        self.open(b'[');
        Ok(Variant(self))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self> {
        self.open(b'{');
        Ok(self)
    }

    fn serialize_struct(self, name: &'static str, _: usize) -> Result<Fields<'a, 'b>> {
        self.verbatim = name.starts_with(VERBATIM);
        if !self.verbatim {
            self.open(b'{');
        }
        Ok(Fields(self))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Variant<'a, 'b>> {
        self.open(b'{');
        self.name(variant)?;
        self.open(b'{');
        Ok(Variant(self))
    }

    fn collect_seq<I>(self, items: I) -> Result<()>
    where
        I: IntoIterator,
        I::Item: Serialize,
    {
        self.open(b'[');
        for item in items {
            self.separate();
            item.serialize(&mut *self)?;
        }
        self.close_array();
        Ok(())
    }

    fn collect_map<K, V, I>(self, members: I) -> Result<()>
    where
        K: Serialize,
        V: Serialize,
        I: IntoIterator<Item = (K, V)>,
    {
        self.open(b'{');
        for (name, value) in members {
            self.name(&name)?;
            value.serialize(&mut *self)?;
        }
        self.close_object()
    }
}

impl SerializeMap for &mut Text<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_key<K: Serialize + ?Sized>(&mut self, name: &K) -> Result<()> {
        self.name(name)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        value.serialize(&mut **self)
    }

    fn serialize_entry<K, V>(&mut self, name: &K, value: &V) -> Result<()>
    where
        K: Serialize + ?Sized,
        V: Serialize + ?Sized,
    {
        self.name(name)?;
        value.serialize(&mut **self)
    }

    fn end(self) -> Result<()> {
        self.close_object()
    }
}

macro_rules! elements {
    ($($compound:ident $method:ident;)*) => {$(
        impl $compound for &mut Text<'_> {
            type Ok = ();
            type Error = Error;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
                self.separate();
                value.serialize(&mut **self)
            }

            fn end(self) -> Result<()> {
                self.close_array();
                Ok(())
            }
        }
    )*};
}

elements! {
    SerializeSeq serialize_element;
    SerializeTuple serialize_element;
    SerializeTupleStruct serialize_field;
}

/// The fields of a struct, or the text of what is one for the sake of `serde_json`.
pub(super) struct Fields<'a, 'b>(&'a mut Text<'b>);

impl SerializeStruct for Fields<'_, '_> {
    type Ok = ();
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<()> {
        if !self.0.verbatim {
            self.0.name(name)?;
        }
        value.serialize(&mut *self.0)
    }

    fn end(self) -> Result<()> {
        if std::mem::take(&mut self.0.verbatim) {
            return Ok(());
        }
        self.0.close_object()
    }
}

/// The content of a variant, which is within an object of its own.
pub(super) struct Variant<'a, 'b>(&'a mut Text<'b>);

impl SerializeTupleVariant for Variant<'_, '_> {
    type Ok = ();
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        SerializeSeq::serialize_element(&mut self.0, value)
    }

    fn end(self) -> Result<()> {
        self.0.close_array();
        self.0.close_object()
    }
}

impl SerializeStructVariant for Variant<'_, '_> {
    type Ok = ();
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<()> {
        SerializeMap::serialize_entry(&mut self.0, name, value)
    }

    fn end(self) -> Result<()> {
        self.0.close_object()?;
        self.0.close_object()
    }
}
