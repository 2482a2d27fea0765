//! [`RequestId`] and [`ProgressToken`]: identifiers that a peer chooses and expects back unchanged.

use std::fmt;

use serde::ser::{Serialize, Serializer};

use super::error::{DecodeError, Rule};
use super::json::{self, Decode, Kind, Number, Text, Value, read};

macro_rules! text_or_integer {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        ///
        /// The two forms are never equal: `7` is not `"7"`. When decoded, `7.0` is the integer 7;
        /// fractions, `null` and integers beyond 64 bits are rejected.
        #[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name {
            /// An integer.
            Number(i64),
            /// A string, which may be empty.
            String(String),
        }

        impl From<i64> for $name {
            #[inline]
            fn from(number: i64) -> Self {
                Self::Number(number)
            }
        }

        impl From<i32> for $name {
            #[inline]
            fn from(number: i32) -> Self {
                Self::Number(number.into())
            }
        }

        impl From<u32> for $name {
            #[inline]
            fn from(number: u32) -> Self {
                Self::Number(number.into())
            }
        }

        impl From<String> for $name {
            #[inline]
            fn from(text: String) -> Self {
                Self::String(text)
            }
        }

        impl From<&str> for $name {
            #[inline]
            fn from(text: &str) -> Self {
                Self::String(text.to_owned())
            }
        }

        impl From<$name> for Value {
            #[inline]
            fn from(id: $name) -> Self {
                match id {
                    $name::Number(number) => number.into(),
                    $name::String(text) => text.into(),
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    Self::Number(number) => number.fmt(f),
                    Self::String(text) => text.fmt(f),
                }
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    Self::Number(number) => serializer.serialize_i64(*number),
                    Self::String(text) => serializer.serialize_str(text),
                }
            }
        }

        impl Decode for $name {
            fn vacant() -> Self {
                Self::Number(0)
            }

            fn decode(&mut self, text: &mut Text<'_>) -> Result<(), DecodeError> {
                *self = match read_id(text)? {
                    Read::Number(number) => Self::Number(number),
                    Read::String(text) => Self::String(text),
                };
                Ok(())
            }
        }

        json::deserialize_from_text! { $name }
    };
}

text_or_integer! {
    /// The identifier of a request, repeated in its response. It is unique among the requests that
    /// the requester has sent.
    RequestId
}

text_or_integer! {
    /// The identifier that connects progress notifications with the request that they belong to. It
    /// is unique among the requests in flight.
    ProgressToken
}

enum Read {
    Number(i64),
    String(String),
}

fn read_id(text: &mut Text<'_>) -> Result<Read, DecodeError> {
    match text.kind() {
        Some(Kind::String) => read(text).map(Read::String),
        Some(Kind::Number) => {
            let number: Number = read(text)?;
            match number.to_i64() {
                Some(number) => Ok(Read::Number(number)),
                None if number.is_integer() => {
                    let error = DecodeError::data("integer exceeds 64 bits");
                    Err(error.with_rule(Rule::Limit, [i64::MAX.to_string()]))
                }
                None => {
                    let message = "expected a string or an integer, not a fraction";
                    let error = DecodeError::data(message);
                    Err(error.with_rule(Rule::Type, ["a string or an integer"]))
                }
            }
        }
        _ => Err(text.unfit(&"a string or an integer")),
    }
}
