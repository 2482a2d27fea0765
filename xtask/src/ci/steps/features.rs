//! Checks of the libraries with different features.

use std::process::Command;

use anyhow::{Context as _, Result};

use super::{Task, cases, has_nextest, packages};
use crate::ci::cargo::Cargo;
use crate::workspace;

/// The default number of cases of each property test of the runs that only vary the features of `serde_json`.
const FEWER_CASES: &str = "32";

const WASM: &str = "wasm32-unknown-unknown";

/// Checks each library without features, with each feature alone, with the default features and
/// with all. For the server, all combinations of the features that change its internals are
/// checked, for the client common combinations.
pub(super) fn features() -> Result<Vec<Task>> {
    // Warnings are errors for the checked crate only; a flag for all crates would recompile them.
    let check = |package: &str, more: &[&str]| {
        let line = Cargo::new(&format!("rustc -p {package} --lib --profile check")).and(more);
        line.and(&["--", "-D", "warnings"])
    };
    let types = "mcp-types";
    let mut tasks = vec![check(types, &["--no-default-features"]), check(types, &[])];
    for name in feature_names(types)? {
        tasks.push(check(
            types,
            &["--no-default-features", "--features", &name],
        ));
    }
    tasks.push(check(types, &["--all-features"]));

    let server = "mcp-server";
    let combined = ["http", "json-schema", "asking"];
    let mut sets: Vec<String> = (0..1_usize << combined.len())
        .map(|set| {
            let chosen = combined.iter().enumerate();
            let chosen = chosen.filter(|(place, _)| set & (1 << place) != 0);
            let chosen: Vec<&str> = chosen.map(|(_, name)| *name).collect();
            chosen.join(",")
        })
        .collect();
    let others = feature_names(server)?.into_iter();
    sets.extend(others.filter(|name| !combined.contains(&name.as_str())));
    sets.push("pagination,templates".to_owned());
    for set in sets {
        tasks.push(check(
            server,
            &["--no-default-features", "--features", &set],
        ));
    }
    tasks.push(check(server, &["--all-features"]));

    let client = "mcp-client";
    let mut sets = vec![String::new()];
    sets.extend(feature_names(client)?);
    sets.push("http,process".to_owned());
    sets.push("http,json-schema,process".to_owned());
    for set in sets {
        tasks.push(check(
            client,
            &["--no-default-features", "--features", &set],
        ));
    }
    tasks.push(check(client, &["--all-features"]));
    // With default features, all targets either compile or declare the features that they require.
    tasks.push(Cargo::new("check -p mcp-client --all-targets"));
    Ok(tasks.into_iter().map(Task::Run).collect())
}

/// Checks `mcp-types` for a target without an operating system or a source of randomness.
pub(super) fn wasm() -> Result<Task> {
    let output = Command::new("rustc")
        .args(["--print", "target-libdir", "--target", WASM])
        .output()
        .context("cannot run rustc")?;
    let folder = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() || !std::path::Path::new(folder.trim()).is_dir() {
        return Ok(Task::Skip(format!("the target {WASM} is not installed")));
    }
    // Without strategies, which need randomness.
    let names = feature_names("mcp-types")?
        .into_iter()
        .filter(|name| name != "proptest");
    let names = names.collect::<Vec<_>>().join(",");
    let line = Cargo::new(&format!("check -p mcp-types --target {WASM} --features")).and(&[&names]);
    Ok(Task::Run(line))
}

/// Tests `mcp-types` with all choices of how `serde_json` represents numbers and the order of
/// members, because other crates of a program make this choice. `preserve_order` alone is covered
/// by the step `tests`: the generator and the commands enable it.
pub(super) fn numbers() -> Vec<Task> {
    let choices = [
        "",
        "serde_json/arbitrary_precision",
        "serde_json/arbitrary_precision,serde_json/preserve_order",
    ];
    let test = if has_nextest() { "nextest run" } else { "test" };
    let task = |choice: &str| {
        let line = format!("{test} -p mcp-types --lib --test * --all-features --features");
        let line = Cargo::new(&line).and(&[choice]);
        Task::Run(line.with("PROPTEST_CASES", cases(FEWER_CASES)))
    };
    choices.into_iter().map(task).collect()
}

/// Returns the public features of a package, without `default`.
fn feature_names(name: &str) -> Result<Vec<String>> {
    let metadata = workspace::metadata(&["--no-deps"])?;
    let package = packages(&metadata).find(|package| package["name"] == name);
    let features = package.and_then(|package| package["features"].as_object());
    let names = features
        .with_context(|| format!("unknown package {name}"))?
        .keys();
    Ok(names
        .filter(|name| *name != "default" && !name.starts_with('_'))
        .cloned()
        .collect())
}
