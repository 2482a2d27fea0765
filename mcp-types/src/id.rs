//! [`RequestId`] and [`ProgressToken`]: identifiers that a peer chooses and expects back unchanged.

use std::fmt;

use serde::de::{self, Deserialize, Deserializer};
use serde::ser::{Serialize, Serializer};

use super::json::Value;

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

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                // Goes through a value, which decodes numbers exactly with any features of
                // `serde_json`.
                match read(Value::deserialize(deserializer)?).map_err(de::Error::custom)? {
                    Read::Number(number) => Ok(Self::Number(number)),
                    Read::String(text) => Ok(Self::String(text)),
                }
            }
        }
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

/// The reason why a value is neither a string nor an integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unfit {
    Fraction,
    OutOfRange,
    Type(&'static str),
}

impl fmt::Display for Unfit {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fraction => f.write_str("expected a string or an integer, not a fraction"),
            Self::OutOfRange => f.write_str("integer exceeds 64 bits"),
            Self::Type(found) => {
                write!(f, "invalid type: {found}, expected a string or an integer")
            }
        }
    }
}

fn read(value: Value) -> Result<Read, Unfit> {
    Err(Unfit::Type(match value {
        Value::String(text) => return Ok(Read::String(text)),
        Value::Number(number) => {
            return match number.to_i64() {
                Some(number) => Ok(Read::Number(number)),
                None if number.is_integer() => Err(Unfit::OutOfRange),
                None => Err(Unfit::Fraction),
            };
        }
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }))
}
