//! Measures how well tools are found: serves the operations of OpenAPI documents as tools, and searches.
//!
//! ```sh
//! cargo run -p mcp-gateway --features search --example search-check -- tasks.json github.json slack.json
//! cargo run ... -- --serve github.json slack.json
//! ```
//!
//! The first file lists tasks, each with the names of the tools that are right for it. The names of tools
//! begin with that of their document. Prints for each query the names of the tools that were found, as a
//! line of JSON: first for the tasks, then for the names of 200 tools. With `--serve`, it serves all tools
//! over standard input and output, so that another search can be measured.

use std::path::Path;

use mcp_client::{ByteStream, Client};
use mcp_gateway::search::Search;
use mcp_openapi::OpenApi;
use mcp_server::{Server, ServerBuilder};
use serde_json::{Value, json};

type Failure = Box<dyn std::error::Error>;

/// How many tools are searched by their names.
const NAMES: usize = 200;

/// Adds the operations of the documents. Their tools are never called.
fn add(mut server: ServerBuilder, documents: &[String]) -> Result<ServerBuilder, Failure> {
    for file in documents {
        let api = OpenApi::parse(&std::fs::read_to_string(file)?)?;
        let tools = api.base_url("https://api.example").tools()?;
        let stem = Path::new(file).file_stem().unwrap_or_default();
        server = server.merge(tools.into_group().prefix(format!("{}_", stem.display())));
    }
    Ok(server)
}

async fn connect(server: ServerBuilder) -> Result<Client, Failure> {
    let server = server.build()?;
    let client = Client::builder("search-check", "1.0.0");
    Ok(client.connect(ByteStream::of(server.in_memory())).await?)
}

async fn search(client: &Client, query: &str) -> Result<Vec<Value>, Failure> {
    let call = client.call_tool("search_tools");
    let arguments = json!({ "query": query, "limit": 20 });
    let found: Value = call.arguments(&arguments).await?.structured()?;
    let tools = found["tools"].as_array().cloned().unwrap_or_default();
    Ok(tools.into_iter().map(|tool| tool["name"].clone()).collect())
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (first, documents) = arguments
        .split_first()
        .ok_or("expected tasks and documents")?;
    let server = || Server::builder("search-check", "1.0.0");
    if first == "--serve" {
        let server = add(server().page_size(100), documents)?.build()?;
        server.serve_stdio().await?;
        return Ok(());
    }
    let tasks: Vec<(String, Vec<String>)> = serde_json::from_str(&std::fs::read_to_string(first)?)?;
    let all = connect(add(server().page_size(100), documents)?).await?;
    let names: Vec<String> = all
        .tools()
        .all()
        .await?
        .items
        .into_iter()
        .map(|tool| tool.name)
        .collect();
    eprintln!("{} tools", names.len());
    let client = connect(add(
        server().layer(Search::new()).page_size(100),
        documents,
    )?)
    .await?;
    let step = (names.len() / NAMES).max(1);
    let names = names.into_iter().step_by(step).take(NAMES);
    let names = names.map(|name| (name.clone(), vec![name]));
    for (query, right) in tasks.into_iter().chain(names) {
        let found = search(&client, &query).await?;
        println!(
            "{}",
            json!({ "query": query, "right": right, "found": found })
        );
    }
    Ok(())
}
