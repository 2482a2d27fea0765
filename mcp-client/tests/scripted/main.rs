//! Our client and servers that do what a test says.

mod fake;
mod lists;
