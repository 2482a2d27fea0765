//! Memory and processor time of another process, as Linux reports them.

use std::fs;
use std::time::Duration;

/// The unit of the times in `/proc/PID/stat`, which is the same on all architectures.
const TICKS_PER_SECOND: f64 = 100.0;

/// Reads a value of memory in KiB, such as `VmRSS:`. Returns 0 on other systems, or if the process
/// has ended.
pub(crate) fn memory(process: u32, name: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let digits = line.and_then(|line| line.split_whitespace().next());
    digits.and_then(|kib| kib.parse().ok()).unwrap_or(0)
}

/// Returns the processor time that a process has used. Zero on other systems, or if the process has
/// ended.
pub(crate) fn processor_time(process: u32) -> Duration {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // The name of the program, in parentheses, may contain spaces.
    let fields = stat.rsplit_once(") ").map_or("", |(_, fields)| fields);
    let times = fields.split(' ').skip(11).take(2);
    let ticks: f64 = times.filter_map(|ticks| ticks.parse::<f64>().ok()).sum();
    Duration::from_secs_f64(ticks / TICKS_PER_SECOND)
}
