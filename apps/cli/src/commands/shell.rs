//! `mcp shell`: commands on one connection.

mod complete;
mod editor;

use std::sync::{Arc, Mutex};

use clap::Parser;
use clap::error::ErrorKind;
use mcp_client::{CallError, Client};

use crate::action::Action;
use crate::args::{Command, Mcp, Options, Shell, Show};
use crate::failure::Failure;
use crate::output::{Output, print_message};
use crate::{interrupted, perform};

use complete::Names;
use editor::{Editor, Line};

/// Reads commands and runs them, until the input ends. Returns the outcome of the last one.
pub(crate) async fn shell(client: Client, args: &Shell, options: &Options) -> Result<(), Failure> {
    let names = Arc::new(Mutex::new(Names::default()));
    let mut editor = Editor::new(names.clone(), !args.no_history)?;
    if editor.is_interactive() {
        let info = client.server_info();
        let server = info.map(|info| crate::connect::described(&info));
        let server = server.unwrap_or_else(|| "a server without a name".to_owned());
        print_message(&format!(
            "connected to {server}, revision {}; `help` lists the commands, Ctrl-D ends",
            client.revision()
        ));
        complete::load(&client, &names).await;
    }
    let mut last = Ok(());
    let ended = loop {
        let line;
        (editor, line) = tokio::select! {
            read = editor.read() => read?,
            ended = interrupted() => break ended,
        };
        let text = match line {
            Line::Text(text) => text,
            Line::Interrupted => continue,
            Line::End => break last,
        };
        match parse(&text) {
            Ok(Parsed::Nothing) => {}
            Ok(Parsed::Exit) => break last,
            Ok(Parsed::Command(mcp)) => {
                last = run(&client, *mcp, args.server.show.json, options).await;
            }
            Err(failure) => last = Err(failure),
        }
        if let Err(failure) = &last {
            if is_lost(failure) {
                break last;
            }
            if editor.is_interactive() || !matches!(failure, Failure::Tool) {
                failure.report();
            }
        }
        if editor.is_interactive() && ["tools", "prompts", "resources"].contains(&text.trim()) {
            complete::load(&client, &names).await;
        }
    };
    client.close().await;
    match ended {
        // It was reported when it happened.
        Err(failure) if !is_lost(&failure) && !matches!(failure, Failure::Interrupted) => {
            Err(Failure::Reported(Box::new(failure)))
        }
        ended => ended,
    }
}

enum Parsed {
    Nothing,
    Exit,
    Command(Box<Mcp>),
}

/// Parses a line as the words after `mcp`, without the server.
fn parse(line: &str) -> Result<Parsed, Failure> {
    let words = shlex::split(line).ok_or_else(|| {
        Failure::Usage("a quote or a backslash at the end is not closed".to_owned())
    })?;
    match words.first().map(String::as_str) {
        None => return Ok(Parsed::Nothing),
        Some("exit" | "quit") => return Ok(Parsed::Exit),
        Some(_) => {}
    }
    match Mcp::try_parse_from(["mcp".to_owned()].into_iter().chain(words)) {
        Ok(mcp) => Ok(Parsed::Command(Box::new(mcp))),
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::DisplayHelp | ErrorKind::DisplayVersion
            ) =>
        {
            error.print()?;
            Ok(Parsed::Nothing)
        }
        Err(error) => {
            let text = error.render().to_string();
            let text = text.strip_prefix("error: ").unwrap_or(&text);
            Err(Failure::Usage(text.trim_end().to_owned()))
        }
    }
}

/// Runs a command. The first interrupt cancels it.
async fn run(client: &Client, mcp: Mcp, json: bool, start: &Options) -> Result<(), Failure> {
    let Mcp { command } = mcp;
    let options = command.options();
    let of_connection = [
        ("--config", options.config.is_some()),
        ("--cwd", options.cwd.is_some()),
        ("--env", !options.env.is_empty()),
        ("--header", !options.header.is_empty()),
        ("--project", options.project),
        ("--revision", options.revision.is_some()),
    ];
    if let Some((name, _)) = of_connection.into_iter().find(|(_, is_given)| *is_given) {
        let message = format!("`{name}` is an option of `mcp shell` itself, when it starts");
        return Err(Failure::Usage(message));
    }
    let refused = match &command {
        Command::Check(_) | Command::Shell(_) => Some("this command needs its own connection"),
        Command::Call(args) if args.background => {
            Some("`--background` needs its own connection: run `mcp call` outside of the shell")
        }
        Command::Tasks(_) => Some("run `mcp tasks` outside of the shell"),
        Command::Explain(_)
        | Command::Gateway(_)
        | Command::Mock(_)
        | Command::Record(_)
        | Command::Replay(_) => Some("run this command outside of the shell"),
        command if command.server().is_none() => Some("run this command outside of the shell"),
        _ => None,
    };
    if let Some(refused) = refused {
        return Err(Failure::Usage(refused.to_owned()));
    }
    let words = match command.server() {
        Some(server) if !server.program.is_empty() => {
            let message = "the shell has its server already: expected no `--`";
            return Err(Failure::Usage(message.to_owned()));
        }
        Some(server) => server.words.clone(),
        None => Vec::new(),
    };
    let output = Output::new(Show {
        json: command.show().json || json,
        ..command.show()
    });
    let action = Action::new(&command, &words)?;
    let verbose = options.common.verbose || start.common.verbose;
    tokio::select! {
        done = perform(client, &action, verbose, output) => done,
        interrupted = interrupted() => match command {
            Command::Watch(_) => Ok(()),
            _ => interrupted,
        }
    }
}

/// Returns `true` if the connection cannot be used any more.
fn is_lost(failure: &Failure) -> bool {
    matches!(failure, Failure::Call(CallError::Lost { .. }))
}
