//! How long the steps took on this machine, for `cargo xtask ci --help`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, Result};

use super::steps::{Steps, Task};
use crate::workspace;

/// Returns a line for each step: its name, how long it took the last time, and its first command.
pub(super) fn listed(steps: &Steps) -> Result<String> {
    let times = read()?;
    let mut text = String::from("step          last run  what\n");
    for step in steps.iter() {
        let time = times.get(step.name);
        let time = time.map_or_else(|| "-".to_owned(), |seconds| format!("{seconds} s"));
        let what = match step.tasks.first() {
            Some(Task::Run(command)) => command.to_string(),
            Some(Task::Check(name, _)) => format!("a check of the files ({name})"),
            Some(Task::Skip(why)) => format!("skipped: {why}"),
            None => String::new(),
        };
        let more = match step.tasks.len() {
            0 | 1 => String::new(),
            count => format!(", and {} more", count - 1),
        };
        let _ = writeln!(text, "{:<13} {time:>8}  {what}{more}", step.name);
    }
    Ok(text)
}

/// Remembers the durations of steps; those of others are kept.
pub(super) fn store<'a>(done: impl Iterator<Item = (&'a str, Duration)>) -> Result<()> {
    let mut times = read()?;
    times.extend(done.map(|(name, time)| (name.to_owned(), time.as_secs())));
    let lines = times.iter().map(|(name, time)| format!("{name} {time}\n"));
    let path = file()?;
    fs::write(&path, lines.collect::<String>()).with_context(|| workspace::display_path(&path))
}

/// Reads the durations in seconds. The list is empty before the first run.
fn read() -> Result<BTreeMap<String, u64>> {
    let text = fs::read_to_string(file()?).unwrap_or_default();
    let times = text.lines().filter_map(|line| {
        let (name, seconds) = line.split_once(' ')?;
        Some((name.to_owned(), seconds.parse().ok()?))
    });
    Ok(times.collect())
}

/// The file is in the folder that [`own_program`](super::own_program) creates.
fn file() -> Result<PathBuf> {
    Ok(workspace::target()?.join("ci").join("times"))
}
