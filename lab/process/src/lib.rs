//! Processor time and memory of a process, as reported by the operating system.

use std::io::{self, ErrorKind};
use std::time::Duration;

/// This process, instead of a process id.
pub const OWN: &str = "self";

/// Returns the processor time that all current threads have used so far.
///
/// # Errors
///
/// Returns an error if `/proc` does not exist or the process has ended.
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

/// Returns the resident memory in bytes.
///
/// # Errors
///
/// Returns an error if `/proc` does not exist or the process has ended.
pub fn memory(process: &str) -> io::Result<u64> {
    status(process, "VmRSS:")
}

/// Returns the peak of the resident memory in bytes.
///
/// # Errors
///
/// Returns an error if `/proc` does not exist or the process has ended.
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
