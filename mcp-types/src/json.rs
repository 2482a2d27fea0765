//! Lossless JSON values: members keep their order, integers stay integers and floats stay floats,
//! whichever features of `serde_json` other crates enable.
//!
//! [`Value`] and [`Object`] hold the parts of a message that the protocol does not define. Both are
//! also deserializers. [`from_str`], [`from_slice`] and [`from_value`] decode any type and report
//! the path of an error. [`Writer`] and [`to_string`] encode any type in one line.

mod convert;
mod de;
mod decimal;
mod decode;
mod encoded;
mod format;
mod from;
pub(crate) mod grow;
mod key;
mod limits;
pub(crate) mod map;
mod node;
mod number;
mod raw;
mod read;
mod ser;
pub(crate) mod syntax;
pub(crate) mod text;
mod value;
mod with_text;
mod write;

pub mod iter {
    //! Iterators over the members of an [`Object`](super::Object).
    pub use super::map::iter::{IntoIter, Iter, IterMut};
}

pub use de::Members;
#[doc(hidden)]
pub use decode::deserialize;
pub(crate) use decode::deserialize_from_text;
#[doc(hidden)]
pub use encoded::Encoded;
pub use format::NESTING_LIMIT;
pub use from::{from_object, from_slice, from_str, from_value, from_value_ref, to_value};
#[doc(hidden)]
pub use key::Key;
pub use limits::Limits;
pub use map::Map;
pub(crate) use number::arbitrary_precision as hides_numbers;
pub use number::{NUMBER_LIMIT, Number};
pub use ser::{Writer, to_raw, to_string};
pub use text::all_faults;
#[doc(hidden)]
pub use text::{Decode, Kind, Text, read};
pub use value::{Object, Value};
pub use with_text::WithText;
