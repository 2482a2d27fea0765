//! [`connect`]: the way from the command line to a client.

use std::path::PathBuf;
use std::time::Duration;

use mcp_client::types::{Implementation, LoggingLevel};
use mcp_client::{ChildProcess, Client, ClientBuilder, Http, Proposal, Stderr};

use crate::args::{Command, Options};
use crate::ask::Terminal;
use crate::failure::Failure;
use crate::output::{self, Output};
use crate::{fetch, form, watch};

/// Programs may have to be fetched and installed before they answer.
const PROBE: Duration = Duration::from_secs(15);

/// Where the server is.
pub(crate) enum Target<'a> {
    Url(&'a str),
    Program(ChildProcess),
}

/// The server that a command line names, and the words beside it.
pub(crate) fn target(command: &Command) -> Result<(Target<'_>, Vec<String>), Failure> {
    let server = command.server();
    if let Some((program, arguments)) = server.program.split_first() {
        let process = ChildProcess::new(program).args(arguments);
        return Ok((Target::Program(process), server.words.clone()));
    }
    match server.words.split_first() {
        Some((url, words)) if url.starts_with("http://") || url.starts_with("https://") => {
            Ok((Target::Url(url), words.to_vec()))
        }
        _ => {
            let message = "no server is named: a URL as the first argument, or `-- PROGRAM...`";
            Err(Failure::Usage(message.to_owned()))
        }
    }
}

/// Connects to a server.
pub(crate) async fn connect(
    options: &Options,
    command: &Command,
    target: Target<'_>,
    output: Output,
) -> Result<Client, Failure> {
    let mut builder = builder(options, command, output);
    if let Command::Fetch(how) = command {
        builder = builder.fetch_policy(fetch::policy(how, certificates(options)?));
    }
    match target {
        Target::Program(process) => {
            if !options.header.is_empty() {
                let message = "a program has no headers";
                return Err(Failure::Usage(message.to_owned()));
            }
            let verbose = options.verbose;
            // It is told with the error where the program ends by itself.
            let stderr = Stderr::capture(move |line| {
                if verbose {
                    // So that it cannot pass for a line of this program.
                    output::note(&format!("server: {line}"));
                }
            });
            Ok(builder.connect(process.stderr(stderr)).await?)
        }
        Target::Url(url) => {
            let headers = options.header.iter().cloned();
            let mut server = headers.fold(Http::new(url), |server, (name, value)| {
                server.header(name, value)
            });
            if let Some(pem) = certificates(options)? {
                server = server.tls_roots(pem);
            }
            Ok(builder.connect(server).await?)
        }
    }
}

/// Those that are trusted beside those of the system.
fn certificates(options: &Options) -> Result<Option<Vec<u8>>, Failure> {
    let read = |path: &PathBuf| {
        std::fs::read(path).map_err(|source| Failure::File {
            path: path.clone(),
            source,
        })
    };
    options.cacert.as_ref().map(read).transpose()
}

fn builder(options: &Options, command: &Command, output: Output) -> ClientBuilder {
    let mut limits = mcp_client::Limits::default();
    limits.call_time = options.timeout;
    limits.probe_time = PROBE.min(options.timeout / 2);
    let terminal = Terminal::new();
    let pages = terminal.clone();
    let mut builder = Client::builder("mcp", env!("CARGO_PKG_VERSION"))
        .proposals(Proposal::ALL.iter().copied())
        .limits(limits)
        .on_elicit_form(move |params| form::fill_in(terminal.clone(), params))
        .on_elicit_url(move |params| form::open(pages.clone(), params));
    if let Some(revision) = options.revision {
        builder = builder.revision(revision);
    }
    if let Command::Watch(_) = command {
        builder = builder.on_log(LoggingLevel::Debug, move |log| watch::log(&log, output));
    } else if options.verbose {
        builder = builder.on_log(LoggingLevel::Debug, |log| {
            output::note(&watch::words(&log));
        });
    }
    builder
}

/// A name as people say it, and the one by which it is called.
pub(crate) fn named(title: Option<&str>, name: &str) -> String {
    match title {
        Some(title) if title != name => format!("{name} ({title})"),
        _ => name.to_owned(),
    }
}

/// What a server calls itself.
pub(crate) fn described(info: &Implementation) -> String {
    format!(
        "{} {}",
        named(info.title.as_deref(), &info.name),
        info.version
    )
}
