//! Checks of the libraries with different features.

use anyhow::{Context as _, Result};

use super::{Extent, Task, cases, has_nextest, sample};
use crate::ci::cargo::Cargo;
use crate::workspace::{self, packages};

/// The default number of cases of each property test of the runs that only vary the features of
/// `serde_json`.
const FEWER_CASES: &str = "32";

const WASM: &str = "wasm32-unknown-unknown";
const MACOS: &str = "aarch64-apple-darwin";

/// One in this number of the sets of features is checked before a merge.
const FEATURE_PARTS: usize = 32;

/// Checks each library with a sample of these: no features, the default features, each feature alone, and
/// common combinations.
pub(super) fn features(extent: Extent) -> Result<Vec<Task>> {
    // Warnings are errors for the checked crate only; a flag for all crates would recompile them.
    let check = |package: &str, more: &[&str]| {
        let line = Cargo::new(&format!("rustc -p {package} --lib --profile check")).and(more);
        line.and(&["--", "-D", "warnings"])
    };
    let types = feature_names("mcp-types")?;

    let mut server = feature_names("mcp-server")?;
    server.push("http,json-schema".to_owned());

    let stores = feature_names("mcp-stores")?;

    let mut client = feature_names("mcp-client")?;
    client.push("http,process".to_owned());
    client.push("http,json-schema,process".to_owned());

    let mut tasks = Vec::new();
    for (package, sets) in [
        ("mcp-types", types),
        ("mcp-server", server),
        ("mcp-stores", stores),
        ("mcp-client", client),
    ] {
        let mut choices = vec![vec!["--no-default-features"], Vec::new()];
        let alone = sets.iter();
        choices.extend(alone.map(|set| vec!["--no-default-features", "--features", set]));
        for choice in sample(choices, FEATURE_PARTS, extent) {
            tasks.push(check(package, &choice));
        }
        // Before a merge, the step `clippy` checks all features.
        if extent == Extent::Nightly {
            tasks.push(check(package, &["--all-features"]));
        }
    }
    if extent == Extent::Nightly {
        // A build of the workspace enables what any package needs. Alone, all targets of a package
        // either compile or declare the features that they require.
        let metadata = workspace::metadata(&["--no-deps"])?;
        let names = packages(&metadata).filter_map(|package| package["name"].as_str());
        for name in names {
            for features in ["", " --all-features"] {
                let line = format!("check -p {name} --all-targets{features}");
                tasks.push(Cargo::new(&line));
            }
        }
    }
    Ok(tasks.into_iter().map(Task::Run).collect())
}

/// Checks `mcp-types` for a target without an operating system or a source of randomness.
pub(super) fn wasm() -> Result<Task> {
    if !workspace::has_target(WASM) {
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

/// Checks for macOS what compiles without Apple's SDK. TLS and SQLite have code in C, which needs it.
pub(super) fn macos() -> Task {
    if !workspace::has_target(MACOS) {
        return Task::Skip(format!("the target {MACOS} is not installed"));
    }
    let packages = "mcp-types mcp-wire mcp-extensions mcp-client mcp-server mcp-skills codegen \
                    xtask-support xtask";
    let features = "mcp-types/proposals,mcp-client/http,mcp-client/json-schema,mcp-client/process,\
                    mcp-server/apps,mcp-server/axum,mcp-server/json-schema,mcp-server/tasks";
    let mut line = Cargo::new(&format!("check --target {MACOS} --features {features}"));
    for package in packages.split(' ') {
        line = line.and(&["-p", package]);
    }
    Task::Run(line)
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
pub(super) fn feature_names(name: &str) -> Result<Vec<String>> {
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
