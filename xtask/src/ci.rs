//! `cargo xtask ci`: all checks that have to pass before a merge.

mod cargo;
mod layers;
mod links;
mod steps;

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use self::cargo::Cargo;
use self::steps::{Step, Task, When};
use crate::workspace;

/// The target folder of steps that run beside others, in the target folder.
const BESIDE: &str = "beside";

/// Runs the command. All steps run, even after one has failed.
///
/// Most checks of a single crate use one processor only. Therefore the steps that are declared as such
/// run beside the others, with a target folder of their own, and their output is printed at the end.
/// Steps that measure time run when all others are done.
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
    let done = run_all(&steps)?;
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

/// Runs all steps, and returns their outcomes in the order of the steps.
fn run_all(steps: &[Step]) -> Result<Vec<(&'static str, Outcome)>> {
    let target = workspace::target()?;
    let folder = target.join(BESIDE);
    fs::create_dir_all(&folder)?;
    let log = |step: &Step| folder.join(format!("{}.log", step.name));
    let with = |when: When| steps.iter().filter(move |step| step.when == when);
    let mut done = Vec::new();
    let beside = thread::scope(|scope| -> Result<Vec<_>> {
        let others = scope.spawn(|| {
            with(When::Beside)
                .map(|step| {
                    let log = File::create(log(step))?;
                    let place = Place::Beside {
                        folder: &folder,
                        log: &log,
                    };
                    Ok((step.name, step.run(&place)?))
                })
                .collect::<Result<Vec<_>>>()
        });
        for step in with(When::InOrder) {
            done.push((step.name, step.run(&Place::Terminal)?));
        }
        match others.join() {
            Ok(outcomes) => outcomes,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })?;
    for step in with(When::Beside) {
        print!("{}", fs::read_to_string(log(step))?);
    }
    done.extend(beside);
    for step in with(When::Alone) {
        done.push((step.name, step.run(&Place::Terminal)?));
    }
    Ok(done)
}

/// Where a step runs.
enum Place<'a> {
    /// Its output is inherited.
    Terminal,
    /// Beside other steps, with a target folder of its own.
    Beside { folder: &'a Path, log: &'a File },
}

impl Place<'_> {
    /// Prints a line.
    fn print(&self, line: &str) -> Result<()> {
        match self {
            Self::Terminal => println!("{line}"),
            Self::Beside { log, .. } => writeln!(&mut &**log, "{line}")?,
        }
        Ok(())
    }

    /// Redirects the output of a command.
    fn redirect(&self, command: &mut Command) -> Result<()> {
        if let Self::Beside { folder, log } = self {
            command
                .env("CARGO_TARGET_DIR", folder)
                .stdout(log.try_clone()?)
                .stderr(log.try_clone()?);
        }
        Ok(())
    }
}

/// The outcome of a step.
struct Outcome {
    /// The commands that failed, in the form of a shell.
    failed: Vec<String>,
    skipped: bool,
    time: Duration,
}

impl Step {
    fn run(&self, place: &Place<'_>) -> Result<Outcome> {
        let start = Instant::now();
        place.print(&format!("\n== {}", self.name))?;
        let mut failed = Vec::new();
        let mut skipped = false;
        for task in &self.tasks {
            match task {
                Task::Skip(why) => {
                    place.print(&format!("skipped: {why}"))?;
                    skipped = true;
                }
                Task::Run(command) => {
                    if !command.run(place)? {
                        failed.push(command.to_string());
                    }
                }
                Task::Check(name, check) => {
                    let faults = check()?;
                    for fault in &faults {
                        place.print(&format!("{name}: {fault}"))?;
                    }
                    if !faults.is_empty() {
                        failed.push(format!("cargo xtask ci --only {}", self.name));
                    }
                }
            }
        }
        for command in &failed {
            place.print(&format!(
                "{} failed; to run it again:\n    {command}",
                self.name
            ))?;
        }
        Ok(Outcome {
            failed,
            skipped,
            time: start.elapsed(),
        })
    }
}

impl Cargo {
    /// Runs a command. Returns `true` if it succeeded.
    fn run(&self, place: &Place<'_>) -> Result<bool> {
        place.print(&format!("$ {self}"))?;
        let start = Instant::now();
        let mut command = self.command();
        place.redirect(&mut command)?;
        if self.quiet {
            command.stdout(Stdio::null());
        }
        let status = command
            .status()
            .with_context(|| format!("cannot run {self}"))?;
        place.print(&format!("  {:.1} s", start.elapsed().as_secs_f64()))?;
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
