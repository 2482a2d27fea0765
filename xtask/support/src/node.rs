//! Finds Node and npm, which the official suite and clients of other projects need.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};

use crate::{process, workspace};

/// The oldest version of Node that the official suite supports.
const OLDEST: u32 = 22;
/// The package that installs it if the machine has an older one.
const PACKAGE: &str = "node@22";

const NPM: &str = if cfg!(windows) { "npm.cmd" } else { "npm" };

/// A sufficiently new Node, and the folder below which packages are installed.
pub struct Node {
    /// The program.
    pub program: PathBuf,
    target: PathBuf,
}

impl Node {
    /// Finds Node. If it is missing, prints a message and returns `None`; if `CI` is set, returns
    /// an error. An older version is sufficient to install a newer one.
    pub fn find() -> Result<Option<Self>> {
        if process::is_skipped(missing())? {
            return Ok(None);
        }
        let target = workspace::target()?;
        let program = if version(Path::new("node")) >= Some(OLDEST) {
            PathBuf::from("node")
        } else {
            newer(&target.join("node"))?
        };
        Ok(Some(Self { program, target }))
    }

    /// Copies the files of a folder of the workspace to the target folder. Returns the new folder, which
    /// has the same name.
    pub fn copy(&self, folder: &str) -> Result<PathBuf> {
        let source = workspace::root().join(folder);
        let folder = self.target.join(source.file_name().unwrap_or_default());
        fs::create_dir_all(&folder).with_context(|| workspace::display_path(&folder))?;
        for entry in fs::read_dir(&source).with_context(|| workspace::display_path(&source))? {
            let file = entry?.path();
            if let (true, Some(name)) = (file.is_file(), file.file_name()) {
                fs::copy(&file, folder.join(name))
                    .with_context(|| workspace::display_path(&file))?;
            }
        }
        Ok(folder)
    }

    /// Copies a folder like [`copy`](Self::copy) and installs the packages of its lock file, unless they
    /// are installed already. Returns the new folder.
    pub fn install(&self, folder: &str) -> Result<PathBuf> {
        let folder = self.copy(folder)?;
        let lock = workspace::read(&folder.join("package-lock.json"))?;
        let done = folder.join("installed");
        if fs::read_to_string(&done).is_ok_and(|old| old == lock) {
            return Ok(folder);
        }
        npm(&folder, &["ci"])?;
        fs::write(&done, lock).with_context(|| workspace::display_path(&done))?;
        Ok(folder)
    }
}

/// Returns what is missing, if anything.
#[must_use]
pub fn missing() -> Option<&'static str> {
    if version(Path::new("node")).is_none() {
        Some("Node is not installed")
    } else if version(Path::new(NPM)).is_none() {
        Some("npm is not installed")
    } else {
        None
    }
}

/// Installs a newer Node with npm, and returns its path. Other commands may do the same at the same
/// time, so it is moved to its folder when it is complete.
fn newer(folder: &Path) -> Result<PathBuf> {
    let program = program(folder);
    if version(&program) >= Some(OLDEST) {
        return Ok(program);
    }
    let new = folder.with_extension(std::process::id().to_string());
    fs::create_dir_all(&new).with_context(|| workspace::display_path(&new))?;
    fs::write(new.join("package.json"), "{\"private\":true}\n")?;
    npm(&new, &["install", PACKAGE])?;
    if version(&self::program(&new)).is_none() {
        // npm is configured not to run scripts of packages; this script downloads the program.
        let mut node = Command::new("node");
        node.arg("installArchSpecificPackage.js");
        process::succeeds(node.current_dir(new.join("node_modules/node")))?;
    }
    if version(&program) < Some(OLDEST) {
        // What is there does not run.
        let _ = fs::remove_dir_all(folder);
        let _ = fs::rename(&new, folder);
    }
    // It exists if the other command was faster.
    let _ = fs::remove_dir_all(&new);
    if version(&program) < Some(OLDEST) {
        bail!("{PACKAGE} from npm does not run: {}", program.display());
    }
    Ok(program)
}

/// Returns the path of the program that npm has installed in a folder.
fn program(folder: &Path) -> PathBuf {
    let bin = folder.join("node_modules/node/bin");
    bin.join(format!("node{}", std::env::consts::EXE_SUFFIX))
}

/// Returns the major version of a program, or `None` if it cannot be run.
fn version(program: &Path) -> Option<u32> {
    let output = Command::new(program)
        .arg("--version")
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let major = text.trim().trim_start_matches('v').split('.').next()?;
    major.parse().ok()
}

fn npm(folder: &Path, arguments: &[&str]) -> Result<()> {
    println!(
        "$ npm {} (in {})",
        arguments.join(" "),
        workspace::display_path(folder)
    );
    let mut npm = Command::new(NPM);
    npm.args(arguments)
        .current_dir(folder)
        .stdout(Stdio::null());
    process::run(npm.args(["--no-audit", "--no-fund", "--loglevel", "error"]))
}
