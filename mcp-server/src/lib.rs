//! Model Context Protocol servers: a handler is written once, against the newest revision, and
//! serves peers of every revision over every transport.

mod builder;
mod changes;
mod completions;
mod context;
mod degrade;
mod engine;
mod error;
#[cfg(feature = "seal")]
pub mod guide;
#[cfg(feature = "http")]
mod http;
#[cfg(feature = "seal")]
mod input;
mod lifecycle;
mod limits;
mod listen;
mod lists;
mod outlet;
mod params;
mod peer;
mod progress;
mod prompts;
mod race;
mod resources;
mod route;
mod schema;
#[cfg(feature = "seal")]
mod seal;
mod server;
mod session;
mod tools;
#[cfg(feature = "stdio")]
mod transport;

pub use builder::ServerBuilder;
pub use changes::{Bus, BusMessage, BusReceiver, Change};
pub use completions::{Completing, IntoCompletion};
pub use context::{Context, Extensions, Principal};
pub use error::{BuildError, HandlerError, ServeError};
#[cfg(all(feature = "http", feature = "legacy"))]
pub use http::{
    EventStore, MemoryEvents, MemorySessions, Page, SessionStore, StoreError, StoreFuture,
};
#[cfg(feature = "http")]
pub use http::{HttpBody, HttpConfig, HttpFuture, HttpServer, HttpService};
#[cfg(feature = "seal")]
pub use input::{Ask, Elicited, Field, Form, InputError};
pub use limits::Limits;
pub use lists::{Definition, Listing};
pub use mcp_types as types;
pub use peer::Peer;
pub use prompts::{IntoMessage, IntoPrompt, PromptDef};
pub use resources::{IntoContents, ResourceDef, TemplateDef};
#[cfg(feature = "seal")]
pub use seal::{Keys, SealError};
pub use server::Server;
pub use tools::{IntoToolResult, Json, ToolDef};
