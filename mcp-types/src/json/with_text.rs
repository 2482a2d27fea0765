//! [`WithText`]: a decoded value beside the text from which it was decoded.

use std::fmt;
use std::ops::Deref;

use serde::de::{Deserialize, DeserializeOwned, Deserializer, Error};
use serde::ser::{Serialize, Serializer};

use super::raw::decode_text;
use super::{Encoded, from_str};

/// A decoded value, and the JSON text from which it was decoded.
///
/// Types write declared members in the order of the schema, and other members after them. A program
/// that has to reproduce a message byte for byte, such as a recorder or a proxy that verifies
/// signatures, decodes `WithText<T>` in place of `T`: it is written as the text that was received.
/// It can also be part of another value. The value cannot be changed, so that it always agrees with
/// the text; [`into_value`](Self::into_value) returns it alone.
///
/// [`json::to_string`](super::to_string) and [`Writer`](super::Writer) write everything in one line,
/// because transports separate messages by line breaks: they replace each line break between two
/// parts of the text by a space. [`text`](Self::text) and `serde_json` keep it.
///
/// ```
/// use mcp_types::Tool;
/// use mcp_types::json::{self, WithText};
///
/// let text = r#"{ "vendor": 1e2, "name": "rain", "inputSchema": {"type": "object"} }"#;
/// let tool: WithText<Tool> = json::from_str(text)?;
/// assert_eq!(tool.name, "rain");
/// assert_eq!(json::to_string(&tool)?, text);
/// // Without the text, the undeclared member follows the declared ones.
/// let written = json::to_string(&tool.into_value())?;
/// assert_eq!(written, r#"{"name":"rain","inputSchema":{"type":"object"},"vendor":1e2}"#);
/// # Ok::<(), mcp_types::error::DecodeError>(())
/// ```
///
/// Deserializers of other crates than this one and `serde_json` have no text; there the text is that
/// of the value, encoded again.
#[derive(Clone)]
pub struct WithText<T> {
    value: T,
    text: Box<str>,
}

impl<T> WithText<T> {
    /// Returns the text, without white space around it.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the value.
    #[must_use]
    pub fn value(&self) -> &T {
        &self.value
    }

    /// Returns the value without the text.
    #[must_use]
    pub fn into_value(self) -> T {
        self.value
    }

    /// Returns the value and the text.
    #[must_use]
    pub fn into_parts(self) -> (T, Box<str>) {
        (self.value, self.text)
    }
}

impl<T> Deref for WithText<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T: fmt::Debug> fmt::Debug for WithText<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}

/// Compares the texts. Different texts may stand for equal values.
impl<T> PartialEq for WithText<T> {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for WithText<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut decoded = None;
        decode_text(deserializer, &mut |text| {
            let value = from_str(text)?;
            let text = text.into();
            decoded = Some(Self { value, text });
            Ok(())
        })?;
        decoded.ok_or_else(|| D::Error::custom("the deserializer passed no value"))
    }
}

impl<T> Serialize for WithText<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Encoded(&self.text).serialize(serializer)
    }
}
