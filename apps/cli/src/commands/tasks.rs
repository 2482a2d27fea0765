//! `mcp tasks`, and `mcp call --background`.

use std::ffi::OsString;

use mcp_client::types::CallToolRequest;
use mcp_client::{Client, StartedCall};

use super::call;
use crate::action::NamedArguments;
use crate::args::{Command, Options, Server, TasksCommand};
use crate::failure::Failure;
use crate::hints;
use crate::output::exact::to_json;
use crate::output::progress::Progress;
use crate::output::{Output, print_message};
use crate::remembered::{self, Remembered};
use crate::secrets;

/// Names the server of a task that is remembered, if the command line does not.
pub(crate) async fn find_server(
    options: &mut Options,
    command: &mut Command,
) -> Result<(), Failure> {
    let Command::Tasks(command) = command else {
        return Ok(());
    };
    let Some(server) = command.server_mut() else {
        return Ok(());
    };
    if let ([id], []) = (&*server.words, &*server.program)
        && !hints::is_url(id)
        && options.config.is_none()
    {
        let mut all = remembered::all().await?.into_iter();
        let Some(task) = all.find(|task| task.id == *id) else {
            let message = "this task is not remembered: name its server, too";
            return Err(Failure::Usage(message.to_owned()));
        };
        if let Some(source) = task.source {
            options.config.clone_from(&source.config);
            server.words.insert(0, source.name.clone());
            server.source = Some(source);
            return Ok(());
        }
        server.program = task.program.into_iter().map(OsString::from).collect();
        if server.program.is_empty() {
            server.words.insert(0, task.url);
        }
    }
    Ok(())
}

/// Lists the tasks that are remembered.
pub(crate) async fn list(output: Output) -> Result<(), Failure> {
    let all = remembered::all().await?.into_iter();
    let all: Vec<Remembered> = all.map(without_secrets).collect();
    if output.json {
        return Ok(output.value(&all)?);
    }
    if all.is_empty() {
        print_message("no task is remembered");
    }
    for task in all {
        let source = task.source.map(|source| source.name);
        let server = source.unwrap_or_else(|| [task.url, task.program.join(" ")].concat());
        output.line(&format!("{}  {}  {server}", task.id, task.tool))?;
    }
    Ok(())
}

/// Removes secrets from the URL, or from the command line, of the server of a task.
fn without_secrets(task: Remembered) -> Remembered {
    let words: Vec<OsString> = task.program.iter().map(OsString::from).collect();
    Remembered {
        url: secrets::urls(&task.url).into_owned(),
        program: secrets::command_line(&words),
        ..task
    }
}

/// Calls a tool, and prints the id of its task.
pub(crate) async fn begin(
    client: &Client,
    named: &NamedArguments<'_>,
    server: &Server,
    output: Output,
) -> Result<(), Failure> {
    let params = call::params(client, named).await?;
    let call = client.request::<CallToolRequest>(params);
    let task = match call.start_task().await? {
        StartedCall::Task(task) => task,
        StartedCall::Finished(result) => {
            print_message("the server made no task of the call");
            return call::show(&result, named, output);
        }
    };
    let remembered = Remembered::new(task.id(), named.name, server, task.ttl());
    let stored = remembered::change(|all| all.push(remembered)).await;
    // The id is printed in any case: the task exists.
    if output.json {
        output.value(&serde_json::json!({ "taskId": task.id() }))?;
    } else {
        output.line(task.id())?;
    }
    stored
}

/// Performs one of the commands for a single task.
pub(crate) async fn one(
    client: &Client,
    command: &TasksCommand,
    id: &str,
    verbose: bool,
    output: Output,
) -> Result<(), Failure> {
    let task = client.task(id);
    match command {
        TasksCommand::List { .. } => Ok(()),
        TasksCommand::Get(_) => {
            let state = to_json(&task.get().await?);
            if output.json {
                return Ok(output.value(&state)?);
            }
            let text = |name: &str| state.get(name).and_then(|text| text.as_str());
            let message =
                text("statusMessage").map_or_else(String::new, |text| format!(": {text}"));
            Ok(output.line(&format!("{}{message}", text("status").unwrap_or_default()))?)
        }
        TasksCommand::Cancel(_) => {
            task.cancel().await?;
            forget(id).await;
            Ok(())
        }
        TasksCommand::Wait(_) => {
            let progress = Progress::new(verbose);
            let result = match progress.handler() {
                Some(handler) => task.wait_with_progress(handler).await?,
                None => task.wait().await?,
            };
            drop(progress);
            forget(id).await;
            if output.json {
                output.value(&result)?;
                return call::outcome(result.is_error);
            }
            call::show(&result, &NamedArguments::named(id), output)
        }
    }
}

/// Removes a task from those that are remembered. If that fails, it stays until it expires.
async fn forget(id: &str) {
    if let Err(error) = remembered::change(|all| all.retain(|task| task.id != id)).await {
        tracing::warn!(%error, "the task is still remembered");
    }
}
