//! `proptest` strategies for every type: `any::<CallToolRequest>()` draws a request.
//!
//! A strategy of `proptest` is compiled anew for each type of its values. For more than a thousand
//! types, this would take longer than compiling all other code of this crate. So a value is drawn
//! in parts, which have one type, [`Part`]. Only the code that puts them together is compiled for
//! each type.

mod basic;
mod combine;
mod depth;
mod part;
mod table;

// The generated tables name these. A schema need not have types of every kind.
#[doc(hidden)]
pub use self::basic::{closed_text, extra, int, number, open_text};
#[doc(hidden)]
pub use self::combine::{
    Field, boxed, content, content_of, draw, empty_list, empty_map, field, field_of, fields, list,
    map, maybe, none, one_of, some, with_fields,
};
#[doc(hidden)]
pub use self::depth::{remembered, unless_deep};
#[doc(hidden)]
pub use self::part::{Draw, FieldParts, Part};
pub use self::part::{Values, ValuesTree};
pub(crate) use self::table::{
    field_strategy, object_strategy, strategy, text_strategy, union_strategy, variant_strategy,
};
