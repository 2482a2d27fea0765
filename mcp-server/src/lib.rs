//! Model Context Protocol servers: a handler is written once, against the newest revision, and
//! serves clients of every revision over every transport.
//!
//! ```no_run
//! use mcp_server::Server;
//! use schemars::JsonSchema;
//! use serde::Deserialize;
//!
//! #[derive(Deserialize, JsonSchema)]
//! struct Add {
//!     a: f64,
//!     b: f64,
//! }
//!
//! async fn add(args: Add) -> f64 {
//!     args.a + args.b
//! }
//!
//! #[tokio::main(flavor = "current_thread")]
//! async fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let server = Server::builder("calculator", "1.0.0")
//!         .tool("add", "Adds two numbers", add)
//!         .build()?;
//!     server.serve_stdio().await?;
//!     Ok(())
//! }
//! ```
//!
//! [`Server::builder`] returns a [`ServerBuilder`], which takes tools, resources, prompts and
//! completions, and with [`on`](ServerBuilder::on) any request of the protocol. A [`Handler`] is an
//! async function of typed arguments and extractors, such as [`State`] and [`Context`]. A
//! [`Transport`] serves the server. [`Limits`] bounds what a client may use. The [guide] explains
//! all of it, with examples that compile.
//!
//! Standard input and output, byte streams, and clients of all revisions need no feature. Optional
//! functionality that needs more dependencies is behind Cargo features; none is on by default:
//!
//! | feature | adds |
//! | --- | --- |
//! | `http` | Streamable HTTP, as a service for hyper, tower and axum, and with a listener of its own |
//! | `axum` | `http`, and applications in axum: the endpoint with all its paths as a router (`Server::into_router`), a listener that shuts down, and access tokens for own routes |
//! | `tls` | `http`, and TLS for the listener, by rustls |
//! | `json-schema` | tools with a hand-written schema, and validation of all arguments by their schema |
//! | `tasks` | the extension of that name: [calls of tools](guide::tasks) that outlive their request |
//! | `apps` | the extension `io.modelcontextprotocol/ui`: [tools with a user interface](guide::apps) |
//! | `draft` | the draft of the next revision, unstable: see `ServerBuilder::draft` |
//! | `proposals` | `http`, and proposals for resources, unstable: signed [URLs](guide::urls), [metadata](guide::resources), collections, [versions](guide::versions), filters, and changes with the changed resource |
//!
//! The crate `mcp-server-oauth` makes an HTTP endpoint a resource server of OAuth 2.1, which requires
//! access tokens. Several processes can serve one endpoint with a [`Store`] in Redis or PostgreSQL,
//! which the crate `mcp-stores` has.
//!
//! Each request and notification with a handler runs in a [`tracing`] span `mcp.request` at the
//! level `INFO`. Its fields are the attributes of OpenTelemetry's conventions for the protocol,
//! such as `error.type`, and `traceparent`, which the request has in `_meta`. Requests for the URL
//! of a resource run in a span `mcp.resource.url`, which names the resource, but not the URL.
//!
//! Without `json-schema`, arguments are validated by their Rust type. If the schema of a type
//! requires more, such as a range or a pattern, [`build`](ServerBuilder::build) returns an error.
//! It cannot see what a hand-written part of a schema (`schemars(with)`) requires.

#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(any(feature = "apps", feature = "tasks"))]
mod extensions;
mod features;
pub mod guide;
#[cfg(feature = "proposals")]
mod proposals;
mod protocol;
mod server;
mod stores;
mod transport;
mod util;

#[cfg(feature = "apps")]
pub use extensions::apps;
#[cfg(feature = "tasks")]
pub use extensions::tasks::settings::{TaskOptions, Tasks};
pub use features::arguments::Arguments;
pub use features::catalog::Definition;
pub use features::catalog::ListHandle;
pub use features::completing::{Completing, IntoCompletion};
pub use features::input::ask::{Ask, AskRequest};
pub use features::input::error::{ClientError, InputError};
pub use features::input::form::{Elicited, Field, Form};
pub use features::prompts::definition::{IntoMessage, IntoPrompt, PromptDef};
pub use features::resources::contents::IntoContents;
pub use features::resources::contents::body::{IntoBody, ResourceBody};
pub use features::resources::definition::ResourceDef;
pub use features::resources::listed::{ListAt, ResourcePage};
pub use features::resources::request::{ResourceUri, TemplateVariables, Variables};
pub use features::resources::templates::definition::TemplateDef;
#[cfg(feature = "proposals")]
pub use features::resources::{
    contents::stream::{ResourceStream, WantedBytes},
    listed::filter::ResourceFilter,
};
pub use features::stored::{Stored, StoredValue};
pub use features::tools::definition::ToolDef;
pub use features::tools::result::{IntoToolResult, Json};
pub use mcp_types as types;
pub use mcp_types::Proposal;
#[cfg(feature = "proposals")]
pub use proposals::{
    https_url::config::{HttpUrls, UrlError},
    https_url::keys::UrlKeys,
    https_url::presigned::{PresignedUrl, PresignedUrlError},
    https_url::serving::{read::ReadByUrl, service::UrlService},
    versioned_resources::versioned::Versioned,
};
#[cfg(feature = "http")]
pub use protocol::caller::PeerAddress;
pub use protocol::caller::{Extensions, Principal};
pub use protocol::changes::Change;
pub use protocol::core::Context;
pub use protocol::core::progress::{ProgressMessage, ProgressNumber, ProgressTotal};
pub use protocol::dispatch::extension::ServerExtension;
pub use protocol::dispatch::middleware;
pub use protocol::error::handler_error::HandlerError;
pub use protocol::error::rejection::Challenge;
pub use protocol::error::{BuildError, BuildErrors, ErrorDetail, ServeError};
pub use protocol::handler::access_token::AccessToken;
pub use protocol::handler::check::check_handler;
pub use protocol::handler::extract::{Extension, FromContext, State};
pub use protocol::handler::extract::{ExtensionSettings, Negotiated};
#[cfg(feature = "http")]
pub use protocol::handler::http_parts::HttpParts;
pub use protocol::handler::params::{
    AnyNotification, AnyRequest, AnyResult, NotificationParams, Params,
};
pub use protocol::handler::requirements::Requirements;
pub use protocol::handler::{Handler, IntoResult};
#[doc(hidden)]
pub use protocol::handler::{Input, NoArguments};
pub use protocol::limits::Limits;
pub use protocol::metrics::operations::{Operation, OperationOutcome};
pub use protocol::metrics::refusals::{RefusalCause, Refusals};
pub use protocol::metrics::{Metrics, StoreMetrics};
pub use protocol::quota::peer_key::PeerKey;
pub use protocol::seal::{Keys, SealError};
pub use protocol::session::ClientSession;
pub use protocol::session::peer::Peer;
pub use protocol::store::Store;
pub use protocol::store::{
    Bus, BusPage, Condition, KeyGroup, Put, PutOutcome, StoreError, StoreFuture, StoredError,
    ValueStore, VersionedValue,
};
#[cfg(feature = "http")]
pub use protocol::store::{EventPage, EventStore, StreamKey};
pub use server::builder::ServerBuilder;
pub use server::group::Group;
pub use server::handle::{Server, WeakServer};
#[cfg(feature = "http")]
pub use server::http::Http;
pub use server::transports::{ByteStream, Stdio, Transport};
pub use stores::memory::Memory;
#[cfg(feature = "tls")]
pub use tokio_rustls::rustls;
#[cfg(feature = "axum")]
pub use transport::http::own_routes::{
    InsufficientScope, RequireToken, TokenLayer, TokenScopes, Unauthenticated,
};
#[cfg(feature = "http")]
pub use transport::http::{
    authenticate::{
        AuthRequest, Authenticate, Authenticated, public_route::PublicRoute,
        shared_state::SharedState,
    },
    config::HttpConfig,
    config::network::{IpNetwork, IpNetworkError},
    endpoint::service::HttpService,
    listener::serve::HttpServer,
    refusal::AuthRefusal,
    response::body::{HttpBody, HttpFuture},
};
pub use util::hex::HexKeyError;
#[cfg(feature = "http")]
pub use util::terminated::terminated;

/// Compiles the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// Compiles the examples of the pages about migration, which are not part of the package.
#[cfg(all(doctest, feature = "http"))]
#[doc = include_str!("../../docs/migrate/rmcp.md")]
#[doc = include_str!("../../docs/migrate/2025-11-25.md")]
struct Migration;
