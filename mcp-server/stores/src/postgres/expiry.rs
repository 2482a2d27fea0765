//! Removes what has expired.

use std::error::Error;
use std::time::Duration;

use mcp_server::StoreError;
use tokio::time::sleep;

use super::connections::Connections;
use super::names::Names;

/// The pause after the store was connected. Programs that exit at once need not remove anything.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
/// The pause after everything was removed.
const PAUSE: Duration = Duration::from_secs(60);

/// What is removed: the table, the column that identifies a row, a condition, the order, and the
/// maximum number of rows of one statement. A stream has up to 256 events, which are removed with it.
const EXPIRED: [[&str; 5]; 3] = [
    ["values", "key", "expires <= now()", "expires", "500"],
    ["streams", "id", "expires <= now()", "expires", "20"],
    [
        "messages",
        "id",
        "published < now() - interval '2 minutes'",
        "id",
        "500",
    ],
];

/// Removes what has expired, once a minute. Never finishes. Several processes may do so.
pub(crate) async fn run(connections: Connections, names: Names) {
    let mut pause = FIRST_PAUSE;
    loop {
        sleep(pause).await;
        pause = PAUSE;
        for [table, id, condition, order, most] in EXPIRED {
            let sql = names.sql(&format!(
                r#"WITH expired AS (
                    DELETE FROM "@{table}" WHERE {id} IN (
                        SELECT {id} FROM "@{table}" WHERE {condition}
                        ORDER BY {order} LIMIT {most} FOR UPDATE SKIP LOCKED
                    ) RETURNING 1
                ) SELECT count(*) >= {most} FROM expired"#
            ));
            if let Err(error) = remove(&connections, &sql).await {
                tracing::warn!(
                    error = &error as &(dyn Error + 'static),
                    table,
                    "cannot remove what has expired"
                );
            }
        }
    }
}

/// Removes rows in batches.
async fn remove(connections: &Connections, sql: &str) -> Result<(), StoreError> {
    loop {
        let rows = connections.run_once(sql, &[]).await?;
        let has_more = rows.first().map(|row| row.try_get(0)).transpose();
        if has_more.map_err(StoreError::unreadable)? != Some(true) {
            return Ok(());
        }
    }
}
