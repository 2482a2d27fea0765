//! Assigns one processor to the load generator, and another one to the servers.

use std::fmt;
use std::path::Path;
use std::process::{Command, Stdio};

/// The assigned processors.
pub(crate) enum Pinning {
    Pinned { load: usize, servers: usize },
    Free(&'static str),
}

impl Pinning {
    /// Pins this process to a processor, and chooses another one for the servers.
    pub(crate) fn new() -> Self {
        let Some((load, servers)) = processors() else {
            return Self::Free("there is only one processor");
        };
        let own = std::process::id().to_string();
        let pinned = Command::new("taskset")
            .args(["-pc", &load.to_string(), &own])
            .stdout(Stdio::null())
            .status();
        match pinned {
            Ok(status) if status.success() => Self::Pinned { load, servers },
            _ => Self::Free("`taskset` is not installed"),
        }
    }

    /// Returns the command that starts a server.
    pub(crate) fn server(&self, program: &Path) -> Command {
        match self {
            Self::Pinned { servers, .. } => {
                let mut command = Command::new("taskset");
                command.args(["-c", &servers.to_string()]).arg(program);
                command
            }
            Self::Free(_) => Command::new(program),
        }
    }
}

impl fmt::Display for Pinning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pinned { load, servers } => write!(
                f,
                "Load on processor {load}, servers on processor {servers}."
            ),
            Self::Free(why) => write!(f, "Nothing is bound to a processor: {why}."),
        }
    }
}

/// Returns the first and the last processor that this process may use.
fn processors() -> Option<(usize, usize)> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let allowed = status
        .lines()
        .find_map(|line| line.strip_prefix("Cpus_allowed_list:"))?;
    let mut numbers = allowed
        .trim()
        .split([',', '-'])
        .filter_map(|text| text.parse().ok());
    let first: usize = numbers.next()?;
    let last = numbers.next_back()?;
    (first != last).then_some((first, last))
}
