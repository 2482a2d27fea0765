//! `cargo xtask rehearse`: shows that the next revision of the specification needs no work by hand.
//!
//! A rehearsal invents the next revision by changing the newest schema. In a copy of the
//! workspace it imports that schema, generates the sources, compiles all crates and runs their
//! tests. `--history` repeats the real revisions in the same way.

mod change;
mod history;
mod random;
mod scenario;
mod stage;
mod workspace_copy;

use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, Result};
use clap::Args;

use self::scenario::Scenario;
use self::stage::{Stage, Timed};
use self::workspace_copy::WorkspaceCopy;
use crate::schema::source;

/// Rehearses the next revision of the specification in a copy of the workspace
///
/// Invents the next revision, imports it into a copy of the workspace below the target folder,
/// generates, compiles and tests. Without a name, all kept changes are rehearsed.
#[derive(Args)]
pub(crate) struct Options {
    /// A file of xtask/rehearsals, without its ending, or another file of that form
    names: Vec<String>,
    /// Makes random changes instead, the same for each N
    #[arg(long, value_name = "N")]
    seed: Vec<u64>,
    /// Rehearses once for each seed from A to B
    #[arg(long, value_name = "A..B", value_parser = range)]
    seeds: Option<RangeInclusive<u64>>,
    /// The last stage to run
    #[arg(long, value_enum, default_value_t = Stage::Tests)]
    until: Stage,
    /// Repeats the real revisions
    ///
    /// Imports each real revision into a copy that has only older ones, and compares the result with
    /// what is checked in. FOLDER has `<revision>/schema.json` and `schema.ts`, as the folder
    /// `schema` of the specification's repository. Schema and facts have to be equal. Each erratum
    /// that the import carries over has to be checked in, with the same change. Further errata are
    /// decisions of a person, and are listed. Texts, examples and hints of all revisions stay in
    /// the copy.
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["names", "seed", "seeds"])]
    history: Option<PathBuf>,
}

fn range(text: &str) -> Result<RangeInclusive<u64>> {
    let (first, last) = text.split_once("..").context("expected A..B")?;
    Ok(first.parse()?..=last.parse()?)
}

impl Options {
    fn scenarios(&self) -> Result<Vec<Scenario>> {
        let mut scenarios = Vec::new();
        for name in &self.names {
            scenarios.push(Scenario::named(name)?);
        }
        let seeds = self.seeds.iter().cloned().flatten();
        let seeds = self.seed.iter().copied().chain(seeds);
        scenarios.extend(seeds.map(Scenario::Random));
        if scenarios.is_empty() {
            scenarios = Scenario::kept()?;
        }
        Ok(scenarios)
    }
}

/// Runs the command.
pub(crate) fn run(options: &Options) -> Result<bool> {
    if let Some(folder) = &options.history {
        if !source::SUPPORTED {
            return source::run_with_support();
        }
        return history::run(folder);
    }
    let mut results = Vec::new();
    for scenario in options.scenarios()? {
        println!("\n== {scenario}");
        let copy = WorkspaceCopy::create()?;
        let outcome = rehearse(&scenario, &copy, options.until);
        if let Err(error) = &outcome {
            println!("{scenario} failed: {error:#}");
        }
        results.push((scenario.to_string(), outcome));
    }
    println!("\n{}", table(&results));
    Ok(results.iter().all(|(_, outcome)| outcome.is_ok()))
}

/// The result of a rehearsal that passed.
struct Rehearsed {
    stages: Vec<Timed>,
    /// The number of lines that a person has to write before all stages pass.
    lines_by_hand: usize,
}

fn rehearse(scenario: &Scenario, copy: &WorkspaceCopy, until: Stage) -> Result<Rehearsed> {
    let next = scenario.apply(copy)?;
    let mut stages = Vec::new();
    let mut lines_by_hand = 0;
    for stage in Stage::up_to(until) {
        let timed = stage.run(copy, &next)?;
        println!("{:<9} {:>6.1} s", stage.name(), timed.time.as_secs_f64());
        stages.push(timed);
        if stage == Stage::Generate {
            lines_by_hand = scenario.apply_edits(copy)?;
        }
    }
    Ok(Rehearsed {
        stages,
        lines_by_hand,
    })
}

/// The results as a table: one row for each rehearsal, with the seconds of each stage.
fn table(results: &[(String, Result<Rehearsed>)]) -> String {
    let mut text = format!("{:<34} {:>7}", "rehearsal", "by hand");
    for stage in Stage::up_to(Stage::Tests) {
        text.push_str(&format!(" {:>9}", stage.name()));
    }
    text.push('\n');
    for (name, outcome) in results {
        text.push_str(&format!("{name:<34} "));
        match outcome {
            Ok(rehearsed) => {
                text.push_str(&format!("{:>7}", rehearsed.lines_by_hand));
                for timed in &rehearsed.stages {
                    text.push_str(&format!(" {:>7}", seconds(timed.time)));
                }
            }
            Err(error) => text.push_str(&format!("FAILED: {error}")),
        }
        text.push('\n');
    }
    text
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}
