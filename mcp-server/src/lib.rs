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

#![cfg_attr(docsrs, feature(doc_cfg))]

mod features;
pub mod guide;
#[cfg(feature = "https-url")]
mod proposals;
mod protocol;
mod server;
mod transport;
mod util;

pub use features::catalog::Definition;
pub use features::completions::{Completing, IntoCompletion};
#[cfg(feature = "asking")]
pub use features::input::ask::Ask;
#[cfg(feature = "asking")]
pub use features::input::error::{ClientError, InputError};
#[cfg(feature = "asking")]
pub use features::input::form::{Elicited, Field, Form};
#[cfg(feature = "asking")]
pub use features::input::request::AskRequest;
pub use features::list_handle::ListHandle;
pub use features::prompts::definition::PromptDef;
pub use features::prompts::result::{IntoMessage, IntoPrompt};
pub use features::resources::contents::IntoContents;
pub use features::resources::definition::ResourceDef;
#[cfg(feature = "pagination")]
pub use features::resources::listed::{ListAt, ResourcePage};
pub use features::resources::request::ResourceUri;
#[cfg(feature = "templates")]
pub use features::resources::request::Variables;
#[cfg(feature = "templates")]
pub use features::resources::templates::definition::TemplateDef;
pub use features::tools::definition::ToolDef;
pub use features::tools::result::{IntoToolResult, Json};
pub use mcp_types as types;
pub use mcp_types::Proposal;
#[cfg(feature = "https-url")]
pub use proposals::https_url::config::{HttpUrls, UrlError};
#[cfg(feature = "https-url")]
pub use proposals::https_url::keys::UrlKeys;
pub use protocol::changes::{Bus, BusMessage, BusReceiver, Change};
pub use protocol::core::Context;
pub use protocol::error::{BuildError, BuildErrors, ErrorDetail, ServeError};
pub use protocol::extensions::{Extensions, Principal};
pub use protocol::extract::{Extension, FromContext};
pub use protocol::handler::{Handler, IntoResult};
pub use protocol::handler_error::HandlerError;
#[cfg(feature = "http")]
pub use protocol::http_parts::HttpParts;
pub use protocol::limits::Limits;
#[cfg(feature = "http")]
pub use protocol::metrics::Metrics;
#[cfg(feature = "http")]
pub use protocol::metrics::refusals::{RefusalCause, Refusals};
pub use protocol::middleware;
pub use protocol::params::{NotificationParams, Params};
pub use protocol::peer::Peer;
#[cfg(feature = "http")]
pub use protocol::peer_address::PeerAddress;
pub use protocol::progress::{ProgressMessage, ProgressNumber, ProgressTotal};
pub use protocol::requirements::Requirements;
#[cfg(feature = "_seal")]
pub use protocol::seal::{Keys, SealError};
pub use protocol::state::State;
pub use server::builder::ServerBuilder;
pub use server::group::Group;
pub use server::handle::Server;
#[cfg(feature = "http")]
pub use server::http_transport::Http;
#[cfg(feature = "https-url")]
pub use server::resource_urls::read::ReadByUrl;
#[cfg(feature = "https-url")]
pub use server::resource_urls::service::UrlService;
pub use server::transports::{ByteStream, Stdio, Transport};
#[cfg(feature = "tls")]
pub use tokio_rustls::rustls;
#[cfg(feature = "http")]
pub use transport::http::body::HttpBody;
#[cfg(feature = "http")]
pub use transport::http::config::HttpConfig;
#[cfg(feature = "http")]
pub use transport::http::network::{IpNetwork, IpNetworkError};
#[cfg(feature = "http")]
pub use transport::http::response_future::HttpFuture;
#[cfg(feature = "http")]
pub use transport::http::serve::HttpServer;
#[cfg(feature = "http")]
pub use transport::http::service::HttpService;
#[cfg(feature = "http")]
pub use transport::http::session::event_store::{
    EventPage, EventStore, MemoryEvents, StoreError, StoreFuture,
};
#[cfg(feature = "http")]
pub use transport::http::session::session_store::{MemorySessions, SessionStore};

/// The examples of the README, which are compiled as those of the documentation are.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
