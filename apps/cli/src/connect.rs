//! [`connect`]: connects to the server that the command line names.

use std::io::ErrorKind;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use mcp_client::types::{Implementation, LoggingLevel};
use mcp_client::{
    ChildProcess, Client, ClientBuilder, ConnectError, Proposal, Stderr, Tasks, TransportError,
};
use mcp_host::skills::SkillsHost;

use crate::args::{Command, Options};
use crate::failure::Failure;
use crate::output::log;
use crate::output::{self, Output};
use crate::questions::ask::Answers;
use crate::questions::form;
use crate::secrets::{self, KeyLines};
use crate::{authorization, hints, network};

/// The timeout of the probe. Programs such as `npx` may install the server before they start it.
const PROBE: Duration = Duration::from_secs(15);

/// Where the server is.
pub(crate) enum Target<'a> {
    Url(&'a str),
    Program(ChildProcess),
}

/// Returns the server that a command line names, and the other words of the command.
pub(crate) fn target(command: &Command) -> Result<(Target<'_>, Vec<String>), Failure> {
    let Some(server) = command.server() else {
        let message = "this command connects to no server";
        return Err(Failure::Usage(message.to_owned()));
    };
    if let Some((program, arguments)) = server.program.split_first() {
        let process = ChildProcess::new(program).args(arguments);
        return Ok((Target::Program(process), server.words.clone()));
    }
    match server.words.split_first() {
        Some((url, words)) if hints::is_url(url) => Ok((Target::Url(url), words.to_vec())),
        first => {
            let mut message =
                "no server is named: expected a URL as the first argument, or `-- PROGRAM...`"
                    .to_owned();
            if let Some((word, _)) = first {
                message += &format!("\nhint: {}", hints::of_server(word));
            }
            Err(Failure::Usage(message))
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
    // One for all questions, so that only one is open.
    let answers = Answers::new(options.common.timeout);
    let mut builder = builder(options, command, output, answers.clone());
    match command {
        Command::Fetch(how) => {
            builder = builder.fetch_policy(network::policy(options)?.size(how.max_size));
        }
        _ => builder = builder.fetch_policy(network::policy(options)?),
    }
    match target {
        Target::Program(mut process) => {
            if !options.header.is_empty() {
                let message = "`--header` is only for URLs, but the server is a program";
                return Err(Failure::Usage(message.to_owned()));
            }
            let source = command.server().and_then(|server| server.source.as_ref());
            if source.is_some_and(|source| source.project) {
                // The user has agreed to the variables that the entry names.
                process = process.env_essential();
            }
            for (name, value) in &options.env {
                process = process.env(name, value);
            }
            if let Some(folder) = &options.cwd {
                process = process.current_dir(folder);
            }
            let verbose = options.common.verbose;
            // If the program exits, the error contains the last lines.
            let keys = Mutex::new(KeyLines::default());
            let stderr = Stderr::capture(move |line| {
                if verbose {
                    // The prefix distinguishes it from lines of this program.
                    let mut keys = keys.lock().unwrap_or_else(PoisonError::into_inner);
                    let line = keys.clean(line.as_ref());
                    output::print_message(&format!("server: {line}"));
                }
            });
            let connected = builder.connect(process.stderr(stderr)).await;
            Ok(connected.map_err(quoted)?)
        }
        Target::Url(url) => {
            if !options.env.is_empty() || options.cwd.is_some() {
                let message = "`--env` and `--cwd` are only for programs, but the server is a URL";
                return Err(Failure::Usage(message.to_owned()));
            }
            let server =
                authorization::authorize(network::http(url, options)?, url, options, answers)?;
            Ok(builder.connect(server).await?)
        }
    }
}

/// Adds a hint if a whole command line is named as the program.
fn quoted(error: ConnectError) -> Failure {
    match &error {
        ConnectError::Transport(TransportError::Spawn { program, source })
            if source.kind() == ErrorKind::NotFound && program.contains(char::is_whitespace) =>
        {
            let hint = hints::of_server(program).into();
            Failure::Unstarted {
                source: error,
                hint,
            }
        }
        _ => error.into(),
    }
}

/// Returns `true` if a server answers without authorization.
pub(crate) async fn is_open(
    options: &Options,
    command: &Command,
    url: &str,
    output: Output,
) -> Result<bool, Failure> {
    let answers = Answers::new(options.common.timeout);
    let builder = builder(options, command, output, answers);
    let connecting = builder.connect(network::http(url, options)?);
    let Ok(client) = connecting.await else {
        return Ok(false);
    };
    client.close().await;
    Ok(true)
}

fn builder(
    options: &Options,
    command: &Command,
    output: Output,
    answers: Answers,
) -> ClientBuilder {
    let mut limits = mcp_client::Limits::default();
    limits.call_time = options.common.timeout;
    limits.message_bytes = options.max_message;
    limits.probe_time = PROBE.min(options.common.timeout / 2);
    let page_answers = answers.clone();
    let mut builder = Client::builder("mcp", env!("CARGO_PKG_VERSION"))
        .proposals(Proposal::ALL.iter().copied())
        .limits(limits)
        .extension(Tasks::new().time_limit(Duration::MAX))
        .on_elicit_form(move |params| form::fill_in(answers.clone(), params))
        .on_elicit_url(move |params| form::open(page_answers.clone(), params));
    if let Some(revision) = options.revision {
        builder = builder.revision(revision);
    }
    if let Command::Check(args) = command {
        builder = builder.layer(args.wire.clone());
    }
    if matches!(command, Command::Skills(_) | Command::Shell(_)) {
        builder = builder.extension(SkillsHost::extension());
    }
    if let Command::Watch(_) = command {
        builder = builder.on_log(LoggingLevel::Debug, move |log| log::log(&log, output));
    } else if options.common.verbose {
        builder = builder.on_log(LoggingLevel::Debug, |log| {
            output::print_message(&secrets::text(&log::log_line(&log)));
        });
    }
    builder
}

/// Returns a name with the display name in parentheses.
pub(crate) fn named(title: Option<&str>, name: &str) -> String {
    match title {
        Some(title) if title != name => format!("{name} ({title})"),
        _ => name.to_owned(),
    }
}

/// Returns the name and the version of a server.
pub(crate) fn described(info: &Implementation) -> String {
    format!(
        "{} {}",
        named(info.title.as_deref(), &info.name),
        info.version
    )
}
