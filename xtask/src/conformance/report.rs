//! The results of the scenarios, and whether they pass.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use serde_json::Value;

use super::suite::{Scenario, Side, scenario_of};
use crate::workspace;

/// The check that every message had the form of the revision's schema.
const WIRE: &str = "wire-schema-valid";

/// Scenarios that send HTTP requests themselves, so that the suite does not check the form of
/// messages.
const RAW: [&str; 14] = [
    "dns-rebinding-protection",
    "server-session-lifecycle",
    "server-sse-multiple-streams",
    "server-sse-polling",
    "server-stateless",
    // Scenarios for clients.
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

/// The maximum length of a message in the output; the results contain all of it.
const SHOWN: usize = 400;

/// The outcome of a scenario.
pub(super) struct Outcome {
    pub(super) scenario: String,
    /// The checks and the file that contains them, or `None` if the scenario did not complete.
    checks: Option<(Vec<Value>, PathBuf)>,
}

/// Reads the results of the scenarios from the folder in which the suite wrote them.
pub(super) fn read(folder: &Path, scenarios: &[Scenario], side: Side) -> Result<Vec<Outcome>> {
    let mut files = Vec::new();
    for path in entries(folder)? {
        if let Some(name) = scenario_of(&path, side) {
            files.push((name.to_owned(), path.join("checks.json")));
        } else if let (true, Some(group)) = (path.is_dir(), path.file_name()) {
            // The results of `auth/NAME` are in a folder `auth`.
            let group = group.to_string_lossy();
            for path in entries(&path)? {
                if let Some(name) = scenario_of(&path, side) {
                    files.push((format!("{group}/{name}"), path.join("checks.json")));
                }
            }
        }
    }
    let outcome = |scenario: &Scenario| {
        let name = &scenario.name;
        let file = files.iter().find(|(known, _)| known == name);
        let checks = match file {
            Some((_, file)) if file.is_file() => {
                let checks = serde_json::from_str(&workspace::read(file)?)
                    .with_context(|| workspace::display_path(file))?;
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

/// Returns the paths of what is in a folder.
fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| workspace::display_path(folder))?;
    let paths = entries.map(|entry| Ok(entry?.path()));
    paths.collect()
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

    /// Returns `true` if the suite does not validate the form of the messages.
    fn is_raw(&self) -> bool {
        let groups = ["auth/", "sep-2640-client-"];
        RAW.contains(&self.scenario.as_str())
            || groups.iter().any(|group| self.scenario.starts_with(group))
    }

    /// Returns the reason for which the scenario failed, if it did. A scenario whose checks were
    /// all skipped has failed, and so has one without the check of the messages' form.
    pub(super) fn fault(&self, deny_warnings: bool) -> Option<String> {
        let Some((checks, _)) = &self.checks else {
            return Some("it did not complete; see suite.log".to_owned());
        };
        let failed = self.count("FAILURE");
        let warned = self.count("WARNING");
        let wire = |check: &Value| check["id"] == WIRE && check["status"] == "SUCCESS";
        if failed > 0 {
            Some(format!("checks failed: {failed}"))
        } else if self.count("SUCCESS") == 0 {
            Some("nothing was checked".to_owned())
        } else if !self.is_raw() && !checks.iter().any(wire) {
            Some(format!("{WIRE} is missing"))
        } else if deny_warnings && warned > 0 {
            Some(format!("warnings: {warned}"))
        } else {
            None
        }
    }

    /// Returns the checks that failed or warn, with their messages, and the file that contains all
    /// checks.
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
        format!(
            "{}\n{text}  {}\n",
            self.scenario,
            workspace::display_path(file)
        )
    }
}

/// Formats a line for each scenario with the counts of its checks.
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
