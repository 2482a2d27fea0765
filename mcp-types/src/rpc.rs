//! The JSON-RPC envelope: determines the kind of a message without decoding its params or result.
//!
//! [`parse`] reads the bytes once and borrows the parts from them: the id, the method, and
//! `params`, `result` or `error` as raw JSON. The method then determines their types. This module
//! does no I/O. Member names are case-sensitive, and a duplicate member is an error: otherwise two
//! parsers could read different messages from the same text.
//!
//! ```
//! use mcp_types::rpc::{self, Message};
//!
//! let text = br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
//! match rpc::parse(text) {
//!     Ok(Message::Request { id, method, .. }) => assert_eq!((id, &*method), (1.into(), "ping")),
//!     Ok(_) => unreachable!("it has a method and an id"),
//!     Err(error) => println!("answer with {} to {:?}", error.code(), error.id()),
//! }
//! ```

mod batch;
mod bodies;
mod code;
mod decode;
mod envelope;
mod fault;
mod members;
mod message;
mod object;
mod revision;
mod tracker;
mod write;

pub use crate::revisions::ErrorObject;
pub use batch::{Incoming, parse_batch, split_batch};
pub use code::{INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, PARSE_ERROR};
pub use decode::{Decoded, MessageError, Of, decode};
pub use envelope::{parse, parse_str};
pub use fault::{EnvelopeError, Fault};
pub use message::{Extra, Message};
pub use revision::revision_of;
pub use tracker::{Tracked, TrackedRequest, Tracker};
pub use write::{
    write_error, write_notification, write_notification_at, write_request, write_request_at,
    write_result, write_result_at,
};
