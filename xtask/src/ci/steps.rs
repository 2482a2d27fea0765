//! The steps of `cargo xtask ci`: quick steps that fail often come first.

use std::process::{Command, Stdio};

use anyhow::{Context as _, Result};
use serde_json::Value;

use super::cargo::Cargo;
use super::{layers, links};
use crate::{browser, fuzz, node, workspace};

/// The default number of cases of each property test.
const CASES: &str = "256";
/// The default for the runs that only vary the features of `serde_json`.
const FEWER_CASES: &str = "32";

const WASM: &str = "wasm32-unknown-unknown";

/// A step that can run alone.
pub(super) struct Step {
    /// The name, for `--only`.
    pub(super) name: &'static str,
    pub(super) tasks: Vec<Task>,
}

/// All steps, in three groups. Each group begins when the one before it has ended.
pub(super) struct Steps {
    /// Run one after the other.
    pub(super) first: Vec<Step>,
    /// Two sequences that run beside each other, because most steps cannot use two processors all the
    /// time. The steps of the second one compile in target folders of their own, since each cargo waits
    /// for others that build in the same folder.
    pub(super) sequences: [Vec<Step>; 2],
    /// Run one after the other, when nothing else runs that would disturb measurements.
    pub(super) last: Vec<Step>,
}

impl Steps {
    /// Returns all steps in the order of their summary.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Step> {
        let [one, other] = &self.sequences;
        [&self.first, one, other, &self.last].into_iter().flatten()
    }

    /// Removes all steps but those with this name.
    pub(super) fn retain(&mut self, name: &str) {
        let [one, other] = &mut self.sequences;
        for steps in [&mut self.first, one, other, &mut self.last] {
            steps.retain(|step| step.name == name);
        }
    }
}

/// A task of a step.
pub(super) enum Task {
    Run(Cargo),
    /// A name, and a function that returns errors.
    Check(&'static str, fn() -> Result<Vec<String>>),
    /// The task is skipped for this reason.
    Skip(String),
}

/// Returns all steps.
pub(super) fn all() -> Result<Steps> {
    Ok(Steps {
        first: texts(),
        sequences: [in_shared_folder()?, in_own_folders()?],
        last: vec![step("attack", vec![on_linux("xtask attack --quick")])],
    })
}

fn step(name: &'static str, tasks: Vec<Task>) -> Step {
    Step { name, tasks }
}

fn run(line: &str) -> Task {
    Task::Run(Cargo::new(line))
}

/// Checks that need little compilation.
fn texts() -> Vec<Step> {
    let lock = Cargo {
        quiet: true,
        ..Cargo::new("metadata --locked --format-version 1")
    };
    vec![
        step(
            "lock",
            vec![Task::Run(lock), Task::Check("licence", licences)],
        ),
        step(
            "format",
            vec![
                run("fmt --all --check"),
                run("fmt --all --check --manifest-path xtask/peers/Cargo.toml"),
                run("fmt --all --check --manifest-path xtask/fuzz/Cargo.toml"),
            ],
        ),
        step("links", vec![Task::Check("links", links::broken)]),
        step("layers", vec![Task::Check("layers", layers::faults)]),
        step(
            "codegen",
            vec![run("xtask codegen --check --deny-warnings")],
        ),
        step("texts", vec![Task::Check("texts", unwritten)]),
    ]
}

/// Steps that share what they compile, or the packages of npm that they install.
fn in_shared_folder() -> Result<Vec<Step>> {
    let docs = Cargo::new("doc --no-deps --workspace --all-features");
    Ok(vec![
        step(
            "clippy",
            vec![run(
                "clippy --workspace --all-targets --all-features -- -D warnings",
            )],
        ),
        step("tests", tests()),
        step(
            "conformance",
            vec![
                unless(node::missing, "xtask conformance server --deny-warnings"),
                unless(node::missing, "xtask conformance client --deny-warnings"),
            ],
        ),
        step(
            "interop",
            vec![
                unless(node::missing, "xtask interop server"),
                unless(node::missing, "xtask interop client"),
                unless(node::missing, "xtask interop auth"),
                unless(browser::missing, "xtask interop browser"),
            ],
        ),
        step(
            "corpus",
            vec![unless(node::missing, "xtask corpus --quick")],
        ),
        step("quickstart", vec![run("xtask quickstart")]),
        step(
            "doc-tests",
            vec![run("test --workspace --doc --all-features")],
        ),
        step(
            "docs",
            vec![Task::Run(docs.with("RUSTDOCFLAGS", "-D warnings"))],
        ),
        step("features", features()?),
        step("wasm", vec![wasm()?]),
    ])
}

/// Steps that compile in target folders of their own.
fn in_own_folders() -> Result<Vec<Step>> {
    let peers = "--manifest-path xtask/peers/Cargo.toml";
    Ok(vec![
        step(
            "peers",
            vec![run(&format!(
                "clippy {peers} --workspace --all-targets -- -D warnings"
            ))],
        ),
        step("lean", vec![run(&format!("test {peers} --package lean"))]),
        step(
            "fuzz",
            vec![unless(fuzz::missing, "xtask fuzz --seconds 2")],
        ),
        step(
            "rehearse",
            vec![run("xtask rehearse additions --until types")],
        ),
        step("numbers", numbers()?),
        step(
            "attacker",
            vec![
                on_linux(&format!("test --profile quick {peers} --package attack")),
                // What the step `attack` needs, each alone, as there.
                on_linux(&format!("build --profile quick {peers} --package attack")),
                on_linux(&format!(
                    "build --profile quick {peers} --package everything-ours --features jemalloc"
                )),
            ],
        ),
    ])
}

/// Returns the documentation texts and examples that somebody has to write, change or remove.
fn unwritten() -> Result<Vec<String>> {
    Ok(workspace::project()?.generate()?.report.unwritten())
}

/// A command of the attacks, which need the addresses 127.0.0.2 and up, and `/proc` for measurements.
fn on_linux(line: &str) -> Task {
    if cfg!(target_os = "linux") {
        run(line)
    } else {
        Task::Skip("the attacks need Linux".to_owned())
    }
}

fn cases(fallback: &str) -> String {
    std::env::var("PROPTEST_CASES").unwrap_or_else(|_| fallback.to_owned())
}

/// Runs all tests. The integration tests of `mcp-types` print statistics, which are shown in the
/// log.
fn tests() -> Vec<Task> {
    let lines = if has_nextest() {
        vec![
            Cargo::new("nextest run --workspace --all-features -E")
                .and(&["not (package(mcp-types) and kind(test))"]),
            Cargo::new("nextest run --workspace --all-features --success-output immediate -E")
                .and(&["package(mcp-types) and kind(test)"]),
        ]
    } else {
        vec![
            Cargo::new("test --workspace --all-features --lib --bins --tests --examples")
                .and(&["--", "--show-output"]),
        ]
    };
    lines
        .into_iter()
        .map(|line| Task::Run(line.with("PROPTEST_CASES", cases(CASES))))
        .collect()
}

/// A command that is skipped if a program is not installed. In CI the command always runs, and
/// fails if the program is missing.
fn unless(missing: fn() -> Option<&'static str>, line: &str) -> Task {
    match missing() {
        Some(why) if std::env::var_os("CI").is_none() => Task::Skip(why.to_owned()),
        _ => Task::Run(Cargo::new(line)),
    }
}

/// Tests `mcp-types` with all choices of how `serde_json` represents numbers and the order of
/// members, because other crates of a program make this choice. `preserve_order` alone is covered
/// by the step `tests`: the generator and the commands enable it.
fn numbers() -> Result<Vec<Task>> {
    let choices = [
        "",
        "serde_json/arbitrary_precision",
        "serde_json/arbitrary_precision,serde_json/preserve_order",
    ];
    let test = if has_nextest() { "nextest run" } else { "test" };
    // The unit tests need neither the registry nor the older revisions, whose code takes most of
    // the time to compile.
    let needed = |name: &String| {
        let is_revision = name.starts_with("v2") || name == "draft";
        !is_revision && !["default", "registry", "proptest"].contains(&name.as_str())
    };
    let few: Vec<_> = all_features("mcp-types")?
        .into_iter()
        .filter(needed)
        .collect();
    let few = few.join(",");
    let folder = workspace::target()?.join("numbers");
    let folder = folder.display().to_string();
    let tasks = choices.into_iter().flat_map(|choice| {
        let unit = Cargo::new(&format!("{test} -p mcp-types --lib --features"))
            .and(&[&format!("{few},{choice}")]);
        let suite = Cargo::new(&format!(
            "{test} -p mcp-types --test * --all-features --features"
        ))
        .and(&[choice]);
        [unit, suite].map(|line| {
            let line = line.with("PROPTEST_CASES", cases(FEWER_CASES));
            Task::Run(line.with("CARGO_TARGET_DIR", folder.clone()))
        })
    });
    Ok(tasks.collect())
}

/// Checks each library without features, with each feature alone, with the default features and
/// with all. For the server, all combinations of the features that change its internals are
/// checked, for the client common combinations.
fn features() -> Result<Vec<Task>> {
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
fn wasm() -> Result<Task> {
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

fn has_nextest() -> bool {
    Command::new(workspace::cargo())
        .args(["nextest", "--version"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// Returns the public features of a package, without `default`.
fn feature_names(name: &str) -> Result<Vec<String>> {
    let names = all_features(name)?.into_iter();
    Ok(names
        .filter(|name| name != "default" && !name.starts_with('_'))
        .collect())
}

/// Returns the features of a package.
fn all_features(name: &str) -> Result<Vec<String>> {
    let metadata = workspace::metadata(&["--no-deps"])?;
    let package = packages(&metadata).find(|package| package["name"] == name);
    let features = package.and_then(|package| package["features"].as_object());
    let names = features
        .with_context(|| format!("unknown package {name}"))?
        .keys();
    Ok(names.cloned().collect())
}

/// Returns packages without a licence, and our packages with another licence than the texts in the
/// repository.
fn licences() -> Result<Vec<String>> {
    let mut faults = Vec::new();
    for file in ["LICENSE-APACHE", "LICENSE-MIT"] {
        if !workspace::root().join(file).is_file() {
            faults.push(format!("{file} is missing"));
        }
    }
    let metadata = workspace::metadata(&["--locked"])?;
    for package in packages(&metadata) {
        let name = package["name"].as_str().unwrap_or_default();
        if package["license"].is_null() && package["license_file"].is_null() {
            faults.push(format!("{name} states no licence"));
        }
        // Packages without a source are ours.
        if package["source"].is_null() && package["license"] != "MIT OR Apache-2.0" {
            faults.push(format!("{name} is not under MIT OR Apache-2.0"));
        }
    }
    Ok(faults)
}

fn packages(metadata: &Value) -> impl Iterator<Item = &Value> {
    metadata["packages"].as_array().into_iter().flatten()
}
