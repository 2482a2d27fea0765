//! Recordings of sessions: the format of the file, what `mcp record` writes, and what `mcp replay`
//! and `mcp explain` read.

mod clock;
mod compare;
pub(crate) mod explain;
pub(crate) mod format;
pub(crate) mod http;
mod lines;
pub(crate) mod program;
pub(crate) mod reader;
pub(crate) mod recorder;
pub(crate) mod replay;
pub(crate) mod session;
pub(crate) mod stdio;

pub(crate) use crate::recording_error::RecordingError;
