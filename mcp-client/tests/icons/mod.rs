//! Icons that clients and servers set for themselves.

mod defined;
mod older;
