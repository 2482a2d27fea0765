//! `cargo xtask interop windows`: programs and tests for Windows, on Linux under Wine.

mod wine;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use clap::Args;

use self::wine::{Wine, windows_path};
use crate::node::Node;
use crate::{process, workspace};

/// Tests that do not run under Wine, each with the reason.
const LEFT_OUT: &str = include_str!("../windows/left-out.tsv");

/// How long a server may take to start, and to end when its client was killed.
const PATIENCE: Duration = Duration::from_secs(30);

/// Arguments that `cmd` interprets if they are not quoted for it. A `%NAME%` is not among them, because Wine
/// replaces it; Rust's standard library prevents that in a way that Wine does not know.
const HOSTILE: [&str; 8] = ["a&b", "a|b", "<a>b", "a^b", "!a!", "a \"b\" c", "", "\\"];

/// A check of programs. Fails if something is not as expected.
type Part = fn(&Wine, &Path) -> Result<()>;

/// Runs programs and tests for Windows under Wine
///
/// Compiles everything for `x86_64-pc-windows-gnu`. Then runs the generator; `mcp` with a server of npm behind
/// a batch file, which gets arguments that `cmd` could interpret; kills `mcp` while the server runs; and runs
/// the tests of the workspace.
#[derive(Args)]
pub(crate) struct Options {
    /// Only the programs, or only the tests
    #[arg(long, value_parser = ["programs", "tests"])]
    only: Option<String>,
}

/// Runs the command.
pub(super) fn run(options: &Options) -> Result<bool> {
    if process::is_skipped(wine::missing())? {
        return Ok(true);
    }
    let Some(node) = Node::find()? else {
        return Ok(true);
    };
    let folder = node.install("lab/runner/windows")?;
    let wine = Wine::prepare(&folder)?;
    let mut failed = Vec::new();
    let only = options.only.as_deref();
    if only != Some("tests") {
        wine.build("--bin mcp --bin xtask")?;
        let parts: [(&str, Part); 4] = [
            ("the generator", generator),
            ("a server of npm behind a batch file", batch_file),
            ("an argument that cannot be quoted", unquotable),
            ("a client that is killed", killed),
        ];
        for (name, part) in parts {
            match part(&wine, &folder) {
                Ok(()) => println!("passed: {name}"),
                Err(error) => failed.push(format!("{name}: {error:#}")),
            }
        }
    }
    if only != Some("programs") && !tests(&wine)? {
        failed.push("the tests".to_owned());
    }
    println!();
    for line in &failed {
        println!("failed: {line}");
    }
    Ok(failed.is_empty())
}

/// The generated files are up to date.
fn generator(wine: &Wine, _: &Path) -> Result<()> {
    process::run(wine.program("xtask").args(["codegen", "--check"]))
}

/// Returns the path of the file to which the server writes its arguments, without what an earlier run has
/// written.
fn seen_file(folder: &Path) -> PathBuf {
    let seen = folder.join("seen.json");
    let _ = fs::remove_file(&seen);
    seen
}

/// The server answers, and gets its arguments unchanged.
fn batch_file(wine: &Wine, folder: &Path) -> Result<()> {
    let seen = seen_file(folder);
    let mut mcp = wine.program("mcp");
    mcp.args(["tools", "--timeout", "120", "--", "everything", "stdio"]);
    let output = process::output(mcp.args(HOSTILE).env("SEEN", &seen))?;
    ensure!(output.contains("get-tiny-image"), "other tools: {output}");
    let seen: Vec<String> = serde_json::from_str(&workspace::read(&seen)?)?;
    let arguments = seen.get(1..).unwrap_or_default();
    ensure!(arguments == HOSTILE, "other arguments: {arguments:?}");
    Ok(())
}

/// Nothing is started.
fn unquotable(wine: &Wine, folder: &Path) -> Result<()> {
    let seen = seen_file(folder);
    let mut mcp = wine.program("mcp");
    let output = mcp
        .args(["tools", "--", "everything", "a\nb"])
        .env("SEEN", &seen)
        .output()
        .context("cannot run Wine")?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(
        errors.contains("batch file arguments are invalid"),
        "another error: {errors}"
    );
    ensure!(!seen.exists(), "the server was started");
    Ok(())
}

/// No process of the server is left, although the server does not notice the end of its input.
fn killed(wine: &Wine, folder: &Path) -> Result<()> {
    let seen = seen_file(folder);
    let mut mcp = wine.program("mcp");
    mcp.args(["watch", "--", "stubborn"]);
    let mut mcp = mcp.env("SEEN", &seen).spawn().context("cannot run Wine")?;
    let end = Instant::now() + PATIENCE;
    while !seen.exists() && Instant::now() < end {
        sleep(Duration::from_millis(100));
    }
    let started = servers(folder)?;
    mcp.kill()?;
    mcp.wait()?;
    ensure!(started > 0, "the server has not started");
    let end = Instant::now() + PATIENCE;
    while servers(folder)? > 0 {
        ensure!(Instant::now() < end, "the server still runs");
        sleep(Duration::from_millis(100));
    }
    Ok(())
}

/// Returns the number of processes of the server and of its command processor.
fn servers(folder: &Path) -> Result<usize> {
    let folder = windows_path(folder);
    let mut count = 0;
    for process in fs::read_dir("/proc")? {
        let line = fs::read(process?.path().join("cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line);
        let is_server = line.contains("stubborn.js") || line.contains("stubborn.cmd");
        count += usize::from(is_server && line.contains(&folder));
    }
    Ok(count)
}

/// Runs the tests of the workspace.
fn tests(wine: &Wine) -> Result<bool> {
    // The tests start them, and cargo does not compile them for tests that are chosen by kind.
    wine.build("--examples")?;
    let test = "test --lib --bins --tests --examples --no-fail-fast";
    let mut list = wine.cargo(test);
    list.args(["--", "--list"]).stderr(Stdio::inherit());
    let listed = process::output(&mut list)?;
    let mut cargo = wine.cargo(test);
    cargo.args(["--", "--exact"]);
    for line in LEFT_OUT.lines() {
        let (name, _) = line.split_once('\t').context("no reason")?;
        let is_named = |line: &&str| line.strip_suffix(": test") == Some(name);
        let count = listed.lines().filter(is_named).count();
        ensure!(
            count == 1,
            "left-out.tsv: {count} tests have the name {name}"
        );
        cargo.args(["--skip", name]);
    }
    process::succeeds(&mut cargo)
}
