//! The process that the tests of standard input and output start.
//!
//! The first argument is the kind of runtime. The second may be `drop`: then the serving future is
//! dropped as soon as a handler reaches the gate `drop`.

use std::process::ExitCode;
use std::time::Duration;

use mcp_server::{Limits, ServeError};
use tokio::runtime::Builder;

mod tools;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |word: &str| arguments.iter().any(|argument| argument == word);
    let mut builder = if has("multi") {
        Builder::new_multi_thread()
    } else {
        Builder::new_current_thread()
    };
    let runtime = builder.enable_all().build().expect("a runtime");
    match runtime.block_on(serve(has("drop"))) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn serve(dropped: bool) -> Result<(), ServeError> {
    let gates = tools::Gates::default();
    let mut limits = Limits::default();
    limits.queued_bytes = 100_000;
    limits.message_bytes = 100_000;
    limits.grace_time = Duration::from_secs(60);
    // Not available over standard input.
    limits.first_message_time = Duration::ZERO;
    let server = tools::server(limits, &gates);
    if !dropped {
        return server.serve_stdio().await;
    }
    tokio::select! {
        outcome = server.serve_stdio() => return outcome,
        () = gates.entered("drop") => {}
    }
    gates.left("drop").await;
    Ok(())
}
