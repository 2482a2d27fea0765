//! `cargo xtask conformance`: runs the official suite against our server and our client.

mod report;
mod suite;
#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};

use self::suite::{Scenario, Side, Suite};
use crate::node::Node;
use crate::subject::{self, Subject};
use crate::workspace;

const USAGE: &str = "\
usage: cargo xtask conformance server [--requirements R | --suite all] [--scenario NAME]
                                      [--url URL] [--deny-warnings]
       cargo xtask conformance client [--requirements R | --suite all] [--scenario NAME]
                                      [--deny-warnings]

  Runs the official conformance suite against the example `everything` of a crate, or against the
  server at URL. Without --requirements, it runs for each revision for which the suite has requirements.
  Scenarios that the suite does not score count too; those of extensions only for clients.

  --requirements R   one revision, such as 2025-11-25
  --suite all        all revisions, as without options
  --scenario NAME    only this scenario, which may be one of an extension
  --deny-warnings    a scenario with a warning fails";

/// Scenarios for clients that no requirements name: servers of 2025-03-26, which have no metadata.
const OLD_SERVERS: [&str; 2] = [
    "auth/2025-03-26-oauth-metadata-backcompat",
    "auth/2025-03-26-oauth-endpoint-fallback",
];

/// The revision for which the extension for skills is specified.
const SKILLS_REVISION: &str = "2026-07-28";
/// Scenarios of this extension, which no requirements name.
const SERVER_SKILLS: [&str; 3] = [
    "sep-2640-skills-enumeration",
    "sep-2640-skills-manifest",
    "sep-2640-skills-directory",
];
const CLIENT_SKILLS: [&str; 4] = [
    "sep-2640-client-no-prefetch",
    "sep-2640-client-verify-digest",
    "sep-2640-client-verify-size",
    "sep-2640-client-verify-frontmatter",
];

/// The parsed command line.
#[derive(Default)]
struct Options {
    side: Side,
    revision: Option<String>,
    scenario: Option<String>,
    url: Option<String>,
    deny_warnings: bool,
}

impl Options {
    fn parse(arguments: &[String]) -> Result<Self> {
        let mut options = Self::default();
        let mut all = false;
        let mut words = arguments.iter().map(String::as_str);
        options.side = match words.next() {
            Some("server") => Side::Server,
            Some("client") => Side::Client,
            _ => bail!("{USAGE}"),
        };
        while let Some(word) = words.next() {
            match (word, words.clone().next()) {
                ("--deny-warnings", _) => {
                    options.deny_warnings = true;
                    continue;
                }
                ("--requirements", Some(value)) => options.revision = Some(value.to_owned()),
                ("--scenario", Some(value)) => options.scenario = Some(value.to_owned()),
                ("--url", Some(value)) => options.url = Some(value.to_owned()),
                ("--suite", Some("all")) => all = true,
                _ => bail!("{USAGE}"),
            }
            words.next();
        }
        let other = options.side == Side::Client && options.url.is_some();
        if other || all && options.revision.is_some() {
            bail!("{USAGE}");
        }
        Ok(options)
    }

    /// Runs the selected scenarios against the server at a URL.
    fn run(&self, suite: &Suite, url: &str, revision: &str) -> Result<()> {
        let log = suite.begin(revision)?;
        suite.run(url, revision, self.scenario.as_deref(), &log)?;
        if self.scenario.is_none() && revision == SKILLS_REVISION {
            for name in SERVER_SKILLS {
                suite.run(url, revision, Some(name), &log)?;
            }
        }
        Ok(())
    }

    /// Returns `true` if a scenario is selected.
    fn wants(&self, scenario: &Scenario) -> bool {
        match &self.scenario {
            Some(name) => *name == scenario.name,
            None => !scenario.extension || self.side == Side::Client,
        }
    }
}

/// Runs the command.
pub(crate) fn run(arguments: &[String]) -> Result<ExitCode> {
    let options = Options::parse(arguments)?;
    let Some(node) = Node::find()? else {
        return Ok(ExitCode::SUCCESS);
    };
    let suite = Suite::install(&node, options.side)?;
    let plan = plan(&suite, &options)?;

    let against = Against::new(&options, &suite)?;
    let (mut passed, mut failed) = (0, 0);
    for (revision, scenarios) in &plan {
        match &against {
            Against::Url(url) => options.run(&suite, url, revision)?,
            Against::Server(subject) => options.run(&suite, &subject.url, revision)?,
            Against::Client(program) => suite.run_client(program, revision, scenarios)?,
        }
        let folder = suite.results().join(revision);
        let results = report::read(&folder, scenarios, options.side)?;
        println!("\n{}", report::table(revision, &results));
        for result in &results {
            print!("{}", result.remarks());
            match result.fault(options.deny_warnings) {
                None => passed += 1,
                Some(fault) => {
                    println!("{revision} {}: FAILED, {fault}", result.scenario);
                    failed += 1;
                }
            }
        }
    }
    println!("\nresults: {}", workspace::display_path(&suite.results()));
    println!("{passed} passed, {failed} failed");
    Ok(if failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// The program against which the suite runs.
enum Against {
    Url(String),
    Server(Subject),
    Client(PathBuf),
}

impl Against {
    fn new(options: &Options, suite: &Suite) -> Result<Self> {
        Ok(match (options.side, &options.url) {
            (Side::Client, _) => Self::Client(subject::build("everything-client")?),
            (Side::Server, Some(url)) => Self::Url(url.clone()),
            (Side::Server, None) => {
                let program = subject::build("everything")?;
                Self::Server(Subject::start(
                    &program,
                    &["--port", "0"],
                    &suite.results(),
                )?)
            }
        })
    }
}

/// Returns the revisions that are tested, each with its scenarios. There is at least one scenario.
fn plan(suite: &Suite, options: &Options) -> Result<Vec<(String, Vec<String>)>> {
    let mut revisions = suite.revisions()?;
    if let Some(revision) = &options.revision {
        if !revisions.contains(revision) {
            bail!(
                "the suite has no requirements for `{revision}`, but for {}",
                revisions.join(", ")
            );
        }
        revisions = vec![revision.clone()];
    }
    let mut plan = Vec::new();
    let mut known = Vec::new();
    for revision in revisions {
        let mut scenarios = suite.scenarios(&revision, options.side)?;
        let mut unnamed: Vec<&str> = Vec::new();
        if options.side == Side::Client {
            unnamed.extend(OLD_SERVERS);
        }
        if revision == SKILLS_REVISION {
            unnamed.extend(match options.side {
                Side::Server => &SERVER_SKILLS[..],
                Side::Client => &CLIENT_SKILLS[..],
            });
        }
        scenarios.extend(unnamed.into_iter().map(|name| Scenario {
            name: name.to_owned(),
            extension: false,
        }));
        known.extend(scenarios.iter().map(|scenario| scenario.name.clone()));
        let wanted: Vec<String> = scenarios
            .into_iter()
            .filter(|scenario| options.wants(scenario))
            .map(|scenario| scenario.name)
            .collect();
        if !wanted.is_empty() {
            plan.push((revision, wanted));
        }
    }
    if plan.is_empty() {
        known.sort();
        known.dedup();
        bail!("unknown scenario; the scenarios are {}", known.join(", "));
    }
    Ok(plan)
}
