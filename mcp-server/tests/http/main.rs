//! Streamable HTTP over real sockets, byte by byte.

#[path = "../subject/bus.rs"]
mod bus;
mod channel;
mod guard;
mod http2;
mod leaks;
mod legacy;
mod limits;
mod mirrors;
mod modern;
mod mounted;
mod principals;
mod processes;
mod raw;
mod sequences;
mod sessions;
mod streams;
mod subject;
