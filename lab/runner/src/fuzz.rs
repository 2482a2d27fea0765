//! `cargo xtask fuzz`: runs all decoders of a peer's bytes with random inputs.

mod build;
mod target;

use std::fs;
use std::num::NonZeroUsize;
use std::thread;

use anyhow::{Result, anyhow, bail};
use clap::{Args, value_parser};

use self::target::{Outcome, Target};
use crate::{process, workspace};

/// The workspace of the fuzz targets, which is not part of any other build.
const FOLDER: &str = "lab/fuzz";

/// Runs all decoders of a peer's bytes with random inputs
///
/// Builds the targets in lab/fuzz, on stable Rust and with a C++ compiler, and runs each with
/// random inputs that are guided by coverage. Prints the number of inputs of each target, and fails
/// if one panicked, took too long or used too much memory: the input is kept below the target
/// folder. As many targets run at once as there are cores.
#[derive(Args)]
pub(crate) struct Options {
    /// The only target
    target: Option<String>,
    /// How long each target runs. Without a limit, it would run forever
    #[arg(long, value_name = "N", default_value = "10", value_parser = value_parser!(u32).range(1..))]
    seconds: u32,
}

/// Runs the command.
pub(crate) fn run(options: &Options) -> Result<bool> {
    let seconds = options.seconds;
    let names = chosen(options.target.as_deref())?;
    if process::is_skipped(build::missing())? {
        return Ok(true);
    }
    let programs = build::build(options.target.as_deref())?;
    let work = workspace::target()?.join("fuzz");
    let mut outcomes = Vec::new();
    let at_once = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    for some in names.chunks(at_once) {
        println!("{}: {seconds} s", some.join(", "));
        let targets: Result<Vec<Target>> = some
            .iter()
            .map(|name| Target::new(name.clone(), &programs, &work))
            .collect();
        let running: Vec<_> = targets?
            .into_iter()
            .map(|target| thread::spawn(move || target.run(seconds)))
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
    Ok(outcomes.iter().all(|outcome| outcome.sound))
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
    use super::chosen;

    #[test]
    fn unknown_target_is_an_error_that_lists_all() {
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
