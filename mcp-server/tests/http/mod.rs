//! Streamable HTTP over real sockets, checked at the level of bytes.

pub(crate) use mcp_testkit::http::{legacy, subject};

mod access;
#[cfg(feature = "axum")]
mod application;
mod authenticate;
mod batches;
mod bodies;
mod busy;
mod channel;
#[cfg(unix)]
mod cluster;
mod connections;
mod cors;
mod counted_refusals;
mod error_table;
mod event_store;
mod faulty_store;
mod guard;
mod http2;
mod ids;
mod leaks;
mod limits;
mod mirrors;
mod modern;
mod mounted;
mod operations;
mod orphans;
mod principals;
mod processes;
mod proxies;
#[cfg(unix)]
mod reasons;
mod refusals;
mod retention;
mod sequences;
mod sessions;
mod shared_limits;
mod shared_store;
mod shares;
mod shutdown;
mod stopping;
mod streams;
mod unlimited;
mod unread;
