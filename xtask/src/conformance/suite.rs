//! The official suite: what it asks for, and how it is run.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use crate::node::Node;
use crate::workspace;

/// Where npm puts the suite.
const PACKAGE: &str = "node_modules/@modelcontextprotocol/conformance";
/// How long the scenarios of a revision may take; they need seconds.
const LIMIT: Duration = Duration::from_secs(300);

/// The installed suite.
pub(super) struct Suite {
    node: PathBuf,
    folder: PathBuf,
}

/// A scenario that has a server as its subject.
#[derive(Debug, PartialEq)]
pub(super) struct Scenario {
    pub(super) name: String,
    /// Whether it is about an extension, which a server need not have.
    pub(super) extension: bool,
}

impl Suite {
    pub(super) fn install(node: &Node) -> Result<Self> {
        Ok(Self {
            node: node.program.clone(),
            folder: node.install("conformance")?,
        })
    }

    /// Where the files that the suite writes are kept until the next run.
    pub(super) fn results(&self) -> PathBuf {
        self.folder.join("results")
    }

    fn requirements(&self) -> PathBuf {
        self.folder.join(PACKAGE).join("requirements")
    }

    /// The revisions that the suite has requirements for, oldest first.
    pub(super) fn revisions(&self) -> Result<Vec<String>> {
        workspace::names(&self.requirements(), Some(".yaml"))
    }

    pub(super) fn scenarios(&self, revision: &str) -> Result<Vec<Scenario>> {
        let file = self.requirements().join(format!("{revision}.yaml"));
        let scenarios = scenarios(&workspace::read(&file)?);
        if scenarios.is_empty() {
            bail!("{} names no server scenarios", workspace::shown(&file));
        }
        Ok(scenarios)
    }

    /// Runs the scenarios of a revision one after the other, as the suite does it, or one alone.
    /// What came of them stands in the results; the suite's own verdict is not asked for, since it
    /// passes what was skipped.
    pub(super) fn run(&self, url: &str, revision: &str, scenario: Option<&str>) -> Result<()> {
        let folder = self.results().join(revision);
        if folder.exists() {
            fs::remove_dir_all(&folder).with_context(|| workspace::shown(&folder))?;
        }
        fs::create_dir_all(&folder).with_context(|| workspace::shown(&folder))?;
        let mut command = Command::new(&self.node);
        command
            .arg(self.folder.join(PACKAGE).join("dist/index.js"))
            .args(["server", "--url", url, "--spec-version", revision]);
        match scenario {
            // Forced, for an extension belongs to no revision.
            Some(name) => command.args(["--scenario", name, "--force"]),
            None => command.args(["--suite", "all"]),
        };
        let log = File::create(folder.join("suite.log"))?;
        command
            .arg("--output-dir")
            .arg(&folder)
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log);
        println!("running the scenarios of {revision} against {url}");
        limited(&mut command)
    }
}

/// Runs a command to its end, or kills it when it takes too long. Whether it succeeded is of no
/// interest.
fn limited(command: &mut Command) -> Result<()> {
    let mut child = command.spawn().context("cannot run the suite")?;
    let start = Instant::now();
    while child.try_wait()?.is_none() {
        if start.elapsed() > LIMIT {
            println!("the suite was ended after {} s", LIMIT.as_secs());
            child.kill()?;
            child.wait()?;
            break;
        }
        thread::sleep(Duration::from_millis(50));
    }
    Ok(())
}

/// Reads the two lists of a file of requirements that name scenarios for servers: plain names under
/// `server:`, and under `not_scored:` those with `leg: server`.
pub(super) fn scenarios(text: &str) -> Vec<Scenario> {
    let mut scenarios = Vec::new();
    let mut section = "";
    let mut name = "";
    let mut server = false;
    for line in text.lines() {
        let value = |key: &str| line.trim_start().strip_prefix(key).map(str::trim);
        if line.starts_with(char::is_alphabetic) {
            section = line.trim_end_matches(':');
        } else if section == "server" {
            scenarios.extend(value("- ").map(|name| Scenario {
                name: name.to_owned(),
                extension: false,
            }));
        } else if section == "not_scored" {
            if let Some(scenario) = value("- scenario:") {
                (name, server) = (scenario, false);
            } else if let Some(leg) = value("leg:") {
                server = leg == "server";
            } else if let (Some(reason), true) = (value("reason:"), server) {
                scenarios.push(Scenario {
                    name: name.to_owned(),
                    extension: reason == "extension",
                });
            }
        }
    }
    scenarios
}

/// The scenario whose results a folder has: the suite calls it `server-NAME-TIME`.
pub(super) fn scenario_of(folder: &Path) -> Option<&str> {
    const TIME: usize = "-2026-07-28T00-00-00-000Z".len();
    let name = folder.file_name()?.to_str()?.strip_prefix("server-")?;
    name.get(..name.len().checked_sub(TIME)?)
}
