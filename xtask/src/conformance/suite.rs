//! The official suite: its requirements, and how to run it.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use clap::ValueEnum;

use crate::node::Node;
use crate::workspace;

/// The path of the suite below the folder in which npm installed it.
const PACKAGE: &str = "node_modules/@modelcontextprotocol/conformance";
/// The timeout for the scenarios of a revision, which normally take seconds.
const LIMIT: Duration = Duration::from_secs(300);

/// The installed suite.
pub(super) struct Suite {
    node: PathBuf,
    folder: PathBuf,
    side: Side,
}

/// The tested side of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
pub(crate) enum Side {
    Server,
    Client,
}

impl Side {
    /// Its name, as the suite also writes it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Server => "server",
            Self::Client => "client",
        }
    }

    /// The prefix of a scenario in the name of a folder of results.
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
    /// `true` if it tests an extension, which is optional.
    pub(super) extension: bool,
}

impl Suite {
    pub(super) fn install(node: &Node, side: Side) -> Result<Self> {
        Ok(Self {
            node: node.program.clone(),
            folder: node.install("xtask/conformance")?,
            side,
        })
    }

    /// Returns the folder for the files of the suite, which are kept until the next run.
    pub(super) fn results(&self) -> PathBuf {
        self.folder.join("results").join(self.side.name())
    }

    fn requirements(&self) -> PathBuf {
        self.folder.join(PACKAGE).join("requirements")
    }

    /// Returns the revisions for which the suite has requirements, oldest first.
    pub(super) fn revisions(&self) -> Result<Vec<String>> {
        workspace::names(&self.requirements(), Some(".yaml"))
    }

    pub(super) fn scenarios(&self, revision: &str, side: Side) -> Result<Vec<Scenario>> {
        let file = self.requirements().join(format!("{revision}.yaml"));
        let scenarios = scenarios(&workspace::read(&file)?, side);
        if scenarios.is_empty() {
            let side = side.name();
            bail!(
                "{} names no {side} scenarios",
                workspace::display_path(&file)
            );
        }
        Ok(scenarios)
    }

    /// Returns the scenarios for a side that the suite lists.
    pub(super) fn list(&self, side: Side) -> Result<Vec<Listed>> {
        let mut command = Command::new(&self.node);
        command
            .arg(self.folder.join(PACKAGE).join("dist/index.js"))
            .arg("list");
        let output = command.output().context("cannot run the suite")?;
        let listed = listed(&String::from_utf8_lossy(&output.stdout), side);
        if listed.is_empty() {
            bail!("the suite lists no {} scenarios", side.name());
        }
        Ok(listed)
    }

    /// Runs the scenarios of a revision for servers one after the other, as the suite does, or a
    /// single one. The outcome is read from the results: the suite's own verdict is ignored,
    /// because it accepts skipped checks.
    pub(super) fn run(
        &self,
        url: &str,
        revision: &str,
        scenario: Option<&str>,
        log: &File,
    ) -> Result<()> {
        let mut arguments = vec!["--url", url];
        match scenario {
            // Forced, because an extension belongs to no revision.
            Some(name) => arguments.extend(["--scenario", name, "--force"]),
            None => arguments.extend(["--suite", "all"]),
        }
        println!("running the scenarios of {revision} against {url}");
        self.command(Side::Server, revision, &arguments, log.try_clone()?)
    }

    /// Runs scenarios of a revision for clients, each with a new process. The suite itself would
    /// run all of them at once, including those that are not selected.
    pub(super) fn run_client(
        &self,
        program: &Path,
        revision: &str,
        scenarios: &[Scenario],
    ) -> Result<()> {
        let log = self.begin(revision)?;
        let program = workspace::text(program)?;
        println!("running the scenarios of {revision} with {program}");
        for scenario in scenarios {
            let arguments = [
                "--command",
                program,
                "--scenario",
                &scenario.name,
                "--force",
            ];
            self.command(Side::Client, revision, &arguments, log.try_clone()?)?;
        }
        Ok(())
    }

    /// Creates an empty folder for the results of a revision, with a file for the output of the
    /// suite.
    pub(super) fn begin(&self, revision: &str) -> Result<File> {
        let folder = self.results().join(revision);
        if folder.exists() {
            fs::remove_dir_all(&folder).with_context(|| workspace::display_path(&folder))?;
        }
        fs::create_dir_all(&folder).with_context(|| workspace::display_path(&folder))?;
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

/// Runs a command, and kills it after the timeout. Its exit status is ignored.
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

/// A scenario that the suite lists.
#[derive(Debug, PartialEq)]
pub(super) struct Listed {
    pub(super) name: String,
    /// None if it belongs to an extension.
    pub(super) revisions: Vec<String>,
}

/// Reads the scenarios for a side in the list of the suite: lines such as `  - ping [2025-11-25]`
/// below the name of the side.
pub(super) fn listed(text: &str, side: Side) -> Vec<Listed> {
    let heading = match side {
        Side::Server => "Server scenarios",
        Side::Client => "Client scenarios",
    };
    let lines = text
        .lines()
        .skip_while(|line| !line.starts_with(heading))
        .skip(1);
    let lines = lines.take_while(|line| !line.contains("scenarios ("));
    let scenario = |line: &str| {
        let (name, tags) = line.trim().strip_prefix("- ")?.split_once(" [")?;
        let tags = tags.trim_end_matches(']').split(',');
        let revisions = tags.filter(|tag| *tag != "extension").map(str::to_owned);
        Some(Listed {
            name: name.to_owned(),
            revisions: revisions.collect(),
        })
    };
    lines.filter_map(scenario).collect()
}

/// Reads the two lists in a file of requirements that name scenarios for a side, here servers:
/// names under `server:`, and entries under `not_scored:` with `leg: server`.
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

/// Returns the scenario of a folder of results: the suite calls it `server-NAME-TIME`, or
/// `NAME-TIME`.
pub(super) fn scenario_of(folder: &Path, side: Side) -> Option<&str> {
    const TIME: usize = "-2026-07-28T00-00-00-000Z".len();
    let name = folder.file_name()?.to_str()?.strip_prefix(side.prefix())?;
    name.get(..name.len().checked_sub(TIME)?)
}
