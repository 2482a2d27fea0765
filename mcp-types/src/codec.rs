//! Runtime support for the generated types.
//!
//! The generated code describes what a type consists of. The functions in this module decode and
//! encode it exactly: they reject duplicate members, check constants and bounds, preserve unknown
//! members, and select the variant of a union by its tag or shape without an intermediate
//! representation that would change a number.

mod bounds;
mod declared;
mod define;
mod extra;
pub mod fill;
mod guard;
pub mod hold;
mod members;
pub mod merged;
mod name;
mod object;
mod place;
mod reader;
pub(crate) mod retry;
mod scalar;
mod shape;
mod take;
mod text;
mod union;
mod vacant;
mod writer;
mod written_name;

pub use super::base64::Base64Text;
pub use super::cursor::Cursor;
pub use super::id::{ProgressToken, RequestId};
pub use super::json::text::Later;
pub use super::json::{Map, Number, Object, Value, from_object};
pub use declared::{Declared, Need, Table, need};
#[allow(unused_imports, reason = "a schema may have only some kinds of types")]
pub(crate) use define::{
    default_codec, from_variant, hold_variant, merged_codec, object_codec, read_content,
    read_variant, setter, text_codec, union_codec, union_value,
};
pub use extra::{Empty, Extra};
pub use members::Members;
pub use merged::{Merged, read_merged};
pub use name::Key;
pub use object::{FromMembers, read_object, read_object_into, unknown_member};
pub use place::list;
pub use reader::Reader;
pub use scalar::{integer, integers};
pub use shape::{Candidate, Candidates, Decode, Undecided, read_shape, unknown_variant};
pub use text::{FromText, OtherText, UnknownValue, parse_text, read_text_enum};
pub use union::{
    Attempt, FromAny, Tagged, array, find_tag, first_of, from_map, from_part, from_text,
    missing_tag, read_union, read_union_into, unknown_tag,
};
pub use vacant::Vacant;
pub use writer::Writer;
pub use written_name::WrittenName;
pub(crate) use written_name::written_name;
