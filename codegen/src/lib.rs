//! Schema documents in, Rust source out.
