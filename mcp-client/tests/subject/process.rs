//! The process that the tests of child processes start. Its arguments select its behaviour.

use std::io::{BufRead, Write};
use std::process::ExitCode;
use std::time::Duration;

use mcp_server::{Context, HandlerError, Server};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Exit {
    code: i32,
}

fn server() -> Server {
    Server::builder("subject", "1.0.0")
        .tool("pid", "Its number", async || std::process::id().to_string())
        .tool("arguments", "With which it was started", async || {
            let arguments: Vec<String> = std::env::args().skip(1).collect();
            serde_json::json!(arguments).to_string()
        })
        .tool("say", "Writes to stderr", || async {
            eprintln!("said");
            "said"
        })
        .tool("variable", "What a variable is", || async {
            let folder = std::env::current_dir().unwrap_or_default();
            let variable = std::env::var("SUBJECT").unwrap_or_default();
            format!("{variable} in {}", folder.display())
        })
        .tool(
            "exit",
            "Ends",
            async |args: Exit| -> Result<_, HandlerError> {
                eprintln!("going down");
                eprintln!("with {}", args.code);
                std::process::exit(args.code);
                #[expect(unreachable_code)]
                Ok(())
            },
        )
        .tool("change", "Announces a change", |cx: Context| async move {
            cx.server().tools_changed();
        })
        .tool("never", "Never ends", || {
            std::future::pending::<Result<(), HandlerError>>()
        })
        .build()
        .expect("the definition is valid")
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |word: &str| arguments.iter().any(|argument| argument == word);
    if has("garbage") {
        println!("Listening on stdio!");
        println!("{{\"not\": \"a message\"}}");
        println!("{}", "x".repeat(100_000));
    }
    if has("dies-of-questions") {
        return exits_on_requests();
    }
    if has("silent") {
        for line in std::io::stdin().lock().lines() {
            drop(line);
        }
        return ExitCode::SUCCESS;
    }
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = builder.enable_all().build().expect("a runtime");
    let served = runtime.block_on(server().serve_stdio());
    if has("after") {
        eprintln!("served");
    }
    if has("stubborn") {
        loop {
            std::thread::sleep(Duration::from_secs(3600));
        }
    }
    if served.is_ok() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// A server that supports only the handshake.
fn exits_on_requests() -> ExitCode {
    let mut lines = std::io::stdin().lock().lines();
    let Some(Ok(first)) = lines.next() else {
        return ExitCode::SUCCESS;
    };
    let request: serde_json::Value = serde_json::from_str(&first).expect("a message");
    if request["method"] != "initialize" {
        eprintln!("expected a handshake");
        return ExitCode::FAILURE;
    }
    let answer = serde_json::json!({
        "jsonrpc": "2.0",
        "id": request["id"],
        "result": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "serverInfo": { "name": "old", "version": "1.0.0" },
        },
    });
    let mut stdout = std::io::stdout();
    writeln!(stdout, "{answer}").expect("written");
    for line in lines {
        drop(line);
    }
    ExitCode::SUCCESS
}
