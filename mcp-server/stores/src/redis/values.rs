//! Values by key.

use std::sync::LazyLock;
use std::time::Duration;

use mcp_server::{Condition, Put, PutOutcome, StoreError, VersionedValue};
use redis::Script;

use super::RedisParts;

static GET: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("scripts/get.lua")));
static PUT: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("scripts/put.lua")));
static REMOVE: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("scripts/remove.lua")));
static KEYS: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("scripts/keys.lua")));

/// The longest time to live, which is some thousand years: the server refuses far longer ones.
const LONGEST_MILLIS: u128 = 100_000_000_000_000;

/// Returns a duration in the form that scripts expect.
pub(super) fn millis(duration: Duration) -> String {
    duration.as_millis().clamp(1, LONGEST_MILLIS).to_string()
}

impl RedisParts {
    fn value_key(&self, key: &str) -> String {
        format!("{}value:{key}", self.prefix)
    }

    fn group_key(&self, group: &str) -> String {
        format!("{}group:{group}", self.prefix)
    }

    pub(super) async fn get(&self, key: &str) -> Result<Option<VersionedValue>, StoreError> {
        let script = GET.key(self.value_key(key));
        let (value, version): (Option<Vec<u8>>, Option<u64>) =
            self.connections.run(&script).await?;
        let found = value.zip(version);
        Ok(found.map(|(value, version)| VersionedValue { value, version }))
    }

    pub(super) async fn put(&self, put: Put<'_>) -> Result<PutOutcome, StoreError> {
        let mut script = PUT.prepare_invoke();
        script.key(self.value_key(put.key));
        script.key(format!("{}version", self.prefix));
        if let Some(group) = put.group {
            script.key(self.group_key(group.name));
        }
        script.arg(put.value).arg(millis(put.time_to_live));
        match put.condition {
            Condition::Any => script.arg("any"),
            Condition::Absent => script.arg("absent"),
            Condition::Version(version) => script.arg(version),
        };
        script.arg(put.key);
        script.arg(put.group.map_or(0, |group| group.most));
        let outcome: String = self.connections.run(&script).await?;
        match outcome.as_str() {
            "conflict" => Ok(PutOutcome::Conflict),
            "full" => Ok(PutOutcome::GroupFull),
            version => {
                let version = version.parse().map_err(StoreError::unreadable)?;
                Ok(PutOutcome::Written(version))
            }
        }
    }

    pub(super) async fn remove(&self, key: &str) -> Result<bool, StoreError> {
        let mut script = REMOVE.key(self.value_key(key));
        self.connections.run(script.arg(key)).await
    }

    pub(super) async fn keys(&self, group: &str, most: usize) -> Result<Vec<String>, StoreError> {
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        let mut script = KEYS.key(self.group_key(group));
        self.connections.run(script.arg(most)).await
    }
}
