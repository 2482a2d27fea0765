//! [`Writer`]: encodes compact JSON in one line, appended to a buffer.
//!
//! This crate and those built on it encode all text with this writer, so that a program contains
//! the code that encodes a type only once.

mod line;

use serde::ser::Serialize;
use serde_json::Serializer;
use serde_json::value::RawValue;

use line::Line;

/// Appends values to a buffer as compact JSON without line breaks.
///
/// The text is that of `serde_json`, except that line breaks in raw values are replaced by spaces.
/// Otherwise the text of a peer could end the current line and start another message.
pub struct Writer<'a>(Serializer<&'a mut Vec<u8>, Line<'a>>);

impl<'a> Writer<'a> {
    /// Creates a writer that appends to a buffer.
    #[must_use]
    pub fn new(buffer: &'a mut Vec<u8>) -> Self {
        Self(Serializer::with_formatter(buffer, Line::new()))
    }

    /// Creates a writer that appends to a buffer and adds a member to the `_meta` of the outermost
    /// object, unless `_meta` has that member already. A missing `_meta` is created.
    ///
    /// A `_meta` that is not an object, or that is a raw value, is left unchanged.
    #[must_use]
    pub fn with_meta(buffer: &'a mut Vec<u8>, name: &'a str, value: &'a RawValue) -> Self {
        Self(Serializer::with_formatter(
            buffer,
            Line::adding(name, value),
        ))
    }

    /// Appends a value to the buffer.
    ///
    /// # Errors
    ///
    /// Returns an error if the value cannot be encoded. What was written before the error stays in
    /// the buffer.
    pub fn write<T: Serialize + ?Sized>(&mut self, value: &T) -> serde_json::Result<()> {
        // Called through a function pointer to reduce compile time; see `json::from_str`.
        let write: fn(&T, _) -> _ = T::serialize;
        write(value, &mut self.0)
    }
}

impl std::fmt::Debug for Writer<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Writer").finish_non_exhaustive()
    }
}

/// Encodes any type as text, with a [`Writer`].
///
/// # Errors
///
/// Returns an error if the value cannot be encoded.
pub fn to_string<T: Serialize + ?Sized>(value: &T) -> serde_json::Result<String> {
    let mut buffer = Vec::with_capacity(128);
    match Writer::new(&mut buffer).write(value) {
        Ok(()) => text(buffer),
        Err(error) => Err(error),
    }
}

fn text(buffer: Vec<u8>) -> serde_json::Result<String> {
    String::from_utf8(buffer).map_err(serde::ser::Error::custom)
}

/// Encodes any type as a raw value that can be embedded in other values, with a [`Writer`].
///
/// # Errors
///
/// Returns the same errors as [`to_string`].
pub fn to_raw<T: Serialize + ?Sized>(value: &T) -> serde_json::Result<Box<RawValue>> {
    RawValue::from_string(to_string(value)?)
}
