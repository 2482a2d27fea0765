//! Model Context Protocol clients: typed calls to servers of every revision.

mod answer;
mod builder;
mod cache;
mod call;
mod calls;
mod client;
mod connect;
mod core;
mod era;
mod error;
mod exchange;
pub mod guide;
#[cfg(feature = "http")]
mod http;
mod inputs;
mod life;
mod limits;
mod link;
mod list;
#[rustfmt::skip]
mod methods;
mod notifications;
mod pages;
mod params;
mod requests;
#[cfg(feature = "json-schema")]
mod schemas;
mod subscription;
mod tools;
mod transport;

#[cfg(feature = "http")]
pub use self::http::{Authorize, AuthorizeError, Challenge, EraCache, Http, HttpError, Token};
pub use builder::ClientBuilder;
pub use cache::Cache;
pub use call::Call;
pub use client::Client;
pub use error::{CallError, ConnectError, TransportError};
pub use inputs::InputError;
pub use limits::Limits;
pub use list::{ElementError, List, ListError, Listed, Page, Paged};
pub use mcp_types as types;
pub use mcp_types::form::{FormError, Misfit};
#[cfg(feature = "json-schema")]
pub use schemas::{BrokenOutput, OutputError};
pub use subscription::{Subscription, SubscriptionEvent};
pub use transport::{ByteStream, Transport};
#[cfg(feature = "process")]
pub use transport::{ChildProcess, Restart, Stderr};
