//! Puts servers under load, measures what they cost, and prints the comparison:
//! `load FOLDER [--quick]`, with the folder that the servers were built in.
//!
//! Three servers take turns: the floor, `mcp-server` and rmcp. One thread writes requests and waits
//! for the answers in the order in which it asked; the server has a processor of its own, where
//! there are two. All figures are medians over the rounds, and all ratios medians of the ratios
//! within a round, since the speed of a machine drifts.

mod case;
mod http;
mod pinning;
mod rounds;
mod sample;
mod server;
mod stdio;
mod table;
mod weight;

use std::path::Path;
use std::time::Duration;

use anyhow::bail;

use pinning::Pinning;

/// How much is measured.
struct Effort {
    rounds: usize,
    time: Duration,
    /// How often the servers are built from nothing.
    builds: usize,
}

const FULL: Effort = Effort {
    rounds: 5,
    time: Duration::from_secs(1),
    builds: 2,
};
const QUICK: Effort = Effort {
    rounds: 3,
    time: Duration::from_millis(250),
    builds: 0,
};

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (folder, effort) = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [folder] => (folder, FULL),
        [folder, "--quick"] => (folder, QUICK),
        _ => bail!("usage: load FOLDER [--quick]"),
    };
    let folder = Path::new(folder);
    // Before the pinning, which builds would inherit.
    let weights = weight::all(folder, effort.builds)?;
    let pinning = Pinning::new();
    let results = rounds::run(folder, &effort, &pinning)?;
    table::print(&results, &weights, &effort, &pinning);
    Ok(())
}
