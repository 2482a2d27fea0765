//! Streamable HTTP, for the peers of both eras on one endpoint.
//!
//! A request goes through the files in this order: `service` takes it, `guard` refuses what no
//! endpoint of ours takes, the engine asks `headers` whether they say what the body says, and
//! `answer` makes the body of the response, to which a handler speaks through its `line`. `serve`
//! is a server of its own, with `patient` connections.
//!
//! Requests of pages in browsers go through `cors` first. `proxy` finds the address of the client,
//! by the `network`s of trusted proxies. `operations` answers health, readiness and metrics.
//!
//! Requests of sessions turn off at `legacy`: `sessions` finds the session, here as an `entry` or
//! in the `store` of all processes, which talk to each other in `elsewhere`; `jobs` are its
//! requests, and what these say is a `stream`: through its `window` a `worker` takes it to `events`,
//! and the `reader` that a connection is writes it, `numbered`. The transport before all this is in
//! `channel`.

mod answer;
mod channel;
mod cors;
mod elsewhere;
mod entry;
mod events;
mod guard;
mod headers;
mod jobs;
mod legacy;
mod line;
mod names;
mod network;
mod numbered;
mod operations;
mod patient;
mod proxy;
mod reader;
mod serve;
mod service;
mod sessions;
mod store;
mod stream;
mod window;
mod worker;

pub use answer::HttpBody;
#[cfg(feature = "https-url")]
pub(crate) use cors::Cors;
pub use events::{EventStore, MemoryEvents, Page, StoreError, StoreFuture};
pub use guard::HttpConfig;
pub use network::{IpNetwork, IpNetworkError};
pub use proxy::PeerAddress;
pub use serve::HttpServer;
pub use service::{HttpFuture, HttpService};
pub use store::{MemorySessions, SessionStore};

pub(crate) use headers::check_headers;
