//! Questions to the user at the terminal.

pub(crate) mod ask;
pub(crate) mod form;
pub(crate) mod paste;
