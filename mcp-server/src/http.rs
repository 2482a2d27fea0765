//! Streamable HTTP, for the peers of both eras on one endpoint.
//!
//! A request goes through the files in this order: `service` takes it, `guard` refuses what no
//! endpoint of ours takes, the engine asks `headers` whether they say what the body says, and
//! `answer` makes the body of the response. `serve` is a server of its own.

mod answer;
mod guard;
mod headers;
mod line;
mod serve;
mod service;

pub use answer::HttpBody;
pub use guard::HttpConfig;
pub use serve::HttpServer;
pub use service::{HttpFuture, HttpService};

pub(crate) use headers::check_headers;
