//! A fuzz target: its files, and the outcome of a run.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};

use super::{FOLDER, count};
use crate::workspace;

/// The maximum size of an input: enough for a few messages.
const LONGEST: u32 = 4096;
/// The timeout of an input in seconds. It is long, because the machine may be busy or suspended.
const SLOWEST: u32 = 60;
/// The memory limit of a target in megabytes.
const MEMORY: u32 = 2048;

pub(super) struct Target {
    pub(super) name: String,
    program: PathBuf,
    /// The corpus: inputs that reached new code, kept between runs.
    corpus: PathBuf,
    /// Initial inputs that the target writes itself.
    written: PathBuf,
    failed: PathBuf,
    log: PathBuf,
}

/// The outcome of a run.
pub(super) struct Outcome {
    pub(super) name: String,
    /// The number of inputs that were tried, if the target printed it.
    pub(super) inputs: Option<u64>,
    /// The number of inputs in the corpus.
    pub(super) kept: usize,
    pub(super) sound: bool,
    program: PathBuf,
    log: PathBuf,
    failed: Option<PathBuf>,
}

impl Target {
    pub(super) fn new(name: String, programs: &Path, work: &Path) -> Result<Self> {
        let work = work.join(&name);
        let target = Self {
            program: programs.join(format!("{name}{}", std::env::consts::EXE_SUFFIX)),
            corpus: work.join("corpus"),
            written: work.join("seeds"),
            failed: work.join("failed"),
            log: work.join("log"),
            name,
        };
        for folder in [&target.corpus, &target.written, &target.failed] {
            fs::create_dir_all(folder).with_context(|| workspace::display_path(folder))?;
        }
        Ok(target)
    }

    /// Runs the target for some seconds, starting from its corpus and the seeds.
    pub(super) fn run(self, seconds: u32) -> Result<Outcome> {
        let fuzz = workspace::root().join(FOLDER);
        let seeds = fuzz.join("seeds").join(&self.name);
        let log = File::create(&self.log).with_context(|| workspace::display_path(&self.log))?;
        // The folder, with a trailing separator.
        let prefix = self.failed.join("");
        let mut command = Command::new(&self.program);
        command.args([&self.corpus, &self.written]);
        if seeds.is_dir() {
            command.arg(seeds);
        }
        let status = command
            .arg(format!("-dict={}", fuzz.join("words.dict").display()))
            .arg(format!("-artifact_prefix={}", prefix.display()))
            .arg(format!("-max_total_time={seconds}"))
            .arg(format!("-max_len={LONGEST}"))
            .arg(format!("-timeout={SLOWEST}"))
            .arg(format!("-rss_limit_mb={MEMORY}"))
            .arg("-print_final_stats=1")
            .env("FUZZ_SEEDS", &self.written)
            .stdout(log.try_clone()?)
            .stderr(log)
            .status()
            .with_context(|| workspace::display_path(&self.program))?;
        let text = String::from_utf8_lossy(&fs::read(&self.log)?).into_owned();
        Ok(Outcome {
            inputs: inputs(&text),
            kept: count(&self.corpus),
            sound: status.success(),
            failed: failed(&text),
            name: self.name,
            program: self.program,
            log: self.log,
        })
    }
}

/// Returns the path of the input that failed.
fn failed(log: &str) -> Option<PathBuf> {
    let prefix = "Test unit written to ";
    let at = log.lines().find_map(|line| line.split_once(prefix));
    at.map(|(_, file)| file.into())
}

/// Reads the number of inputs from the log.
fn inputs(log: &str) -> Option<u64> {
    let line = log
        .lines()
        .find_map(|line| line.strip_prefix("stat::number_of_executed_units:"));
    line?.trim().parse().ok()
}

impl Outcome {
    /// Describes the failure and how to reproduce it. Returns an empty text after a success.
    pub(super) fn fault(&self) -> String {
        if self.sound {
            return String::new();
        }
        let mut text = format!("\n{} failed: {}\n", self.name, self.log.display());
        if let Some(file) = &self.failed {
            let (program, file) = (self.program.display(), file.display());
            text.push_str(&format!("  again: {program} {file}\n"));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::{failed, inputs};

    #[test]
    fn inputs_and_failed_file_are_parsed_from_log() {
        let log = "#2 INITED\nstat::number_of_executed_units: 510723\nstat::slowest_unit: 0\n\
                   artifact_prefix='/t/failed/'; Test unit written to /t/failed/crash-a b\n";
        assert_eq!(inputs(log), Some(510_723));
        assert_eq!(failed(log).as_deref(), Some("/t/failed/crash-a b".as_ref()));
        assert_eq!((inputs("nothing"), failed("nothing")), (None, None));
    }
}
