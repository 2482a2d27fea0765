//! Server-sent events, as used by the Streamable HTTP transport and the older HTTP+SSE transport:
//! [`write_event`] and [`write_comment`] for senders, [`Decoder`] for receivers.
//!
//! The format is defined by the HTML standard, section "Server-sent events". This module does no
//! I/O.
//!
//! ```
//! use mcp_types::sse::{Decoder, Event, write_event};
//!
//! let mut wire = Vec::new();
//! write_event(&mut wire, &Event { id: Some("7"), ..Event::data(b"{\"jsonrpc\":\"2.0\"}") })?;
//! assert_eq!(wire, b"id: 7\ndata: {\"jsonrpc\":\"2.0\"}\n\n");
//!
//! let mut decoder = Decoder::new(1 << 20);
//! for mut chunk in wire.chunks(5) {
//!     while let Some(message) = decoder.next(&mut chunk)? {
//!         assert_eq!(message.event, "message");
//!         assert_eq!(message.data, "{\"jsonrpc\":\"2.0\"}");
//!     }
//! }
//! assert_eq!(decoder.last_event_id(), "7");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod decode;
mod encode;

pub use decode::{Decoder, Message, SseError};
pub use encode::{Event, FieldError, write_comment, write_event};
