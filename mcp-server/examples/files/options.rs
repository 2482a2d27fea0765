//! The command line.

use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;

use clap::Parser;

/// Serves the files below a folder to peers of the Model Context Protocol.
///
/// Over standard input and output, or over HTTP with `--http`. Links, pipes and devices are not
/// served, nor is what begins with a dot. What changes is told to peers that subscribed.
///
/// A folder is a collection whose members can be listed; reading it gives the texts of its first
/// short members. The URI of a file is `file:///` with its path below the folder, in which a byte
/// that is not UTF-8 stands as the character U+10FF00 and the value of the byte.
///
/// Messages go to standard error. The program ends with 0 after the end of input or an interrupt,
/// with 1 where it cannot serve, and with 2 where the command line is wrong.
#[derive(Debug, Parser)]
#[command(name = "files", version)]
pub(crate) struct Options {
    /// The folder to serve.
    pub(crate) root: PathBuf,

    /// Serves Streamable HTTP at this address, such as 127.0.0.1:8080, in place of standard input
    /// and output. Port 0 takes any; the first line on standard output names it.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) http: Option<String>,

    /// The address at which clients reach the server, `https://` with a host: that of a proxy, or
    /// the server's own with `--tls-cert`. Resources then have URLs below `/files/` there, which
    /// give a file to who has the URL and cannot speak the protocol.
    #[arg(long, value_name = "URL", requires = "http")]
    pub(crate) public_url: Option<String>,

    /// How long such a URL is good, in seconds.
    #[arg(long, value_name = "SECONDS", default_value = "900")]
    pub(crate) url_lifetime: NonZeroU64,

    /// Serves over TLS, with this chain of certificates (PEM).
    #[arg(long, value_name = "FILE", requires = "tls_key", requires = "http")]
    pub(crate) tls_cert: Option<PathBuf>,

    /// The private key of the certificate (PEM).
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub(crate) tls_key: Option<PathBuf>,

    /// A name under which clients reach the server, beside those of this machine and of the public
    /// URL. May be given several times.
    #[arg(long, value_name = "HOST", requires = "http")]
    pub(crate) allow_host: Vec<String>,

    /// How many resources are on a page of a list.
    #[arg(long, value_name = "N", default_value = "500")]
    pub(crate) page_size: NonZeroUsize,

    /// The largest file that is read by the protocol, in bytes.
    #[arg(long, value_name = "BYTES", default_value = "2097152")]
    pub(crate) max_read: u64,

    /// The largest file that is read by its URL, in bytes. It is held in memory meanwhile.
    #[arg(long, value_name = "BYTES", default_value = "67108864")]
    pub(crate) max_fetch: u64,

    /// Serves what begins with a dot, too.
    #[arg(long)]
    pub(crate) hidden: bool,

    /// Does not tell of changes.
    #[arg(long)]
    pub(crate) no_watch: bool,
}
