//! Builds the fuzz targets: like `cargo fuzz` without a sanitizer, which also works on stable Rust.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, Result};

use super::FOLDER;
use crate::{process, workspace};

/// Instruments branches, so that libFuzzer recognises inputs that reach new code.
const FLAGS: [&str; 5] = [
    "--cfg=fuzzing",
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
];

/// Returns what is missing on this machine to build the targets, if anything.
pub(super) fn missing() -> Option<&'static str> {
    let compiler = std::env::var_os("CXX").unwrap_or_else(|| "c++".into());
    let found = process::succeeds_quietly(Command::new(compiler).arg("--version"));
    (!found).then_some("libFuzzer needs a C++ compiler, and none is installed")
}

/// Builds one target or all. Returns the folder of the programs.
pub(super) fn build(target: Option<&str>) -> Result<PathBuf> {
    let host = host()?;
    let mut cargo = workspace::cargo();
    // With an explicit target triple, the flags do not apply to build scripts and macros.
    cargo.args(["build", "--target", &host]);
    match target {
        Some(name) => cargo.args(["--bin", name]),
        None => cargo.arg("--bins"),
    };
    cargo.current_dir(workspace::root().join(FOLDER));
    process::run(cargo.env("CARGO_ENCODED_RUSTFLAGS", FLAGS.join("\u{1f}")))?;
    let target = workspace::target_of(&format!("{FOLDER}/Cargo.toml"))?;
    Ok(target.join(host).join("debug"))
}

/// Returns the target triple of this machine.
fn host() -> Result<String> {
    let text = process::output(Command::new("rustc").arg("-vV"))?;
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("rustc names no host")?.to_owned())
}
