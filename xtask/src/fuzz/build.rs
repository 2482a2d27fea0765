//! Building the targets: what `cargo fuzz` does without a sanitizer, which stable Rust can do, too.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};

use super::FOLDER;
use crate::workspace;

/// Counts which branches are taken, for libFuzzer to see what is new.
const FLAGS: [&str; 6] = [
    "--cfg=fuzzing",
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Ccodegen-units=1",
];

/// What keeps the targets from being built on this machine.
pub(crate) fn missing() -> Option<&'static str> {
    let compiler = std::env::var_os("CXX").unwrap_or_else(|| "c++".into());
    let found = Command::new(compiler)
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    let found = found.is_ok_and(|status| status.success());
    (!found).then_some("there is no C++ compiler here, which libFuzzer needs")
}

/// Builds one target or all, and says where the programs are.
pub(super) fn build(target: Option<&str>) -> Result<PathBuf> {
    let host = host()?;
    let mut cargo = Command::new(workspace::cargo());
    // With a target of their own, build scripts and macros are built without the flags.
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

/// The machine that we run on, as the compiler names it.
fn host() -> Result<String> {
    let output = Command::new("rustc").arg("-vV").output();
    let output = output.context("cannot run rustc")?;
    let text = String::from_utf8_lossy(&output.stdout);
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("rustc names no host")?.to_owned())
}
