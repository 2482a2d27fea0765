//! Streamable HTTP, for the peers of both eras on one endpoint.
//!
//! A request goes through the files in this order: `service` takes it, `guard` refuses what no
//! endpoint of ours takes, the engine asks `headers` whether they say what the body says, and
//! `answer` makes the body of the response. `serve` is a server of its own. Requests of sessions turn
//! off at `legacy`: `sessions` knows them, `stream` carries what is said to `events`, from where a
//! connection reads it.

mod answer;
#[cfg(feature = "legacy")]
mod events;
mod guard;
mod headers;
#[cfg(feature = "legacy")]
mod legacy;
mod line;
mod names;
mod serve;
mod service;
#[cfg(feature = "legacy")]
mod sessions;
#[cfg(feature = "legacy")]
mod stream;

pub use answer::HttpBody;
#[cfg(feature = "legacy")]
pub use events::{EventStore, MemoryEvents, Page, StoreError, StoreFuture};
pub use guard::HttpConfig;
pub use serve::HttpServer;
pub use service::{HttpFuture, HttpService};
#[cfg(feature = "legacy")]
pub use sessions::{MemorySessions, SessionStore};

pub(crate) use headers::check_headers;
