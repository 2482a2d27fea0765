//! `cargo xtask ci`: all checks that have to pass before a merge.

mod cargo;
mod layers;
mod links;
mod proposals;
mod reference;
mod steps;
mod times;

use std::fmt::Write as _;
use std::fs;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use clap::Args;

use self::cargo::Cargo;
use self::steps::{Extent, Step, Task};
use crate::workspace;

/// Runs all checks that have to pass before a merge
///
/// Continues after one has failed. While you work, the first steps suffice: they take seconds.
#[derive(Args)]
pub(crate) struct Options {
    /// Also runs what is slow and rarely fails, and all of what is otherwise a sample
    #[arg(long)]
    nightly: bool,
    /// Shows the steps, and how long each took the last time
    #[arg(long)]
    list: bool,
    /// The only step; may be repeated
    #[arg(long, value_name = "STEP")]
    only: Vec<String>,
}

/// The maximum number of chains of steps that run beside each other: each compiler needs memory.
const MOST_WORKERS: usize = 4;

/// Runs the command. All steps run, even after one has failed.
pub(crate) fn run(options: &Options) -> Result<bool> {
    let extent = if options.nightly {
        Extent::Nightly
    } else {
        Extent::Merge
    };
    let mut steps = steps::all(extent)?;
    if options.list {
        println!("{}", times::listed(&steps)?);
        return Ok(true);
    }
    let only = &options.only;
    let names: Vec<&str> = steps.iter().map(|step| step.name).collect();
    if let Some(unknown) = only.iter().find(|name| !names.contains(&name.as_str())) {
        let nightly = match extent {
            Extent::Merge => ", and others with `--nightly`",
            Extent::Nightly => "",
        };
        let names = names.join(", ");
        bail!("unknown step `{unknown}`; the steps are {names}{nightly}");
    }
    if !only.is_empty() {
        steps.retain(only);
    }
    let xtask = own_program()?;
    let start = Instant::now();
    let shown = Runner {
        xtask: &xtask,
        shows_output_at_end: false,
    };
    let mut done = shown.run(&steps.first)?;
    done.extend(run_chains(&steps.chains, &xtask)?);
    done.extend(shown.run(&steps.last)?);
    for failure in done.iter().flat_map(|(_, outcome)| &outcome.failed) {
        println!("\nfailed: {}\n{}", failure.command, failure.last_lines);
    }
    println!("{}", summary(&done, start.elapsed()));
    times::store(done.iter().map(|(name, outcome)| (*name, outcome.time)))?;
    Ok(done.iter().all(|(_, outcome)| outcome.failed.is_empty()))
}

/// Runs chains of steps, several beside each other. The output of a command is shown while it runs
/// if there is only one chain, and otherwise when the command has ended.
fn run_chains<'a>(chains: &'a [Vec<Step>], xtask: &Path) -> Result<Vec<(&'a str, Outcome)>> {
    let next = AtomicUsize::new(0);
    let work = || -> Result<Vec<_>> {
        let mut outcomes = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(chain) = chains.get(at) else {
                return Ok(outcomes);
            };
            let runner = Runner {
                xtask,
                shows_output_at_end: chains.len() > 1,
            };
            outcomes.push((at, runner.run(chain)?));
        }
    };
    // One more than processors: chains often wait, for tests that sleep or for one slow crate.
    let workers = thread::available_parallelism().map_or(1, NonZero::get) + 1;
    let mut outcomes = Vec::new();
    thread::scope(|scope| -> Result<()> {
        let workers: Vec<_> = (0..workers.min(MOST_WORKERS))
            .map(|_| scope.spawn(work))
            .collect();
        for worker in workers {
            let done = worker.join();
            outcomes.extend(done.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?);
        }
        Ok(())
    })?;
    outcomes.sort_by_key(|(at, _)| *at);
    Ok(outcomes.into_iter().flat_map(|(_, done)| done).collect())
}

/// Returns a copy of this program, which stays when a step builds the program anew.
fn own_program() -> Result<PathBuf> {
    let own = std::env::current_exe().context("this program has no path")?;
    let folder = workspace::target()?.join("ci");
    fs::create_dir_all(&folder).with_context(|| workspace::display_path(&folder))?;
    let file = |name: &str| folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    let (new, copy) = (
        file(&format!("xtask-{}", std::process::id())),
        file("xtask"),
    );
    fs::copy(own, &new).with_context(|| workspace::display_path(&new))?;
    // Another run may use the old copy, which cannot be written.
    fs::rename(&new, &copy).with_context(|| workspace::display_path(&copy))?;
    Ok(copy)
}

/// The outcome of a step.
#[derive(Default)]
struct Outcome {
    failed: Vec<Failure>,
    skipped: bool,
    time: Duration,
}

/// A command that failed.
struct Failure {
    /// The command, in the form of a shell.
    command: String,
    /// The end of its output, which is repeated at the end of the run. Empty if the output was
    /// shown while the command ran.
    last_lines: String,
}

/// How many lines of a failed command are repeated.
const REPEATED_LINES: usize = 60;

/// Runs steps one after the other.
struct Runner<'a> {
    /// The program for `cargo xtask`.
    xtask: &'a Path,
    /// `true` if the output of a command is collected and shown when the command has ended, so that
    /// it does not mix with the output of others.
    shows_output_at_end: bool,
}

impl Runner<'_> {
    fn run<'a>(&self, steps: &'a [Step]) -> Result<Vec<(&'a str, Outcome)>> {
        let outcomes = steps.iter().map(|step| Ok((step.name, self.step(step)?)));
        outcomes.collect()
    }

    fn step(&self, step: &Step) -> Result<Outcome> {
        let start = Instant::now();
        if !self.shows_output_at_end {
            println!("\n== {}", step.name);
        }
        let mut outcome = Outcome::default();
        for task in &step.tasks {
            match task {
                Task::Skip(why) => {
                    println!("{}: skipped: {why}", step.name);
                    outcome.skipped = true;
                }
                Task::Run(command) => {
                    outcome.failed.extend(self.command(command, step.name)?);
                }
                Task::Check(name, check) => {
                    let faults = check()?;
                    for fault in &faults {
                        println!("{name}: {fault}");
                    }
                    if !faults.is_empty() {
                        outcome.failed.push(Failure {
                            command: format!("cargo xtask ci --only {}", step.name),
                            last_lines: faults.join("\n"),
                        });
                    }
                }
            }
        }
        for Failure { command, .. } in &outcome.failed {
            println!("{} failed; to run it again:\n    {command}", step.name);
        }
        outcome.time = start.elapsed();
        Ok(outcome)
    }

    /// Runs a command. Returns the failure if it did not succeed.
    fn command(&self, cargo: &Cargo, step: &str) -> Result<Option<Failure>> {
        let start = Instant::now();
        let mut command = cargo.command(self.xtask);
        let context = || format!("cannot run {cargo}");
        if self.shows_output_at_end {
            let output = command.output().with_context(context)?;
            let (errors, output, status) = (&output.stderr, &output.stdout, output.status);
            let text = [errors, output].map(|text| String::from_utf8_lossy(text));
            let text = text.concat();
            // One write, because the output of other commands appears at the same time.
            println!(
                "\n== {step}\n$ {cargo}\n{text}  {:.1} s\n",
                start.elapsed().as_secs_f64()
            );
            return Ok((!status.success()).then(|| Failure::new(cargo, &text)));
        }
        println!("$ {cargo}");
        if cargo.quiet {
            command.stdout(Stdio::null());
        }
        let status = command.status().with_context(context)?;
        println!("  {:.1} s", start.elapsed().as_secs_f64());
        Ok((!status.success()).then(|| Failure::new(cargo, "")))
    }
}

impl Failure {
    fn new(cargo: &Cargo, output: &str) -> Self {
        let lines: Vec<&str> = output.lines().collect();
        let start = lines.len().saturating_sub(REPEATED_LINES);
        Self {
            command: cargo.to_string(),
            last_lines: lines.get(start..).unwrap_or_default().join("\n"),
        }
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
