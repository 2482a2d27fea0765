//! One agent, several servers: offers their tools to a model, calls what the model wants, and answers
//! questions of the servers. The page `agents` of the guide explains it.
//!
//! ```sh
//! cargo run -p mcp-host --example agent -- \
//!     travel="target/debug/examples/agent-subject" \
//!     demo="npx -y @modelcontextprotocol/server-everything"
//! ```

mod model;

use std::error::Error;
use std::time::Duration;

use mcp_client::types::json::{Map, Value};
use mcp_client::types::{ElicitAction, ElicitRequestFormParams, ElicitResult, ElicitValue};
use mcp_client::{ChildProcess, Client, ConnectError, InputError, Restart, Tasks};
use mcp_host::{ModelFormat, ModelTools};
use serde_json::json;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut clients = Vec::new();
    for argument in std::env::args().skip(1) {
        let (name, command) = argument
            .split_once('=')
            .ok_or("usage: agent NAME=COMMAND...")?;
        // A server that does not start must not keep the agent from using the others.
        match connect(name, command).await {
            Ok(client) => clients.push((name.to_owned(), client)),
            Err(error) => eprintln!("{name}: {error}"),
        }
    }

    let task = json!({"role": "user", "content": "Plan a weekend in Oslo."});
    let mut conversation = vec![Value::from(task)];
    let mut tools = ModelTools::new(ModelFormat::Anthropic);
    loop {
        // The lists may have changed, and a server may have been restarted.
        for (name, client) in &clients {
            if let Err(error) = tools.add(name, client).await {
                eprintln!("{name}: {error}");
            }
        }
        let request = json!({"tools": tools.definitions(), "messages": conversation});
        let response = model::respond(&request);
        conversation.push(json!({"role": "assistant", "content": response["content"]}).into());
        let calls = tools.calls(&response)?;
        if calls.is_empty() {
            println!("{}", response["content"][0]["text"]);
            break;
        }
        let answers = tools.answer_with(&calls, |call, request| async move {
            let name = call.name.clone();
            let request = request.on_progress(move |report| {
                let total = report.total.map(|total| format!(" of {total}"));
                println!("{name}: {}{}", report.progress, total.unwrap_or_default());
            });
            call.result(request.await)
        });
        conversation.extend(answers.await);
    }

    for (_, client) in clients {
        client.close().await;
    }
    Ok(())
}

/// Starts a server, and starts it again whenever it exits.
async fn connect(name: &str, command: &str) -> Result<Client, ConnectError> {
    let mut words = command.split(' ');
    let program = words.next().unwrap_or_default();
    let server = ChildProcess::new(program)
        .args(words)
        .restart(Restart::default());
    let name = name.to_owned();
    Client::builder("agent", "1.0.0")
        .extension(Tasks::new().time_limit(Duration::from_secs(60 * 60)))
        .on_elicit_form(move |form| ask(name.clone(), form))
        .connect(server)
        .await
}

/// Asks the user on the terminal, and says which server wants to know.
async fn ask(server: String, form: ElicitRequestFormParams) -> Result<ElicitResult, InputError> {
    println!("{server} asks: {}", form.message);
    let mut content = Map::new();
    for name in form.requested_schema.properties.keys() {
        println!("{name}?");
        let line = tokio::task::spawn_blocking(|| std::io::stdin().lines().next()).await?;
        let Some(line) = line.transpose()? else {
            return Ok(ElicitResult::new(ElicitAction::Cancel));
        };
        content.insert(name, ElicitValue::String(line));
    }
    Ok(ElicitResult::new(ElicitAction::Accept).content(content))
}
