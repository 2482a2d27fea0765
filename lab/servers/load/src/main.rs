//! Puts servers, clients or gateways under load, measures their cost, and prints the comparison:
//! `load FOLDER server|client PICTURE [--quick] [--only TEXT]`, where the folder contains the programs.
//! With `--only`, only cases whose name contains the text are measured, no build times, and no picture is
//! written. `load FOLDER gateway [--quick] [PYTHON SCRIPT]` also measures a gateway that is a script.
//!
//! The servers are measured in turn: the floor, `mcp-server` and the peers. One thread writes
//! requests and reads the responses in the same order; the server runs on another processor if
//! there are two. All values are medians over the rounds, and all ratios are medians of the ratios within a
//! round, because the speed of a machine changes over time.

mod case;
mod clients;
mod gateways;
mod http;
mod pinning;
mod results;
mod rounds;
mod sample;
mod server;
mod stdio;
mod table;
mod weight;

use std::path::Path;
use std::time::Duration;

use anyhow::bail;

use case::{Candidate, Case, Form};
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
usage: load FOLDER server|client PICTURE [--quick] [--only TEXT]
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
    let [picture, options @ ..] = options else {
        bail!("{USAGE}");
    };
    let (effort, only) = match options {
        [] => (&FULL, None),
        ["--quick"] => (&QUICK, None),
        ["--only", only] => (&FULL, Some(*only)),
        ["--quick", "--only", only] => (&QUICK, Some(*only)),
        _ => bail!("{USAGE}"),
    };
    let options = Options {
        effort,
        only,
        picture: only.is_none().then(|| Path::new(picture)),
    };
    match *what {
        "server" => servers(folder, &options),
        "client" => clients::compare(folder, &options),
        _ => bail!("{USAGE}"),
    }
}

/// What to measure.
struct Options<'a> {
    effort: &'a Effort,
    only: Option<&'a str>,
    /// The file for the picture, if all cases are measured.
    picture: Option<&'a Path>,
}

fn draw(file: Option<&Path>, chart: &picture::Chart) -> anyhow::Result<()> {
    let Some(file) = file else {
        return Ok(());
    };
    chart.write(file)?;
    println!("The picture is in {}.", file.display());
    Ok(())
}

fn servers(folder: &Path, options: &Options<'_>) -> anyhow::Result<()> {
    let (only, effort) = (options.only, options.effort);
    let mut cases = Case::all();
    cases.retain(|case| case.is_among(only));
    // Before the pinning, which builds would inherit.
    let weights = match only {
        None => weight::all(folder, hello(), effort.builds)?,
        Some(_) => Vec::new(),
    };
    let pinning = Pinning::new();
    let results = rounds::run(folder, &cases, effort, &pinning);
    table::print(&results, &weights, effort, &pinning);
    draw(options.picture, &table::chart(&results))
}

/// Returns the packages of the smallest servers.
fn hello() -> impl Iterator<Item = (Candidate, String)> {
    Candidate::compared().map(|candidate| {
        let server = candidate.peer().map(|peer| peer.server(Form::Line));
        (candidate, server.unwrap_or_else(|| "hello-ours".to_owned()))
    })
}
