//! Recordings of sessions: the format of the file, what `mcp record` writes, and what `mcp replay`
//! and `mcp explain` read.

mod clock;
mod compare;
pub(crate) mod explain;
pub(crate) mod format;
pub(crate) mod http;
mod lines;
pub(crate) mod reader;
pub(crate) mod recorder;
pub(crate) mod replay;
pub(crate) mod secrets;
pub(crate) mod session;
pub(crate) mod stdio;

use std::io;
use std::path::PathBuf;

/// The reasons why a session cannot be recorded, replayed or explained.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RecordingError {
    #[error("cannot start the program `{program}`: {source}")]
    Start { program: String, source: io::Error },
    #[error("cannot listen at {address}: {source}")]
    Listen {
        address: std::net::SocketAddr,
        source: io::Error,
    },
    #[error("invalid URL of the server: {0}")]
    Url(&'static str),
    #[error("the certificates cannot be used: {0}")]
    Certificate(Box<dyn std::error::Error + Send + Sync>),
    /// A line of a recording is not as expected. Lines are counted from one.
    #[error("`{}`, line {line}: {reason}", file.display())]
    Line {
        file: PathBuf,
        line: usize,
        reason: String,
    },
    #[error("`{}` has more than {limit} bytes", file.display())]
    TooLarge { file: PathBuf, limit: u64 },
}
