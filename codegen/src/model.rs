//! The model of a schema: named types, their members, and messages.

mod build;
mod history;
mod messages;
mod names;
mod note;
mod order;
mod own_variants;
mod recursion;
mod sample;
mod share;
mod ty;
mod types;
mod valid;

pub use build::{BuildError, Source, build, build_neutral};
pub use history::{History, MOST_REVISIONS, Part, Presence};
pub(crate) use names::{SUPPORT, is_keyword};
pub use names::{distinct_names, field_ident, type_ident, variant_ident, words as split_words};
pub use note::Note;
pub use order::keep_form_of_structs;
pub use sample::{Invented, example, invent};
pub use share::{Family, share};
pub use ty::{Bounds, Ty};
pub use types::{
    DRAFT, Kind, Member, Message, MessageKind, Model, Object, Recursion, Sender, StringEnum,
    TypeDef, Union, Variant,
};
pub use valid::is_valid;
