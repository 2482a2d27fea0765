//! Puts servers, clients or gateways under load, measures their cost, and prints the comparison:
//! `load FOLDER server|client [--quick] [--only TEXT]`, where the folder contains the programs. With
//! `--only`, only cases whose name contains the text are measured, and no build times. `load FOLDER
//! gateway [--quick] [PYTHON SCRIPT]` also measures a gateway that is a script.
//!
//! Three servers are measured in turn: the floor, `mcp-server` and rmcp. One thread writes requests
//! and reads the responses in the same order; the server runs on another processor if there are
//! two. All values are medians over the rounds, and all ratios are medians of the ratios within a
//! round, because the speed of a machine changes over time.

mod case;
mod clients;
mod gateways;
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

use case::{Candidate, Case};
use pinning::Pinning;

/// The amount of measurements.
struct Effort {
    rounds: usize,
    time: Duration,
    /// The number of clean builds of the smallest programs.
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

const USAGE: &str = "\
usage: load FOLDER server|client [--quick] [--only TEXT]
       load FOLDER gateway [--quick] [PYTHON SCRIPT]";

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let [folder, what, options @ ..] = &arguments[..] else {
        bail!("{USAGE}");
    };
    let folder = Path::new(folder);
    if *what == "gateway" {
        let (effort, script) = match options {
            ["--quick", script @ ..] => (QUICK, script),
            script => (FULL, script),
        };
        let script = match script {
            [] => None,
            [python, script] => Some(gateways::Script {
                python: Path::new(python),
                script: Path::new(script),
            }),
            _ => bail!("{USAGE}"),
        };
        return gateways::compare(folder, script.as_ref(), &effort);
    }
    let (effort, only) = match options {
        [] => (FULL, None),
        ["--quick"] => (QUICK, None),
        ["--only", only] => (FULL, Some(*only)),
        ["--quick", "--only", only] => (QUICK, Some(*only)),
        _ => bail!("{USAGE}"),
    };
    match *what {
        "server" => servers(folder, only, &effort),
        "client" => clients::compare(folder, only, &effort),
        _ => bail!("{USAGE}"),
    }
}

const HELLO: [(Candidate, &str); 2] = [
    (Candidate::Ours, "hello-ours"),
    (Candidate::Rmcp, "hello-rmcp"),
];

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
