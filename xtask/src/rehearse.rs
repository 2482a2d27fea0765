//! `cargo xtask rehearse`: shows that the next revision of the specification needs no work by hand.
//!
//! A rehearsal invents the next revision by changing the newest schema. In a copy of the
//! workspace it imports that schema, generates the sources, compiles all crates and runs their
//! tests. `--history` repeats the real revisions in the same way.

mod change;
mod history;
mod random;
pub(crate) mod scenario;
mod stage;
mod sweep;
mod workspace_copy;

use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use clap::Args;

use self::scenario::Scenario;
use self::stage::{CRATES, Stage, Timed};
use self::sweep::{Sweep, exempt};
use self::workspace_copy::WorkspaceCopy;
use crate::handwritten::HandWritten;
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
    /// Changes every member and union of the newest schema, all changes of these kinds at once
    ///
    /// Without KIND, all kinds: those that need no work by hand together, the others one by one.
    /// `xtask/sweep.json` lists members that cannot become optional without such work. They are left
    /// out, and the command fails if one of them needs none any more. Where the type of each member
    /// changes, only generated code has to compile.
    #[arg(long, value_enum, value_name = "KIND", num_args = 0.., conflicts_with_all = ["names", "seed", "seeds"])]
    sweep: Option<Vec<Sweep>>,
    /// Makes only the change of this member, such as `Icon.mimeType`, also if it is listed
    #[arg(long, value_name = "MEMBER", requires = "sweep")]
    only: Option<String>,
    /// The last stage to run: by default `tests`, or `crates` for a sweep
    #[arg(long, value_enum)]
    until: Option<Stage>,
    /// Repeats the real revisions
    ///
    /// Imports each real revision into a copy that has only older ones, and compares the result with
    /// what is checked in. FOLDER has `<revision>/schema.json` and `schema.ts`, as the folder
    /// `schema` of the specification's repository. Schema and facts have to be equal. Each erratum
    /// that the import carries over has to be checked in, with the same change. Further errata are
    /// decisions of a person, and are listed. Texts, examples and hints of all revisions stay in
    /// the copy.
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["names", "seed", "seeds", "sweep"])]
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
        if let Some(kinds) = &self.sweep {
            let groups = match kinds.as_slice() {
                [] => Sweep::groups(),
                kinds => vec![kinds.to_vec()],
            };
            scenarios.extend(groups.into_iter().map(|kinds| Scenario::Sweep {
                kinds,
                only: self.only.clone(),
                listed: BTreeSet::new(),
            }));
        } else if scenarios.is_empty() {
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
    let until = match (options.until, &options.sweep) {
        (Some(until), _) => until,
        (None, Some(_)) => Stage::Crates,
        (None, None) => Stage::Tests,
    };
    let mut results = Vec::new();
    for scenario in options.scenarios()? {
        println!("\n== {scenario}");
        let copy = WorkspaceCopy::create()?;
        let mut outcome = rehearse(&scenario, &copy, until);
        if let Scenario::Sweep {
            kinds, only: None, ..
        } = &scenario
            && until >= Stage::Crates
            && outcome.is_ok()
        {
            let stale = kinds.iter().try_for_each(|kind| expect_failures(*kind));
            if let Err(error) = stale {
                outcome = Err(error);
            }
        }
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
    let until = match scenario {
        Scenario::Sweep { kinds, .. } if kinds.iter().any(|kind| kind.changes_types()) => {
            until.min(Stage::Generated)
        }
        _ => until,
    };
    for stage in Stage::up_to(until) {
        if stage == Stage::Generated && until != stage {
            continue;
        }
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

/// Checks that each listed member still needs work by hand: changes them all, removes those that an
/// error is about, and goes on with the others.
fn expect_failures(sweep: Sweep) -> Result<()> {
    let mut listed = None;
    loop {
        let copy = WorkspaceCopy::create()?;
        let left = match listed.take() {
            Some(left) => left,
            None => listed_members(sweep, &copy)?,
        };
        if left.is_empty() {
            return Ok(());
        }
        println!("expecting errors about {} listed members", left.len());
        let scenario = Scenario::Sweep {
            kinds: vec![sweep],
            only: None,
            listed: left.clone(),
        };
        let next = scenario.apply(&copy)?;
        Stage::Generate.run(&copy, &next)?;
        let errors = copy.compile_errors(&CRATES)?;
        let sources = HandWritten::read(&copy.path(""))?;
        let blamed = exempt::blamed(&left, &errors, &sources);
        let stale = left.difference(&blamed).cloned();
        let stale: BTreeSet<String> = stale.collect();
        ensure!(
            !blamed.is_empty(),
            "{}: `{}` needs no work by hand: remove {}",
            exempt::FILE,
            sweep.name(),
            stale.iter().cloned().collect::<Vec<_>>().join(", ")
        );
        listed = Some(stale);
    }
}

/// Returns the members that the file lists for a sweep.
fn listed_members(sweep: Sweep, copy: &WorkspaceCopy) -> Result<BTreeSet<String>> {
    let definitions = scenario::newest_definitions(copy)?;
    exempt::listed(sweep, &definitions)
}

/// The results as a table: one row for each rehearsal, with the seconds of each stage.
fn table(results: &[(String, Result<Rehearsed>)]) -> String {
    let mut text = format!("{:<34} {:>7}", "rehearsal", "by hand");
    let stages = Stage::up_to(Stage::Tests);
    for stage in stages.filter(|stage| *stage != Stage::Generated) {
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
