//! The ways to a server.

#[cfg(feature = "http")]
pub(crate) mod http;
#[cfg(feature = "process")]
mod process;
mod stream;

#[cfg(feature = "process")]
pub use process::{ChildProcess, Restart, Stderr, find_program, is_batch_file};
pub use stream::ByteStream;
