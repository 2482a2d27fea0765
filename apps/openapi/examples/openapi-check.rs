//! Converts OpenAPI documents, and prints what becomes of their operations.
//!
//! ```sh
//! cargo run -p mcp-openapi --example openapi-check -- pets.json shop.yaml
//! find . -name '*.json' | cargo run ... -- --stdin --quiet
//! ```
//!
//! `--tools` prints the names of tools, `--quiet` no faults. `--schemas` serves the tools and validates the
//! schemas that a client lists.

use std::time::Instant;

use mcp_client::{ByteStream, Client};
use mcp_openapi::{FaultKind, OpenApi, OpenApiError, OpenApiTools};
use mcp_server::{Definition, Server};

type Failure = Box<dyn std::error::Error>;

fn convert(text: &str) -> Result<(usize, OpenApiTools), OpenApiError> {
    let api = OpenApi::parse(text)?;
    let operations = api.operations().len();
    // Nothing is sent, and many documents name no absolute URL.
    Ok((operations, api.base_url("https://api.example").tools()?))
}

/// Lists the tools with a client. Returns the number of valid schemas, and the size of the list in bytes.
async fn validate(tools: OpenApiTools) -> Result<(usize, usize), Failure> {
    let server = Server::builder("check", "1.0.0").page_size(20);
    let server = server.merge(tools.into_group()).build()?;
    let client = Client::builder("check", "1.0.0");
    let client = client.connect(ByteStream::of(server.in_memory())).await?;
    let (mut valid, mut bytes) = (0, 0);
    for tool in client.tools().all().await?.items {
        let tool = serde_json::to_value(&tool)?;
        bytes += tool.to_string().len();
        for member in ["inputSchema", "outputSchema"] {
            let Some(schema) = tool.get(member) else {
                continue;
            };
            let checked = jsonschema::draft202012::meta::validate(schema);
            checked.map_err(|error| format!("{}: {member}: {error}", tool["name"]))?;
            jsonschema::draft202012::new(schema)
                .map_err(|error| format!("{}: {member}: {error}", tool["name"]))?;
            valid += 1;
        }
    }
    Ok((valid, bytes))
}

async fn check(file: &str, options: &[String]) -> Result<(), Failure> {
    let has = |name: &str| options.iter().any(|option| option == name);
    let text = std::fs::read_to_string(file)?;
    let start = Instant::now();
    let (operations, made) = convert(&text)?;
    let time = start.elapsed();
    let count = |kind| {
        made.faults
            .iter()
            .filter(|fault| fault.kind == kind)
            .count()
    };
    println!(
        "{file}: {operations} operations, {} tools, {} skipped, {} loosened, {time:?}",
        made.tools.len(),
        count(FaultKind::Skipped),
        count(FaultKind::Loosened),
    );
    if has("--tools") {
        for tool in &made.tools {
            println!("  {}", tool.key());
        }
    }
    if !has("--quiet") {
        for fault in &made.faults {
            println!("  {fault}");
        }
    }
    if has("--schemas") {
        let (valid, bytes) = validate(made).await?;
        println!("  {valid} valid schemas, {bytes} bytes");
    }
    Ok(())
}

#[tokio::main]
async fn main() {
    let (options, mut files): (Vec<_>, Vec<_>) = std::env::args()
        .skip(1)
        .partition(|argument| argument.starts_with("--"));
    if options.iter().any(|option| option == "--stdin") {
        files.extend(std::io::stdin().lines().map_while(Result::ok));
    }
    for file in &files {
        if let Err(error) = check(file, &options).await {
            println!("{file}: {error}");
        }
    }
}
