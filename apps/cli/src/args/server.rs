//! The arguments that name a server, and what is sent to it.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};

use super::Options;

#[derive(Debug, Args)]
pub(crate) struct Server {
    #[arg(hide = true)]
    pub(crate) words: Vec<String>,
    #[arg(hide = true, last = true)]
    pub(crate) program: Vec<OsString>,
    #[command(flatten)]
    pub(crate) show: Show,
    #[command(flatten)]
    pub(crate) options: Options,
    /// How the command line named the server, if it did so by a name in a file.
    #[arg(skip)]
    pub(crate) source: Option<Source>,
}

/// How results are printed.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct Show {
    /// Prints the result as one JSON value
    #[arg(long)]
    pub(crate) json: bool,
    /// Prints lists as tables, or results as JSON or YAML
    #[arg(long, value_enum, value_name = "FORMAT", conflicts_with = "json")]
    pub(crate) format: Option<OutputFormat>,
    /// Shows only so many elements of a list
    #[arg(long, value_name = "COUNT")]
    pub(crate) limit: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutputFormat {
    /// One line for each element of a list
    Table,
    /// The same as `--json`
    Json,
    /// The result as YAML
    Yaml,
}

/// A server by its name in a file.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Source {
    /// The host or the file of `--config`.
    pub(crate) config: Option<String>,
    /// The name; without a file, it begins with `@`.
    pub(crate) name: String,
    /// Whether the file is one of the current folder.
    #[serde(default)]
    pub(crate) project: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RawRequest {
    /// All arguments as a JSON object: the text itself, `@FILE`, or `-` for standard input
    #[arg(long, value_name = "JSON", allow_hyphen_values = true)]
    pub(crate) args: Option<String>,
    #[command(flatten)]
    pub(crate) server: Server,
}

#[derive(Debug, Args)]
pub(crate) struct WithArguments {
    /// Writes images, audio and binary resources of the result to a file, further ones beside it
    #[arg(long, short, value_name = "FILE", conflicts_with_all = ["json", "format"])]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) request: RawRequest,
}
