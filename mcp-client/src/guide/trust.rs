//! Servers that err, break, or mean harm: what is bounded, what error comes of what, and what goes on.
//!
//! # Errors
//!
//! | error | when | where |
//! | --- | --- | --- |
//! | [`ConnectError`](crate::ConnectError) | there is no connection, or no revision that both sides speak | [`connect`](crate::ClientBuilder::connect) |
//! | [`CallError`](crate::CallError) | a call has no result | calls, lists, subscriptions |
//! | [`TransportError`](crate::TransportError) | the connection failed | source of `CallError::Lost`, in `ConnectError` |
//! | [`HttpError`](crate::HttpError) | an exchange over HTTP failed; others go on | in `TransportError` |
//! | `FetchFailed` | a resource was to be had neither by its URL nor by reading it (feature `https-url`) | `Client::fetch` |
//! | `FetchError` | a URL that the server names was of no use (feature `tls`) | `Fetched::attempts`, `FetchFailed`, `IconError` |
//! | [`IconError`](crate::icons::IconError) | an icon is not shown | [`Client::icon`](crate::Client::icon) |
//!
//! ```
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/subject/guide.rs"));
//! use mcp_client::{CallError, Client, HttpError, TransportError};
//!
//! async fn careful(client: &Client) -> &'static str {
//!     match client.call_tool("delete").await {
//!         Ok(result) if result.has_failed() => "the tool says why",
//!         Ok(_) => "done",
//!         // An error of the protocol, with its code, message and data.
//!         Err(CallError::Refused { source, .. }) if source.code == -32602 => "no such tool",
//!         Err(CallError::Refused { .. }) => "refused",
//!         // The server may have done it, and may still be at it.
//!         Err(CallError::Timeout { .. }) => "too late",
//!         Err(CallError::Lost { source, .. }) => match &*source {
//!             TransportError::Http(HttpError::Unauthorized { .. }) => "who are you?",
//!             TransportError::Exited { .. } => "the server's process ended",
//!             _ => "the connection is lost",
//!         },
//!         // The answer is not one. The error says where: `$.content[0].type`.
//!         Err(_) => "a faulty server",
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
//! # What comes of what
//!
//! | the server | the call | the connection |
//! | --- | --- | --- |
//! | answers with an error | `Refused` | goes on |
//! | answers with what is no result of the method, or nests deeper than 127 levels | `Answer`, with the path | goes on |
//! | answers with what is no JSON-RPC, but has the id | `Message` | goes on |
//! | answers with an unknown `resultType` | `ResultType` | goes on |
//! | answers with an id that nobody used, or for the second time | goes on waiting; over HTTP `NoAnswer` | goes on |
//! | writes what is no message | goes on waiting, and it is logged by `tracing`; over HTTP a body that is none is `Lost` | goes on |
//! | answers with an error that is none | `Refused`, with -32603 | goes on |
//! | sends a message, or an event, that is too long | `Lost` with `TooLong`: over HTTP this call, on a stream all that wait, for it cannot be told whose it was | goes on |
//! | does not answer | `Timeout`, and it is told | goes on |
//! | asks questions without end | `Rounds` | goes on |
//! | asks very many questions at once | `Questions` | goes on |
//! | gives lists without end | `List`, after what came | goes on |
//! | gives a malformed element of a list | `Element` for that one, or in `faults` | goes on |
//! | breaks its own `outputSchema` | `Output`, with the result (feature `json-schema`) | goes on |
//! | has a schema that takes too long to check, or refers elsewhere | `Output` | goes on |
//! | closes in the middle | `Lost` with `Closed`, `Exited` or an `HttpError` | over HTTP goes on; else is over, or the process is started again |
//! | does not read | waits, up to its timeout | goes on |
//! | asks more than it may, or what was not declared | does not notice: the server is refused | goes on |
//! | asks and does not read the answers | waits: nothing is read until it does | goes on |
//! | floods with notifications | does not notice: each is heard and dropped; subscriptions hear `Missed` | goes on |
//! | reports progress that nobody asked for | does not notice | goes on |
//!
//! # Bounds
//!
//! Everything that a server could make grow or last is bounded, by [`Limits`](crate::Limits):
//!
//! | limit | default | bounds |
//! | --- | --- | --- |
//! | `message_bytes` | 16 MiB | one message, line, event or body |
//! | `call_time` | 1 minute | the wait for an answer |
//! | `probe_time` | 5 seconds | the wait for an answer to `server/discover` while connecting |
//! | `connect_time` | 10 seconds | reaching a host over HTTP |
//! | `rounds` | 16 | how often a call is sent for the sake of questions |
//! | `server_requests` | 64 | questions that handlers work on at once |
//! | `server_request_bytes` | 32 MiB | questions of an older server that handlers work on |
//! | `pending_events`, `pending_bytes` | 1024, 4 MiB | events of a subscription that the program has not taken |
//! | `retry_first`, `retry_most` | 500 ms, 30 s | the wait before a subscription is tried again |
//! | `list_pages`, `list_items`, `list_bytes` | 1,000; 100,000; 64 MiB | a list over all its pages |
//! | `queued_bytes` | 1 MiB | what waits for a server that does not read |
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
//! `usize::MAX` and `Duration::MAX` mean without a bound.
//!
//! Bounds that are not to be set: the last 4 KiB of captured standard error, 256 characters of an
//! HTTP body in an error, 1,000 messages of a batch (only 2025-03-26 has batches), 1,024 output schemas
//! of 4 MiB in all, 4,096 tools whose arguments go into headers and 4 MiB of their names, 256 origins
//! in an [`EraCache`](crate::EraCache), 5 attempts in vain to take up a stream, 5 minutes before it is
//! taken up again where the server asks for more.
//!
//! # What no library can do
//!
//! What a server says of itself, its tools' descriptions and annotations among it, is its own word, and
//! nothing is checked of it. Texts may hold escape sequences of terminals, and instructions that are
//! meant for a model. What this crate itself logs of them by `tracing` is truncated and escaped; the
//! program `mcp` escapes what it shows. A child process has the rights of the user who starts it.
