//! [`PostgresValues`]: values by key in PostgreSQL.

use std::time::Duration;

use super::connections::Connections;
use super::names::Names;
use mcp_server::{Condition, Put, PutOutcome, StoreError, VersionedValue};

/// The longest time that something is kept: 100 years.
const LONGEST: u128 = 100 * 365 * 24 * 60 * 60 * 1000;

/// The statements for values.
pub(crate) struct PostgresValues {
    connections: Connections,
    get: String,
    put: String,
    remove: String,
    keys: String,
}

impl PostgresValues {
    pub(crate) fn new(connections: Connections, names: &Names) -> Self {
        Self {
            connections,
            get: names
                .sql(r#"SELECT value, version FROM "@values" WHERE key = $1 AND expires > now()"#),
            put: names.sql(r#"SELECT "@put"($1, $2, $3, $4, $5, $6)"#),
            remove: names.sql(
                r#"DELETE FROM "@values" WHERE key = $1 RETURNING expires > clock_timestamp()"#,
            ),
            keys: names.sql(
                r#"SELECT key FROM "@values" WHERE "group" = $1 AND expires > now()
                ORDER BY expires, key LIMIT $2"#,
            ),
        }
    }

    pub(crate) async fn get(&self, key: &str) -> Result<Option<VersionedValue>, StoreError> {
        let rows = self.connections.run_repeatable(&self.get, &[&key]).await?;
        let Some(row) = rows.first() else {
            return Ok(None);
        };
        let version: i64 = row.try_get(1).map_err(StoreError::unreadable)?;
        Ok(Some(VersionedValue {
            value: row.try_get(0).map_err(StoreError::unreadable)?,
            version: version.unsigned_abs(),
        }))
    }

    pub(crate) async fn put(&self, put: Put<'_>) -> Result<PutOutcome, StoreError> {
        let condition = match put.condition {
            Condition::Any => None,
            Condition::Absent => Some(-1),
            Condition::Version(version) => Some(integer(version)),
        };
        let group = put.group.map(|group| group.name);
        let most = put.group.map(|group| integer(group.most as u64));
        let kept = millis(put.time_to_live);
        let rows = self
            .connections
            .run_once(
                &self.put,
                &[&put.key, &put.value, &kept, &condition, &group, &most],
            )
            .await?;
        let row = rows
            .first()
            .ok_or_else(|| StoreError::failed("no result"))?;
        let written: i64 = row.try_get(0).map_err(StoreError::unreadable)?;
        Ok(match written {
            0 => PutOutcome::Conflict,
            ..0 => PutOutcome::GroupFull,
            1.. => PutOutcome::Written(written.unsigned_abs()),
        })
    }

    pub(crate) async fn remove(&self, key: &str) -> Result<bool, StoreError> {
        let rows = self.connections.run_once(&self.remove, &[&key]).await?;
        let removed = rows.first().map(|row| row.try_get(0)).transpose();
        Ok(removed.map_err(StoreError::unreadable)?.unwrap_or(false))
    }

    pub(crate) async fn keys(&self, group: &str, most: usize) -> Result<Vec<String>, StoreError> {
        let most = integer(most as u64);
        let rows = self
            .connections
            .run_repeatable(&self.keys, &[&group, &most])
            .await?;
        let keys: Result<_, tokio_postgres::Error> =
            rows.iter().map(|row| row.try_get(0)).collect();
        keys.map_err(StoreError::unreadable)
    }
}

/// Returns a number as PostgreSQL stores it.
pub(crate) fn integer(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Returns a time in milliseconds, rounded up.
pub(crate) fn millis(time: Duration) -> i64 {
    let millis = time.as_nanos().div_ceil(1_000_000).clamp(1, LONGEST);
    i64::try_from(millis).unwrap_or(i64::MAX)
}
