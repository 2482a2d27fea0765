//! The macros that implement a type's codec from a table.
//!
//! A generated file defines a type; a table next to it lists what is mechanical. Each macro expands
//! in one step, without recursion over the rows, so that a table costs little compile time. Paths
//! such as `codec::Reader` are those of the file that contains the table.

#![allow(
    unused_imports,
    unused_macros,
    reason = "a schema may have only some kinds of types"
)]

mod object;
mod text;
mod union;

/// Calls a decoder, and then checks what it decoded if there is a list of checks.
macro_rules! checked {
    ($text:ident; |$inner:ident| $decode:expr) => {{
        let $inner = $text;
        $decode
    }};
    ($text:ident, $checks:path; |$inner:ident| $decode:expr) => {
        codec::checked($text, $checks, |$inner| $decode)
    };
}

pub(crate) use checked;
pub(crate) use object::{default_codec, object_codec, setter};
pub(crate) use text::text_codec;
pub(crate) use union::{from_variant, union_codec};
