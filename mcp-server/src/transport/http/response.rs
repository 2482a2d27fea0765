//! Responses: `answer` creates one, `body` is its body, and `future` waits for it. Handlers write
//! messages to an `sse_queue`, which an `event_stream` sends. `unread_body` closes the connection after
//! a response to a request whose body was not read.

pub(crate) mod answer;
pub(crate) mod body;
#[cfg(feature = "proposals")]
pub(crate) mod chunks;
pub(crate) mod sse_queue;
pub(crate) mod unread_body;
