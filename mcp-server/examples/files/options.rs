//! The command line.

use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;

use clap::Parser;

/// Serves the files below a folder to clients of the Model Context Protocol.
///
/// Uses standard input and output, or HTTP with `--http`. Links, pipes, devices and hidden files
/// are not served. Subscribed clients are notified of changes.
///
/// A folder is a collection whose members can be listed; reading it returns the texts of its first
/// short files. The URI of a file is `file:///` and its path below the folder. A byte that is not
/// UTF-8 becomes the character U+10FF00 plus the value of the byte.
///
/// Logs are written to standard error. The exit code is 0 after the end of the input or an
/// interrupt, 1 if the folder cannot be served, and 2 if the command line is wrong.
#[derive(Debug, Parser)]
#[command(name = "files", version)]
pub(crate) struct Options {
    /// The folder to serve.
    pub(crate) root: PathBuf,

    /// Serves Streamable HTTP at this address, such as 127.0.0.1:8080, instead of standard input
    /// and output. Port 0 chooses a free port; the first line on standard output names it.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) http: Option<String>,

    /// The address at which clients reach the server, `https://` and a host: of a proxy, or of the
    /// server itself with `--tls-cert`. Resources then have URLs below `/files/`, for programs that
    /// do not speak the protocol.
    #[arg(long, value_name = "URL", requires = "http")]
    pub(crate) public_url: Option<String>,

    /// How long such a URL is valid, in seconds.
    #[arg(long, value_name = "SECONDS", default_value = "900")]
    pub(crate) url_lifetime: NonZeroU64,

    /// Serves over TLS with this certificate chain (PEM).
    #[arg(long, value_name = "FILE", requires = "tls_key", requires = "http")]
    pub(crate) tls_cert: Option<PathBuf>,

    /// The private key of the certificate (PEM).
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub(crate) tls_key: Option<PathBuf>,

    /// A name under which clients reach the server, in addition to those of this machine and of the
    /// public URL. May be given several times.
    #[arg(long, value_name = "HOST", requires = "http")]
    pub(crate) allow_host: Vec<String>,

    /// The number of resources on a page of a list.
    #[arg(long, value_name = "N", default_value = "500")]
    pub(crate) page_size: NonZeroUsize,

    /// The maximum size of a file that is read over the protocol, in bytes. At its URL a file of
    /// any size is read.
    #[arg(long, value_name = "BYTES", default_value = "2097152")]
    pub(crate) max_read: u64,

    /// Describes each file of a list on its own, as a program does whose lists know only the names.
    /// Clients get the same lists, later: this is for measurements.
    #[arg(long)]
    pub(crate) describe_each: bool,

    /// Serves hidden files, whose names begin with a dot.
    #[arg(long)]
    pub(crate) hidden: bool,

    /// Does not notify clients of changes.
    #[arg(long)]
    pub(crate) no_watch: bool,
}
