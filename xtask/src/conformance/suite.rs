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
    side: Side,
}

/// The side of the protocol that is the subject.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum Side {
    #[default]
    Server,
    Client,
}

impl Side {
    /// Its name, for us and for the suite.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Server => "server",
            Self::Client => "client",
        }
    }

    /// What stands before the scenario in the name of a folder of results.
    fn prefix(self) -> &'static str {
        match self {
            Self::Server => "server-",
            Self::Client => "",
        }
    }
}

/// A scenario for one side.
#[derive(Debug, PartialEq)]
pub(super) struct Scenario {
    pub(super) name: String,
    /// Whether it is about an extension, which nobody need have.
    pub(super) extension: bool,
}

impl Suite {
    pub(super) fn install(node: &Node, side: Side) -> Result<Self> {
        Ok(Self {
            node: node.program.clone(),
            folder: node.install("conformance")?,
            side,
        })
    }

    /// Where the files that the suite writes are kept until the next run.
    pub(super) fn results(&self) -> PathBuf {
        self.folder.join("results").join(self.side.name())
    }

    fn requirements(&self) -> PathBuf {
        self.folder.join(PACKAGE).join("requirements")
    }

    /// The revisions that the suite has requirements for, oldest first.
    pub(super) fn revisions(&self) -> Result<Vec<String>> {
        workspace::names(&self.requirements(), Some(".yaml"))
    }

    pub(super) fn scenarios(&self, revision: &str, side: Side) -> Result<Vec<Scenario>> {
        let file = self.requirements().join(format!("{revision}.yaml"));
        let scenarios = scenarios(&workspace::read(&file)?, side);
        if scenarios.is_empty() {
            let side = side.name();
            bail!("{} names no {side} scenarios", workspace::shown(&file));
        }
        Ok(scenarios)
    }

    /// Runs the scenarios of a revision for servers one after the other, as the suite does it, or
    /// one alone. What came of them stands in the results; the suite's own verdict is not asked
    /// for, since it passes what was skipped.
    pub(super) fn run(&self, url: &str, revision: &str, scenario: Option<&str>) -> Result<()> {
        let log = self.begin(revision)?;
        let mut arguments = vec!["--url", url];
        match scenario {
            // Forced, for an extension belongs to no revision.
            Some(name) => arguments.extend(["--scenario", name, "--force"]),
            None => arguments.extend(["--suite", "all"]),
        }
        println!("running the scenarios of {revision} against {url}");
        self.command(Side::Server, revision, &arguments, log)
    }

    /// Runs scenarios of a revision for clients, each with a new process of the program. The suite
    /// would run them all at once, and those that are not wanted, too.
    pub(super) fn run_client(
        &self,
        program: &Path,
        revision: &str,
        scenarios: &[String],
    ) -> Result<()> {
        let log = self.begin(revision)?;
        let program = program.to_str().context("a path that is no text")?;
        println!("running the scenarios of {revision} with {program}");
        for name in scenarios {
            let arguments = ["--command", program, "--scenario", name, "--force"];
            self.command(Side::Client, revision, &arguments, log.try_clone()?)?;
        }
        Ok(())
    }

    /// Makes an empty folder for the results of a revision, with the file that the suite prints to.
    fn begin(&self, revision: &str) -> Result<File> {
        let folder = self.results().join(revision);
        if folder.exists() {
            fs::remove_dir_all(&folder).with_context(|| workspace::shown(&folder))?;
        }
        fs::create_dir_all(&folder).with_context(|| workspace::shown(&folder))?;
        Ok(File::create(folder.join("suite.log"))?)
    }

    fn command(&self, side: Side, revision: &str, arguments: &[&str], log: File) -> Result<()> {
        let mut command = Command::new(&self.node);
        command
            .arg(self.folder.join(PACKAGE).join("dist/index.js"))
            .args([side.name(), "--spec-version", revision])
            .args(arguments)
            .arg("--output-dir")
            .arg(self.results().join(revision))
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log);
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

/// Reads the two lists of a file of requirements that name scenarios for a side, here servers: plain
/// names under `server:`, and under `not_scored:` those with `leg: server`.
pub(super) fn scenarios(text: &str, side: Side) -> Vec<Scenario> {
    let mut scenarios = Vec::new();
    let mut section = "";
    let mut name = "";
    let mut wanted = false;
    for line in text.lines() {
        let value = |key: &str| line.trim_start().strip_prefix(key).map(str::trim);
        if line.starts_with(char::is_alphabetic) {
            section = line.trim_end_matches(':');
        } else if section == side.name() {
            scenarios.extend(value("- ").map(|name| Scenario {
                name: name.to_owned(),
                extension: false,
            }));
        } else if section == "not_scored" {
            if let Some(scenario) = value("- scenario:") {
                (name, wanted) = (scenario, false);
            } else if let Some(leg) = value("leg:") {
                wanted = leg == side.name();
            } else if let (Some(reason), true) = (value("reason:"), wanted) {
                scenarios.push(Scenario {
                    name: name.to_owned(),
                    extension: reason == "extension",
                });
            }
        }
    }
    scenarios
}

/// The scenario whose results a folder has: the suite calls it `server-NAME-TIME`, or `NAME-TIME`.
pub(super) fn scenario_of(folder: &Path, side: Side) -> Option<&str> {
    const TIME: usize = "-2026-07-28T00-00-00-000Z".len();
    let name = folder.file_name()?.to_str()?.strip_prefix(side.prefix())?;
    name.get(..name.len().checked_sub(TIME)?)
}
