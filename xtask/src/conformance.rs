//! `cargo xtask conformance`: the official suite against our server.

mod report;
mod suite;
#[cfg(test)]
mod tests;

use std::process::ExitCode;

use anyhow::{Result, bail};

use self::suite::{Scenario, Suite};
use crate::node::Node;
use crate::subject::{self, Subject};
use crate::workspace;

const USAGE: &str = "\
usage: cargo xtask conformance server [--requirements R | --suite all] [--scenario NAME]
                                      [--url URL] [--deny-warnings]

  Runs the official conformance suite against the example `everything`, or against the server at
  URL. Without --requirements, for each revision that the suite has requirements for. What is not
  scored counts too, but not the scenarios of extensions.

  --requirements R   one revision, such as 2025-11-25
  --suite all        all revisions, as without options
  --scenario NAME    this scenario alone, which may be one of an extension
  --deny-warnings    a scenario with a warning has failed";

/// What was asked for.
#[derive(Default)]
struct Options {
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
        if words.next() != Some("server") {
            bail!("{USAGE}");
        }
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
        if all && options.revision.is_some() {
            bail!("{USAGE}");
        }
        Ok(options)
    }

    /// Whether a scenario is to be run.
    fn wants(&self, scenario: &Scenario) -> bool {
        match &self.scenario {
            Some(name) => *name == scenario.name,
            None => !scenario.extension,
        }
    }
}

/// Runs the command.
pub(crate) fn run(arguments: &[String]) -> Result<ExitCode> {
    let options = Options::parse(arguments)?;
    let Some(node) = Node::find()? else {
        return Ok(ExitCode::SUCCESS);
    };
    let suite = Suite::install(&node)?;
    let plan = plan(&suite, &options)?;

    let subject;
    let url = if let Some(url) = &options.url {
        url
    } else {
        subject = Subject::start(&subject::build()?, &suite.results())?;
        &subject.url
    };
    let (mut passed, mut failed) = (0, 0);
    for (revision, scenarios) in &plan {
        suite.run(url, revision, options.scenario.as_deref())?;
        let results = report::read(&suite.results().join(revision), scenarios)?;
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
    println!("\nresults: {}", workspace::shown(&suite.results()));
    println!("{passed} passed, {failed} failed");
    Ok(if failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// The revisions that are run, each with its scenarios. There is at least one scenario.
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
        let scenarios = suite.scenarios(&revision)?;
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
        bail!("there is no such scenario; there are {}", known.join(", "));
    }
    Ok(plan)
}
