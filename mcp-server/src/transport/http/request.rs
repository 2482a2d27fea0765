//! Reads requests: `accept` reads which forms of a response the client accepts, `headers` compares the
//! headers with the message, and `body` reads the body.

pub(crate) mod accept;
pub(crate) mod body;
pub(crate) mod headers;
