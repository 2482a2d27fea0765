//! [`confirm`]: asks before a server of a project is used.

use std::io::{self, IsTerminal};
use std::time::Duration;

use mcp_client::types::json::Value;
use mcp_gateway::config::variables;

use super::Found;
use crate::failure::Failure;
use crate::questions::ask::{Answers, is_yes};

/// Asks the user at the terminal whether to use a server of a project.
pub(super) async fn confirm(found: &Found, patience: Duration) -> Result<(), Failure> {
    let (name, path) = (&found.name, found.path.display());
    let mut names = Vec::new();
    for value in found.entry.members().values() {
        add_variables(value, &mut names);
    }
    names.sort_unstable();
    names.dedup();
    let uses = if names.is_empty() {
        String::new()
    } else {
        format!(", with the variables {}", names.join(", "))
    };
    let summary = found.entry.summary();
    let about = format!("the server `{name}` is from the project, {path}: {summary}{uses}");
    if io::stdin().is_terminal()
        && let Ok(permit) = Answers::new(patience).turn().await
    {
        let answer = permit.ask(&format!("{about}. Use it? [y/N]")).await;
        if answer.is_ok_and(|answer| is_yes(&answer)) {
            return Ok(());
        }
        return Err(Failure::Usage(format!("the server `{name}` is not used")));
    }
    Err(Failure::Usage(format!(
        "{about}\nhint: if the project is trusted, add `--project`"
    )))
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
