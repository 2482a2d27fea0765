//! Explains a recording: what each message is, how long its answer took, and what is not valid.

mod diagram;
mod faults;
mod page;
mod pretty;
mod rows;
mod table;

pub(crate) use page::page;
pub(crate) use rows::explain;
pub(crate) use table::{json, table};
