//! The steps of `cargo xtask ci`, in their order: what is quick and often wrong comes first.

use std::fmt;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result};
use serde_json::Value;

use super::{layers, links};
use crate::{browser, fuzz, node, workspace};

/// Cases of each property where the environment does not say otherwise.
const CASES: &str = "256";
/// The same for the runs that only vary features of `serde_json`.
const FEWER_CASES: &str = "32";

const WASM: &str = "wasm32-unknown-unknown";

/// A part of the whole that can run alone.
pub(super) struct Step {
    /// What `--only` takes.
    pub(super) name: &'static str,
    pub(super) tasks: Vec<Task>,
}

/// What a step does.
pub(super) enum Task {
    Run(Cargo),
    /// A name and a function that finds faults.
    Check(&'static str, fn() -> Result<Vec<String>>),
    /// Why something is not done.
    Skip(String),
}

/// One call of cargo.
#[derive(Default)]
pub(super) struct Cargo {
    pub(super) arguments: Vec<String>,
    pub(super) variables: Vec<(&'static str, String)>,
    /// Whether its output is of no interest.
    pub(super) quiet: bool,
}

impl Cargo {
    fn new(line: &str) -> Self {
        let arguments = line.split_whitespace().map(str::to_owned).collect();
        Self {
            arguments,
            ..Self::default()
        }
    }

    fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.variables.push((name, value.into()));
        self
    }

    fn and(mut self, arguments: &[&str]) -> Self {
        self.arguments
            .extend(arguments.iter().map(|&argument| argument.to_owned()));
        self
    }
}

/// As one would type it.
impl fmt::Display for Cargo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, value) in &self.variables {
            write!(f, "{name}={} ", quoted(value))?;
        }
        f.write_str("cargo")?;
        self.arguments
            .iter()
            .try_for_each(|argument| write!(f, " {}", quoted(argument)))
    }
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{word}'")
    }
}

/// All steps.
pub(super) fn all() -> Result<Vec<Step>> {
    let step = |name, tasks| Step { name, tasks };
    let run = |line: &str| Task::Run(Cargo::new(line));
    let lock = Cargo {
        quiet: true,
        ..Cargo::new("metadata --locked --format-version 1")
    };
    let docs = Cargo::new("doc --no-deps --workspace --all-features");
    Ok(vec![
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
        step("codegen", vec![run("xtask codegen --check")]),
        step("texts", vec![Task::Check("texts", unwritten)]),
        step(
            "clippy",
            vec![run(
                "clippy --workspace --all-targets --all-features -- -D warnings",
            )],
        ),
        step(
            "peers",
            vec![run(
                "clippy --manifest-path xtask/peers/Cargo.toml --workspace --all-targets -- -D warnings",
            )],
        ),
        step("tests", tests()),
        step(
            "fuzz",
            vec![unless(fuzz::missing, "xtask fuzz --seconds 2")],
        ),
        step("attack", attack()),
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
                unless(browser::missing, "xtask interop browser"),
            ],
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
        step("numbers", numbers()),
        step("wasm", vec![wasm()?]),
    ])
}

/// Returns the documentation texts and examples that somebody has to write, change or remove.
fn unwritten() -> Result<Vec<String>> {
    Ok(workspace::project()?.generate()?.report.unwritten())
}

/// Attacks use the addresses 127.0.0.2 and up, and measure by `/proc`.
fn attack() -> Vec<Task> {
    if !cfg!(target_os = "linux") {
        return vec![Task::Skip("the attacks need Linux".to_owned())];
    }
    let test = "test --manifest-path xtask/peers/Cargo.toml --package attack";
    vec![
        Task::Run(Cargo::new(test)),
        Task::Run(Cargo::new("xtask attack --quick")),
    ]
}

fn cases(fallback: &str) -> String {
    std::env::var("PROPTEST_CASES").unwrap_or_else(|_| fallback.to_owned())
}

/// All tests. Those that stand beside the types print what they tried; that belongs in the log.
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

/// A command that needs a program of the machine's, which says why it is of no use. In CI the
/// command is run in any case, and fails where there is none.
fn unless(missing: fn() -> Option<&'static str>, line: &str) -> Task {
    match missing() {
        Some(why) if std::env::var_os("CI").is_none() => Task::Skip(why.to_owned()),
        _ => Task::Run(Cargo::new(line)),
    }
}

/// Tests of the types with each choice of how `serde_json` keeps numbers and order: other crates
/// of a program make that choice, not we. Order alone is what the step `tests` has: the generator
/// and the commands switch it on.
fn numbers() -> Vec<Task> {
    let choices = [
        None,
        Some("serde_json/arbitrary_precision"),
        Some("serde_json/arbitrary_precision,serde_json/preserve_order"),
    ];
    let line = |choice: Option<&str>| {
        let test = if has_nextest() {
            "nextest run"
        } else {
            "test --lib --tests"
        };
        let mut line = Cargo::new(&format!("{test} -p mcp-types --all-features"));
        if let Some(features) = choice {
            line = line.and(&["--features", features]);
        }
        Task::Run(line.with("PROPTEST_CASES", cases(FEWER_CASES)))
    };
    choices.into_iter().map(line).collect()
}

/// Each library with no feature, with each alone, with the default ones and with all. Of the
/// server all sets of those that change how it works are tried; of the client those that people
/// use together.
fn features() -> Result<Vec<Task>> {
    // Warnings are errors here for our crate alone; a flag for all crates would compile them anew.
    let check = |package: &str, more: &[&str]| {
        let line = Cargo::new(&format!("rustc -p {package} --lib --profile check")).and(more);
        Task::Run(line.and(&["--", "-D", "warnings"]))
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
    tasks.push(Task::Run(Cargo::new("test -p mcp-server --test lean")));

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
    // What asks for a feature says so.
    let line = Cargo::new("check -p mcp-client --all-targets");
    tasks.push(Task::Run(line));
    Ok(tasks)
}

/// The types where there is neither an operating system nor a source of randomness.
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

/// The features of a package that programs choose from: not the set of default ones, and not those
/// with a `_` in front, which others switch on.
fn feature_names(name: &str) -> Result<Vec<String>> {
    let metadata = workspace::metadata(&["--no-deps"])?;
    let package = packages(&metadata).find(|package| package["name"] == name);
    let features = package.and_then(|package| package["features"].as_object());
    let names = features
        .with_context(|| format!("there is no package {name}"))?
        .keys();
    let chosen = names.filter(|name| *name != "default" && !name.starts_with('_'));
    Ok(chosen.cloned().collect())
}

/// Packages without a licence, and our own with another one than the texts that are here.
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
        // What has no source is ours.
        if package["source"].is_null() && package["license"] != "MIT OR Apache-2.0" {
            faults.push(format!("{name} is not under MIT OR Apache-2.0"));
        }
    }
    Ok(faults)
}

fn packages(metadata: &Value) -> impl Iterator<Item = &Value> {
    metadata["packages"].as_array().into_iter().flatten()
}
