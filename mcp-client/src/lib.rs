//! Model Context Protocol clients: typed calls to servers of every revision, over every transport.
//!

#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(feature = "process", doc = "```no_run")]
#![cfg_attr(not(feature = "process"), doc = "```ignore")]
//! use mcp_client::{ChildProcess, Client};
//!
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! let server = ChildProcess::new("npx").args(["-y", "@modelcontextprotocol/server-everything"]);
//! let client = Client::builder("demo", "1.0.0").connect(server).await?;
//! for tool in client.tools().all().await?.items {
//!     println!("{}: {}", tool.name, tool.description.unwrap_or_default());
//! }
//! let numbers = serde_json::json!({ "a": 1, "b": 2 });
//! let sum = client.call_tool("get-sum").arguments(&numbers).await?;
//! println!("{}", sum.text());
//! client.close().await;
//! # Ok(())
//! # }
//! ```
//!
//! [`ClientBuilder`] configures the client and its answers to questions of servers. [`Client`] is a
//! connection, cheap to clone, with a method for each request; it negotiates the revision with the
//! server. A [`Call`] is a request with its timeout, progress and metadata. Lists are streams over
//! pages ([`List`]), changes are events ([`Subscription`]), and results are cached on demand
//! ([`Cache`]). [`Limits`] bound everything that a server can make grow. [`Tasks`] waits for calls
//! that take longer than a client does. [`middleware`] runs around all messages, and a [`ClientExtension`] adds to the protocol. The
//! [guide] shows each task with an example that compiles. The crate `mcp-host` offers the tools of
//! servers to language models, and loads their skills, apps and icons.
//!
//! # Features
//!
//! [`ByteStream`] (any stream or pair of streams) and servers of all revisions are always supported.
//! Optional functionality that needs more dependencies is behind Cargo features; none is on by
//! default. The crate without features depends on 25 others besides `mcp-types`, among them tokio,
//! serde and tracing. The last column counts the additional crates on Linux.
//!
//! | feature | provides | adds |
//! | --- | --- | --- |
//! | `process` | servers as child processes: `ChildProcess` | 7 crates |
//! | `http` | Streamable HTTP of both eras, and the HTTP+SSE of 2024-11-05: `Http` | 18 crates |
//! | `tls` | `http`, and `https` by rustls with ring and the certificates of the system | 34 crates |
//! | `proposals` | `tls`, and proposals for resources, unstable: [by their URLs](guide::fetch), [metadata, collections, versions and filters](guide::resources) | 34 crates |
//! | `draft` | the draft of the next revision, unstable: [eras](guide::eras) | no crate |
//! | `json-schema` | validation of structured results against the schemas of their tools | 52 crates |
//!
//! # Leniencies
//!
//! Servers deviate from their revision. The client accepts the following:
//!
//! * A response whose id is text instead of a number: `"7"` for `7`.
//! * A result of a modern revision without `resultType`, which means `complete`; without `ttlMs` or with a
//!   negative one, which means 0; without `cacheScope`, which means `private`.
//! * Results, notifications and questions in the form of a newer revision than the negotiated one. A
//!   question is answered in the oldest form that can express the answer.
//! * A malformed element of a list: it is reported, and the others are returned.
//! * A malformed error object: its code is the number that it contains, or -32603, and its message is
//!   its text, or its JSON.
//! * A byte order mark, and text that is not UTF-8 or has half a surrogate pair: U+FFFD replaces it.
//! * A response without `jsonrpc`, and one with `result` and `error` of which one is `null`.
//! * Members of results that are `null`, and lists that are `null`.
//! * Results of tools without `content`, and contents of a tool that cannot be read. A text with the
//!   JSON of the content replaces it, with the member `mcp-client/unreadable` in its `_meta`.
//! * Tools whose `inputSchema` has no `type`, or `properties` that are an empty list or `null`, and
//!   tools whose `outputSchema` is invalid or too costly: it is ignored.
//! * Base64 with line breaks.
//! * Lines and events that are not messages: they are logged and skipped. Empty ones are skipped.
//! * A last line without a line break.
//! * A result of `tasks/get` with the `resultType` `task`.
//! * An error -32022 that offers the requested revision: the request is sent again.
//! * An error in response to `logging/setLevel` or `resources/subscribe`: it is logged, and the
//!   connection or subscription continues.
//! * Any successful HTTP status in response to a notification.
//! * Sessions without an id, and servers without a stream for messages of their own.
//! * A server process that exits when it has read the probe for its revision: it is restarted once,
//!   and the client begins with the handshake.
//!
//! Types have [leniencies of their own](mcp_types#leniencies).
//!
//! # What is rejected
//!
//! * Another revision than the pinned one.
//! * A tool whose marks for headers break the rules: it is left out of lists over HTTP, with a
//!   warning.
//! * HTTP responses that are neither JSON nor a stream of events.
//! * Redirects to another origin, or with another status than 307 and 308; a URL for messages of
//!   another origin; ids of sessions with other characters than visible ASCII.
//! * URLs of resources that are not `https`, or lead to an address that is not public; content from
//!   there that is not of the declared type.
//! * User names in URLs. Send credentials in a header, use `mcp-client-oauth`, or implement
//!   `Authorize`.
//! * Schemas with references to other documents: a schema never causes a request.
//! * Batches, except from servers of 2025-03-26.
//! * Questions for which the client declared no capability.
//!
//! The page `trust` of the guide describes other faults of servers and their consequences.

mod client;
mod extensions;
mod features;
pub mod guide;
#[cfg(feature = "proposals")]
mod proposals;
mod protocol;
mod transport;

pub use client::{Client, ClientBuilder};
pub use extensions::tasks::{StartedCall, TaskHandle, Tasks};
pub use features::cache::Cache;
pub use features::calls::any::JsonCall;
pub use features::calls::{Call, IntoObject};
pub use features::extension::ClientExtension;
pub use features::inboxes::SubscriptionEvent;
pub use features::lists::{List, Listed, Page, Paged};
pub use features::subscriptions::Subscription;
#[cfg(feature = "tls")]
pub use mcp_fetch::{
    FetchError, FetchPolicy, Proxy, ProxyError, RedirectFault, UrlFault, is_loopback_url,
};
pub use mcp_types as types;
pub use mcp_types::Proposal;
pub use mcp_types::form::{FormError, Misfit};
#[cfg(feature = "proposals")]
pub use proposals::{
    https_url::{Fetch, FetchFailed, Fetched, FetchedBy, ReadError, Reference},
    versioned_resources::Current,
};
#[cfg(feature = "http")]
pub use protocol::authorize::{Authorize, AuthorizeFuture, AuthorizeRequest, AuthorizeResponse};
pub use protocol::connection::ConnectionId;
pub use protocol::error::TaskError;
#[cfg(feature = "http")]
pub use protocol::error::{AuthorizeError, HttpError};
#[cfg(feature = "json-schema")]
pub use protocol::error::{BrokenOutput, OutputError};
pub use protocol::error::{
    CallError, ConnectError, DroppedMember, ElementError, ExtensionError, InputError, ListError,
    RefusalKind, ServerOutput, TransportError,
};
pub use protocol::limits::Limits;
pub use protocol::middleware;
pub use protocol::transport::Transport;
pub use transport::ByteStream;
#[cfg(feature = "http")]
pub use transport::http::{EraCache, Http};
#[cfg(feature = "process")]
pub use transport::{ChildProcess, Restart, Stderr, find_program, is_batch_file};

/// Compiles the examples of the README.
#[cfg(all(doctest, feature = "process"))]
#[doc = include_str!("../README.md")]
struct Readme;

/// Compiles the examples of a page of the book.
#[cfg(all(doctest, feature = "http", feature = "process"))]
#[doc = include_str!("../../docs/start.md")]
struct Start;
