//! Responses: `answer` creates one, and `body` is its body and what waits for it. Handlers write
//! messages to an `sse_queue`, which is sent as a stream of events. `unread_body` closes the connection after
//! a response to a request whose body was not read.

pub(crate) mod answer;
pub(crate) mod body;
#[cfg(feature = "proposals")]
pub(crate) mod chunks;
pub(crate) mod sse_queue;
pub(crate) mod unread_body;
