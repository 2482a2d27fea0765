//! `cargo xtask fuzz`: runs all decoders of a peer's bytes with random inputs.

mod build;
mod target;

use std::fs;
use std::num::NonZeroUsize;
use std::process::ExitCode;
use std::thread;

use anyhow::{Context as _, Result, anyhow, bail};

pub(crate) use self::build::missing;
use self::target::{Outcome, Target};
use crate::workspace;

const USAGE: &str = "\
usage: cargo xtask fuzz [TARGET] [--seconds N]

  Builds the targets in xtask/fuzz, on stable Rust and with a C++ compiler, and runs each with
  random inputs that are guided by coverage. Prints the number of inputs of each target, and fails
  if one panicked, took too long or used too much memory: the input is kept below the target folder.

  TARGET        only this target
  --seconds N   how long each target runs, by default 10; as many run at once as there are cores";

/// The workspace of the fuzz targets, which is not part of any other build.
const FOLDER: &str = "xtask/fuzz";

/// The parsed command line.
#[derive(Debug, PartialEq)]
struct Options {
    target: Option<String>,
    seconds: u32,
}

impl Options {
    fn parse(arguments: &[String]) -> Result<Self> {
        let mut options = Self {
            target: None,
            seconds: 10,
        };
        let mut words = arguments.iter().map(String::as_str);
        while let Some(word) = words.next() {
            match word {
                "--seconds" => {
                    let seconds = words.next().and_then(|word| word.parse().ok());
                    // Without a time limit, a target would run forever.
                    let bound = seconds.filter(|seconds| *seconds > 0);
                    options.seconds = bound.context(USAGE)?;
                }
                word if word.starts_with('-') || options.target.is_some() => bail!("{USAGE}"),
                word => options.target = Some(word.to_owned()),
            }
        }
        Ok(options)
    }
}

/// Runs the command.
pub(crate) fn run(arguments: &[String]) -> Result<ExitCode> {
    let options = Options::parse(arguments)?;
    let names = chosen(options.target.as_deref())?;
    if let Some(why) = missing() {
        if std::env::var_os("CI").is_some() {
            bail!("{why}, and CI is set");
        }
        println!("skipped: {why}");
        return Ok(ExitCode::SUCCESS);
    }
    let programs = build::build(options.target.as_deref())?;
    let work = workspace::target()?.join("fuzz");
    let mut outcomes = Vec::new();
    let at_once = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    for some in names.chunks(at_once) {
        println!("{}: {} s", some.join(", "), options.seconds);
        let targets: Result<Vec<Target>> = some
            .iter()
            .map(|name| Target::new(name.clone(), &programs, &work))
            .collect();
        let running: Vec<_> = targets?
            .into_iter()
            .map(|target| thread::spawn(move || target.run(options.seconds)))
            .collect();
        for one in running {
            let outcome = one.join().map_err(|_| anyhow!("a thread panicked"))?;
            outcomes.push(outcome?);
        }
    }
    println!("\n{}", table(&outcomes));
    for outcome in &outcomes {
        print!("{}", outcome.fault());
    }
    Ok(if outcomes.iter().all(|outcome| outcome.sound) {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Returns the selected targets: all, or the one that was named.
fn chosen(wanted: Option<&str>) -> Result<Vec<String>> {
    let folder = workspace::root().join(FOLDER).join("src/bin");
    let names = workspace::names(&folder, Some(".rs"))?;
    match wanted {
        None => Ok(names),
        Some(name) if names.iter().any(|other| other == name) => Ok(vec![name.to_owned()]),
        Some(name) => bail!(
            "unknown target `{name}`; the targets are {}",
            names.join(", ")
        ),
    }
}

fn table(outcomes: &[Outcome]) -> String {
    let mut table = format!("{:<10} {:>12} {:>8}  result\n", "target", "inputs", "kept");
    for outcome in outcomes {
        let inputs = outcome
            .inputs
            .map_or_else(|| "?".to_owned(), |n| n.to_string());
        let result = if outcome.sound { "sound" } else { "FAILED" };
        let line = format!(
            "{:<10} {inputs:>12} {:>8}  {result}\n",
            outcome.name, outcome.kept
        );
        table.push_str(&line);
    }
    table
}

/// Counts the files in a folder.
fn count(folder: &std::path::Path) -> usize {
    fs::read_dir(folder).map_or(0, Iterator::count)
}

#[cfg(test)]
mod tests {
    use super::{Options, chosen};

    fn parse(line: &str) -> anyhow::Result<Options> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        Options::parse(&words)
    }

    #[test]
    fn arguments_are_parsed_in_any_order() {
        let options = parse("--seconds 3 lines").expect("options");
        assert_eq!(options, parse("lines --seconds 3").expect("options"));
        assert_eq!(
            (options.target.as_deref(), options.seconds),
            (Some("lines"), 3)
        );
        assert_eq!(parse("").expect("options").seconds, 10);
    }

    #[test]
    fn invalid_arguments_are_rejected() {
        for line in [
            "a b",
            "--seconds",
            "--seconds x",
            "--seconds 0",
            "--second 1",
        ] {
            let error = parse(line).expect_err(line);
            assert!(error.to_string().starts_with("usage:"), "{error}");
        }
        let error = chosen(Some("nothing")).expect_err("unknown target");
        assert!(error.to_string().contains("message"), "{error}");
    }

    #[test]
    fn every_target_has_or_writes_seeds() {
        let folder = crate::workspace::root().join(super::FOLDER);
        for name in chosen(None).expect("targets") {
            let source = folder.join("src/bin").join(format!("{name}.rs"));
            let source = std::fs::read_to_string(source).expect("a source");
            let seeds = super::count(&folder.join("seeds").join(&name));
            assert!(seeds > 0 || source.contains("seeds::write"), "{name}");
        }
    }
}
