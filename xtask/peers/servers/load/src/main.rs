//! Puts servers or clients under load, measures what they cost, and prints the comparison:
//! `load FOLDER server|client [--quick] [--only TEXT]`, with the folder that they were built in. The
//! cases are those whose name has the text, and then nothing is weighed.
//!
//! Three servers take turns: the floor, `mcp-server` and rmcp. One thread writes requests and waits
//! for the answers in the order in which it asked; the server has a processor of its own, where
//! there are two. All figures are medians over the rounds, and all ratios medians of the ratios
//! within a round, since the speed of a machine drifts.

mod case;
mod clients;
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

use case::{Case, Who};
use pinning::Pinning;

/// How much is measured.
struct Effort {
    rounds: usize,
    time: Duration,
    /// How often the smallest programs are built from nothing.
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

const USAGE: &str = "usage: load FOLDER server|client [--quick] [--only TEXT]";

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let [folder, what, options @ ..] = &arguments[..] else {
        bail!("{USAGE}");
    };
    let (effort, only) = match options {
        [] => (FULL, None),
        ["--quick"] => (QUICK, None),
        ["--only", only] => (FULL, Some(*only)),
        ["--quick", "--only", only] => (QUICK, Some(*only)),
        _ => bail!("{USAGE}"),
    };
    let folder = Path::new(folder);
    match *what {
        "server" => servers(folder, only, &effort),
        "client" => clients::compare(folder, only, &effort),
        _ => bail!("{USAGE}"),
    }
}

const HELLO: [(Who, &str); 2] = [(Who::Ours, "hello-ours"), (Who::Rmcp, "hello-rmcp")];

fn servers(folder: &Path, only: Option<&str>, effort: &Effort) -> anyhow::Result<()> {
    let mut cases = Case::all();
    cases.retain(|case| case.is_among(only));
    // Before the pinning, which builds would inherit.
    let weights = match only {
        None => weight::all(folder, HELLO, effort.builds)?,
        Some(_) => Vec::new(),
    };
    let pinning = Pinning::new();
    let results = rounds::run(folder, &cases, effort, &pinning);
    table::print(&results, &weights, effort, &pinning);
    Ok(())
}
