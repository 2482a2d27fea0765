//! Runtime support for the generated types.
//!
//! The generated code describes what a type consists of. The functions in this module decode and
//! encode it exactly: they reject duplicate members, check constants and bounds, preserve unknown
//! members, and select the variant of a union by its tag or shape without an intermediate
//! representation that would change a number.

mod bounds;
mod check;
mod declared;
mod define;
mod extra;
pub mod fill;
#[allow(dead_code, reason = "a schema may have no such field")]
pub mod kept;
mod object;
mod reader;
mod scalar;
mod shape;
mod text;
mod union;
mod writer;

pub use super::base64::Base64Text;
pub use super::cursor::Cursor;
pub use super::error::DecodeError;
pub use super::id::{ProgressToken, RequestId};
pub use super::json::{Decode, Key, Kind, Map, Number, Object, Text, Value, deserialize, read};
pub use check::{Check, Checks, Literal, Pattern, checked};
pub use declared::{Declared, Need, Table, need};
#[allow(unused_imports, reason = "a schema may have only some kinds of types")]
pub(crate) use define::{
    checked, default_codec, from_variant, object_codec, setter, text_codec, union_codec,
};
pub use extra::{Empty, Extra};
pub use object::{FromMembers, read_object};
pub use reader::Reader;
pub use scalar::Null;
pub use shape::Condition::{Has, HasInside, HasOneOf};
pub use shape::{Candidate, Condition, first_fit};
pub use text::{FromText, OtherText, UnknownValue, parse_text, read_text_enum};
pub use union::{Variant, first_of, required_tag, tag, unexpected, unknown_tag};
pub use writer::Writer;
