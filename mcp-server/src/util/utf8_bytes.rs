//! Encodes bytes that are UTF-8 text as a string, for `#[serde(with)]`.

use serde::{Deserialize, Deserializer, Serializer, ser};

pub(crate) fn serialize<S: Serializer>(bytes: &[u8], out: S) -> Result<S::Ok, S::Error> {
    let text = std::str::from_utf8(bytes).map_err(ser::Error::custom)?;
    out.serialize_str(text)
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
    String::deserialize(from).map(String::into_bytes)
}
