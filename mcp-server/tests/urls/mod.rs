//! Resources over HTTPS URLs, the proposal `https-url`, over real sockets.

mod attacks;
mod client;
mod equality;
mod headers;
mod issuing;
mod limits;
mod logs;
mod object_store;
mod pages;
mod presigned;
mod principals;
mod reading;
mod revocation;
mod serving;
mod streaming;
mod subject;
mod tls;
