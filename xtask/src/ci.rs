//! `cargo xtask ci`: all checks that have to pass before a merge.

mod cargo;
mod layers;
mod links;
mod steps;

use std::fmt::Write as _;
use std::process::{ExitCode, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use self::cargo::Cargo;
use self::steps::{Step, Task};
use crate::workspace;

/// Runs the command. All steps run, even after one has failed.
pub(crate) fn run(arguments: &[String]) -> Result<ExitCode> {
    let mut steps = steps::all()?;
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => {}
        ["--only", name] => {
            let names: Vec<&str> = steps.iter().map(|step| step.name).collect();
            if !names.contains(&name) {
                bail!("unknown step `{name}`; the steps are {}", names.join(", "));
            }
            steps.retain(|step| step.name == name);
        }
        _ => bail!("usage: cargo xtask ci [--only STEP]"),
    }
    let start = Instant::now();
    let mut done = Vec::new();
    for step in &steps {
        done.push((step.name, step.run()?));
    }
    for (_, outcome) in &done {
        for command in &outcome.failed {
            println!("failed: {command}");
        }
    }
    println!("{}", summary(&done, start.elapsed()));
    let failed = done.iter().any(|(_, outcome)| !outcome.failed.is_empty());
    Ok(if failed {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

/// The outcome of a step.
struct Outcome {
    /// The commands that failed, in the form of a shell.
    failed: Vec<String>,
    skipped: bool,
    time: Duration,
}

impl Step {
    fn run(&self) -> Result<Outcome> {
        let start = Instant::now();
        println!("\n== {}", self.name);
        let (tasks, beside) = thread::scope(|scope| {
            let beside = scope.spawn(|| run_beside(&self.beside));
            let tasks = self.run_tasks();
            (tasks, beside.join())
        });
        let (mut failed, skipped) = tasks?;
        match beside {
            Ok(others) => failed.extend(others?),
            Err(panic) => std::panic::resume_unwind(panic),
        }
        for command in &failed {
            println!("{} failed; to run it again:\n    {command}", self.name);
        }
        Ok(Outcome {
            failed,
            skipped,
            time: start.elapsed(),
        })
    }

    /// Runs the tasks one after the other. Returns the commands that failed, and whether a task was
    /// skipped.
    fn run_tasks(&self) -> Result<(Vec<String>, bool)> {
        let mut failed = Vec::new();
        let mut skipped = false;
        for task in &self.tasks {
            match task {
                Task::Skip(why) => {
                    println!("skipped: {why}");
                    skipped = true;
                }
                Task::Run(command) => {
                    if !command.run()? {
                        failed.push(command.to_string());
                    }
                }
                Task::Check(name, check) => {
                    let faults = check()?;
                    for fault in &faults {
                        println!("{name}: {fault}");
                    }
                    if !faults.is_empty() {
                        failed.push(format!("cargo xtask ci --only {}", self.name));
                    }
                }
            }
        }
        Ok((failed, skipped))
    }
}

/// Runs commands one after the other in a target folder of their own, so that they do not wait for
/// other commands. Returns those that failed.
fn run_beside(commands: &[Cargo]) -> Result<Vec<String>> {
    let mut failed = Vec::new();
    for command in commands {
        let start = Instant::now();
        let output = command
            .command()
            .env("CARGO_TARGET_DIR", workspace::target()?.join("beside"))
            .output()
            .with_context(|| format!("cannot run {command}"))?;
        // One write, because the output of other commands appears at the same time.
        println!(
            "$ {command}\n{}{}  {:.1} s",
            String::from_utf8_lossy(&output.stderr),
            String::from_utf8_lossy(&output.stdout),
            start.elapsed().as_secs_f64()
        );
        if !output.status.success() {
            failed.push(command.to_string());
        }
    }
    Ok(failed)
}

impl Cargo {
    /// Runs a command with inherited output. Returns `true` if it succeeded.
    fn run(&self) -> Result<bool> {
        println!("$ {self}");
        let start = Instant::now();
        let mut command = self.command();
        if self.quiet {
            command.stdout(Stdio::null());
        }
        let status = command
            .status()
            .with_context(|| format!("cannot run {self}"))?;
        println!("  {:.1} s", start.elapsed().as_secs_f64());
        Ok(status.success())
    }
}

/// Returns one line with the outcome and the duration of all steps.
fn summary(done: &[(&str, Outcome)], time: Duration) -> String {
    let failed = done
        .iter()
        .filter(|(_, outcome)| !outcome.failed.is_empty())
        .count();
    let mut line = if failed == 0 {
        "ci: passed".to_owned()
    } else {
        "ci: FAILED".to_owned()
    };
    let _ = write!(line, " in {:.0} s:", time.as_secs_f64());
    for (at, (name, outcome)) in done.iter().enumerate() {
        let word = match outcome {
            Outcome { failed, .. } if !failed.is_empty() => "FAILED",
            Outcome { skipped: true, .. } => "skipped",
            _ => "ok",
        };
        let comma = if at == 0 { "" } else { "," };
        let _ = write!(
            line,
            "{comma} {name} {word} {:.0} s",
            outcome.time.as_secs_f64()
        );
    }
    line
}
