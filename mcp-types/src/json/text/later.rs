//! [`Later`]: the value of a member that is decoded when its type is known.

use std::fmt;

use serde::de::value::{BorrowedStrDeserializer, U64Deserializer};
use serde::de::{
    Deserialize, DeserializeOwned, DeserializeSeed, Deserializer, Error as _, IntoDeserializer,
    SeqAccess, Visitor,
};

use super::super::super::error::DecodeError;
use super::{Lookahead, Result, Text};

/// A visitor that asks for this newtype struct gets an array: the text of the next value, and the number
/// of arrays and objects around it. The text may not be JSON.
pub(super) const LATER: &str = "$mcp_types::Later";

/// A value that was skipped, and that can be decoded as any type.
#[derive(Debug)]
pub struct Later<'de> {
    text: &'de str,
    depth: usize,
}

impl Later<'_> {
    /// Decodes the value. Returns `None` if it is not a valid `T`.
    pub(crate) fn read<T: DeserializeOwned>(&self) -> Option<T> {
        let mut text = Text::new(self.text);
        text.depth = self.depth;
        // Called through a function pointer to reduce compile time; see `json::from_str`.
        let read: fn(_) -> _ = T::deserialize;
        let value = read(&mut text).ok()?;
        text.end().ok()?;
        Some(value)
    }
}

impl<'de> Text<'de> {
    /// Skips the next value, and passes its text to a visitor.
    pub(super) fn visit_later<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        let mut ahead = Lookahead::starting_at(self.whole, self.at);
        let text = ahead.value()?;
        self.at = ahead.position();
        visitor.visit_seq(Parts {
            text: Some(text),
            depth: u64::try_from(self.depth).ok(),
        })
    }
}

/// The elements of the array that [`LATER`] describes.
struct Parts<'de> {
    text: Option<&'de str>,
    depth: Option<u64>,
}

impl<'de> SeqAccess<'de> for Parts<'de> {
    type Error = DecodeError;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        if let Some(text) = self.text.take() {
            let text = BorrowedStrDeserializer::new(text);
            return seed.deserialize(text).map(Some);
        }
        let depth = self.depth.take().map(IntoDeserializer::into_deserializer);
        depth
            .map(|depth: U64Deserializer<DecodeError>| seed.deserialize(depth))
            .transpose()
    }
}

impl<'de> Deserialize<'de> for Later<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct LaterVisitor;

        impl<'de> Visitor<'de> for LaterVisitor {
            type Value = Later<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("JSON text")
            }

            fn visit_seq<A: SeqAccess<'de>>(
                self,
                mut parts: A,
            ) -> std::result::Result<Later<'de>, A::Error> {
                match (parts.next_element()?, parts.next_element()?) {
                    (Some(text), Some(depth)) => Ok(Later { text, depth }),
                    _ => Err(A::Error::custom("expected JSON text")),
                }
            }
        }

        deserializer.deserialize_newtype_struct(LATER, LaterVisitor)
    }
}
