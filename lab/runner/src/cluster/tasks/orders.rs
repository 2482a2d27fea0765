//! [`Orders`]: what the tool `order` of the example `everything` has done.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use serde_json::Value;

use super::calls::{Caller, text};
use crate::workspace;

/// The folder of the orders.
pub(in crate::cluster) struct Orders(String);

impl Orders {
    /// Creates the folder, and removes what it had.
    pub(in crate::cluster) fn create(parent: &Path) -> Result<Self> {
        let folder = parent.join("orders");
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        fs::create_dir_all(&folder)?;
        Ok(Self(workspace::text(&folder)?.to_owned()))
    }

    /// Returns the options of the processes. Clients have the addresses that they say, too.
    pub(in crate::cluster) fn options(&self) -> [&str; 4] {
        ["--orders", &self.0, "--trust-proxy", "127.0.0.1"]
    }

    fn file(&self, id: &str, kind: &str) -> PathBuf {
        Path::new(&self.0).join(format!("{id}-order.{kind}"))
    }

    /// Returns how often the step of a task was run.
    pub(super) fn attempts(&self, id: &str) -> usize {
        fs::read_to_string(self.file(id, "attempts")).map_or(0, |text| text.lines().count())
    }

    /// Waits until the step of each task was run.
    pub(super) fn placed(&self, ids: &[String]) -> Result<()> {
        let end = Instant::now() + Duration::from_secs(10);
        while ids.iter().any(|id| self.attempts(id) == 0) {
            ensure!(Instant::now() < end, "an order is not placed");
            sleep(Duration::from_millis(20));
        }
        Ok(())
    }

    /// Checks the result of an order: it is that of the last attempt, because the step is not
    /// repeated once its value is stored, and all attempts had the same key, which has one effect.
    pub(super) fn check(&self, id: &str, task: &Value) -> Result<()> {
        let attempts = self.attempts(id);
        let is_last = task["status"] == "completed" && text(task) == format!("order {attempts}");
        ensure!(is_last, "{attempts} attempts, and the end {task}");
        let effect = self.file(id, "effect");
        ensure!(effect.exists(), "no effect of the task {id}");
        Ok(())
    }

    /// Waits until all tasks have ended, and returns what is wrong with them.
    pub(super) fn unfinished(
        &self,
        caller: &Caller,
        ids: &[String],
        time: Duration,
    ) -> Vec<String> {
        let end = Instant::now() + time;
        let check = |id: &String| {
            let left = end.saturating_duration_since(Instant::now());
            let task = caller.ended(id, left);
            task.and_then(|task| self.check(id, &task)).err()
        };
        let wrong = ids.iter().filter_map(check);
        wrong.map(|error| format!("{error:#}")).collect()
    }
}
