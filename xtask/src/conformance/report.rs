//! What came of the scenarios, and our verdict on it.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use serde_json::Value;

use super::suite::{Side, scenario_of};
use crate::workspace;

/// The check that every message had the form of the revision's schema.
const WIRE: &str = "wire-schema-valid";

/// Scenarios that speak HTTP by themselves, past the part of the suite that looks at the form of
/// messages.
const RAW: [&str; 14] = [
    "dns-rebinding-protection",
    "server-session-lifecycle",
    "server-sse-multiple-streams",
    "server-sse-polling",
    "server-stateless",
    // For clients.
    "initialize",
    "elicitation-sep1034-client-defaults",
    "sse-retry",
    "request-metadata",
    "sep-2322-client-request-state",
    "http-standard-headers",
    "http-custom-headers",
    "http-invalid-tool-headers",
    "json-schema-ref-no-deref",
];

/// How much of a message is shown; all of it stands in the results.
const SHOWN: usize = 400;

/// What came of a scenario.
pub(super) struct Outcome {
    pub(super) scenario: String,
    /// The checks, and the file that has them, unless the scenario never came to its end.
    checks: Option<(Vec<Value>, PathBuf)>,
}

/// Finds the results of the scenarios in the folder where the suite left them.
pub(super) fn read(folder: &Path, scenarios: &[String], side: Side) -> Result<Vec<Outcome>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| workspace::shown(folder))? {
        let path = entry?.path();
        if let Some(name) = scenario_of(&path, side) {
            files.push((name.to_owned(), path.join("checks.json")));
        }
    }
    let outcome = |name: &String| {
        let file = files.iter().find(|(scenario, _)| scenario == name);
        let checks = match file {
            Some((_, file)) if file.is_file() => {
                let checks = serde_json::from_str(&workspace::read(file)?)
                    .with_context(|| workspace::shown(file))?;
                Some((checks, file.clone()))
            }
            _ => None,
        };
        Ok(Outcome {
            scenario: name.clone(),
            checks,
        })
    };
    scenarios.iter().map(outcome).collect()
}

impl Outcome {
    #[cfg(test)]
    pub(super) fn new(scenario: &str, checks: Option<Vec<Value>>) -> Self {
        Self {
            scenario: scenario.to_owned(),
            checks: checks.map(|checks| (checks, PathBuf::new())),
        }
    }

    fn with<'a>(&'a self, status: &'a str) -> impl Iterator<Item = &'a Value> {
        let checks = self.checks.iter().flat_map(|(checks, _)| checks);
        checks.filter(move |check| check["status"] == status)
    }

    fn count(&self, status: &str) -> usize {
        self.with(status).count()
    }

    /// Why the scenario has failed, if it has. One of which all checks were skipped has shown
    /// nothing, and neither has one that lacks the check of the messages' form.
    pub(super) fn fault(&self, deny_warnings: bool) -> Option<String> {
        let Some((checks, _)) = &self.checks else {
            return Some("it did not come to its end; suite.log says more".to_owned());
        };
        let failed = self.count("FAILURE");
        let warned = self.count("WARNING");
        let wire = |check: &Value| check["id"] == WIRE && check["status"] == "SUCCESS";
        if failed > 0 {
            Some(format!("checks failed: {failed}"))
        } else if self.count("SUCCESS") == 0 {
            Some("nothing was checked".to_owned())
        } else if !RAW.contains(&self.scenario.as_str()) && !checks.iter().any(wire) {
            Some(format!("{WIRE} is missing"))
        } else if deny_warnings && warned > 0 {
            Some(format!("warnings: {warned}"))
        } else {
            None
        }
    }

    /// The checks that failed or warn, each with its message, and the file that has all of it.
    pub(super) fn remarks(&self) -> String {
        let Some((_, file)) = &self.checks else {
            return String::new();
        };
        let mut text = String::new();
        for check in self.with("FAILURE").chain(self.with("WARNING")) {
            let word = |name: &str| check[name].as_str().unwrap_or_default();
            let message: String = word("errorMessage").chars().take(SHOWN).collect();
            let _ = writeln!(
                text,
                "  {} {} ({}): {message}",
                word("status"),
                word("id"),
                word("name")
            );
        }
        if text.is_empty() {
            return text;
        }
        format!("{}\n{text}  {}\n", self.scenario, workspace::shown(file))
    }
}

/// A line for each scenario with the numbers of its checks.
pub(super) fn table(revision: &str, outcomes: &[Outcome]) -> String {
    let names = outcomes.iter().map(|outcome| outcome.scenario.len());
    let width = names.max().unwrap_or(0).max(revision.len());
    let mut text = format!("{revision:width$}  passed  failed  warned  skipped\n");
    for outcome in outcomes {
        let _ = writeln!(
            text,
            "{:width$}  {:6}  {:6}  {:6}  {:7}",
            outcome.scenario,
            outcome.count("SUCCESS"),
            outcome.count("FAILURE"),
            outcome.count("WARNING"),
            outcome.count("SKIPPED"),
        );
    }
    text
}
