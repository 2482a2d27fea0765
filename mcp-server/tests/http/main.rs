//! Streamable HTTP over real sockets, byte by byte.

mod channel;
mod guard;
mod legacy;
mod modern;
mod mounted;
mod processes;
mod raw;
mod sessions;
mod streams;
