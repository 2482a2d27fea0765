//! Compares what the types of several SDKs accept and keep with what the published schema accepts.
//!
//! The specification publishes examples of its types. They, and examples that were changed in one
//! place, are given to the decoder of each SDK. Whether they are valid decides a JSON Schema validator
//! by the published `schema.json`, and once more by the schema with the corrections of this project.

#[macro_use(println)]
extern crate xtask_support;

mod candidates;
mod cases;
mod judge;
mod peers;
mod reasons;
mod score;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Parser;
use xtask_support::process;

use self::candidates::Candidate;
use self::cases::Case;
use self::judge::Judge;
use self::score::Score;

/// Compares what the types of several SDKs accept and keep with what the published schema accepts
///
/// Prints two rows for each SDK, on the types that it has: those of mcp-types, and its own. Then prints
/// why mcp-types deviates from the published schema, and fails if it does without a known reason.
#[derive(Parser)]
struct Options {
    /// The folder of the revision in a clone of the specification: schema/2026-07-28
    folder: PathBuf,
    /// Only mcp-types and the crates, without npm and `PyPI`
    #[arg(long)]
    crates: bool,
    /// Also changes copies of each example in up to two places, at random
    #[arg(long)]
    seed: Option<u64>,
    /// Prints each value about which an SDK and the published schema disagree
    #[arg(long, value_name = "SDK")]
    show: Option<String>,
}

fn main() -> ExitCode {
    process::exit_code(run(&Options::parse()))
}

/// Returns `true` if all deviations of mcp-types have a known reason.
fn run(options: &Options) -> Result<bool> {
    let judge = Judge::read(&options.folder)?;
    let cases = cases::read(&options.folder.join("examples"), &judge, options.seed)?;
    let mut ours = candidates::ours();
    ours.keep_comparable(&cases, &judge)?;
    let mut others = candidates::crates();
    if !options.crates {
        others.extend(peers::start()?);
    }
    Score::print_head();
    for mut other in others {
        other.keep_comparable(&cases, &judge)?;
        let own = ours.with_types_of(&other);
        Score::of(&own, &cases)?.print();
        Score::of(&other, &cases)?.print();
        show(options, &other, &cases)?;
    }
    Score::of(&ours, &cases)?.print();
    show(options, &ours, &cases)?;
    println!();
    reasons::print(&ours, &cases, &judge)
}

/// Prints what a candidate and the schema disagree about.
fn show(options: &Options, candidate: &Candidate, cases: &[Case]) -> Result<()> {
    if options.show.as_deref() != Some(candidate.name()) {
        return Ok(());
    }
    for case in cases.iter().filter(|case| candidate.has(&case.of)) {
        let is_accepted = candidate.decode(case)?.is_some();
        if is_accepted != case.published {
            let verdict = if is_accepted { "accepts" } else { "refuses" };
            println!("{verdict} {} {}", case.of, case.text);
        }
    }
    Ok(())
}
