//! Resources that must not leak: processes, tasks, file descriptors, memory.

use std::fs;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::time::{sleep, timeout};

use crate::example::example;

use super::load::TIMEOUT;

/// A lock, so that one test at a time measures the process.
pub(crate) fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn runtime() -> Runtime {
    let mut builder = Builder::new_multi_thread();
    let builder = builder.worker_threads(2).enable_all();
    builder.build().expect("a runtime")
}

/// The example `client-soak-subject`.
pub(crate) fn subject() -> PathBuf {
    example("client-soak-subject")
}

/// Returns the child processes that have not been waited for, including those that have exited.
pub(crate) fn children() -> Vec<i32> {
    let own = std::process::id().to_string();
    let mut children = Vec::new();
    for entry in fs::read_dir("/proc").expect("a folder").flatten() {
        let stat = fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        let mut fields = stat
            .rsplit(')')
            .next()
            .unwrap_or_default()
            .split_whitespace();
        if fields.nth(1) == Some(&own) {
            children.extend(
                entry
                    .file_name()
                    .to_str()
                    .and_then(|pid| pid.parse::<i32>().ok()),
            );
        }
    }
    children
}

/// Kills a child, which may have exited already.
pub(crate) fn kill(pid: i32) {
    if let Some(pid) = Pid::from_raw(pid) {
        let _ = kill_process(pid, Signal::KILL);
    }
}

fn descriptors() -> Vec<String> {
    let folder = fs::read_dir("/proc/self/fd").expect("a folder").flatten();
    let open = folder.filter_map(|entry| {
        let to = fs::read_link(entry.path()).ok()?;
        Some(format!(
            "{} -> {}",
            entry.file_name().display(),
            to.display()
        ))
    });
    let mut open: Vec<_> = open.collect();
    open.sort();
    open
}

/// Resident memory in KiB.
pub(crate) fn memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("readable");
    let mut lines = status.lines();
    let line = lines.find_map(|line| line.strip_prefix("RssAnon:"));
    let size = line.and_then(|line| line.split_whitespace().next());
    size.and_then(|size| size.parse().ok())
        .expect("a number of KiB")
}

/// The resources before the test.
pub(crate) struct Before {
    descriptors: Vec<String>,
}

impl Before {
    /// Measures the resources while nothing is in flight.
    pub(crate) async fn measure() -> Self {
        nothing("tasks", || Handle::current().metrics().num_alive_tasks()).await;
        nothing("children", || children().len()).await;
        let descriptors = descriptors();
        Self { descriptors }
    }

    /// Waits until the resources are down to these values.
    pub(crate) async fn assert_restored(&self) {
        nothing("tasks", || Handle::current().metrics().num_alive_tasks()).await;
        nothing("children", || children().len()).await;
        let more = || descriptors().len().saturating_sub(self.descriptors.len());
        nothing("descriptors", more).await;
    }
}

async fn nothing(what: &str, left: impl Fn() -> usize) {
    let waited = timeout(TIMEOUT, async {
        while left() > 0 {
            sleep(Duration::from_millis(5)).await;
        }
    });
    let done = waited.await.is_ok();
    let open = descriptors();
    assert!(done, "{} {what} are left; open: {open:#?}", left());
}

/// Checks that memory has not grown since the first rounds, in which all code ran.
pub(crate) fn assert_constant(weighed: &[u64], warm: usize, bytes: u64) {
    println!("{weighed:?} KiB");
    let before = weighed.iter().take(warm).max().copied().unwrap_or_default();
    let last = weighed.last().copied().unwrap_or_default();
    let grown = last.saturating_sub(before) << 10;
    assert!(grown < bytes, "{grown} bytes more: {weighed:?} KiB");
}
