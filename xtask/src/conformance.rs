//! `cargo xtask conformance`: runs the official suite against our server and our client.

mod report;
mod suite;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::path::PathBuf;

use anyhow::{Result, bail, ensure};
use clap::Args;

pub(crate) use self::suite::Side;
use self::suite::{Scenario, Suite};
use crate::node::Node;
use crate::subject::{self, Subject};
use crate::through::{Served, Through};
use crate::workspace;

/// A scenario that the suite lists, and that has no checks in it yet: it always skips.
const EMPTY: &str = "tasks-status-notifications";

/// Runs the official suite against our server or our client
///
/// Runs it against the example `everything` of a crate, or against the server at URL, for each
/// revision for which the suite has scenarios. Those that the suite does not score count, too, and
/// so do those of extensions.
#[derive(Args)]
pub(crate) struct Options {
    /// The tested side
    #[arg(value_enum)]
    pub(crate) side: Side,
    /// The only revision, such as 2025-11-25
    #[arg(long = "requirements", value_name = "REVISION")]
    pub(crate) revision: Option<String>,
    /// The only scenario, which may be one of an extension
    #[arg(long, value_name = "NAME")]
    pub(crate) scenario: Option<String>,
    /// A running server, instead of the example
    #[arg(long, conflicts_with = "through")]
    pub(crate) url: Option<String>,
    /// Puts the example `gateway` of mcp-gateway before our server, over HTTP or `stdio`, at the
    /// negotiated revision or another one
    #[arg(long, value_name = Through::FORM, value_parser = Through::parse)]
    pub(crate) through: Option<Through>,
    /// A scenario with a warning fails
    #[arg(long)]
    pub(crate) deny_warnings: bool,
}

impl Options {
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
pub(crate) fn run(options: &Options) -> Result<bool> {
    let is_of_server = options.url.is_some() || options.through.is_some();
    ensure!(
        options.side == Side::Server || !is_of_server,
        "`--url` and `--through` are for the server"
    );
    let Some(node) = Node::find()? else {
        return Ok(true);
    };
    let suite = Suite::install(&node, options.side)?;
    let plan = plan(&suite, options)?;

    let against = Against::new(options, &suite)?;
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
    Ok(failed == 0)
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
