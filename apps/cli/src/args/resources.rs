//! The arguments of the commands for resources and skills.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::server::Server;

#[derive(Debug, Args)]
pub(crate) struct Resources {
    /// Lists only resources that match a filter, such as `{"kind": "note"}`
    #[arg(long, value_name = "JSON")]
    pub(crate) filter: Option<String>,
    #[command(flatten)]
    pub(crate) server: Server,
}

#[derive(Debug, Args)]
pub(crate) struct Read {
    /// Chooses the contents of this media type, such as `text/plain` or `image/*`
    #[arg(long = "as", value_name = "TYPE")]
    pub(crate) media_type: Option<String>,
    /// Reads the resource only if this is not its current version; otherwise, the exit code is 8
    #[arg(long, value_name = "VERSION", conflicts_with = "media_type")]
    pub(crate) unless: Option<String>,
    /// Writes the contents to a file, further ones beside it; binary contents are decoded
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) server: Server,
}

#[derive(Debug, Args)]
pub(crate) struct Fetch {
    /// Accepts only content of this media type
    #[arg(long = "as", value_name = "TYPE")]
    pub(crate) media_type: Option<String>,
    /// Fetches from this URL, such as that of a link in the result of a tool
    #[arg(long, value_name = "URL")]
    pub(crate) http_url: Option<String>,
    /// Writes the content to a file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// The maximum size of the content in bytes
    #[arg(long, value_name = "BYTES", default_value = "1073741824")]
    pub(crate) max_size: u64,
    #[command(flatten)]
    pub(crate) server: Server,
}

#[derive(Debug, Args)]
pub(crate) struct Icons {
    /// Marks the icon that a host chooses for this size, in pixels
    #[arg(long, value_name = "PIXELS")]
    pub(crate) size: Option<u32>,
    /// Marks the icon that a host chooses for this theme
    #[arg(long, value_enum)]
    pub(crate) theme: Option<Theme>,
    /// Writes a page that shows the icons
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) server: Server,
}

/// A theme of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Theme {
    Light,
    Dark,
}

#[derive(Debug, Args)]
pub(crate) struct Skills {
    /// Reads all files, and verifies them
    #[arg(long)]
    pub(crate) verify: bool,
    #[command(flatten)]
    pub(crate) server: Server,
}

#[derive(Debug, Args)]
pub(crate) struct Tree {
    /// The maximum number of levels
    #[arg(long, value_name = "LEVELS", default_value = "64")]
    pub(crate) depth: usize,
    #[command(flatten)]
    pub(crate) server: Server,
}
