//! Streamable HTTP, for the peers of both eras on one endpoint.
//!
//! A request goes through the files in this order: `service` takes it, `guard` refuses what no
//! endpoint of ours takes, the engine asks `headers` whether they say what the body says, and
//! `answer` makes the body of the response, to which a handler speaks through its `line`. `serve`
//! is a server of its own, with `patient` connections. `refused` logs what `guard` refuses by name, and
//! `shared` warns of stores that processes share without sharing keys.
//!
//! Requests of sessions turn off at `legacy`: `sessions` finds the session, here as an `entry` or
//! in the `store` of all processes, which talk to each other in `elsewhere`; `jobs` are its
//! requests, and what these say is a `stream`: through its `window` a `worker` takes it to `events`,
//! and the `reader` that a connection is writes it, `numbered`. `ids` knows the form of the ids that we
//! issue. The transport before all this is in
//! `channel`.

mod answer;
mod channel;
mod elsewhere;
mod entry;
mod events;
mod guard;
mod headers;
mod ids;
mod jobs;
mod legacy;
mod line;
mod names;
mod numbered;
mod patient;
#[cfg(feature = "https-url")]
mod pieces;
mod reader;
mod refused;
mod serve;
mod service;
mod sessions;
#[cfg(feature = "seal")]
mod shared;
mod store;
mod stream;
mod window;
mod worker;

pub use answer::HttpBody;
pub use events::{EventStore, MemoryEvents, Page, StoreError, StoreFuture};
pub use guard::HttpConfig;
pub use serve::HttpServer;
pub use service::{HttpFuture, HttpService};
pub use store::{MemorySessions, SessionStore};

pub(crate) use headers::check_headers;
