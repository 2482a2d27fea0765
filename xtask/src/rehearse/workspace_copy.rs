//! A copy of the workspace in which a rehearsal can write.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

use crate::{process, workspace};

/// A copy of all files of the workspace that git knows or would add, below the target folder.
///
/// The folder is reused: files that are equal keep their time of modification, so that cargo
/// compiles only what the rehearsal changes.
pub(super) struct WorkspaceCopy {
    folder: PathBuf,
    target: PathBuf,
}

impl WorkspaceCopy {
    /// Makes the copy equal to the workspace.
    ///
    /// # Errors
    ///
    /// Returns an error if git cannot list the files, or if a file cannot be copied.
    pub(super) fn create() -> Result<Self> {
        let below = workspace::target()?.join("rehearsal");
        let copy = Self {
            folder: below.join("workspace"),
            target: below.join("target"),
        };
        let files = workspace::known_files(&[])?.into_iter().collect();
        for file in &files {
            let from = workspace::root().join(file);
            let content = fs::read(&from).with_context(|| workspace::display_path(&from))?;
            workspace::write(&copy.folder.join(file), &content)?;
        }
        copy.remove_all_but(&files)?;
        Ok(copy)
    }

    /// Returns the path of a file in the copy.
    pub(super) fn path(&self, relative: &str) -> PathBuf {
        self.folder.join(relative)
    }

    /// Returns the path for a file beside the copy, which is not part of the workspace.
    pub(super) fn path_beside(&self, name: &str) -> PathBuf {
        self.folder.with_file_name(name)
    }

    /// Runs cargo in the copy. Its output is shown.
    ///
    /// # Errors
    ///
    /// Returns an error with the command if it fails.
    pub(super) fn cargo(&self, arguments: &[&str]) -> Result<()> {
        self.run(workspace::cargo(), "cargo", arguments)
    }

    /// Runs cargo in the copy, and returns the places of the errors that it reports: files and
    /// lines. The list is empty if cargo succeeds.
    ///
    /// # Errors
    ///
    /// Returns an error if cargo cannot be started.
    pub(super) fn compile_errors(&self, arguments: &[&str]) -> Result<Vec<(String, usize)>> {
        let mut command = workspace::cargo();
        command.args(arguments).args(["--message-format", "short"]);
        let output = self.in_copy(&mut command).output()?;
        let text = String::from_utf8_lossy(&output.stderr);
        let errors = text.lines().filter(|line| line.contains(": error"));
        let places = errors.filter_map(|line| {
            let mut parts = line.split(':');
            Some((parts.next()?.to_owned(), parts.next()?.parse().ok()?))
        });
        let places: Vec<(String, usize)> = places.collect();
        let is_clear = output.status.success() || !places.is_empty();
        ensure!(is_clear, "cargo failed without an error in a file: {text}");
        Ok(places)
    }

    /// Runs a command of this program on the copy. A user would type `cargo xtask` there, which
    /// compiles the same program once more.
    ///
    /// # Errors
    ///
    /// Returns an error with the command if it fails.
    pub(super) fn xtask(&self, arguments: &[&str]) -> Result<()> {
        let program = Command::new(std::env::current_exe()?);
        self.run(program, "cargo xtask", arguments)
    }

    fn run(&self, mut command: Command, shown: &str, arguments: &[&str]) -> Result<()> {
        command.args(arguments);
        let succeeds = process::succeeds(self.in_copy(&mut command))?;
        ensure!(succeeds, "`{shown} {}` failed", arguments.join(" "));
        Ok(())
    }

    fn in_copy<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command
            .current_dir(&self.folder)
            .env("CARGO_TARGET_DIR", &self.target)
            .env(workspace::ROOT_VARIABLE, &self.folder)
    }

    /// Applies a patch in the format of `git diff`.
    ///
    /// # Errors
    ///
    /// Returns an error if the patch does not apply.
    pub(super) fn apply_diff(&self, diff: &Path) -> Result<()> {
        // Outside of a repository, `git apply` works on plain folders.
        let mut git = Command::new("git");
        git.args(["apply", "--unsafe-paths", "--directory"]);
        process::run(git.arg(&self.folder).arg(diff).current_dir("/"))
    }

    /// Removes files that the workspace does not have, and folders that are empty then.
    fn remove_all_but(&self, files: &BTreeSet<String>) -> Result<()> {
        let mut folders = vec![self.folder.clone()];
        let mut next = 0;
        while let Some(folder) = folders.get(next).cloned() {
            next += 1;
            for entry in fs::read_dir(&folder)? {
                let path = entry?.path();
                let relative = path.strip_prefix(&self.folder)?.to_string_lossy();
                if path.is_dir() {
                    folders.push(path);
                } else if !files.contains(relative.as_ref()) {
                    fs::remove_file(&path).with_context(|| path.display().to_string())?;
                }
            }
        }
        // Folders follow those that contain them, so this begins with the innermost.
        for folder in folders.iter().rev() {
            if fs::read_dir(folder)?.next().is_none() {
                fs::remove_dir(folder).with_context(|| folder.display().to_string())?;
            }
        }
        Ok(())
    }
}
