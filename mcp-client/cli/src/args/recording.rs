//! The arguments of `mcp record`, `mcp replay` and `mcp explain`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::server::Server;

#[derive(Debug, Args)]
pub(crate) struct Record {
    #[command(flatten)]
    pub(crate) server: Server,
    /// The recording: a file of JSON lines, which only the user can read. An existing file is
    /// replaced
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// The address of the endpoint for the host, if the server is a URL. Port 0 is any free one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:0")]
    pub(crate) listen: SocketAddr,
    /// Does not remove secrets from the recording
    #[arg(long)]
    pub(crate) keep_secrets: bool,
    /// Stops recording when the file has this size. Messages are still forwarded
    #[arg(long, value_name = "BYTES", default_value = "268435456")]
    pub(crate) max_size: u64,
}

#[derive(Debug, Args)]
pub(crate) struct Replay {
    /// The recording
    pub(crate) file: PathBuf,
    /// With `--client`: the URL of the server
    #[arg(value_name = "URL", requires = "client")]
    pub(crate) url: Option<String>,
    /// With `--client`: the program of the server, with its arguments
    #[arg(
        last = true,
        value_name = "PROGRAM",
        requires = "client",
        conflicts_with = "url"
    )]
    pub(crate) program: Vec<std::ffi::OsString>,
    /// Plays the server over HTTP at this address, in place of standard input and output. Port 0 is
    /// any free one
    #[arg(long, value_name = "ADDRESS", conflicts_with = "client")]
    pub(crate) listen: Option<SocketAddr>,
    /// Plays the client: sends its messages to a server, and shows how the results differ
    #[arg(long)]
    pub(crate) client: bool,
    /// When to send the messages
    #[arg(long, value_enum, default_value_t = Timing::None)]
    pub(crate) timing: Timing,
}

/// When a replay sends the messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Timing {
    /// At once
    None,
    /// After the delays of the recording
    Recorded,
}

#[derive(Debug, Args)]
pub(crate) struct Explain {
    /// The recording
    pub(crate) file: PathBuf,
    /// The form of the explanation
    #[arg(long, value_enum, default_value_t = Format::Text, conflicts_with = "json")]
    pub(crate) format: Format,
    /// Writes the explanation to a file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// A table
    Text,
    /// A page for a browser, with a sequence diagram
    Html,
}
