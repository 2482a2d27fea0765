//! Model Context Protocol servers: a handler is written once, against the newest revision, and
//! serves peers of every revision over every transport.

mod builder;
mod changes;
mod context;
mod engine;
mod error;
#[cfg(feature = "http")]
mod http;
#[cfg(feature = "seal")]
mod input;
mod lifecycle;
mod limits;
mod listen;
mod outlet;
mod peer;
mod progress;
mod race;
mod route;
#[cfg(feature = "seal")]
mod seal;
mod server;
mod session;
#[cfg(feature = "stdio")]
mod transport;

pub use builder::ServerBuilder;
pub use changes::{Bus, BusMessage, BusReceiver, Change};
pub use context::{Context, Extensions, Principal};
pub use error::{BuildError, HandlerError, ServeError};
#[cfg(feature = "http")]
pub use http::{HttpBody, HttpConfig, HttpFuture, HttpServer, HttpService};
pub use limits::Limits;
pub use mcp_types as types;
pub use peer::Peer;
#[cfg(feature = "seal")]
pub use seal::{Keys, SealError};
pub use server::Server;
