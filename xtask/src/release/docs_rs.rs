//! Builds the documentation of the packages as docs.rs does.

use std::fmt::Write as _;
use std::fs;
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use super::archive::Archive;
use super::package::Package;
use crate::{process, workspace};

/// Builds the documentation of each library from its unpacked package, with the options of its
/// manifest. It uses a nightly toolchain as docs.rs does, or the installed one with unstable
/// features allowed.
///
/// The unpacked packages are moved to a workspace below the target folder.
pub(super) fn build(packages: &[Package], archives: &[Archive]) -> Result<()> {
    let folder = workspace::target()?.join("docs-rs");
    fs::create_dir_all(&folder).with_context(|| workspace::display_path(&folder))?;
    let mut members = String::new();
    let mut patches = String::new();
    for (package, archive) in packages.iter().zip(archives) {
        let name = &package.name;
        let place = folder.join(name);
        // It exists if this is not the first run.
        let _ = fs::remove_dir_all(&place);
        fs::rename(&archive.folder, &place).with_context(|| workspace::display_path(&place))?;
        let _ = write!(members, "{name:?}, ");
        let _ = writeln!(patches, "{name} = {{ path = {name:?} }}");
    }
    let manifest = format!(
        "[workspace]\nresolver = \"3\"\nmembers = [{members}]\n\n[patch.crates-io]\n{patches}"
    );
    fs::write(folder.join("Cargo.toml"), manifest)?;
    let lock = "Cargo.lock";
    fs::copy(workspace::root().join(lock), folder.join(lock)).context(lock)?;

    let has_nightly = has_nightly();
    for package in packages.iter().filter(|package| package.has_library()) {
        let options = Options::new(package)?;
        let mut command = if has_nightly {
            let mut command = Command::new("cargo");
            command.arg("+nightly");
            command
        } else {
            let mut command = workspace::cargo();
            command.env("RUSTC_BOOTSTRAP", "1");
            command
        };
        command.args(["doc", "--no-deps", "--lib", "--package", &package.name]);
        command.args(&options.cargo);
        println!("\n$ {command:?}, with RUSTDOCFLAGS={:?}", options.rustdoc);
        command.env("RUSTDOCFLAGS", &options.rustdoc);
        command.env("CARGO_TARGET_DIR", folder.join("target"));
        process::run(command.current_dir(&folder))?;
    }
    Ok(())
}

/// The options of `[package.metadata.docs.rs]`.
struct Options {
    /// For cargo.
    cargo: Vec<String>,
    /// For rustdoc, separated by spaces.
    rustdoc: String,
}

impl Options {
    fn new(package: &Package) -> Result<Self> {
        let mut cargo = Vec::new();
        let mut rustdoc = "--cfg docsrs".to_owned();
        let options = package.metadata["metadata"]["docs"]["rs"].as_object();
        for (key, value) in options.into_iter().flatten() {
            let list = value.as_array().into_iter().flatten();
            let mut list = list.filter_map(Value::as_str);
            match (key.as_str(), value) {
                ("all-features" | "no-default-features", Value::Bool(true)) => {
                    cargo.push(format!("--{key}"));
                }
                ("all-features" | "no-default-features", Value::Bool(false)) => {}
                ("features", Value::Array(_)) => {
                    cargo.push(format!("--features={}", list.collect::<Vec<_>>().join(",")));
                }
                ("rustdoc-args", Value::Array(_)) => {
                    list.try_for_each(|argument| write!(rustdoc, " {argument}"))?;
                }
                _ => {
                    let manifest = package.manifest();
                    bail!("{manifest}: `package.metadata.docs.rs.{key}` is not supported here");
                }
            }
        }
        Ok(Self { cargo, rustdoc })
    }
}

fn has_nightly() -> bool {
    process::succeeds_quietly(Command::new("cargo").args(["+nightly", "--version"]))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Options;
    use crate::release::package::Package;

    fn options(metadata: &serde_json::Value) -> anyhow::Result<Options> {
        Options::new(&Package {
            name: "a".to_owned(),
            version: "1.0.0".to_owned(),
            folder: "a".into(),
            metadata: json!({ "metadata": { "docs": { "rs": metadata } } }),
        })
    }

    #[test]
    fn options_are_those_of_the_manifest() {
        let metadata = json!({
            "features": ["x", "y"],
            "no-default-features": true,
            "rustdoc-args": ["--cfg", "z"],
        });
        let found = options(&metadata).unwrap();
        assert_eq!(found.cargo, ["--features=x,y", "--no-default-features"]);
        assert_eq!(found.rustdoc, "--cfg docsrs --cfg z");
    }

    #[test]
    fn unknown_options_are_errors() {
        let error = options(&json!({ "targets": [] }))
            .err()
            .unwrap()
            .to_string();
        let expected = "a/Cargo.toml: `package.metadata.docs.rs.targets` is not supported here";
        assert_eq!(error, expected);
    }
}
