//! [`PostgresBus`]: messages between processes in PostgreSQL.

use std::sync::Arc;
use std::time::Duration;

use mcp_server::{BusPage, StoreError};
use tokio::time::Instant;

use super::connections::Connections;
use super::listener::ChangeListener;
use super::names::Names;

/// The time after which a page without messages is returned.
const RECEIVE_TIME: Duration = Duration::from_secs(5);

/// The statements for messages.
pub(crate) struct PostgresBus {
    connections: Connections,
    listener: Arc<ChangeListener>,
    publish: String,
    receive: String,
}

/// A place in a log of messages.
#[derive(Clone, PartialEq, Eq)]
struct LogPosition {
    /// The random name of the log.
    log: String,
    /// The id of the last message before this place.
    after: i64,
}

impl PostgresBus {
    pub(crate) fn new(
        connections: Connections,
        listener: Arc<ChangeListener>,
        names: &Names,
    ) -> Self {
        Self {
            connections,
            listener,
            publish: names.sql(r#"SELECT "@publish"($1)"#),
            // One row for each message, or one row without a message.
            receive: names.sql(&format!(
                r#"SELECT b.log, b.last, m.id, m.message FROM "@bus" AS b LEFT JOIN LATERAL (
                    SELECT id, message,
                        sum(octet_length(message)) OVER (ORDER BY id) - octet_length(message)
                            AS before
                    FROM (
                        SELECT id, message FROM "@messages" WHERE id > $1 ORDER BY id LIMIT 256
                    ) AS next
                ) AS m ON m.before < {} ORDER BY m.id"#,
                BusPage::BYTES,
            )),
        }
    }

    pub(crate) async fn publish(&self, message: &[u8]) -> Result<(), StoreError> {
        self.connections
            .run_once(&self.publish, &[&message])
            .await?;
        Ok(())
    }

    pub(crate) async fn receive(&self, after: Option<&str>) -> Result<BusPage, StoreError> {
        let Some(after) = after else {
            let mut page = self.page(&LogPosition::END).await?;
            page.missed = false;
            return Ok(page);
        };
        let after = LogPosition::parse(after)?;
        let end = Instant::now() + RECEIVE_TIME;
        loop {
            let published = self.listener.published.notified();
            tokio::pin!(published);
            // Enabled before the log is read, so that no message is missed in between.
            published.as_mut().enable();
            let page = self.page(&after).await?;
            let waits = page.messages.is_empty() && !page.missed;
            if !waits || !self.listener.wait(published, end).await {
                return Ok(page);
            }
        }
    }

    /// Returns the messages after a position. If the log is another one, returns its end, or what
    /// it has of messages from its start.
    async fn page(&self, after: &LogPosition) -> Result<BusPage, StoreError> {
        let (end, page) = self.messages(after.after).await?;
        if *after == LogPosition::END || (end.log == after.log && end.after >= after.after) {
            return Ok(page);
        }
        let (_, page) = self.messages(0).await?;
        Ok(BusPage {
            missed: true,
            ..page
        })
    }

    /// Returns the end of the log, and the messages after an id.
    async fn messages(&self, after: i64) -> Result<(LogPosition, BusPage), StoreError> {
        let rows = self
            .connections
            .run_repeatable(&self.receive, &[&after])
            .await?;
        // There is no row if the table was emptied.
        let mut end = LogPosition {
            log: String::new(),
            after: 0,
        };
        let (mut messages, mut last) = (Vec::new(), None);
        for row in &rows {
            end.log = row.try_get(0).map_err(StoreError::unreadable)?;
            end.after = row.try_get(1).map_err(StoreError::unreadable)?;
            let id: Option<i64> = row.try_get(2).map_err(StoreError::unreadable)?;
            if id.is_some() {
                last = id;
                messages.push(row.try_get(3).map_err(StoreError::unreadable)?);
            }
        }
        let last = last.unwrap_or(end.after);
        let page = BusPage {
            position: format!("{}-{last}", end.log),
            // Ids have no gaps, so what is not there was removed.
            missed: usize::try_from(last.saturating_sub(after)) != Ok(messages.len()),
            messages,
        };
        Ok((end, page))
    }
}

impl LogPosition {
    /// After all messages of any log.
    const END: Self = Self {
        log: String::new(),
        after: i64::MAX,
    };

    fn parse(text: &str) -> Result<Self, StoreError> {
        let (log, after) = text
            .rsplit_once('-')
            .ok_or_else(|| StoreError::unreadable("not a position of this bus"))?;
        Ok(Self {
            log: log.to_owned(),
            after: after.parse().map_err(StoreError::unreadable)?,
        })
    }
}
