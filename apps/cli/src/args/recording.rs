//! The arguments of `mcp record`, `mcp replay` and `mcp explain`.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Arg, Args, ValueEnum};

use super::Options;
use super::options::address;
use crate::ignored::Ignored;

/// Records the messages between a host and a server
///
/// The host starts this command in place of the program, or is pointed at the address that the
/// command prints in place of the URL. All bytes are passed on unchanged.
///
/// Secrets are not recorded:
///
/// - the headers for authorization, cookies and sessions, credentials after `Bearer` and `Basic`,
///   and users and passwords in URLs;
///
/// - the values of members, arguments, options and parameters whose names end with one of these
///   words, in any case and with any separators: token, password, passwd, passphrase, passcode,
///   pwd, secret, credential, api key, access key, auth key, encryption key, master key, private
///   key, shared key, signing key, authorization, cookie, jwt, bearer, client assertion, code
///   verifier, their plurals, and these words with a number, base, base64, digest, hash, hex, key,
///   pem, salt or value after them. In the queries of URLs also: auth, code, key, pass, session id,
///   sig, state, subscription key, and names that end with signature. Headers, options and variables
///   of the environment also, if one of the words is in the middle, or a word of the name is auth,
///   dsn, key, pass or pat;
///
/// - in texts, what follows such a name and `=`, or `:` where it is clearly a value, as in
///   `password: hunter2` on a line of its own;
///
/// - anywhere, what has a known form: tokens of GitHub, GitLab, Slack, AWS, Google, Stripe, OpenAI,
///   Anthropic, Hugging Face, npm, Docker and of the index of Python, JSON Web Tokens, and private
///   keys in PEM;
///
/// - `httpUrl` of resources, except for the host, and the ids of tasks, which are replaced by
///   numbers: who has them can read the content or the result.
///
/// Everything else stays: names that end with progress token, page token, next token, cursor token,
/// continuation token, design token and stop token; numbers of tokens, such as `maxTokens`;
/// cursors; and secrets of other forms that have no such name, such as a password in the middle of
/// a sentence. Read a recording before you share it.
#[derive(Debug, Args)]
#[command(
    mut_args(of_recording),
    override_usage = "mcp record [OPTIONS] -o FILE -- PROGRAM...\n       mcp record [OPTIONS] -o FILE [--listen ADDRESS] URL"
)]
pub(crate) struct Record {
    #[arg(hide = true)]
    pub(crate) words: Vec<String>,
    #[arg(hide = true, last = true)]
    pub(crate) program: Vec<OsString>,
    /// The recording: a file of JSON lines, which only the user can read. An existing file is
    /// replaced
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// The address of the endpoint for the host, if the server is a URL. Port 0 is any free one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:0", value_parser = address)]
    pub(crate) listen: SocketAddr,
    /// Does not remove secrets from the recording
    #[arg(long)]
    pub(crate) keep_secrets: bool,
    /// Stops recording when the file has this size. Messages are still forwarded
    #[arg(long, value_name = "BYTES", default_value = "268435456")]
    pub(crate) max_size: u64,
    #[command(flatten)]
    pub(crate) options: Options,
}

/// Hides the options that have no meaning for recordings.
fn of_recording(argument: Arg) -> Arg {
    match argument.get_id().as_str() {
        "config" | "project" | "revision" => argument.hide(true),
        _ => argument,
    }
}

/// Lets the options of connections require `--client`, except for those that any replay has.
fn only_of_client(argument: Arg) -> Arg {
    let is_of_any = matches!(argument.get_id().as_str(), "max_message" | "verbose");
    match argument.get_help_heading() {
        Some("Connection" | "Login") if !is_of_any => of_recording(argument).requires("client"),
        _ => argument,
    }
}

/// Plays the server of a recording, on standard input and output or over HTTP
///
/// Requests are matched by their method and params, except for ids, `_meta`, and what a client
/// says of itself. A request that was recorded several times gets the answers in turn, then the
/// last one again. Requests that were not recorded, those that were answered again, and recorded
/// ones that were not made are printed on stderr. The exit code is 1 if there are any.
///
/// With `--client`, plays the client: sends its messages to a server, and prints how the
/// results differ. The exit code is 1 if they do. Ids of tasks, cursors and states are those that
/// the server gives now; their values, times and URLs of contents are not compared.
#[derive(Debug, Args)]
#[command(
    mut_args(only_of_client),
    override_usage = "mcp replay [OPTIONS] FILE [--listen ADDRESS]\n       mcp replay [OPTIONS] FILE --client URL\n       mcp replay [OPTIONS] FILE --client -- PROGRAM..."
)]
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
    pub(crate) program: Vec<OsString>,
    /// Plays the server over HTTP at this address, in place of standard input and output. Port 0 is
    /// any free one
    #[arg(long, value_name = "ADDRESS", conflicts_with = "client", value_parser = address)]
    pub(crate) listen: Option<SocketAddr>,
    /// Plays the client: sends its messages to a server, and shows how the results differ
    #[arg(long)]
    pub(crate) client: bool,
    /// With `--client`: does not compare this member, a path such as `$.tools.description` or a name
    ///
    /// A path includes everything below it. Indexes may be left out: they stand for all elements.
    /// The option can be repeated.
    #[arg(long, value_name = "PATH", requires = "client")]
    pub(crate) ignore: Vec<Ignored>,
    /// When to send the messages
    #[arg(long, value_enum, default_value_t = Timing::None)]
    pub(crate) timing: Timing,
    /// With `--client`: prints the result as one JSON value
    #[arg(long, requires = "client")]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) options: Options,
}

/// When a replay sends the messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Timing {
    /// At once. Some clients drop progress that arrives together with the response
    None,
    /// After the delays of the recording
    Recorded,
}

/// Explains a recording: its messages, how long answers took, and what is not valid
#[derive(Debug, Args)]
#[command(override_usage = "mcp explain [OPTIONS] FILE")]
pub(crate) struct Explain {
    /// The recording
    pub(crate) file: PathBuf,
    /// The form of the explanation
    #[arg(long, value_enum, default_value_t = Format::Text, conflicts_with = "json")]
    pub(crate) format: Format,
    /// Prints the explanation as one JSON value
    #[arg(long)]
    pub(crate) json: bool,
    /// Writes the explanation to a file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// A table
    Text,
    /// The same as `--json`
    Json,
    /// A page for a browser, with a sequence diagram
    Html,
}
