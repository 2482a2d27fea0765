//! All integration tests, in one program.

mod challenge;
mod oauth_documents;
mod oauth_tokens;
