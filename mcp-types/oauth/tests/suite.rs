//! All integration tests, in one program.

mod documents;
mod tokens;
