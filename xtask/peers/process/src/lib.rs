//! What the system knows of a process.

use std::io::{self, ErrorKind};
use std::time::Duration;

/// This process, in place of a number.
pub const OWN: &str = "self";

/// What all threads that there are have used of their processors so far.
///
/// # Errors
///
/// Where the system has no such files, or the process is gone.
pub fn cpu(process: &str) -> io::Result<Duration> {
    let mut nanoseconds = 0;
    for task in std::fs::read_dir(format!("/proc/{process}/task"))? {
        // A thread may have ended meanwhile.
        let Ok(text) = std::fs::read_to_string(task?.path().join("schedstat")) else {
            continue;
        };
        let first = text.split_whitespace().next();
        let first = first.and_then(|first| first.parse::<u64>().ok());
        nanoseconds += first.ok_or(ErrorKind::InvalidData)?;
    }
    Ok(Duration::from_nanos(nanoseconds))
}

/// Bytes in memory now.
///
/// # Errors
///
/// Where the system has no such file, or the process is gone.
pub fn memory(process: &str) -> io::Result<u64> {
    status(process, "VmRSS:")
}

/// Bytes in memory at worst.
///
/// # Errors
///
/// Where the system has no such file, or the process is gone.
pub fn peak_memory(process: &str) -> io::Result<u64> {
    status(process, "VmHWM:")
}

fn status(process: &str, member: &str) -> io::Result<u64> {
    let text = std::fs::read_to_string(format!("/proc/{process}/status"))?;
    let line = text.lines().find_map(|line| line.strip_prefix(member));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB"));
    let kilobytes = kilobytes.and_then(|text| text.trim().parse::<u64>().ok());
    Ok(kilobytes.ok_or(ErrorKind::InvalidData)? * 1024)
}
