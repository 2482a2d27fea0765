//! Faulty and hostile servers: errors, limits, and what remains to the program.
//!
//! # Errors
//!
//! | error | when | where |
//! | --- | --- | --- |
//! | [`ConnectError`](crate::ConnectError) | there is no connection, or no common revision | [`connect`](crate::ClientBuilder::connect) |
//! | [`CallError`](crate::CallError) | a call has no result | calls, lists, subscriptions |
//! | [`TransportError`](crate::TransportError) | the connection failed | source of `CallError::Lost`, in `ConnectError` |
//! | [`HttpError`](crate::HttpError) | an HTTP request failed; others are not affected | in `TransportError` |
//! | `FetchFailed` | a resource could neither be fetched by its URL nor read (feature `https-url`) | `Client::fetch` |
//! | `FetchError` | a URL of the server is not allowed, or failed (feature `tls`) | `Fetched::attempts`, `FetchFailed`, `IconError` |
//! | [`IconError`](crate::icons::IconError) | an icon is not allowed, or cannot be loaded | [`Client::icon`](crate::Client::icon) |
//!
//! ```
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/subject/guide.rs"));
//! use mcp_client::{CallError, Client, RefusalKind, TransportError};
//!
//! async fn careful(client: &Client) -> &'static str {
//!     match client.call_tool("delete").await {
//!         Ok(result) if result.has_failed() => "the tool failed",
//!         Ok(_) => "done",
//!         // The server refused the call. An error of the protocol has a code, a message and data.
//!         Err(error) if error.kind().is_some() => match error.kind() {
//!             Some(RefusalKind::LoginRequired) => "not authorized",
//!             Some(RefusalKind::InvalidParams) => "no such tool",
//!             _ => "refused",
//!         },
//!         // The server may have executed the call, or may still execute it.
//!         Err(CallError::Timeout { .. }) => "timeout",
//!         Err(CallError::Lost { source, .. }) => match &*source {
//!             TransportError::Exited { .. } => "the server process exited",
//!             _ => "the connection is lost",
//!         },
//!         // The result is invalid. The error contains the path: `$.content[0].type`.
//!         Err(_) => "faulty server",
//!     }
//! }
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let server = mcp_server::Server::builder("empty", "1.0.0")
//! #     .tool("other", "Is there", async || ())
//! #     .build()?;
//! # let client = Client::builder("demo", "1.0.0").connect(serve(server)).await?;
//! # assert_eq!(careful(&client).await, "no such tool");
//! # client.close().await;
//! # assert_eq!(careful(&client).await, "the connection is lost");
//! # Ok(())
//! # }
//! ```
//!
//! # Consequences of faults
//!
//! | the server | the call | the connection |
//! | --- | --- | --- |
//! | answers with an error, with any HTTP status | `Refused`; [`kind`](crate::CallError::kind) classifies it | continues |
//! | sends an invalid result, or one with more than 127 nested levels | `Answer`, with the path | continues |
//! | sends a malformed message with the id of the call | `Message` | continues |
//! | sends an unknown `resultType` | `ResultType` | continues |
//! | responds to an unknown id, or for the second time | continues to wait; over HTTP `NoAnswer` | continues |
//! | sends a malformed message | continues to wait, and the message is logged; over HTTP a malformed body is `Lost` | continues |
//! | sends a malformed error object | `Refused`, with the number that its code contains, or -32603 | continues |
//! | ends a subscription | is not affected: the subscription receives `Interrupted` and is opened again | continues |
//! | sends a message, or an event, that is too long | `Lost` with `TooLong`: over HTTP this call, on a byte stream all pending calls, because it may be the response to any of them | continues |
//! | does not answer | `Timeout`, with the last lines that the server wrote beside its messages; the call is cancelled on the server | continues |
//! | asks questions without end | `Rounds` | continues |
//! | asks too many questions at once | `Questions` | continues |
//! | sends endless lists | `List`, after the received elements | continues |
//! | sends a malformed element of a list | `Element` for that element, or in `faults` | continues |
//! | violates its own `outputSchema` | `Output`, with the result (feature `json-schema`) | continues |
//! | has an `outputSchema` that is invalid, refers to other documents, or takes too long to validate | returns the result, which is not checked; the reason is logged | continues |
//! | closes the connection | `Lost` with `Closed`, `Exited` or an `HttpError` | over HTTP continues; otherwise is closed, or the process is restarted |
//! | does not read | waits, up to its timeout | continues |
//! | asks more questions than allowed, or undeclared ones | is not affected: the requests are rejected | continues |
//! | asks questions and does not read the answers | waits: the client stops reading until the server reads | continues |
//! | floods with notifications | is not affected: each is handled and dropped; subscriptions receive `Missed` | continues |
//! | reports progress without a request for it | is not affected | continues |
//!
//! # Limits
//!
//! [`Limits`](crate::Limits) bound the memory and the time that a server can use:
//!
//! | limit | default | what it bounds |
//! | --- | --- | --- |
//! | `message_bytes` | 16 MiB | one message, line, event or body |
//! | `call_time` | 1 minute | the wait for a response |
//! | `progress_time` | none | a call in total, if reports of progress restart its timeout |
//! | `probe_time` | 5 seconds | the wait for the response to `server/discover` before the handshake is begun beside it |
//! | `connect_time` | 10 seconds | connecting to a host over HTTP |
//! | `authorize_time` | 10 minutes | how long the timeout of a call pauses while a user logs in |
//! | `rounds` | 16 | how often a call with questions is sent |
//! | `server_requests` | 64 | questions that handlers answer at once |
//! | `server_request_bytes` | 32 MiB | the size of the questions of an older server that handlers answer at once |
//! | `pending_events`, `pending_bytes` | 1024, 4 MiB | the queued events of a subscription |
//! | `retry_first`, `retry_most` | 500 ms, 30 s | the pause before a subscription is opened again |
//! | `list_pages`, `list_items`, `list_bytes` | 1,000; 100,000; 64 MiB | a list over all its pages |
//! | `queued_bytes` | 1 MiB | the queue of messages for a server that does not read |
//!
//! ```
//! use std::time::Duration;
//!
//! use mcp_client::{Client, Limits};
//!
//! let mut limits = Limits::default();
//! limits.call_time = Duration::from_secs(10);
//! limits.message_bytes = 1 << 20;
//! let builder = Client::builder("demo", "1.0.0").limits(limits);
//! # drop(builder);
//! ```
//!
//! `usize::MAX` and `Duration::MAX` mean no limit.
//!
//! Fixed limits: the last 4 KiB of captured standard error, and of output that is no message, 256
//! characters of an HTTP body in an error, 1,000 messages in a batch (only 2025-03-26 has batches),
//! 1,024 output schemas of 4 MiB in total, 4,096 tools with arguments in headers and 4 MiB of their
//! names, 256 origins in an [`EraCache`](crate::EraCache), 5 unsuccessful attempts to resume a
//! stream, and 5 minutes before a resumption, even if the server asks for more.
//!
//! # What remains to the program
//!
//! The description of a server and of its tools, including annotations, is not verified. Texts of
//! servers may contain escape sequences for terminals and instructions for a model. This crate
//! truncates and escapes them in `tracing` events, and the program `mcp` in its output. A child
//! process has the permissions of the user who starts it.
