//! [`Encoded`]: JSON text that is part of another value.

use serde::ser::{Serialize, SerializeStruct, Serializer};

use super::format::RAW;

/// JSON text that was encoded before. A serializer of `serde_json` writes it as it is, like a raw
/// value, but the text is not validated again.
#[derive(Clone, Copy, Debug)]
pub struct Encoded<'a>(pub &'a str);

impl Serialize for Encoded<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut raw = serializer.serialize_struct(RAW, 1)?;
        raw.serialize_field(RAW, self.0)?;
        raw.end()
    }
}
