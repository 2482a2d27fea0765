//! [`Terminal`]: a shell in which one command after the other is typed, as a reader does. Variables
//! and the folder stay as a command leaves them.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};

use crate::process::signal;
use crate::workspace;

/// The maximum time of a command, which may compile for long.
const TIME: Duration = Duration::from_secs(30 * 60);

/// Precedes the exit code of a command.
const MARK: &str = "--- exit code ";

pub(super) struct Terminal {
    shell: Child,
    input: ChildStdin,
    lines: Receiver<String>,
    /// The folder for the output of programs that keep running.
    logs: PathBuf,
    /// The commands and process groups of these programs.
    running: Vec<(String, String)>,
    started: usize,
}

impl Terminal {
    /// Starts a shell in a folder, with these variables.
    pub(super) fn open(folder: &Path, logs: &Path, variables: &[(&str, String)]) -> Result<Self> {
        let mut shell = Command::new("bash")
            .args(["--noprofile", "--norc"])
            .current_dir(folder)
            .envs(variables.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("cannot run bash")?;
        let mut input = shell.stdin.take().context("no input")?;
        let output = BufReader::new(shell.stdout.take().context("no output")?);
        let (sender, lines) = channel();
        // Ends with the output of the shell.
        thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        writeln!(input, "exec 2>&1")?;
        let (running, logs) = (Vec::new(), logs.to_owned());
        Ok(Self {
            shell,
            input,
            lines,
            logs,
            running,
            started: 0,
        })
    }

    /// Runs a command to its end. Returns what it prints, and its exit code.
    pub(super) fn run(&mut self, command: &str) -> Result<(String, i32)> {
        // The line feed also separates the mark from output that has none at its end.
        let line = format!("{{ {command}\n}} </dev/null; printf '\\n{MARK}%s\\n' $?");
        writeln!(self.input, "{line}")?;
        let (mut output, end) = (String::new(), Instant::now() + TIME);
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let line = self.lines.recv_timeout(left);
            let line = line.with_context(|| format!("`{command}` did not end"))?;
            if let Some(code) = line.strip_prefix(MARK) {
                // The line feed before the mark.
                if output.ends_with("\n\n") || output == "\n" {
                    output.pop();
                }
                return Ok((output, code.parse()?));
            }
            output.push_str(&line);
            output.push('\n');
        }
    }

    /// Starts a command that keeps running, and waits until it has printed a text.
    pub(super) fn start(&mut self, command: &str, is_printed: impl Fn(&str) -> bool) -> Result<()> {
        self.started += 1;
        let log = self.logs.join(format!("{}.log", self.started));
        let script = log.with_extension("sh");
        workspace::write(&script, command.as_bytes())?;
        // A process group of its own, so that all of its processes can be ended. The shell ignores
        // interrupts for what runs in its background.
        let program = format!(
            "setsid env --default-signal=INT bash '{}'",
            script.display()
        );
        let line = format!("{program} >'{}' 2>&1 & echo $!", log.display());
        let (group, _) = self.run(&line)?;
        let group = group.trim().to_owned();
        self.running.push((command.to_owned(), group.clone()));
        let end = Instant::now() + TIME;
        loop {
            let printed = fs::read_to_string(&log).unwrap_or_default();
            if is_printed(&printed) {
                return Ok(());
            }
            // The group exists a moment after the process.
            ensure!(signal("0", &group), "`{command}` ended:\n{printed}");
            ensure!(Instant::now() < end, "`{command}` printed:\n{printed}");
            sleep(Duration::from_millis(100));
        }
    }

    /// Interrupts the program that a command started, or all that keep running, and waits until
    /// they have ended.
    pub(super) fn interrupt(&mut self, which: Option<&str>) -> Result<()> {
        let is_meant = |(command, _): &mut (String, String)| which.is_none_or(|it| it == command);
        let ended: Vec<_> = self.running.extract_if(.., is_meant).collect();
        ensure!(!ended.is_empty(), "no such program is running");
        for (command, group) in ended.into_iter().rev() {
            signal("INT", &format!("-{group}"));
            let end = Instant::now() + Duration::from_secs(30);
            while is_alive(&group) {
                if Instant::now() > end {
                    signal("KILL", &format!("-{group}"));
                    bail!("`{command}` did not end when it was interrupted");
                }
                sleep(Duration::from_millis(50));
            }
        }
        Ok(())
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        for (_, group) in &self.running {
            signal("KILL", &format!("-{group}"));
        }
        // Fails if the shell has ended.
        let _ = self.shell.kill();
        let _ = self.shell.wait();
    }
}

fn is_alive(group: &str) -> bool {
    signal("0", &format!("-{group}"))
}
