//! [`confirm`]: asks before a server of a project is used.

use std::io::{self, IsTerminal};
use std::time::Duration;

use mcp_client::types::json::{self, Value};
use mcp_gateway::config::variables;

use super::Found;
use crate::failure::Failure;
use crate::output::print_message;
use crate::questions::ask::{Answers, is_yes};

/// The longest entry that a user can judge, in bytes. The beginning of a longer one would leave the
/// screen.
const ENTRY: usize = 4 << 10;

/// Asks the user at the terminal whether to use a server of a project. Shows the whole entry: each of
/// its members, such as `env` and `cwd`, can decide what is started.
pub(super) async fn confirm(found: &Found, patience: Duration) -> Result<(), Failure> {
    let (name, path) = (&found.name, found.path.display());
    let about = format!("the server `{name}` is from the project, {path}:");
    let hint = "hint: if the project is trusted, add `--project`";
    let entry = shown(found);
    if !io::stdin().is_terminal() {
        let summary = found.entry.summary();
        let members: Vec<_> = found.entry.members().keys().collect();
        return Err(Failure::Usage(format!(
            "{about} {summary}, with the members {}{}\n{hint}",
            members.join(", "),
            uses(found)
        )));
    }
    if entry.len() > ENTRY {
        return Err(Failure::Usage(format!(
            "{about} its entry has {} bytes, which are too many to be judged at a terminal\n{hint}",
            entry.len()
        )));
    }
    if let Ok(permit) = Answers::new(patience).turn().await {
        print_message(&format!("{about}\n{entry}"));
        let question = format!("Use it{}? [y/N]", uses(found));
        let answer = permit.ask(&question).await;
        if answer.is_ok_and(|answer| is_yes(&answer)) {
            return Ok(());
        }
    }
    Err(Failure::Usage(format!("the server `{name}` is not used")))
}

/// Returns the entry as it is in the file, with a line for each member.
fn shown(found: &Found) -> String {
    let members = found.entry.members().iter();
    let lines = members.map(|(name, value)| {
        let value = json::to_string(value).unwrap_or_default();
        format!("{}: {value}", Value::from(name))
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns the names of the variables that the server gets.
fn uses(found: &Found) -> String {
    let mut names = Vec::new();
    for value in found.entry.members().values() {
        add_variables(value, &mut names);
    }
    names.sort_unstable();
    names.dedup();
    if names.is_empty() {
        return String::new();
    }
    format!(", with the variables {}", names.join(", "))
}

/// Adds the names of the variables in all texts of a value.
fn add_variables<'a>(value: &'a Value, names: &mut Vec<&'a str>) {
    match value {
        // `resolve` reports malformed ones.
        Value::String(text) => names.extend(variables(text).unwrap_or_default()),
        Value::Array(elements) => {
            for element in elements {
                add_variables(element, names);
            }
        }
        Value::Object(members) => {
            for value in members.values() {
                add_variables(value, names);
            }
        }
        _ => {}
    }
}
