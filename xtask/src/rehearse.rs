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

use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};

use self::scenario::Scenario;
use self::stage::{Stage, Timed};
use self::workspace_copy::WorkspaceCopy;
use crate::schema::source;

const USAGE: &str = "\
usage: cargo xtask rehearse [NAME | FILE]... [--seed N | --seeds A..B] [--until STAGE]
       cargo xtask rehearse --history FOLDER

  Invents the next revision of the specification, imports it into a copy of the workspace below
  the target folder, generates, compiles and tests. Without a name, all kept changes are rehearsed.

  NAME          a file of xtask/rehearsals, without its ending
  FILE          another file of that form
  --seed N      random changes instead, the same for each N
  --seeds A..B  one rehearsal for each seed from A to B
  --until STAGE the last stage to run: generate, types, check, features or tests (the default)
  --history FOLDER
                imports each real revision into a copy that has only older ones, and compares the
                result with what is checked in. FOLDER has <revision>/schema.json and schema.ts,
                as the folder `schema` of the specification's repository. Schema and facts have to
                be equal. Each erratum that the import carries over has to be checked in, with the
                same change. Further errata are decisions of a person, and are listed. Texts,
                examples and hints of all revisions stay in the copy";

/// The parsed arguments.
#[derive(Debug, PartialEq)]
struct Options {
    names: Vec<String>,
    seeds: Vec<u64>,
    history: Option<String>,
    until: Stage,
}

impl Options {
    fn parse(arguments: &[String]) -> Result<Self> {
        let mut options = Self {
            names: Vec::new(),
            seeds: Vec::new(),
            history: None,
            until: Stage::Tests,
        };
        let mut words = arguments.iter().map(String::as_str);
        while let Some(word) = words.next() {
            let mut value = || {
                words
                    .next()
                    .with_context(|| format!("`{word}` needs a value"))
            };
            match word {
                "--seed" => options.seeds.push(value()?.parse().context("--seed")?),
                "--seeds" => {
                    let range = value()?;
                    let (first, last) = range.split_once("..").context(USAGE)?;
                    let (first, last): (u64, u64) = (first.parse()?, last.parse()?);
                    options.seeds.extend(first..=last);
                }
                "--until" => options.until = value()?.parse()?,
                "--history" => options.history = Some(value()?.to_owned()),
                _ if word.starts_with('-') => bail!("unknown option `{word}`\n\n{USAGE}"),
                _ => options.names.push(word.to_owned()),
            }
        }
        Ok(options)
    }

    fn scenarios(&self) -> Result<Vec<Scenario>> {
        let mut scenarios = Vec::new();
        for name in &self.names {
            scenarios.push(Scenario::named(name)?);
        }
        scenarios.extend(self.seeds.iter().map(|seed| Scenario::Random(*seed)));
        if scenarios.is_empty() {
            scenarios = Scenario::kept()?;
        }
        Ok(scenarios)
    }
}

/// Runs the command.
pub(crate) fn run(arguments: &[String]) -> Result<ExitCode> {
    let options = Options::parse(arguments)?;
    if let Some(folder) = &options.history {
        ensure!(
            options.names.is_empty() && options.seeds.is_empty(),
            "{USAGE}"
        );
        if !source::SUPPORTED {
            return source::run_with_support("rehearse", arguments);
        }
        return history::run(folder.as_ref());
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
    let passed = results.iter().all(|(_, outcome)| outcome.is_ok());
    Ok(if passed {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
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

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Options> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        Options::parse(&words)
    }

    #[test]
    fn options_name_changes_seeds_and_the_last_stage() {
        let options = parse("additions --seeds 2..4 --until types").unwrap();
        assert_eq!(options.names, ["additions"]);
        assert_eq!(options.seeds, [2, 3, 4]);
        assert_eq!(options.until, Stage::Types);
    }

    #[test]
    fn unknown_options_and_stages_are_errors() {
        for line in ["--fast", "--until never", "--seed x", "--seed"] {
            assert!(parse(line).is_err(), "{line}");
        }
    }
}
