//! The server's process and its memory.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};

pub(crate) struct Process {
    pub(crate) child: Child,
    pub(crate) stdout: Option<BufReader<ChildStdout>>,
    /// The memory in KiB after each round.
    memory: Vec<u64>,
}

/// The path of the example `soak-subject`, which is built together with the tests.
fn subject() -> PathBuf {
    let test = std::env::current_exe().expect("this test has a path");
    let folder = test
        .ancestors()
        .nth(2)
        .expect("the test runs in target/*/deps");
    let name = format!("soak-subject{}", std::env::consts::EXE_SUFFIX);
    let path = folder.join("examples").join(name);
    assert!(path.exists(), "run `cargo build -p mcp-server --examples`");
    path
}

impl Process {
    pub(crate) fn start(kind: &str) -> Self {
        Self::spawn(Command::new(subject()).arg(kind))
    }

    /// Starts the subject in a process that may open this number of file descriptors.
    #[cfg(unix)]
    pub(crate) fn start_with_descriptors(kind: &str, descriptors: u32) -> Self {
        let limited = format!("ulimit -n {descriptors} && exec \"$0\" \"$1\"");
        Self::spawn(
            Command::new("sh")
                .args(["-c", &limited])
                .arg(subject())
                .arg(kind),
        )
    }

    fn spawn(command: &mut Command) -> Self {
        let mut child = command
            .env_remove("RUST_BACKTRACE")
            // Freed memory must be visible as free.
            .env("MALLOC_ARENA_MAX", "1")
            .env("MALLOC_TRIM_THRESHOLD_", "65536")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("started");
        let stdout = child.stdout.take().map(BufReader::new);
        Self {
            child,
            stdout,
            memory: Vec::new(),
        }
    }

    /// Returns the first line of its output.
    pub(crate) fn first_line(&mut self) -> String {
        let mut line = String::new();
        let stdout = self.stdout.as_mut().expect("not taken");
        stdout.read_line(&mut line).expect("readable");
        line.trim().to_owned()
    }

    /// Records the memory. Nothing must be in flight.
    pub(crate) fn record_memory(&mut self) {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()));
        // Memory is measured on Linux only.
        let Ok(status) = status else {
            return;
        };
        let mut lines = status.lines();
        let line = lines.find_map(|line| line.strip_prefix("RssAnon:"));
        let size = line.and_then(|line| line.split_whitespace().next());
        let size = size.and_then(|size| size.parse().ok());
        self.memory.push(size.expect("a number of KiB"));
    }

    /// Checks that memory has not grown by more than `bytes` since the first rounds, in which all
    /// code ran.
    pub(crate) fn assert_constant(&self, warm: usize, bytes: u64) {
        let weighed = &self.memory;
        println!("{weighed:?} KiB");
        let Some((&last, first)) = weighed.split_last() else {
            return;
        };
        let before = first.iter().take(warm).max().copied().unwrap_or(last);
        let grown = last.saturating_sub(before) << 10;
        assert!(grown < bytes, "{grown} bytes more: {weighed:?} KiB");
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Kills the process, also if the test failed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
