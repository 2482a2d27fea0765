//! Model Context Protocol servers: a handler is written once, against the newest revision, and
//! serves peers of every revision over every transport.
//!
//! ```no_run
//! use mcp_server::{Context, Server};
//!
//! #[derive(serde::Deserialize, schemars::JsonSchema)]
//! struct Add {
//!     a: f64,
//!     b: f64,
//! }
//!
//! # async fn serve() -> Result<(), Box<dyn std::error::Error>> {
//! let server = Server::builder("calculator", "1.0.0")
//!     .tool("add", "Adds two numbers", |args: Add, _: Context| async move {
//!         Ok(args.a + args.b)
//!     })
//!     .build()?;
//! server.serve_stdio().await?;
//! # Ok(())
//! # }
//! ```
//!
//! [`ServerBuilder`] takes tools, resources, prompts and completions, and by
//! [`on`](ServerBuilder::on) any request of the method table. [`Context`] is what a handler knows
//! of its request. Bounds on what a peer may ask for are in [`Limits`]. The [guide] shows how each
//! thing is done, with examples that compile.
//!
//! Standard input and output, any pair of byte streams, and peers of all revisions are always
//! there. What costs further crates is a feature; none is on by default.
//!
//! | feature | gives |
//! | --- | --- |
//! | `http` | Streamable HTTP, as a service for hyper, tower and axum, and by itself |
//! | `seal` | questions to the client, and pages of lists |
//! | `templates` | resource templates (RFC 6570) |
//! | `json-schema` | tools with a schema of their own, arguments held to all that a schema says |
//! | `tls` | `http`, and the server of its own over TLS by rustls |
//! | `https-url` | the proposal of that name: [URLs of resources](guide::urls), signed and served |
//! | `sep-2093` | the proposal of that name: metadata of resources, documents and collections |
//! | `versioned-resources` | the proposal of that name: versions, filters, changes with the changed resource |
//!
//! Each request and notification with a handler runs in a [`tracing`] span `mcp.request` at the
//! level `INFO`, whose fields are the attributes of OpenTelemetry's conventions for the protocol,
//! `error.type` among them. Its field `traceparent` is what the request carries in `_meta`. What is
//! read by a URL runs in a span `mcp.resource.url`, which names the resource, but not the URL.
//!
//! Without `json-schema` arguments are held to their Rust type. A schema that promises more, such
//! as a range or a pattern, is then refused when the server is built, as far as the schema shows
//! it: one that is written by hand (`schemars(with)`) is taken at its word.

mod builder;
mod changes;
mod completions;
mod context;
mod degrade;
mod engine;
mod error;
pub mod guide;
#[cfg(feature = "http")]
mod http;
#[cfg(feature = "seal")]
mod input;
mod lifecycle;
mod limits;
mod listen;
mod lists;
#[cfg(feature = "http")]
mod metrics;
mod numbered;
mod outlet;
mod params;
mod peer;
mod progress;
mod prompts;
mod quota;
mod race;
mod resources;
mod retained;
mod route;
mod schema;
#[cfg(feature = "seal")]
mod seal;
mod server;
mod session;
mod then;
mod tools;
mod transport;
mod until;
mod uri_limit;
mod uris;
#[cfg(feature = "https-url")]
mod urls;

pub use builder::ServerBuilder;
pub use changes::{Bus, BusMessage, BusReceiver, Change};
pub use completions::{Completing, IntoCompletion};
pub use context::{Context, Extensions, Principal};
pub use error::{BuildError, ErrorDetail, HandlerError, ServeError};
#[cfg(feature = "http")]
pub use http::{
    EventStore, MemoryEvents, MemorySessions, Page, SessionStore, StoreError, StoreFuture,
};
#[cfg(feature = "http")]
pub use http::{HttpBody, HttpConfig, HttpFuture, HttpServer, HttpService};
#[cfg(feature = "http")]
pub use http::{IpNetwork, IpNetworkError, PeerAddress};
#[cfg(feature = "seal")]
pub use input::{Ask, Elicited, Field, Form, InputError};
pub use limits::Limits;
pub use lists::{Definition, Listing};
pub use mcp_types as types;
pub use mcp_types::Proposal;
#[cfg(feature = "http")]
pub use metrics::{Metrics, RefusalCause, Refusals};
pub use peer::Peer;
pub use prompts::{IntoMessage, IntoPrompt, PromptDef};
#[cfg(feature = "templates")]
pub use resources::TemplateDef;
pub use resources::{IntoContents, ResourceDef};
#[cfg(feature = "seal")]
pub use resources::{ListAt, Listed};
#[cfg(feature = "seal")]
pub use seal::{Keys, SealError};
pub use server::Server;
#[cfg(feature = "tls")]
pub use tokio_rustls::rustls;
pub use tools::{IntoToolResult, Json, ToolDef};
#[cfg(feature = "https-url")]
pub use urls::{HttpUrls, ReadByUrl, UrlError, UrlKeys, UrlService};

/// The examples of the README, which are compiled as those of the documentation are.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
