//! A client and a server for tests of HTTP over real sockets, at the level of bytes.

pub mod legacy;
pub mod raw;
pub mod subject;
