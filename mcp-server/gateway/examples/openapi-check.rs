//! Converts OpenAPI documents and prints what becomes of their operations.
//!
//! ```sh
//! cargo run -p mcp-gateway --features openapi --example openapi-check -- [--tools] petstore.json ...
//! ```

use std::time::Instant;

use mcp_gateway::openapi::{FaultKind, OpenApi, OpenApiError, OpenApiTools};
use mcp_server::Definition;

fn convert(text: &str) -> Result<(usize, OpenApiTools), OpenApiError> {
    let api = OpenApi::parse(text)?;
    let operations = api.operations().len();
    // Nothing is sent; many documents name no absolute URL.
    Ok((operations, api.base_url("https://api.example").tools()?))
}

fn main() {
    let (mut files, options): (Vec<_>, Vec<_>) =
        std::env::args().skip(1).partition(|argument| !argument.starts_with("--"));
    let has = |name: &str| options.iter().any(|option| option == name);
    if has("--stdin") {
        files.extend(std::io::stdin().lines().map_while(Result::ok));
    }
    for file in &files {
        let text = match std::fs::read_to_string(file) {
            Ok(text) => text,
            Err(error) => {
                println!("{file}: {error}");
                continue;
            }
        };
        let start = Instant::now();
        match convert(&text) {
            Ok((operations, made)) => {
                let skipped = made.faults.iter().filter(|it| it.kind == FaultKind::Skipped);
                println!(
                    "{file}: {operations} operations, {} tools, {} skipped, {} loosened, {:?}",
                    made.tools.len(),
                    skipped.count(),
                    made.faults.iter().filter(|it| it.kind == FaultKind::Loosened).count(),
                    start.elapsed(),
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
            }
            Err(error) => println!("{file}: {error}"),
        }
    }
}
