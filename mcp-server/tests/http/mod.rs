//! Streamable HTTP over real sockets, checked at the level of bytes.

mod access;
#[cfg(feature = "axum")]
mod application;
mod batches;
mod bodies;
mod busy;
mod channel;
mod connections;
mod cors;
mod error_table;
mod event_store;
mod faulty_store;
mod guard;
mod http2;
mod ids;
mod leaks;
mod legacy;
mod limits;
mod mirrors;
mod modern;
mod mounted;
#[cfg(feature = "oauth")]
mod oauth;
mod operations;
mod orphans;
mod principals;
mod processes;
mod proxies;
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
mod subject;
mod unlimited;
mod unread;
