//! Streamable HTTP, for the peers of both eras on one endpoint.
//!
//! A request goes through the files in this order: `service` takes it, `guard` refuses what no
//! endpoint of ours takes, the engine asks `headers` whether they say what the body says, and
//! `answer` makes the body of the response. `serve` is a server of its own. Requests of sessions turn
//! off at `legacy`: `sessions` knows them, `stream` carries what is said to `events`, from where a
//! connection reads it.

mod answer;
mod events;
mod guard;
mod headers;
mod legacy;
mod line;
mod serve;
mod service;
mod sessions;
mod stream;

pub use answer::HttpBody;
pub use events::{EventStore, MemoryEvents, Page, StoreError, StoreFuture};
pub use guard::HttpConfig;
pub use serve::HttpServer;
pub use service::{HttpFuture, HttpService};
pub use sessions::{MemorySessions, SessionStore};

pub(crate) use headers::check_headers;
