//! [`Cargo`]: a call of cargo.

use std::fmt;
use std::path::Path;
use std::process::Command;

use crate::workspace;

/// A call of cargo.
#[derive(Default)]
pub(super) struct Cargo {
    pub(super) arguments: Vec<String>,
    pub(super) variables: Vec<(&'static str, String)>,
    /// `true` if its output is not shown.
    pub(super) quiet: bool,
}

impl Cargo {
    pub(super) fn new(line: &str) -> Self {
        let arguments = line.split_whitespace().map(str::to_owned).collect();
        Self {
            arguments,
            ..Self::default()
        }
    }

    pub(super) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.variables.push((name, value.into()));
        self
    }

    /// Returns the command. `xtask` is the program at this path, because `cargo xtask` would wait
    /// until no other cargo builds in the target folder.
    pub(super) fn command(&self, xtask: &Path) -> Command {
        let (mut command, arguments) = match self.arguments.split_first() {
            Some((first, rest)) if first == "xtask" => (Command::new(xtask), rest),
            _ => (workspace::cargo(), self.arguments.as_slice()),
        };
        command.args(arguments).current_dir(workspace::root());
        for (name, value) in &self.variables {
            command.env(name, value);
        }
        command
    }

    pub(super) fn and(mut self, arguments: &[&str]) -> Self {
        self.arguments
            .extend(arguments.iter().map(|&argument| argument.to_owned()));
        self
    }
}

/// Formats the command for a shell.
impl fmt::Display for Cargo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, value) in &self.variables {
            write!(f, "{name}={} ", quoted(value))?;
        }
        f.write_str("cargo")?;
        self.arguments
            .iter()
            .try_for_each(|argument| write!(f, " {}", quoted(argument)))
    }
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{word}'")
    }
}
