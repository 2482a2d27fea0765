//! Runs the examples of `mcp-server` that suites and clients of other projects test.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow};
use serde_json::Value;

use crate::{process, workspace};

/// The text before the address in the first line that the example prints.
const LISTENING: &str = "listening on ";
/// The timeout for this line.
const START: Duration = Duration::from_secs(30);

/// Builds an example and returns its path. It uses the features of the whole workspace, so that the
/// examples of both crates share compiled dependencies.
pub fn build(example: &str) -> Result<PathBuf> {
    build_with("--workspace --all-features --example", example)
}

/// Builds a program of the workspace and returns its path.
pub fn build_program(name: &str) -> Result<PathBuf> {
    build_with("--workspace --all-features --bin", name)
}

/// Builds an example for measurements.
pub fn build_for_speed(package: &str, example: &str) -> Result<PathBuf> {
    build_with(
        &format!("--release -p {package} --all-features --example"),
        example,
    )
}

fn build_with(options: &str, name: &str) -> Result<PathBuf> {
    let line = format!("build {options} {name}");
    println!("$ cargo {line}");
    let mut cargo = workspace::cargo();
    cargo.args(line.split(' ')).current_dir(workspace::root());
    cargo.stderr(Stdio::inherit());
    let messages = process::output(cargo.args(["--message-format", "json-render-diagnostics"]))?;
    // One message per line; libraries have no executable.
    messages
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|message| message["target"]["name"] == name)
        .find_map(|message| message["executable"].as_str().map(PathBuf::from))
        .with_context(|| format!("cargo names no program {name}"))
}

/// A running example. It is killed when this value is dropped.
pub struct Subject {
    child: Child,
    output: Option<JoinHandle<()>>,
    /// The path of the program.
    pub program: PathBuf,
    /// The URL at which it listens.
    pub url: String,
}

impl Subject {
    /// Starts the program with arguments that let it listen on a free port. Its output is written
    /// to `server.log` in the folder.
    pub fn start(program: &Path, arguments: &[&str], folder: &Path) -> Result<Self> {
        fs::create_dir_all(folder).with_context(|| workspace::display_path(folder))?;
        let log = File::create(folder.join("server.log"))?;
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(log.try_clone()?)
            .spawn()
            .with_context(|| format!("cannot run {}", program.display()))?;
        let stdout = child.stdout.take();
        let mut subject = Self {
            child,
            output: None,
            program: program.to_path_buf(),
            url: String::new(),
        };
        let stdout = stdout.context("the example has no standard output")?;
        let (sender, first) = mpsc::channel();
        subject.output = Some(thread::spawn(move || {
            // The output is read completely, so that the example never blocks on it.
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                let _ = writeln!(&log, "{line}");
                let _ = sender.send(line);
            }
        }));
        let line = first
            .recv_timeout(START)
            .map_err(|_| anyhow!("the example printed no line within the timeout"))?;
        let url = line.strip_prefix(LISTENING);
        url.with_context(|| format!("the example printed `{line}` instead of its address"))?
            .trim()
            .clone_into(&mut subject.url);
        Ok(subject)
    }

    /// Returns the id of the process.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Subject {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if let Some(output) = self.output.take() {
            let _ = output.join();
        }
    }
}
