//! The part of a host that shows apps, without its pages: a program that a web page asks by lines of
//! JSON. `cargo run -p mcp-host --features apps --example apps_host -- URL`
//!
//! - `{"id": 1, "open": "sales"}` calls the tool, and returns its result, the document of its app, and
//!   what the frame may do.
//! - `{"id": 2, "call": "add_sale", "arguments": {}}` is the call of a tool by the app that was opened
//!   last.

use std::error::Error;

use mcp_client::{Client, Http};
use mcp_host::apps::{App, AppsHost};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader};

#[derive(Deserialize)]
struct Question {
    id: u64,
    open: Option<String>,
    call: Option<String>,
    #[serde(default)]
    arguments: Value,
}

async fn open(host: &AppsHost, tool: &str) -> Result<(App, Value), Box<dyn Error>> {
    let result = host.call_from_model(tool)?.await?;
    let app = host.open(tool).await?;
    let model_tools: Vec<&str> = host.model_tools().map(|tool| &*tool.name).collect();
    let opened = json!({
        "html": app.html,
        "policy": app.content_security_policy(),
        "allow": app.allow(),
        "result": result,
        "modelTools": model_tools,
    });
    Ok((app, opened))
}

async fn call(
    host: &AppsHost,
    app: Option<&App>,
    question: Question,
) -> Result<Value, Box<dyn Error>> {
    let app = app.ok_or("no app is open")?;
    let tool = question.call.ok_or("neither `open` nor `call`")?;
    let call = host.call_from(app, &tool)?.arguments(question.arguments);
    Ok(serde_json::to_value(call.await?)?)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let url = std::env::args().nth(1).ok_or("usage: apps_host URL")?;
    let client = Client::builder("apps-host", env!("CARGO_PKG_VERSION"))
        .extension(AppsHost::extension())
        .connect(Http::new(url))
        .await?;
    let host = AppsHost::load(&client).await?;
    let mut shown = None;
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    while let Some(line) = lines.next_line().await? {
        let question: Question = serde_json::from_str(&line)?;
        let id = question.id;
        let answer = if let Some(tool) = &question.open {
            let opened = open(&host, tool).await;
            opened.map(|(app, opened)| {
                shown = Some(app);
                opened
            })
        } else {
            call(&host, shown.as_ref(), question).await
        };
        match answer {
            Ok(result) => println!("{}", json!({ "id": id, "result": result })),
            Err(error) => println!("{}", json!({ "id": id, "error": error.to_string() })),
        }
    }
    client.close().await;
    Ok(())
}
