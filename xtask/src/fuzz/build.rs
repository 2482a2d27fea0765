//! Builds the fuzz targets: like `cargo fuzz` without a sanitizer, which also works on stable Rust.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};

use super::FOLDER;
use crate::workspace;

/// Instruments branches, so that libFuzzer recognises inputs that reach new code.
const FLAGS: [&str; 5] = [
    "--cfg=fuzzing",
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
];

/// Returns what is missing on this machine to build the targets, if anything.
pub(crate) fn missing() -> Option<&'static str> {
    let compiler = std::env::var_os("CXX").unwrap_or_else(|| "c++".into());
    let found = Command::new(compiler)
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    let found = found.is_ok_and(|status| status.success());
    (!found).then_some("libFuzzer needs a C++ compiler, and none is installed")
}

/// Builds one target or all. Returns the folder of the programs.
pub(super) fn build(target: Option<&str>) -> Result<PathBuf> {
    let host = host()?;
    let mut cargo = Command::new(workspace::cargo());
    // With an explicit target triple, the flags do not apply to build scripts and macros.
    cargo.args(["build", "--target", &host]);
    match target {
        Some(name) => cargo.args(["--bin", name]),
        None => cargo.arg("--bins"),
    };
    let status = cargo
        .current_dir(workspace::root().join(FOLDER))
        .env("CARGO_ENCODED_RUSTFLAGS", FLAGS.join("\u{1f}"))
        .status()
        .context("cannot run cargo")?;
    if !status.success() {
        bail!("the targets cannot be built");
    }
    let manifest = format!("{FOLDER}/Cargo.toml");
    let metadata = workspace::metadata(&["--no-deps", "--manifest-path", &manifest])?;
    let folder = metadata["target_directory"].as_str();
    let folder = folder.context("cargo names no target folder")?;
    Ok(Path::new(folder).join(host).join("debug"))
}

/// Returns the target triple of this machine.
fn host() -> Result<String> {
    let output = Command::new("rustc").arg("-vV").output();
    let output = output.context("cannot run rustc")?;
    let text = String::from_utf8_lossy(&output.stdout);
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("rustc names no host")?.to_owned())
}
