//! The steps of `cargo xtask ci`: quick steps that fail often come first.

mod features;
mod suites;
mod tools;

use std::num::NonZero;
use std::path::Path;

use anyhow::Result;
use serde_json::Value;

use super::cargo::Cargo;
use super::{layers, links, proposals, reference};
use crate::lines::budget;
use crate::rehearse::scenario::kept_names;
use crate::workspace::packages;
use crate::{node, quickstart, services, workspace};
use features::{features, macos, numbers, wasm};
use suites::{conformance, interop};
use tools::{deny, semver};

/// The default number of cases of each property test before a merge.
const CASES: &str = "64";

/// The same at night.
const NIGHTLY_CASES: &str = "1024";

/// Tests that run at night, because they take minutes and rarely fail alone: a hundred thousand requests,
/// documents of megabytes, and generated code that is compiled in crates of its own.
const NIGHTLY_TESTS: &str = "binary(soak) \
     | (binary(commands) & test(/^(names|shapes)::|::(schema_of_one_value|two_outputs)/)) \
     | test(/^attacks::long_.*_that_operations_share/) | test(revision_in_which_everything_changes)";

/// A step that can run alone.
pub(super) struct Step {
    /// The name, for `--only`.
    pub(super) name: &'static str,
    pub(super) tasks: Vec<Task>,
}

/// How much is checked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// What has to pass before a merge.
    Merge,
    /// Everything.
    Nightly,
}

/// All steps, in three groups. Each group begins when the one before it has ended.
pub(super) struct Steps {
    /// Run one after the other.
    pub(super) first: Vec<Step>,
    /// Chains of steps, which begin in this order. Several run beside each other, because most
    /// steps cannot use two processors all the time. A cargo waits for others that build in the
    /// same target folder, so the long chains at the start compile in folders of their own.
    /// `numbers` and the steps that run programs compile in the folder of the first one, where they
    /// find what the tests have compiled.
    pub(super) chains: Vec<Vec<Step>>,
    /// Run one after the other, when nothing else runs that would disturb them.
    pub(super) last: Vec<Step>,
}

impl Steps {
    /// Returns all steps in the order of their summary.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Step> {
        let chains = self.chains.iter().flatten();
        self.first.iter().chain(chains).chain(&self.last)
    }

    /// Removes all steps but those with these names.
    pub(super) fn retain(&mut self, names: &[String]) {
        for steps in [&mut self.first, &mut self.last]
            .into_iter()
            .chain(&mut self.chains)
        {
            steps.retain(|step| names.iter().any(|name| name == step.name));
        }
        self.chains.retain(|chain| !chain.is_empty());
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

/// Returns all steps of an extent.
pub(super) fn all(extent: Extent) -> Result<Steps> {
    let mut chains = vec![
        vec![step("tests", tests(extent))],
        in_folder("checks", checks(extent)?)?,
        vec![
            // Like `cluster`, writes the results of the conformance suite to the target folder.
            step("conformance", conformance(extent)),
            step("cluster", cluster(extent)),
        ],
        programs(extent),
    ];
    if extent == Extent::Nightly {
        chains.extend([
            lab(),
            vec![runs("fuzz", "xtask fuzz --seconds 30")],
            vec![step(
                "corpus",
                vec![
                    unless(node::missing, "xtask corpus --suite"),
                    unless(node::missing, "xtask corpus --all --cases 8"),
                ],
            )],
            vec![
                runs("lean", &format!("test {LAB} --package lean")),
                runs("quickstart", "xtask quickstart"),
                step(
                    "tutorials",
                    vec![unless(services::missing, "xtask quickstart --tutorials")],
                ),
            ],
            vec![step("rehearse", rehearsals()?)],
            package()?,
            vec![step("semver", semver()?)],
            vec![runs("book", "xtask book")],
            vec![step("numbers", numbers())],
        ]);
    }
    let last = match extent {
        Extent::Merge => Vec::new(),
        Extent::Nightly => vec![
            step("attack", vec![on_linux("xtask attack --quick")]),
            // Under Wine, tests with deadlines need the machine for themselves.
            runs("windows", "xtask interop windows"),
        ],
    };
    Ok(Steps {
        first: texts(extent),
        chains,
        last,
    })
}

/// The workspace of programs that measure, attack and compare.
const LAB: &str = "--manifest-path lab/Cargo.toml";

/// Returns a part of a list that changes with each commit, so that several commits check all of it,
/// or the whole list at night.
fn sample<T>(all: Vec<T>, parts: usize, extent: Extent) -> Vec<T> {
    match extent {
        Extent::Merge => part(all, parts),
        Extent::Nightly => all,
    }
}

/// Returns a part of a list that changes with each commit.
fn part<T>(all: Vec<T>, parts: usize) -> Vec<T> {
    // Without a history, such as in an archive, the first part is checked.
    let count = workspace::git(&["rev-list", "--count", "HEAD"]).unwrap_or_default();
    let count: usize = count.trim().parse().unwrap_or_default();
    let chosen = all.into_iter().enumerate();
    let chosen = chosen.filter(|(at, _)| (at + count).is_multiple_of(parts));
    chosen.map(|(_, one)| one).collect()
}

fn step(name: &'static str, tasks: Vec<Task>) -> Step {
    Step { name, tasks }
}

/// A step of one command.
fn runs(name: &'static str, line: &str) -> Step {
    step(name, vec![run(line)])
}

fn run(line: &str) -> Task {
    Task::Run(Cargo::new(line))
}

/// Checks that need little compilation.
fn texts(extent: Extent) -> Vec<Step> {
    let workspaces = ["", "lab/", "lab/extensions/", "lab/fuzz/"];
    let locks = workspaces.map(|folder| {
        let line = "metadata --locked --format-version 1 --manifest-path";
        Task::Run(Cargo {
            quiet: true,
            ..Cargo::new(&format!("{line} {folder}Cargo.toml"))
        })
    });
    let locks = locks.into_iter().chain([Task::Check("licence", licences)]);
    vec![
        step("lock", locks.collect()),
        step("deny", vec![deny(extent)]),
        runs("release", "xtask release"),
        step(
            "format",
            workspaces
                .map(|folder| {
                    run(&format!(
                        "fmt --all --check --manifest-path {folder}Cargo.toml"
                    ))
                })
                .into(),
        ),
        step("links", vec![Task::Check("links", links::broken)]),
        step("layers", vec![Task::Check("layers", layers::faults)]),
        step("lines", vec![Task::Check("lines", budget::exceeded)]),
        runs("codegen", "xtask codegen --check --deny-warnings"),
        step(
            "texts",
            vec![
                Task::Check("texts", unwritten),
                Task::Check("proposals", proposals::unnamed),
                Task::Check("reference", reference::faults),
                Task::Check("tutorials", quickstart::differences),
            ],
        ),
    ]
}

/// Steps that run programs that the tests have compiled.
fn programs(extent: Extent) -> Vec<Step> {
    vec![
        runs("check", "test --workspace --all-features --test examples"),
        step("interop", interop(extent)),
        runs("doc-tests", "test --workspace --doc --all-features"),
    ]
}

/// Several processes on one of the stores: steps of one client at several of them, and a rolling restart.
/// At night on each store, with the conformance suite, faults, and tasks that wait until others notice the
/// end of a process.
fn cluster(extent: Extent) -> Vec<Task> {
    let part = match extent {
        Extent::Merge => " --only axum",
        Extent::Nightly => "",
    };
    let lines = ["redis", "postgres"];
    let lines = lines.map(|store| format!("xtask interop cluster --store {store}{part}"));
    let lines = sample(lines.to_vec(), 2, extent).into_iter();
    lines.map(|line| unless(services::missing, &line)).collect()
}

/// Steps that check code without running it.
fn checks(extent: Extent) -> Result<Vec<Step>> {
    let docs = Cargo::new("doc --no-deps --workspace --all-features");
    let mut steps = vec![
        runs(
            "clippy",
            "clippy --workspace --all-targets --all-features -- -D warnings",
        ),
        step(
            "docs",
            vec![Task::Run(docs.with("RUSTDOCFLAGS", "-D warnings"))],
        ),
        step("features", features(extent)?),
    ];
    if extent == Extent::Nightly {
        steps.push(step("wasm", vec![wasm()?]));
        steps.push(step("macos", vec![macos()]));
    }
    Ok(steps)
}

/// Steps that compile the workspace `lab`.
fn lab() -> Vec<Step> {
    vec![
        step(
            "lab",
            vec![
                run(&format!(
                    "clippy {LAB} --workspace --all-targets -- -D warnings"
                )),
                run(&format!("test {LAB} --package runner --package peers")),
                run(&format!(
                    "clippy {LAB} --package runner --no-default-features -- -D warnings"
                )),
                run("clippy --manifest-path lab/extensions/Cargo.toml -- -D warnings"),
            ],
        ),
        step(
            "attacker",
            vec![
                on_linux(&format!("test --profile quick {LAB} --package attack")),
                // What the step `attack` needs, each alone, as there.
                on_linux(&format!("build --profile quick {LAB} --package attack")),
                on_linux(&format!(
                    "build --profile quick {LAB} --package everything-ours --features jemalloc"
                )),
            ],
        ),
    ]
}

/// Makes steps compile in a folder of the target folder.
fn in_folder(name: &str, mut steps: Vec<Step>) -> Result<Vec<Step>> {
    let folder = workspace::target()?.join(name);
    let folder = folder.display().to_string();
    for task in steps.iter_mut().flat_map(|step| &mut step.tasks) {
        if let Task::Run(line) = task {
            line.variables.push(("CARGO_TARGET_DIR", folder.clone()));
        }
    }
    Ok(steps)
}

/// Creates and compiles the packages as for crates.io, and builds the documentation of the libraries as
/// docs.rs does.
fn package() -> Result<Vec<Step>> {
    let (mut package, mut docs) = (
        Cargo::new("package --allow-dirty"),
        Cargo::new("doc --no-deps --lib --all-features"),
    );
    for member in workspace::members()? {
        let name = ["--package", &member.name];
        if member.is_published {
            package = package.and(&name);
        }
        if member.is_library {
            docs = docs.and(&name);
        }
    }
    // Unstable features of rustdoc, without a nightly toolchain. Build scripts see the variable and remember
    // what they could use, so nothing else is compiled in this folder.
    let docs = docs.with("RUSTC_BOOTSTRAP", "1");
    let docs = docs.with("RUSTDOCFLAGS", "--cfg docsrs");
    let package = step("package", vec![Task::Run(package)]);
    let docs = step("docs.rs", vec![Task::Run(docs)]);
    let mut steps = in_folder("packaged", vec![package])?;
    steps.extend(in_folder("docs-rs", vec![docs])?);
    Ok(steps)
}

/// Returns the documentation texts and examples that somebody has to write, change or remove.
fn unwritten() -> Result<Vec<String>> {
    Ok(workspace::project()?.generate()?.report.unwritten())
}

/// A command of the attacks, which need the addresses 127.0.0.2 and up, and `/proc` for
/// measurements.
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

/// Runs the tests, twice as many at once as there are processors, because many of them wait. The
/// integration tests of `mcp-types` print statistics, which are shown in the log.
fn tests(extent: Extent) -> Vec<Task> {
    let (fallback, left_out) = match extent {
        Extent::Merge => (CASES, NIGHTLY_TESTS),
        Extent::Nightly => (NIGHTLY_CASES, "none()"),
    };
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get) * 2;
    let nextest = format!(
        "nextest run --workspace --all-features --no-fail-fast --failure-output final \
         --test-threads {threads}"
    );
    let lines = if has_nextest() {
        vec![
            Cargo::new(&format!("{nextest} -E")).and(&[&format!(
                "not ((package(mcp-types) & kind(test)) | {left_out})"
            )]),
            Cargo::new(&format!("{nextest} --success-output immediate -E"))
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
        .map(|line| Task::Run(line.with("PROPTEST_CASES", cases(fallback))))
        .collect()
}

/// Everything has to compile after each kept change, of which each night takes a third. The tests run after
/// one of them: they take most of the time.
fn rehearsals() -> Result<Vec<Task>> {
    let names = part(kept_names()?, 3).into_iter().enumerate();
    let lines = names.map(|(at, name)| {
        let until = if at == 0 { "tests" } else { "check" };
        run(&format!("xtask rehearse {name} --until {until}"))
    });
    Ok(lines.chain([run("xtask rehearse --sweep")]).collect())
}

/// A command that is skipped if a program is not installed. In CI the command always runs, and
/// fails if the program is missing.
fn unless(missing: fn() -> Option<&'static str>, line: &str) -> Task {
    match missing() {
        Some(why) if std::env::var_os("CI").is_none() => Task::Skip(why.to_owned()),
        _ => Task::Run(Cargo::new(line)),
    }
}

fn has_nextest() -> bool {
    tools::has("nextest")
}

/// Returns packages without a licence, and our packages with another licence than the texts in the
/// repository or without these texts.
fn licences() -> Result<Vec<String>> {
    let mut faults = Vec::new();
    let mut expect_texts = |folder: &Path| {
        for file in ["LICENSE-APACHE", "LICENSE-MIT"] {
            let path = folder.join(file);
            if !path.is_file() {
                faults.push(format!("{} is missing", path.display()));
            }
        }
    };
    expect_texts(&workspace::root());
    let metadata = workspace::metadata(&["--locked"])?;
    let is_published =
        |package: &&Value| package["source"].is_null() && package["publish"].is_null();
    for package in packages(&metadata).filter(is_published) {
        let manifest = Path::new(package["manifest_path"].as_str().unwrap_or_default());
        expect_texts(manifest.parent().unwrap_or(manifest));
    }
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
