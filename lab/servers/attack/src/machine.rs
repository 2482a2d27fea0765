//! Limits and priorities of this process.

use std::fs;
use std::time::Duration;

use anyhow::{Context as _, Result};
use rustix::process::{Resource, Rlimit, getrlimit, setpriority_process, setrlimit};

/// Niceness of the attacker's thread.
const NICE: i32 = 10;
/// Descriptors that this process needs beside the attacker's connections.
const SPARE: u64 = 200;

/// Raises the limit of open files as far as the system allows. Servers that are started later
/// inherit it. Returns the number of connections that one attack may keep open.
pub(crate) fn raise_descriptors() -> Result<usize> {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: limit.maximum,
        maximum: limit.maximum,
    };
    setrlimit(Resource::Nofile, raised).context("cannot raise the limit of open files")?;
    let most = limit.maximum.unwrap_or(u64::MAX).saturating_sub(SPARE);
    Ok(usize::try_from(most).unwrap_or(usize::MAX))
}

/// Lowers the priority of the calling thread, so that the attack does not take the processor away
/// from the server and from the good clients.
pub(crate) fn lower_priority() -> Result<()> {
    // Linux has a priority for each thread, and `None` is the calling one.
    setpriority_process(None, NICE).context("cannot lower the attacker's priority")
}

/// How long the calling thread has waited for a processor so far.
pub(crate) fn own_wait() -> Duration {
    schedstat("/proc/thread-self/schedstat").map_or(Duration::ZERO, |times| times.waited)
}

/// Returns the number of voluntary context switches of a thread, from its `status` file.
pub(crate) fn pauses(path: &str) -> Option<u64> {
    let text = fs::read_to_string(path).ok()?;
    let mut lines = text.lines();
    let count = lines.find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"))?;
    count.trim().parse().ok()
}

/// The times that the scheduler reports for a thread.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Times {
    /// Time on a processor.
    pub(crate) ran: Duration,
    /// Time in which it could have run, but had no processor.
    pub(crate) waited: Duration,
}

/// Reads a `schedstat` file.
pub(crate) fn schedstat(path: &str) -> Option<Times> {
    let text = fs::read_to_string(path).ok()?;
    let mut numbers = text.split_whitespace().map(str::parse);
    let mut next = || numbers.next()?.ok().map(Duration::from_nanos);
    Some(Times {
        ran: next()?,
        waited: next()?,
    })
}
