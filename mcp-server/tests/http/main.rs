//! Streamable HTTP over real sockets, byte by byte.

#[path = "../subject/bus.rs"]
mod bus;
mod channel;
mod cors;
mod guard;
mod http2;
mod legacy;
mod limits;
mod mirrors;
mod modern;
mod mounted;
mod operations;
mod processes;
mod proxies;
mod raw;
mod sessions;
mod streams;
mod subject;
