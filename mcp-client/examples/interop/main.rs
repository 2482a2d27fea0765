//! Tests our client with servers of other projects: `cargo xtask interop client` and `extensions`.
//!
//! ```text
//! interop KIND REVISION stdio COMMAND ARGUMENT...
//! interop KIND REVISION http URL
//! ```
//!
//! The kind of server selects the checks. The revision is the only one that the client offers, or
//! `any` to negotiate one.

mod checks;
mod everything;
mod files;
mod memory;
mod peer;
mod python;
mod skills;
mod tasks;

use std::env;
use std::process::ExitCode;
use std::time::Duration;

use checks::{Checks, Outcome};
use peer::{Peer, Result};

/// The timeout of a check, which needs seconds at most.
const LIMIT: Duration = Duration::from_secs(20);

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match run(&arguments).await {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(arguments: &[String]) -> Result<bool> {
    let [kind, revision, way @ ..] = arguments else {
        return Err("which kind of server, and which revision?".into());
    };
    let checks: Checks = match kind.as_str() {
        "everything" => everything::checks(),
        "filesystem" => files::checks(),
        "memory" => memory::checks(),
        "python" => python::checks(),
        "skills" => skills::checks(),
        "tasks" => tasks::checks(),
        _ => return Err(format!("no such kind: {kind}").into()),
    };
    let peer = Peer::connect(revision, way).await?;
    println!("{} speaks {}", peer.name(), peer.client.revision());
    let (mut passed, mut skipped, mut failed) = (0, 0, 0);
    for (name, check) in checks {
        match tokio::time::timeout(LIMIT, check(&peer)).await {
            Ok(Ok(Outcome::Done)) => {
                println!("  ok       {name}");
                passed += 1;
            }
            Ok(Ok(Outcome::Skipped(why))) => {
                println!("  skipped  {name}: {why}");
                skipped += 1;
            }
            Ok(Err(error)) => {
                println!("  FAILED   {name}: {error}");
                failed += 1;
            }
            Err(_) => {
                println!("  FAILED   {name}: not done within {LIMIT:?}");
                failed += 1;
            }
        }
    }
    peer.client.close().await;
    println!("{passed} passed, {skipped} skipped, {failed} failed");
    Ok(failed == 0)
}
