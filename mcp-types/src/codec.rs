//! What generated types are read and written with.
//!
//! The generated code says what a type consists of; the functions here say how such a thing is
//! decoded exactly: no member twice, constants checked, bounds kept, unknown members preserved,
//! unions decided by tag or shape without an intermediate that would change a number.

mod extra;
mod member;
mod members;
mod object;
mod shape;
mod text;
mod union;
mod write;

pub use super::base64::Base64Text;
pub use super::cursor::Cursor;
pub use super::id::{ProgressToken, RequestId};
pub use super::json::{Map, Number, Object, Value};
pub use extra::{Empty, Extra};
pub use member::{
    Slot, check_int, check_ints, check_number, check_size, integer, read_constant, read_int,
    read_ints, read_nullable_int, read_number, read_one_or_many, read_optional_int,
    read_optional_ints, read_optional_number, read_optional_sized, read_sized, read_text,
};
pub use members::Members;
pub use object::{FromMembers, Key, read_object, unknown_member};
pub use shape::{Candidate, read_shape, shape_of};
pub use text::{FromText, OtherText, UnknownValue, parse_text, read_text_enum};
pub use union::{
    Attempt, FromAny, Tagged, array, find_tag, first_of, from_part, from_text, missing_tag,
    read_union, unknown_tag,
};
pub use write::Writing;
