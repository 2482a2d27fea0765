//! Types for several schemas as modules of one crate, with one copy of the support code.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail, ensure};
use codegen::project::Standalone;

use crate::{process, workspace};

/// The files of a module, with paths below its folder.
pub(super) type Module = Vec<(String, String)>;

/// Returns the module with the types of a schema.
pub(super) fn module(outcome: &Standalone) -> Module {
    let files = outcome.files.iter();
    files
        .map(|file| (file.path.clone(), file.text.clone()))
        .collect()
}

/// Attempts to compile what is left without the schemas that do not. The compiler finds errors of
/// another kind only after all of one kind are mended.
const ATTEMPTS: usize = 8;

/// Copies a package, adds the modules, and compiles it. Returns the program and the numbers of the
/// schemas whose types do not compile: these have empty modules. `list` makes the source of the
/// list of the types of all others.
pub(super) fn compile(
    source: &Path,
    package: &Path,
    modules: &[Module],
    list: impl Fn(&BTreeSet<usize>) -> String,
) -> Result<(PathBuf, BTreeSet<usize>)> {
    workspace::copy(source, package)?;
    let support = package.join("src/support");
    let arguments = ["codegen", "--support-out", workspace::text(&support)?];
    ensure!(workspace::xtask(&arguments)?, "{arguments:?} failed");
    let folder = package.join("src/groups");
    if folder.is_dir() {
        fs::remove_dir_all(&folder)?;
    }
    let mut root = String::from("//! The generated types.\n\n");
    for (at, module) in modules.iter().enumerate() {
        root.push_str(&format!("pub mod g{at};\n"));
        for (path, text) in module {
            let path = folder.join(format!("g{at}")).join(path);
            workspace::write(&path, text.as_bytes())?;
        }
    }
    workspace::write(&folder.join("mod.rs"), root.as_bytes())?;
    let target = package.with_file_name("target");
    let mut failed = BTreeSet::new();
    for _ in 0..ATTEMPTS {
        fs::write(package.join("src/list.rs"), list(&failed))?;
        let mut command = workspace::cargo();
        command.args(["build", "--quiet"]).current_dir(package);
        command.env("RUSTFLAGS", "-D warnings");
        command
            .env("CARGO_TARGET_DIR", &target)
            .stdin(Stdio::null());
        let output = command.output().context("cargo")?;
        if output.status.success() {
            let name = package.file_name().context("a package has a name")?;
            return Ok((target.join("debug").join(name), failed));
        }
        let errors = String::from_utf8_lossy(&output.stderr);
        let found = broken(&errors);
        if found.is_subset(&failed) {
            bail!("{errors}");
        }
        eprintln!("{errors}");
        for at in found {
            workspace::write(
                &folder.join(format!("g{at}/mod.rs")),
                b"//! Does not compile.\n",
            )?;
            failed.insert(at);
        }
    }
    bail!("schemas whose types do not compile are left after {ATTEMPTS} attempts")
}

/// Returns the modules in whose files the compiler found errors.
fn broken(errors: &str) -> BTreeSet<usize> {
    let found = errors.match_indices("src/groups/g");
    let number = |(at, start): (usize, &str)| {
        let rest = &errors[at + start.len()..];
        let end = rest.find(|c: char| !c.is_ascii_digit())?;
        rest[..end].parse().ok()
    };
    found.filter_map(number).collect()
}

/// Runs the program with arguments. Returns its output.
pub(super) fn run(program: &Path, arguments: &[&str]) -> Result<String> {
    let mut command = Command::new(program);
    command.args(arguments).stderr(Stdio::inherit());
    process::output(&mut command)
}
