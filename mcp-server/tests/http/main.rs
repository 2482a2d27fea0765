//! Streamable HTTP over real sockets, byte by byte.

mod guard;
mod modern;
mod mounted;
mod raw;
mod sessions;
