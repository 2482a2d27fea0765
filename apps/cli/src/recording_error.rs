//! [`RecordingError`]: why a session cannot be recorded, replayed or explained.

use std::io;
use std::path::PathBuf;

/// The reasons why a session cannot be recorded, replayed or explained.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RecordingError {
    #[error("cannot start the program `{program}`: {source}")]
    Start { program: String, source: io::Error },
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
