//! `mcp`: calls servers of the Model Context Protocol from the command line.

mod action;
mod args;
mod authorization;
mod commands;
mod configured;
mod connect;
mod edit;
mod failure;
mod files;
mod hints;
mod hosts;
mod ignored;
mod network;
mod output;
mod questions;
mod recording;
mod recording_error;
mod remembered;
mod schema;
mod secrets;
mod tls;
mod values;
mod wire;

use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use mcp_client::Client;
use tokio::runtime::Builder;
use tokio::time::timeout;

use action::Action;
use args::{Command, Mcp, Options};
use commands::{
    account, call, check, discover, explain, fetch, gateway, icons, metadata, mock, prompts, raw,
    record, replay, resources, shell, skills, tasks, tools, tree, watch,
};
use failure::Failure;
use output::Output;

/// How long the orderly shutdown may take after an interrupt.
const INTERRUPTED: Duration = Duration::from_millis(500);

fn main() -> ExitCode {
    let Mcp { command } = match Mcp::try_parse() {
        Ok(mcp) => mcp,
        Err(error) => {
            // If it cannot be printed, the exit code still reports the error.
            let _ = error.print();
            if let Some(hint) = hints::of_arguments(&error) {
                output::print_message(&format!("\nhint: {hint}"));
            }
            return ExitCode::from(if error.use_stderr() {
                failure::USAGE
            } else {
                0
            });
        }
    };
    let options = command.options();
    let check = match &command {
        Command::Check(args) => Some(args.wire.clone()),
        _ => None,
    };
    if options.common.verbose || check.is_some() {
        output::trace(options.common.verbose, check);
    }
    // Several threads serve the users of a gateway: the message of one does not block the others.
    let mut runtime = match &command {
        Command::Gateway(args) if args.listen.is_some() => Builder::new_multi_thread(),
        _ => Builder::new_current_thread(),
    };
    let runtime = match runtime.enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return Failure::from(error).report(),
    };
    match runtime.block_on(run(options, command)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

/// Connects, runs the command, and closes the connection. The first interrupt cancels the command,
/// the second one also the orderly shutdown.
async fn run(mut options: Options, mut command: Command) -> Result<(), Failure> {
    let output = Output::new(command.show());
    tasks::find_server(&mut options, &mut command).await?;
    configured::apply(&mut options, &mut command).await?;
    match &command {
        // They handle signals: `record` passes them on to the server.
        Command::Gateway(args) => return gateway::gateway(&options, args).await,
        Command::Record(args) => return record::record(args, &options).await,
        Command::Replay(args) => return replay::replay(args, &options, output).await,
        Command::Mock(args) => return mock::mock(args, output).await,
        Command::Explain(args) => return explain::explain(args, output),
        _ => {}
    }
    if command.server().is_none() {
        return tokio::select! {
            done = account::run(&options, &command, output) => done,
            interrupted = interrupted() => interrupted,
        };
    }
    let (target, words) = connect::target(&command)?;
    let action = Action::new(&command, &words)?;
    let client = tokio::select! {
        client = connect::connect(&options, &command, target, output) => client,
        interrupted = interrupted() => return interrupted,
    };
    let client = match client {
        Ok(client) => client,
        Err(failure) => {
            check::unconnected(&command, output)?;
            return Err(failure);
        }
    };
    for dropped in client.dropped_at_connect() {
        output::print_error(&dropped.to_string());
    }
    if let Action::Shell(args) = action {
        return shell::shell(client, args, &options).await;
    }
    let done = tokio::select! {
        done = perform(&client, &action, options.common.verbose, output) => done,
        interrupted = interrupted() => match command {
            // `watch` runs until it is interrupted.
            Command::Watch(_) => Ok(()),
            _ => interrupted,
        }
    };
    if let Err(Failure::Interrupted) = done {
        // The cancellation is sent. A server that does not exit is killed with the runtime.
        let _ = timeout(INTERRUPTED, client.close()).await;
        return done;
    }
    tokio::select! {
        () = client.close() => done,
        _ = interrupted() => done,
    }
}

/// Waits for a signal that asks the program to exit.
pub(crate) async fn interrupted() -> Result<(), Failure> {
    let terminated = mcp_server::terminated()?;
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let mut hung_up = signal(SignalKind::hangup())?;
        tokio::select! {
            () = terminated => {}
            _ = hung_up.recv() => {}
        }
    }
    #[cfg(not(unix))]
    terminated.await;
    Err(Failure::Interrupted)
}

pub(crate) async fn perform(
    client: &Client,
    action: &Action<'_>,
    verbose: bool,
    output: Output,
) -> Result<(), Failure> {
    match action {
        Action::Discover => discover::discover(client, output).await,
        Action::Check(args, write) => check::check(client, args, write.as_ref(), output).await,
        // It runs further actions.
        Action::Shell(_) => Ok(()),
        Action::Tools(words) => tools::tools(client, words, output).await,
        Action::Call(named) => call::call(client, named, verbose, output).await,
        Action::Begin(named, server) => tasks::begin(client, named, server, output).await,
        Action::Task(command, id) => tasks::one(client, command, id, verbose, output).await,
        Action::Resources(filter) => resources::resources(client, filter.clone(), output).await,
        Action::Read(uri, how) => resources::read(client, uri, how, output).await,
        Action::Fetch(uri, how) => fetch::fetch(client, uri, how, output).await,
        Action::Metadata(uri) => metadata::metadata(client, uri, output).await,
        Action::Tree { uri, depth } => tree::tree(client, *uri, *depth, output).await,
        Action::Icons(args) => icons::icons(client, args, output).await,
        Action::Skills(verify) => skills::skills(client, *verify, output).await,
        Action::Prompts => prompts::prompts(client, output).await,
        Action::Prompt(named) => prompts::prompt(client, named, output).await,
        Action::Watch(uris) => watch::watch(client, uris, output).await,
        Action::Complete(named) => prompts::complete(client, named, output).await,
        Action::Ping => raw::ping(client, output).await,
        Action::Request(method, params) => raw::request(client, method, params, output).await,
    }
}
