//! [`Value`] and [`Object`], owned and borrowed, as deserializers.

use serde::de::{Deserializer, IntoDeserializer, Visitor};

use super::super::super::error::DecodeError;
use super::super::{Object, Value};
use super::{Decoder, Members};

/// Implements `Deserializer` for a type by converting it to another one, method by method.
macro_rules! forward {
    ($source:ty => $target:expr) => {
        impl<'de> Deserializer<'de> for $source {
            type Error = DecodeError;

            forward! { @methods $target =>
                deserialize_any() deserialize_bool()
                deserialize_i8() deserialize_i16() deserialize_i32() deserialize_i64()
                deserialize_i128()
                deserialize_u8() deserialize_u16() deserialize_u32() deserialize_u64()
                deserialize_u128()
                deserialize_f32() deserialize_f64()
                deserialize_char() deserialize_str() deserialize_string()
                deserialize_bytes() deserialize_byte_buf()
                deserialize_option() deserialize_unit()
                deserialize_unit_struct(name: &'static str)
                deserialize_newtype_struct(name: &'static str)
                deserialize_seq() deserialize_tuple(len: usize)
                deserialize_tuple_struct(name: &'static str, len: usize)
                deserialize_map()
                deserialize_struct(name: &'static str, fields: &'static [&'static str])
                deserialize_enum(name: &'static str, variants: &'static [&'static str])
                deserialize_identifier() deserialize_ignored_any()
            }
        }

        impl<'de> IntoDeserializer<'de, DecodeError> for $source {
            type Deserializer = Self;

            fn into_deserializer(self) -> Self {
                self
            }
        }
    };
    (@methods $target:expr => $($method:ident($($argument:ident: $kind:ty),*))*) => {$(
        fn $method<V: Visitor<'de>>(
            self,
            $($argument: $kind,)*
            visitor: V,
        ) -> Result<V::Value, DecodeError> {
            $target(self).$method($($argument,)* visitor)
        }
    )*};
}

forward!(Value => Decoder::root);
forward!(&'de Value => Decoder::root);
forward!(Object => Members::from);
forward!(&'de Object => Members::from);
