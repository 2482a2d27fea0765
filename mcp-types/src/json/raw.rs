//! [`decode_text`]: decodes the JSON text of a value, whatever deserializer passes it.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::super::error::DecodeError;
use super::format::{NESTING_LIMIT, NUMBER, RAW, TEXT};
use super::key::Key;
use super::number::{Number, arbitrary_precision};
use super::text::Text;
use super::to_string;

/// The JSON text of a value: borrowed from the input if that is JSON text, and encoded from any other
/// format.
#[derive(Debug, Default)]
struct Raw<'de> {
    text: Cow<'de, str>,
    /// The number of arrays and objects around the value that is written.
    depth: usize,
}

impl<'de> Raw<'de> {
    fn push(&mut self, text: &str) {
        self.text.to_mut().push_str(text);
    }

    /// Writes an array or an object. A format without a limit of its own could nest without end.
    fn nest<E: Error>(
        &mut self,
        write: impl FnOnce(&mut Raw<'de>) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.depth >= NESTING_LIMIT {
            return Err(E::custom("nesting exceeds the limit of 127 levels"));
        }
        self.depth += 1;
        write(self)?;
        self.depth -= 1;
        Ok(())
    }

    fn push_string(&mut self, text: &str) -> Result<(), DecodeError> {
        self.push(&to_string(text)?);
        Ok(())
    }
}

/// Decodes the text of the next value with a function, which has to validate it.
///
/// # Errors
///
/// Returns the error of the deserializer or of the function.
pub(super) fn decode_text<'de, D: Deserializer<'de>>(
    deserializer: D,
    decode: &mut dyn FnMut(&str) -> Result<(), DecodeError>,
) -> Result<(), D::Error> {
    deserializer.deserialize_newtype_struct(TEXT, FromText(decode))
}

/// Asks a deserializer of this crate for text.
struct FromText<'a>(&'a mut dyn FnMut(&str) -> Result<(), DecodeError>);

impl FromText<'_> {
    /// Decodes the text that a function writes.
    fn write<'de, E: Error>(
        self,
        write: impl FnOnce(Writer<'_, 'de>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut raw = Raw::default();
        write(Writer(&mut raw))?;
        (self.0)(&raw.text).map_err(E::custom)
    }
}

/// Methods for values without parts.
macro_rules! from_scalars {
    ($($method:ident($type:ty))*) => {$(
        fn $method<E: Error>(self, value: $type) -> Result<(), E> {
            self.write(|writer| writer.$method(value))
        }
    )*};
}

impl<'de> Visitor<'de> for FromText<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    /// The text, or the members of an object in another format.
    fn visit_map<A: MapAccess<'de>>(self, access: A) -> Result<(), A::Error> {
        self.write(|writer| writer.visit_map(access))
    }

    /// A deserializer that does not know the name.
    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<(), D::Error> {
        self.write(|writer| writer.deserialize(inner))
    }

    // A deserializer that ignores names.

    from_scalars! {
        visit_bool(bool) visit_i64(i64) visit_u64(u64) visit_i128(i128) visit_u128(u128)
        visit_f64(f64) visit_str(&str)
    }

    fn visit_none<E: Error>(self) -> Result<(), E> {
        self.write(|writer| writer.visit_none())
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.write(|writer| writer.visit_unit())
    }

    fn visit_some<D: Deserializer<'de>>(self, inner: D) -> Result<(), D::Error> {
        self.write(|writer| writer.visit_some(inner))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, access: A) -> Result<(), A::Error> {
        self.write(|writer| writer.visit_seq(access))
    }
}

/// Appends the next value of a deserializer.
struct Writer<'a, 'de>(&'a mut Raw<'de>);

impl<'de> Writer<'_, 'de> {
    /// Appends the text that a deserializer of JSON text passes.
    fn raw<E: Error>(self, text: Cow<'de, str>) -> Result<(), E> {
        if self.0.text.is_empty() {
            self.0.text = text;
            return Ok(());
        }
        // Another format may pass any string under the name of raw text.
        Text::expect_value(&text).map_err(E::custom)?;
        self.0.push(&text);
        Ok(())
    }

    fn member<A: MapAccess<'de>>(self, name: &str, access: &mut A) -> Result<(), A::Error> {
        self.0.push_string(name).map_err(A::Error::custom)?;
        self.0.push(":");
        access.next_value_seed(Writer(self.0))
    }
}

impl<'de> DeserializeSeed<'de> for Writer<'_, 'de> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_newtype_struct(RAW, self)
    }
}

/// Methods for values that are displayed as they are written in JSON.
macro_rules! scalars {
    ($($method:ident($type:ty))*) => {$(
        fn $method<E>(self, value: $type) -> Result<(), E> {
            self.0.push(&value.to_string());
            Ok(())
        }
    )*};
}

impl<'de> Visitor<'de> for Writer<'_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<(), D::Error> {
        inner.deserialize_any(self)
    }

    fn visit_some<D: Deserializer<'de>>(self, inner: D) -> Result<(), D::Error> {
        inner.deserialize_any(self)
    }

    fn visit_none<E>(self) -> Result<(), E> {
        self.0.push("null");
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        self.0.push("null");
        Ok(())
    }

    scalars! {
        visit_bool(bool) visit_i64(i64) visit_u64(u64) visit_i128(i128) visit_u128(u128)
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<(), E> {
        let Some(number) = Number::from_f64(value) else {
            return Err(E::custom("number out of range"));
        };
        self.0.push(&number.to_string());
        Ok(())
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        self.0.push_string(text).map_err(E::custom)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<(), A::Error> {
        self.0.nest(|raw| {
            raw.push("[");
            let start = raw.text.len();
            loop {
                let before = raw.text.len();
                if before > start {
                    raw.push(",");
                }
                if access.next_element_seed(Writer(raw))?.is_none() {
                    raw.text.to_mut().truncate(before);
                    raw.push("]");
                    return Ok(());
                }
            }
        })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<(), A::Error> {
        let Some(first) = access.next_key::<Key<'de>>()? else {
            self.0.push("{}");
            return Ok(());
        };
        if first.as_str() == RAW {
            let text = access.next_value::<Key<'de>>()?;
            return self.raw(text.0);
        }
        if first.as_str() == NUMBER && arbitrary_precision() {
            let digits = access.next_value::<Key<'de>>()?;
            let number = number_of(digits.as_str()).map_err(A::Error::custom)?;
            self.0.push(&number.to_string());
            return Ok(());
        }
        self.0.nest(|raw| {
            raw.push("{");
            Writer(raw).member(first.as_str(), &mut access)?;
            while let Some(name) = access.next_key::<Key<'de>>()? {
                raw.push(",");
                Writer(raw).member(name.as_str(), &mut access)?;
            }
            raw.push("}");
            Ok(())
        })
    }
}

/// Returns the number with these digits. Another format could pass any text, which would then be
/// written as it is.
fn number_of(digits: &str) -> Result<Number, DecodeError> {
    if Text::is_number(digits) {
        return Number::from_digits(digits);
    }
    Err(DecodeError::data("invalid number"))
}

#[cfg(test)]
mod tests {
    use super::super::NUMBER_LIMIT;
    use super::*;

    #[test]
    fn digits_of_other_formats_are_checked() {
        let long = "1".repeat(NUMBER_LIMIT);
        for digits in ["0", "-0", "1e999", "0.10", long.as_str()] {
            let number = number_of(digits).unwrap();
            assert_eq!(number.to_string(), digits);
        }
        let too_long = "1".repeat(NUMBER_LIMIT + 1);
        for text in [
            "",
            " 1",
            "1 ",
            "01",
            "x",
            "1,2",
            "1}",
            "\"1\"",
            too_long.as_str(),
        ] {
            assert!(number_of(text).is_err(), "{text}");
        }
    }
}
