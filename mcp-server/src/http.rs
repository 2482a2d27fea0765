//! Streamable HTTP, for the peers of both eras on one endpoint.
//!
//! A request goes through these files in order: `service` takes it, `guard` refuses what the
//! endpoint does not serve, `request_body` reads the body, the engine asks `headers` whether they
//! agree with the body, and `answer` makes the response, to whose `body` a handler writes through
//! its `line`. `modern` ties these steps together for requests without a session, and
//! `response_future` is what the service returns. `refused` logs requests with a wrong name, and `shared` warns of stores that
//! processes share without sharing keys. `stopping` decides what is still accepted while the server
//! shuts down.
//!
//! `serve` is a server with a socket of its own. It keeps a `peer_table` of connections; each
//! `connection` has an `activity` and a `write_timeout`. Its `opening` reads the head of the first
//! request, then it serves a `protocol`; the streams of HTTP/2 run on a `stream_executor`.
//!
//! Requests of pages in browsers go through `cors` first. `proxy` finds the address of the client,
//! by the `network`s of trusted proxies. `operations` answers health, readiness and metrics.
//!
//! Requests of sessions turn off at `legacy`: `sessions` finds the session, here as an `entry` or
//! in the `store` of all processes, which talk to each other in `elsewhere`. `session_get`,
//! `session_post` and `session_response` serve its requests; `jobs` are those of one POST, and what
//! these say is a `stream`: through its `window` a `worker` takes it to `events`,
//! and the `reader` that a connection is writes it, `numbered`. How sessions end is in `ending`,
//! which waits for `writes` to the stores. `ids` makes the ids that the server issues, and knows their form.
//! The transport before all this is in `channel`.

mod activity;
mod answer;
mod body;
mod channel;
mod connection;
mod cors;
mod elsewhere;
mod ending;
mod entry;
mod events;
mod guard;
mod headers;
mod ids;
mod jobs;
mod legacy;
mod line;
mod modern;
mod names;
mod network;
mod numbered;
mod opening;
mod operations;
mod peer_table;
#[cfg(feature = "https-url")]
mod pieces;
mod protocol;
mod proxy;
mod reader;
mod refused;
mod request_body;
mod response_future;
mod serve;
mod service;
mod session_get;
mod session_post;
mod session_response;
mod sessions;
#[cfg(feature = "seal")]
mod shared;
mod stopping;
mod store;
mod stream;
mod stream_executor;
mod until;
mod window;
mod worker;
mod write_timeout;
mod writes;

pub use body::HttpBody;
#[cfg(feature = "https-url")]
pub(crate) use cors::Cors;
pub use events::{EventStore, MemoryEvents, Page, StoreError, StoreFuture};
pub use guard::HttpConfig;
pub use network::{IpNetwork, IpNetworkError};
pub use proxy::PeerAddress;
#[cfg(feature = "https-url")]
pub(crate) use proxy::peer_address;
pub use response_future::HttpFuture;
pub use serve::HttpServer;
pub use service::HttpService;
pub use store::{MemorySessions, SessionStore};

pub(crate) use headers::check_headers;
pub(crate) use writes::Writes;
