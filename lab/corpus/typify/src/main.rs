//! The types that typify generates.

#![allow(warnings, reason = "only errors count")]

mod groups;
mod list;

fn main() {}
