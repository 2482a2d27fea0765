//! Follows a page: writes its files, runs its commands, and compares what they print.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};

use super::manifest::Manifest;
use super::page::{Command, Kind, Page};
use super::terminal::Terminal;
use crate::{process, workspace};

/// Follows a page in a new folder.
pub(super) fn page(page: &Page) -> Result<()> {
    let mut reader = Reader::new(page)?;
    for step in &page.steps {
        let at = || format!("{}:{}", page.name, step.line);
        reader.follow(&step.kind).with_context(at)?;
    }
    println!("{}: all {} steps work", page.name, page.steps.len());
    Ok(())
}

struct Reader {
    terminal: Terminal,
    /// All pages share what they compile.
    target: PathBuf,
    manifest: Option<Manifest>,
}

impl Reader {
    fn new(page: &Page) -> Result<Self> {
        let base = workspace::target()?.join("quickstart");
        let name = Path::new(&page.name)
            .file_stem()
            .context("a page without a name")?;
        let folder = base.join("pages").join(name);
        if folder.exists() {
            fs::remove_dir_all(&folder).with_context(|| workspace::display_path(&folder))?;
        }
        let logs = folder.join("logs");
        fs::create_dir_all(&logs).with_context(|| workspace::display_path(&logs))?;
        // The clone of the reader.
        link(&folder.join("mcp"), &workspace::root())?;
        let target = base.join("target");
        let path = std::env::var("PATH").unwrap_or_default();
        let programs = workspace::target()?.join("debug");
        let variables = [
            ("CARGO_TARGET_DIR", target.display().to_string()),
            // Only what programs print is compared.
            ("CARGO_TERM_QUIET", "true".to_owned()),
            ("PATH", format!("{}:{path}", programs.display())),
        ];
        let terminal = Terminal::open(&folder, &logs, &variables)?;
        Ok(Self {
            terminal,
            target,
            manifest: None,
        })
    }

    fn follow(&mut self, step: &Kind) -> Result<()> {
        match step {
            Kind::File { .. } | Kind::Change { .. } => {
                let folder = self.folder()?;
                let written = step.write(|path| fs::read_to_string(folder.join(path)).ok())?;
                if let Some((path, text)) = written {
                    workspace::write(&folder.join(path), text.as_bytes())?;
                }
                Ok(())
            }
            Kind::Commands(commands) => commands.iter().try_for_each(|command| self.run(command)),
            Kind::Start(command) => {
                let expected = command.output.as_deref().unwrap_or_default();
                let is_printed = |printed: &str| fits(printed, expected, true);
                self.terminal.start(&command.line, is_printed)
            }
            Kind::Stop(which) => self.terminal.interrupt(which.as_deref()),
        }
    }

    /// Returns the folder in which the reader is.
    fn folder(&mut self) -> Result<PathBuf> {
        let (folder, _) = self.terminal.run("pwd")?;
        Ok(PathBuf::from(folder.trim_end()))
    }

    fn run(&mut self, command: &Command) -> Result<()> {
        let line = &*command.line;
        if self.replaced(line)? {
            return Ok(());
        }
        let (printed, code) = self.terminal.run(line)?;
        match &command.output {
            None => ensure!(code == 0, "`{line}` ended with {code}:\n{printed}"),
            Some(expected) => ensure!(
                fits(&printed, expected, false),
                "`{line}` printed:\n{printed}\ninstead of:\n{expected}"
            ),
        }
        Ok(())
    }

    /// Does what a command would do, if it would need a network or change the workspace.
    fn replaced(&mut self, line: &str) -> Result<bool> {
        if let Some(path) = line.strip_prefix("cargo install --path mcp/") {
            build(&workspace::root().join(path))?;
        } else if let Some(name) = line.strip_prefix("cargo new ") {
            let folder = self.folder()?.join(name);
            fs::create_dir_all(folder.join("src"))?;
            link(&folder.join("target"), &self.target)?;
            let manifest = self.manifest.insert(Manifest::new(name));
            manifest.write(&folder)?;
        } else if line.starts_with("cargo add ") {
            let folder = self.folder()?;
            let manifest = self
                .manifest
                .as_mut()
                .context("`cargo add` before `cargo new`")?;
            manifest.add(line)?;
            manifest.write(&folder)?;
        } else {
            return Ok(false);
        }
        Ok(true)
    }
}

/// Compiles the program of a package into the target folder. It has all features, because tests that run
/// at the same time start the program at the same path.
fn build(folder: &Path) -> Result<()> {
    let mut command = workspace::cargo();
    let arguments = ["build", "--quiet", "--all-features"];
    process::run(command.args(arguments).current_dir(folder))
}

/// Makes a symbolic link. Pages need a Unix shell anyway.
fn link(path: &Path, target: &Path) -> Result<()> {
    let mut command = std::process::Command::new("ln");
    process::run(command.arg("-s").arg(target).arg(path))
}

/// Returns `true` if a text is the expected one, in which `...` stands for any text. With `begins`,
/// more may follow.
fn fits(printed: &str, expected: &str, begins: bool) -> bool {
    let mut parts = expected.split("...");
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = printed.strip_prefix(first) else {
        return false;
    };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else {
        return begins || rest.is_empty();
    };
    for part in middle {
        match rest.split_once(part) {
            Some((_, after)) => rest = after,
            None => return false,
        }
    }
    if begins {
        rest.contains(last)
    } else {
        rest.ends_with(last)
    }
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn dots_stand_for_any_text() {
        assert!(fits("a\n", "a\n", false));
        assert!(!fits("a\nb\n", "a\n", false));
        assert!(fits("a\nb\n", "a\n", true));
        assert!(fits("id 7, done\n", "id ..., done\n", false));
        assert!(fits("id 7\n", "...", false));
        assert!(!fits("id 7, gone\n", "id ..., done\n", false));
        assert!(!fits("id 7, ", "id ..., done\n", true));
    }
}
