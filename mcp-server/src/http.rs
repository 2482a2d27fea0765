//! Streamable HTTP, for the peers of both eras on one endpoint.
//!
//! A request goes through the files in this order: `service` takes it, `guard` refuses what no
//! endpoint of ours takes, the engine asks `headers` whether they say what the body says, and
//! `answer` makes the body of the response. `serve` is a server of its own. Requests of sessions turn
//! off at `legacy`: `sessions` finds the session, here as an `entry` or in the `store` of all
//! processes, which talk to each other in `elsewhere`; `jobs` are its requests, and what these say
//! is a `stream`: through its `window` it goes to `events` and to the `reader` that a connection is. The
//! transport before all this is in `channel`.

mod answer;
#[cfg(feature = "legacy")]
mod channel;
#[cfg(feature = "legacy")]
mod elsewhere;
#[cfg(feature = "legacy")]
mod entry;
#[cfg(feature = "legacy")]
mod events;
mod guard;
mod headers;
#[cfg(feature = "legacy")]
mod jobs;
#[cfg(feature = "legacy")]
mod legacy;
mod line;
#[cfg(feature = "legacy")]
mod reader;
mod serve;
mod service;
mod sessions;
#[cfg(feature = "legacy")]
mod store;
#[cfg(feature = "legacy")]
mod stream;
#[cfg(feature = "legacy")]
mod window;

pub use answer::HttpBody;
pub use events::{EventStore, MemoryEvents, Page, StoreError, StoreFuture};
pub use guard::HttpConfig;
pub use serve::HttpServer;
pub use service::{HttpFuture, HttpService};
#[cfg(feature = "legacy")]
pub use store::{MemorySessions, SessionStore};

pub(crate) use headers::check_headers;
