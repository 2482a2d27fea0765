//! Model Context Protocol clients: typed calls to servers of every revision, over every transport.
//!
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
//! [`ClientBuilder`] takes who the client is and what it answers to servers that ask. [`Client`] is a
//! connection, cheap to clone, with a method for each request; it finds out which revision the server
//! speaks. A [`Call`] is a request on its way: with a timeout, progress, and metadata of its own. Lists
//! are streams over pages ([`List`]), changes are events ([`Subscription`]), and results are kept if
//! asked for ([`Cache`]). What a server could make grow is bounded by [`Limits`]. [`icons`] are chosen,
//! judged and loaded. The [guide] shows how each thing is done, with examples that compile.
//!
//! # Features
//!
//! [`ByteStream`], which is any stream or pair of streams, and servers of all revisions are always
//! there. What costs further crates is a feature; none is on by default. The bare crate stands on 23
//! others, those of tokio, serde and tracing among them; what a feature adds is counted on Linux.
//!
//! | feature | gives | adds |
//! | --- | --- | --- |
//! | `process` | servers that are started as child processes: `ChildProcess` | 7 crates |
//! | `http` | Streamable HTTP of both eras, and the HTTP+SSE of 2024-11-05: `Http` | 16 crates |
//! | `tls` | `http`, and `https` by rustls with ring and the certificates of the system | 29 crates |
//! | `https-url` | `tls`, and resources by their HTTPS URLs: `Client::fetch` (a proposal) | 29 crates |
//! | `json-schema` | structured results held to the schemas of their tools | 51 crates |
//! | `cli` | the program `mcp`, with `process` and `tls`; not for libraries | 45 crates |
//!
//! # Leniencies
//!
//! Servers do not always keep to their revision. This is taken all the same:
//!
//! * An id of ours that comes back as text: `"7"` for `7`.
//! * A result of 2026-07-28 without `resultType`, which means `complete`; without `ttlMs`, or with one
//!   below zero, which means 0; without `cacheScope`, which means `private`.
//! * Results, notifications and questions in the form of a newer revision than the one that a session
//!   agreed on. A question is answered in a form that can say the answer.
//! * A malformed element of a list: it is reported, and the others are given.
//! * An error that is none: it counts as -32603, with what is wrong with it.
//! * Lines and events that are no messages, and empty ones: they are skipped, and logged.
//! * A last line that has no end.
//! * A refusal with -32022 that offers the very revision which was asked for: it is asked again, once.
//! * A refusal to set the level of the log, or to tell of one resource: it is logged, and the rest goes
//!   on.
//! * Any status of success in answer to a notification.
//! * Sessions without an id, and servers without a stream of their own.
//! * A server that cannot bear the question for its revision and ends: it is started once more, and
//!   asked in the old way.
//!
//! Types have [leniencies of their own](mcp_types#leniencies).
//!
//! # What is refused
//!
//! * A revision that was not asked for, where one is pinned.
//! * A tool that marks its arguments for headers against the rules: it is left out of lists over HTTP,
//!   with a warning.
//! * Answers over HTTP that are neither JSON nor a stream of events.
//! * Redirects to another origin, or with another status than 307 and 308; a place of another origin to
//!   post messages at; ids of sessions with other characters than visible ASCII.
//! * URLs of resources and icons that are not `https`, or lead to what is not on the public internet; what
//!   comes from there as something else than it was said to be. [`icons`] also by where they lie.
//! * User names in URLs. Authorization goes by a header, or by what implements `Authorize`.
//! * Schemas that refer to what is not in them: nothing is ever fetched for a schema.
//! * Batches, but from servers of 2025-03-26.
//! * Questions that the client did not declare to take.
//!
//! What else a server may do, and what comes of it, stands in the guide, on the page `trust`.

mod client;
mod features;
pub mod guide;
pub mod icons;
mod proposals;
mod protocol;
mod transport;
mod util;

pub use client::{Client, ClientBuilder};
pub use features::cache::Cache;
pub use features::calls::{Call, IntoObject};
pub use features::lists::{List, Listed, Page, Paged};
pub use features::subscriptions::{Subscription, SubscriptionEvent};
pub use mcp_types as types;
pub use mcp_types::Proposal;
pub use mcp_types::form::{FormError, Misfit};
#[cfg(feature = "https-url")]
pub use proposals::https_url::{Fetch, FetchFailed, Fetched, FetchedBy, ReadError, Reference};
#[cfg(feature = "versioned-resources")]
pub use proposals::versioned_resources::Current;
#[cfg(feature = "http")]
pub use protocol::error::{AuthorizeError, HttpError};
#[cfg(feature = "json-schema")]
pub use protocol::error::{BrokenOutput, OutputError};
pub use protocol::error::{
    CallError, ConnectError, ElementError, InputError, ListError, TransportError,
};
#[cfg(feature = "tls")]
pub use protocol::fetch::{FetchError, FetchPolicy, RedirectFault};
pub use protocol::limits::Limits;
pub use protocol::transport::Transport;
pub use transport::ByteStream;
#[cfg(feature = "http")]
pub use transport::http::{Authorize, Challenge, EraCache, Http, Token};
#[cfg(feature = "process")]
pub use transport::{ChildProcess, Restart, Stderr};
pub use util::origin::UrlFault;

/// The examples of the READMEs, which are compiled as those of the documentation are.
#[cfg(all(doctest, feature = "process"))]
#[doc = include_str!("../README.md")]
#[doc = include_str!("../../README.md")]
struct Readmes;
