//! The server's process and its memory.

use std::io::BufRead;
use std::process::Command;

use crate::processes::{Process, example};

const SUBJECT: &str = "soak-subject";

pub(crate) struct MeasuredProcess {
    pub(crate) process: Process,
    /// The memory in KiB after each round.
    memory: Vec<u64>,
}

impl MeasuredProcess {
    pub(crate) fn start(kind: &str) -> Self {
        Self::spawn(Command::new(example(SUBJECT)).arg(kind))
    }

    /// Starts the subject in a process that may open this number of file descriptors.
    #[cfg(unix)]
    pub(crate) fn start_with_descriptors(kind: &str, descriptors: u32) -> Self {
        let limited = format!("ulimit -n {descriptors} && exec \"$0\" \"$1\"");
        Self::spawn(
            Command::new("sh")
                .args(["-c", &limited])
                .arg(example(SUBJECT))
                .arg(kind),
        )
    }

    fn spawn(command: &mut Command) -> Self {
        let command = command
            .env_remove("RUST_BACKTRACE")
            // Freed memory must be visible as free.
            .env("MALLOC_ARENA_MAX", "1")
            .env("MALLOC_TRIM_THRESHOLD_", "65536");
        Self {
            process: Process::start(command),
            memory: Vec::new(),
        }
    }

    /// Returns the first line of its output.
    pub(crate) fn first_line(&mut self) -> String {
        let mut line = String::new();
        let stdout = self.process.stdout.as_mut().expect("not taken");
        stdout.read_line(&mut line).expect("readable");
        line.trim().to_owned()
    }

    /// Records the memory. Nothing must be in flight.
    pub(crate) fn record_memory(&mut self) {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.process.child.id()));
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
