//! [`Name`]: serializes names of members. [`RawText`]: serializes text that is JSON already.

use serde::ser::{Error as _, Impossible, Serialize, Serializer};
use serde_json::{Error, Result};

use super::DECLARED;
use super::output::{Output, no_name};

/// Accepts the name of a member. Numbers and booleans become strings, as with `serde_json`.
pub(super) struct Name<'o, 'a> {
    pub(super) output: &'o mut Output<'a>,
    /// `true` if no member was written before.
    pub(super) is_first: bool,
}

impl Name<'_, '_> {
    /// Writes the text of a number or of a boolean as a name.
    fn quoted<T: Serialize>(self, value: &T) -> Result<()> {
        self.serialize_str(&serde_json::to_string(value)?)
    }
}

/// Accepts text that is JSON already.
pub(super) struct RawText<'o, 'a>(pub(super) &'o mut Output<'a>);

/// Methods that return an error.
macro_rules! refuse {
    ($error:expr => $($method:ident($($type:ty),*) -> $value:ident;)*) => {$(
        fn $method(self, $(_: $type),*) -> Result<Self::$value> {
            Err($error)
        }
    )*};
    (@generic $error:expr => $($method:ident($($type:ty),*);)*) => {$(
        fn $method<T: Serialize + ?Sized>(self, $(_: $type,)* _: &T) -> Result<()> {
            Err($error)
        }
    )*};
}

/// The parts of a serializer that neither of the two has.
macro_rules! no_containers {
    ($error:expr) => {
        type Ok = ();
        type Error = Error;
        type SerializeSeq = Impossible<(), Error>;
        type SerializeTuple = Impossible<(), Error>;
        type SerializeTupleStruct = Impossible<(), Error>;
        type SerializeTupleVariant = Impossible<(), Error>;
        type SerializeMap = Impossible<(), Error>;
        type SerializeStruct = Impossible<(), Error>;
        type SerializeStructVariant = Impossible<(), Error>;

        refuse! { $error =>
            serialize_bytes(&[u8]) -> Ok;
            serialize_unit() -> Ok;
            serialize_unit_struct(&'static str) -> Ok;
            serialize_none() -> Ok;
            serialize_seq(Option<usize>) -> SerializeSeq;
            serialize_tuple(usize) -> SerializeTuple;
            serialize_tuple_struct(&'static str, usize) -> SerializeTupleStruct;
            serialize_tuple_variant(&'static str, u32, &'static str, usize)
                -> SerializeTupleVariant;
            serialize_map(Option<usize>) -> SerializeMap;
            serialize_struct(&'static str, usize) -> SerializeStruct;
            serialize_struct_variant(&'static str, u32, &'static str, usize)
                -> SerializeStructVariant;
        }

        refuse! { @generic $error =>
            serialize_newtype_variant(&'static str, u32, &'static str);
        }
    };
}

/// Methods that write a number or a boolean in quotes.
macro_rules! quoted {
    ($($method:ident($type:ty))*) => {$(
        fn $method(self, value: $type) -> Result<()> {
            self.quoted(&value)
        }
    )*};
}

impl Serializer for Name<'_, '_> {
    no_containers!(no_name());

    quoted! {
        serialize_bool(bool)
        serialize_i8(i8) serialize_i16(i16) serialize_i32(i32) serialize_i64(i64)
        serialize_i128(i128)
        serialize_u8(u8) serialize_u16(u16) serialize_u32(u32) serialize_u64(u64)
        serialize_u128(u128)
    }

    fn serialize_f32(self, value: f32) -> Result<()> {
        if !value.is_finite() {
            return Err(not_finite());
        }
        self.quoted(&value)
    }

    fn serialize_f64(self, value: f64) -> Result<()> {
        if !value.is_finite() {
            return Err(not_finite());
        }
        self.quoted(&value)
    }

    fn serialize_char(self, value: char) -> Result<()> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    #[inline]
    fn serialize_str(self, name: &str) -> Result<()> {
        self.output.name(name, self.is_first);
        Ok(())
    }

    #[inline]
    fn serialize_unit_variant(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
    ) -> Result<()> {
        if index == DECLARED {
            self.output.declared_name(name, variant, self.is_first);
            return Ok(());
        }
        self.serialize_str(variant)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<()> {
        value.serialize(self)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        value: &T,
    ) -> Result<()> {
        value.serialize(self)
    }
}

#[cold]
fn not_finite() -> Error {
    Error::custom("float key must be finite (got NaN or +/-inf)")
}

#[cold]
fn no_text() -> Error {
    Error::custom("expected RawValue")
}

impl Serializer for RawText<'_, '_> {
    no_containers!(no_text());

    refuse! { no_text() =>
        serialize_bool(bool) -> Ok;
        serialize_i8(i8) -> Ok;
        serialize_i16(i16) -> Ok;
        serialize_i32(i32) -> Ok;
        serialize_i64(i64) -> Ok;
        serialize_u8(u8) -> Ok;
        serialize_u16(u16) -> Ok;
        serialize_u32(u32) -> Ok;
        serialize_u64(u64) -> Ok;
        serialize_f32(f32) -> Ok;
        serialize_f64(f64) -> Ok;
        serialize_char(char) -> Ok;
        serialize_unit_variant(&'static str, u32, &'static str) -> Ok;
    }

    refuse! { @generic no_text() =>
        serialize_some();
        serialize_newtype_struct(&'static str);
    }

    fn serialize_str(self, text: &str) -> Result<()> {
        self.0.raw(text);
        Ok(())
    }
}
