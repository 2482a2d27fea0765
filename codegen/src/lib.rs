//! Schema documents in, Rust source out.

pub mod schema;
