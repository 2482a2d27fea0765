//! [`Signed`]: a result with the server's name in its `_meta`, as modern peers get it.
//!
//! The specification asks for it in every result. Any type can be one, so it is added while the
//! result is written: to a `_meta` that is there, or as one.

use std::fmt::Display;

use serde::ser::{self, Impossible, Serialize, SerializeMap, SerializeStruct, Serializer};
use serde_json::value::RawValue;

const META: &str = "_meta";
const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

/// A result and who gives it.
pub(super) struct Signed<'a, T: ?Sized> {
    value: &'a T,
    info: &'a RawValue,
    level: Level,
}

/// How deep in the result we are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Result,
    Meta,
}

impl<'a, T: ?Sized> Signed<'a, T> {
    pub(super) fn new(value: &'a T, info: &'a RawValue) -> Self {
        Self {
            value,
            info,
            level: Level::Result,
        }
    }
}

impl<T: Serialize + ?Sized> Serialize for Signed<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.value.serialize(Signing {
            inner: serializer,
            info: self.info,
            level: self.level,
        })
    }
}

/// Adds a member to the object that is written to it, if the object does not have it.
struct Signing<'a, S> {
    inner: S,
    info: &'a RawValue,
    level: Level,
}

impl<'a, S> Signing<'a, S> {
    fn members<M>(self, open: impl FnOnce(S) -> M) -> Members<'a, M> {
        Members {
            inner: open(self.inner),
            info: self.info,
            level: self.level,
            next_is_ours: false,
            found: false,
        }
    }
}

/// The members of the object.
struct Members<'a, M> {
    inner: M,
    info: &'a RawValue,
    level: Level,
    next_is_ours: bool,
    found: bool,
}

impl<'a, M: SerializeMap> Members<'a, Result<M, M::Error>> {
    fn opened(self) -> Result<Members<'a, M>, M::Error> {
        Ok(Members {
            inner: self.inner?,
            info: self.info,
            level: self.level,
            next_is_ours: self.next_is_ours,
            found: self.found,
        })
    }
}

impl<M: SerializeMap> Members<'_, M> {
    fn ours(&self) -> &'static str {
        match self.level {
            Level::Result => META,
            Level::Meta => SERVER_INFO,
        }
    }

    fn value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), M::Error> {
        if std::mem::take(&mut self.next_is_ours) && self.level == Level::Result {
            self.inner.serialize_value(&Signed {
                value,
                info: self.info,
                level: Level::Meta,
            })
        } else {
            self.inner.serialize_value(value)
        }
    }

    fn finish(mut self) -> Result<M::Ok, M::Error> {
        if !self.found {
            match self.level {
                Level::Result => {
                    let meta = Entry(SERVER_INFO, self.info);
                    self.inner.serialize_entry(META, &meta)?;
                }
                Level::Meta => self.inner.serialize_entry(SERVER_INFO, self.info)?,
            }
        }
        self.inner.end()
    }
}

/// An object with one member.
struct Entry<'a>(&'static str, &'a RawValue);

impl Serialize for Entry<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(1))?;
        map.serialize_entry(self.0, self.1)?;
        map.end()
    }
}

impl<M: SerializeMap> SerializeMap for Members<'_, M> {
    type Ok = M::Ok;
    type Error = M::Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), M::Error> {
        if key.serialize(Is(self.ours())).unwrap_or(false) {
            self.next_is_ours = true;
            self.found = true;
        }
        self.inner.serialize_key(key)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), M::Error> {
        self.value(value)
    }

    fn end(self) -> Result<M::Ok, M::Error> {
        self.finish()
    }
}

impl<M: SerializeMap> SerializeStruct for Members<'_, M> {
    type Ok = M::Ok;
    type Error = M::Error;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        key: &'static str,
        value: &T,
    ) -> Result<(), M::Error> {
        self.serialize_entry(key, value)
    }

    fn end(self) -> Result<M::Ok, M::Error> {
        self.finish()
    }
}

/// Passes everything on but objects.
macro_rules! pass {
    ($($method:ident($($name:ident: $type:ty),*);)*) => {$(
        fn $method(self, $($name: $type),*) -> Result<S::Ok, S::Error> {
            self.inner.$method($($name),*)
        }
    )*};
}

impl<'a, S: Serializer> Serializer for Signing<'a, S> {
    type Ok = S::Ok;
    type Error = S::Error;
    type SerializeSeq = S::SerializeSeq;
    type SerializeTuple = S::SerializeTuple;
    type SerializeTupleStruct = S::SerializeTupleStruct;
    type SerializeTupleVariant = S::SerializeTupleVariant;
    type SerializeMap = Members<'a, S::SerializeMap>;
    type SerializeStruct = Members<'a, S::SerializeMap>;
    type SerializeStructVariant = S::SerializeStructVariant;

    fn serialize_map(self, len: Option<usize>) -> Result<Self::SerializeMap, S::Error> {
        self.members(|inner| inner.serialize_map(len.map(|len| len + 1)))
            .opened()
    }

    fn serialize_struct(
        self,
        _: &'static str,
        len: usize,
    ) -> Result<Self::SerializeStruct, S::Error> {
        self.serialize_map(Some(len))
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<S::Ok, S::Error> {
        value.serialize(self)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<S::Ok, S::Error> {
        value.serialize(self)
    }

    pass! {
        serialize_bool(v: bool);
        serialize_i8(v: i8);
        serialize_i16(v: i16);
        serialize_i32(v: i32);
        serialize_i64(v: i64);
        serialize_u8(v: u8);
        serialize_u16(v: u16);
        serialize_u32(v: u32);
        serialize_u64(v: u64);
        serialize_f32(v: f32);
        serialize_f64(v: f64);
        serialize_char(v: char);
        serialize_str(v: &str);
        serialize_bytes(v: &[u8]);
        serialize_none();
        serialize_unit();
        serialize_unit_struct(name: &'static str);
        serialize_unit_variant(name: &'static str, index: u32, variant: &'static str);
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<S::Ok, S::Error> {
        self.inner
            .serialize_newtype_variant(name, index, variant, value)
    }

    fn serialize_seq(self, len: Option<usize>) -> Result<S::SerializeSeq, S::Error> {
        self.inner.serialize_seq(len)
    }

    fn serialize_tuple(self, len: usize) -> Result<S::SerializeTuple, S::Error> {
        self.inner.serialize_tuple(len)
    }

    fn serialize_tuple_struct(
        self,
        name: &'static str,
        len: usize,
    ) -> Result<S::SerializeTupleStruct, S::Error> {
        self.inner.serialize_tuple_struct(name, len)
    }

    fn serialize_tuple_variant(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
        len: usize,
    ) -> Result<S::SerializeTupleVariant, S::Error> {
        self.inner
            .serialize_tuple_variant(name, index, variant, len)
    }

    fn serialize_struct_variant(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
        len: usize,
    ) -> Result<S::SerializeStructVariant, S::Error> {
        self.inner
            .serialize_struct_variant(name, index, variant, len)
    }
}

/// Tells whether what is written is this string.
struct Is(&'static str);

/// The key is no string.
#[derive(Debug)]
struct NoString;

impl Display for NoString {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("not a string")
    }
}

impl std::error::Error for NoString {}

impl ser::Error for NoString {
    fn custom<T: Display>(_: T) -> Self {
        Self
    }
}

macro_rules! refuse {
    ($($method:ident($($type:ty),*);)*) => {$(
        fn $method(self, $(_: $type),*) -> Result<bool, NoString> {
            Err(NoString)
        }
    )*};
}

macro_rules! refuse_compound {
    ($($method:ident($($type:ty),*) -> $name:ident;)*) => {$(
        fn $method(self, $(_: $type),*) -> Result<Self::$name, NoString> {
            Err(NoString)
        }
    )*};
}

impl Serializer for Is {
    type Ok = bool;
    type Error = NoString;
    type SerializeSeq = Impossible<bool, NoString>;
    type SerializeTuple = Impossible<bool, NoString>;
    type SerializeTupleStruct = Impossible<bool, NoString>;
    type SerializeTupleVariant = Impossible<bool, NoString>;
    type SerializeMap = Impossible<bool, NoString>;
    type SerializeStruct = Impossible<bool, NoString>;
    type SerializeStructVariant = Impossible<bool, NoString>;

    fn serialize_str(self, v: &str) -> Result<bool, NoString> {
        Ok(v == self.0)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<bool, NoString> {
        value.serialize(self)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<bool, NoString> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<bool, NoString> {
        Err(NoString)
    }

    refuse! {
        serialize_bool(bool);
        serialize_i8(i8);
        serialize_i16(i16);
        serialize_i32(i32);
        serialize_i64(i64);
        serialize_u8(u8);
        serialize_u16(u16);
        serialize_u32(u32);
        serialize_u64(u64);
        serialize_f32(f32);
        serialize_f64(f64);
        serialize_char(char);
        serialize_bytes(&[u8]);
        serialize_none();
        serialize_unit();
        serialize_unit_struct(&'static str);
        serialize_unit_variant(&'static str, u32, &'static str);
    }

    refuse_compound! {
        serialize_seq(Option<usize>) -> SerializeSeq;
        serialize_tuple(usize) -> SerializeTuple;
        serialize_tuple_struct(&'static str, usize) -> SerializeTupleStruct;
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> SerializeTupleVariant;
        serialize_map(Option<usize>) -> SerializeMap;
        serialize_struct(&'static str, usize) -> SerializeStruct;
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> SerializeStructVariant;
    }
}
