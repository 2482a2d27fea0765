//! All integration tests, in one program.

mod documents;
mod requests;
mod tokens;
