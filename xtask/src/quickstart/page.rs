//! [`Page`]: the steps of a tutorial.
//!
//! - A block whose first line is a comment with a path, such as `// src/main.rs`, is a file in
//!   full, without that line.
//! - A block of `diff` changes a file: `--- src/main.rs`, then hunks, separated by `@@`. The lines
//!   that a hunk removes and keeps have to be found exactly once.
//! - A block of `sh` is executed.
//! - A block of `console` is executed, and its output compared; `...` stands for any text. In a
//!   block of `console running`, the program keeps running until the comment `<!-- Ctrl+C -->`, or
//!   `<!-- Ctrl+C: COMMAND -->` for one of several.
//! - Blocks of other languages, such as `bash`, are only read.
//! - The comment `<!-- files: FOLDER -->` says where the workspace has the files of the last step.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context as _, Result, bail, ensure};

use crate::markdown::{self, Part};
use crate::workspace;

/// The files of a package by their paths.
pub(super) type Files = BTreeMap<String, String>;

/// A tutorial.
pub(super) struct Page {
    /// The path, for errors.
    pub(super) name: String,
    pub(super) steps: Vec<Step>,
    /// Where the workspace has the files.
    home: Option<String>,
}

pub(super) struct Step {
    /// The number of its first line.
    pub(super) line: usize,
    pub(super) kind: Kind,
}

#[derive(Debug, PartialEq)]
pub(super) enum Kind {
    File {
        path: String,
        text: String,
    },
    Change {
        path: String,
        hunks: Vec<Hunk>,
    },
    Commands(Vec<Command>),
    Start(Command),
    /// Interrupts the program that this command started, or all that keep running.
    Stop(Option<String>),
}

/// Lines of a file, before and after.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Hunk {
    before: String,
    after: String,
}

#[derive(Debug, Default, PartialEq)]
pub(super) struct Command {
    pub(super) line: String,
    /// What it prints, if that is compared.
    pub(super) output: Option<String>,
}

impl Page {
    pub(super) fn read(file: &Path) -> Result<Self> {
        Self::parse(workspace::display_path(file), &workspace::read(file)?)
    }

    fn parse(name: String, text: &str) -> Result<Self> {
        let mut page = Self {
            name,
            steps: Vec::new(),
            home: None,
        };
        for Part { kind, range } in markdown::Page::parse(text).parts {
            let line = text[..range.start].matches('\n').count() + 1;
            let kind = match kind {
                markdown::Kind::Code { info, text } => {
                    let block: Vec<&str> = text.lines().collect();
                    kind_of(&info, &block).with_context(|| format!("{}:{line}", page.name))?
                }
                markdown::Kind::Comment(comment) => {
                    if let Some(folder) = comment.strip_prefix("files: ") {
                        page.home = Some(folder.to_owned());
                    }
                    let stopped = comment.strip_prefix("Ctrl+C");
                    stopped.map(|which| Kind::Stop(which.strip_prefix(": ").map(str::to_owned)))
                }
                _ => None,
            };
            page.steps.extend(kind.map(|kind| Step { line, kind }));
        }
        Ok(page)
    }

    /// Returns the files after the last step.
    pub(super) fn files(&self) -> Result<Files> {
        let mut files = Files::new();
        for step in &self.steps {
            let written = step.kind.write(|path| files.get(path).cloned());
            let written = written.with_context(|| format!("{}:{}", self.name, step.line))?;
            files.extend(written);
        }
        Ok(files)
    }

    /// Returns which of the files, and those in the workspace, are not the same.
    pub(super) fn differences(&self, files: &Files) -> Result<Vec<String>> {
        let Some(home) = &self.home else {
            return Ok(Vec::new());
        };
        let folder = workspace::root().join(home);
        let mut theirs = Files::new();
        for file in workspace::files(&folder.join("src"))? {
            let path = workspace::text(file.strip_prefix(&folder)?)?.to_owned();
            theirs.insert(path, workspace::read(&file)?);
        }
        let paths = files.keys().filter(|path| path.starts_with("src/"));
        let paths: BTreeSet<&String> = paths.chain(theirs.keys()).collect();
        let differing = paths
            .into_iter()
            .filter(|path| files.get(*path) != theirs.get(*path));
        let faults = differing.map(|path| {
            let mut lines = files.get(path).into_iter().flat_map(|text| text.lines());
            let others = theirs.get(path).into_iter().flat_map(|text| text.lines());
            let same = others.take_while(|other| lines.next() == Some(other));
            let line = same.count() + 1;
            format!("{}: {path} differs from {home}/{path}:{line}", self.name)
        });
        Ok(faults.collect())
    }
}

impl Kind {
    /// Returns the path and the new text of a file, if this step writes one.
    pub(super) fn write(
        &self,
        read: impl FnOnce(&str) -> Option<String>,
    ) -> Result<Option<(String, String)>> {
        Ok(match self {
            Self::File { path, text } => Some((path.clone(), text.clone())),
            Self::Change { path, hunks } => {
                let mut text = read(path).with_context(|| format!("{path} does not exist yet"))?;
                for hunk in hunks {
                    // Complete lines are searched.
                    let all = format!("\n{text}");
                    let (before, after) =
                        (format!("\n{}", hunk.before), format!("\n{}", hunk.after));
                    let found = all.matches(&before).count();
                    ensure!(
                        found == 1,
                        "{path} has these lines {found} times:\n{}",
                        hunk.before
                    );
                    text = all.replacen(&before, &after, 1).split_off(1);
                }
                Some((path.clone(), text))
            }
            Self::Commands(_) | Self::Start(_) | Self::Stop(_) => None,
        })
    }
}

/// Returns what a block is for; `None` if it is only read.
fn kind_of(language: &str, block: &[&str]) -> Result<Option<Kind>> {
    Ok(Some(match language {
        "sh" => Kind::Commands(commands(block, None)?),
        "console" => Kind::Commands(commands(block, Some("$ "))?),
        "console running" => {
            let mut commands = commands(block, Some("$ "))?;
            ensure!(commands.len() == 1, "only one command can keep running");
            Kind::Start(commands.remove(0))
        }
        "diff" => {
            let path = block.first().and_then(|line| line.strip_prefix("--- "));
            let path = path.context("expected `--- PATH`")?.to_owned();
            Kind::Change {
                path,
                hunks: hunks(block.get(1..).unwrap_or_default())?,
            }
        }
        _ => {
            let Some(path) = block.first().and_then(|line| path(line)) else {
                return Ok(None);
            };
            let text = block
                .iter()
                .skip(1)
                .map(|line| format!("{line}\n"))
                .collect();
            Kind::File {
                path: path.to_owned(),
                text,
            }
        }
    }))
}

/// Returns the path in the first line of a file.
fn path(line: &str) -> Option<&str> {
    let path = line
        .strip_prefix("// ")
        .or_else(|| line.strip_prefix("# "))?;
    let is_path = path.contains('.')
        && path
            .bytes()
            .all(|it| it.is_ascii_alphanumeric() || b"-_./".contains(&it));
    is_path.then_some(path)
}

fn hunks(lines: &[&str]) -> Result<Vec<Hunk>> {
    let mut hunks = Vec::new();
    for lines in lines.split(|line| *line == "@@") {
        let mut hunk = Hunk::default();
        for line in lines {
            let (mark, line) = line.split_at_checked(1).unwrap_or((" ", ""));
            let (removes, adds) = match mark {
                "-" => (true, false),
                "+" => (false, true),
                " " => (true, true),
                _ => {
                    bail!("expected a line that begins with ` `, `-` or `+`, found `{mark}{line}`")
                }
            };
            for (text, is_there) in [(&mut hunk.before, removes), (&mut hunk.after, adds)] {
                if is_there {
                    text.push_str(line);
                    text.push('\n');
                }
            }
        }
        hunks.push(hunk);
    }
    Ok(hunks)
}

/// Returns the commands of a block. With a prompt, other lines are the output of the command before
/// them. A command whose line ends with `\` continues.
fn commands(block: &[&str], prompt: Option<&str>) -> Result<Vec<Command>> {
    let mut commands: Vec<Command> = Vec::new();
    let mut continues = false;
    for line in block {
        let is_command = prompt.map_or(Some(*line), |prompt| line.strip_prefix(prompt));
        match (commands.last_mut(), is_command) {
            (Some(last), _) if continues => last.line.push_str(&format!("\n{line}")),
            (_, Some(line)) => commands.push(Command {
                line: line.to_owned(),
                output: prompt.map(|_| String::new()),
            }),
            (Some(last), None) => {
                if let Some(output) = &mut last.output {
                    output.push_str(&format!("{line}\n"));
                }
            }
            (None, None) => bail!("expected a command, found `{line}`"),
        }
        continues = line.ends_with('\\') && (continues || is_command.is_some());
    }
    Ok(commands)
}

#[cfg(test)]
mod tests {
    use super::{Command, Kind, Page};

    const PAGE: &str = "\
```rust
// src/main.rs
fn main() {}

```
```diff
--- src/main.rs
-fn main() {}
+fn main() {
+}
```
```console
$ cat \\
  a
text
$ true
```
```console running
$ sleep 9
```
<!-- Ctrl+C -->
```bash
rm -r /
```
";

    fn command(line: &str, output: &str) -> Command {
        Command {
            line: line.to_owned(),
            output: Some(output.to_owned()),
        }
    }

    #[test]
    fn a_page_has_files_commands_and_programs_that_keep_running() {
        let page = Page::parse("page".to_owned(), PAGE).unwrap();
        let files = page.files().unwrap();
        assert_eq!(files["src/main.rs"], "fn main() {\n}\n\n");
        let kinds = page.steps.into_iter().skip(2).map(|step| step.kind);
        let expected = vec![
            Kind::Commands(vec![command("cat \\\n  a", "text\n"), command("true", "")]),
            Kind::Start(command("sleep 9", "")),
            Kind::Stop(None),
        ];
        assert_eq!(kinds.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_change_of_lines_that_are_not_there_is_an_error() {
        let text = PAGE.replace("-fn main() {}", "-fn main()");
        let page = Page::parse("page".to_owned(), &text).unwrap();
        let error = format!("{:#}", page.files().unwrap_err());
        assert_eq!(
            error,
            "page:6: src/main.rs has these lines 0 times:\nfn main()\n"
        );
    }
}
