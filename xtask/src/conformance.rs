//! `cargo xtask conformance`: runs the official suite against our server and our client.

mod report;
mod suite;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};

use self::suite::{Scenario, Side, Suite};
use crate::node::Node;
use crate::subject::{self, Subject};
use crate::through::{Served, Through};
use crate::workspace;

const USAGE: &str = "\
usage: cargo xtask conformance server [--requirements R | --suite all] [--scenario NAME]
                                      [--url URL | --through WAY] [--deny-warnings]
       cargo xtask conformance client [--requirements R | --suite all] [--scenario NAME]
                                      [--deny-warnings]

  Runs the official conformance suite against the example `everything` of a crate, or against the
  server at URL, for each revision for which the suite has scenarios. Those that the suite does not
  score count, too, and so do those of extensions.

  --requirements R   one revision, such as 2025-11-25
  --suite all        all revisions, as without options
  --scenario NAME    only this scenario, which may be one of an extension
  --through WAY      the example `everything` is behind the example `gateway` of mcp-gateway; WAY is
                     gateway[:stdio][:REVISION], by default over HTTP and at the negotiated revision
  --deny-warnings    a scenario with a warning fails";

/// A scenario that the suite lists, and that has no checks in it yet: it always skips.
const EMPTY: &str = "tasks-status-notifications";

/// The parsed command line.
#[derive(Default)]
struct Options {
    side: Side,
    revision: Option<String>,
    scenario: Option<String>,
    url: Option<String>,
    through: Option<Through>,
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
                ("--through", Some(value)) => options.through = Some(Through::parse(value)?),
                ("--suite", Some("all")) => all = true,
                _ => bail!("{USAGE}"),
            }
            words.next();
        }
        let servers = usize::from(options.url.is_some()) + usize::from(options.through.is_some());
        let most = usize::from(options.side == Side::Server);
        if servers > most || all && options.revision.is_some() {
            bail!("{USAGE}");
        }
        Ok(options)
    }

    /// Runs the selected scenarios against the server at a URL.
    fn run(&self, suite: &Suite, url: &str, revision: &str, scenarios: &[Scenario]) -> Result<()> {
        let log = suite.begin(revision)?;
        if self.scenario.is_none() {
            suite.run(url, revision, None, &log)?;
        }
        // The suite does not run those of extensions by itself.
        for scenario in scenarios {
            if self.scenario.is_some() || scenario.extension {
                suite.run(url, revision, Some(&scenario.name), &log)?;
            }
        }
        Ok(())
    }

    /// Returns `true` if a scenario is selected.
    fn wants(&self, scenario: &Scenario) -> bool {
        match &self.scenario {
            Some(name) => *name == scenario.name,
            None => scenario.name != EMPTY,
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
    let (mut passed, mut failed, mut excepted) = (0, 0, 0);
    for (revision, scenarios) in &plan {
        match &against {
            Against::Url(url) => options.run(&suite, url, revision, scenarios)?,
            Against::Gateway(served) => {
                options.run(&suite, &served.front.url, revision, scenarios)?;
            }
            Against::Server(subject) => options.run(&suite, &subject.url, revision, scenarios)?,
            Against::Client(program) => suite.run_client(program, revision, scenarios)?,
        }
        let folder = suite.results().join(revision);
        let results = report::read(&folder, scenarios, options.side)?;
        println!("\n{}", report::table(revision, &results));
        for result in &results {
            let known = options.through.as_ref();
            let known = known.and_then(|through| through.exception(&result.scenario));
            match (result.fault(options.deny_warnings), known) {
                (None, _) => {
                    print!("{}", result.remarks());
                    passed += 1;
                }
                (Some(_), Some(why)) => {
                    println!(
                        "{revision} {}: not through a gateway, {why}",
                        result.scenario
                    );
                    excepted += 1;
                }
                (Some(fault), None) => {
                    print!("{}", result.remarks());
                    println!("{revision} {}: FAILED, {fault}", result.scenario);
                    failed += 1;
                }
            }
        }
    }
    println!("\nresults: {}", workspace::display_path(&suite.results()));
    println!("{passed} passed, {failed} failed, {excepted} not possible");
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
    Gateway(Served),
    Client(PathBuf),
}

impl Against {
    fn new(options: &Options, suite: &Suite) -> Result<Self> {
        if let Some(through) = &options.through {
            return Ok(Self::Gateway(through.start(&suite.results())?));
        }
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

/// Returns the revisions that are tested, each with its scenarios: those that the suite requires or
/// lists for the revision, and those of extensions for the newest one. There is at least one
/// scenario.
fn plan(suite: &Suite, options: &Options) -> Result<Vec<(String, Vec<Scenario>)>> {
    let listed = suite.list(options.side)?;
    let required = suite.revisions()?;
    let revisions: BTreeSet<&String> = listed
        .iter()
        .flat_map(|listed| &listed.revisions)
        .chain(&required)
        .collect();
    let newest = revisions.last().copied();
    let mut plan = Vec::new();
    for revision in &revisions {
        if options
            .revision
            .as_ref()
            .is_some_and(|wanted| wanted != *revision)
        {
            continue;
        }
        let mut scenarios = Vec::new();
        if required.contains(revision) {
            scenarios = suite.scenarios(revision, options.side)?;
        }
        for listed in &listed {
            let extension = listed.revisions.is_empty();
            let belongs = if extension {
                newest == Some(*revision)
            } else {
                listed.revisions.contains(*revision)
            };
            if belongs && !scenarios.iter().any(|known| known.name == listed.name) {
                let name = listed.name.clone();
                scenarios.push(Scenario { name, extension });
            }
        }
        scenarios.retain(|scenario| options.wants(scenario));
        if !scenarios.is_empty() {
            plan.push(((*revision).clone(), scenarios));
        }
    }
    if plan.is_empty() {
        let names: Vec<&str> = listed.iter().map(|listed| &*listed.name).collect();
        bail!(
            "no scenario is selected; the scenarios are {}, for {revisions:?}",
            names.join(", ")
        );
    }
    Ok(plan)
}
