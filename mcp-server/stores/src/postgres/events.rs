//! [`PostgresEvents`]: the events of legacy streams in PostgreSQL.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use mcp_server::{EventPage, StoreError, StreamKey};
use tokio::time::Instant;
use tokio_postgres::Row;

use super::connections::Connections;
use super::listener::ChangeListener;
use super::names::Names;
use super::values::{integer, millis};

/// The time after which a read without events returns.
const READ_TIME: Duration = Duration::from_secs(5);

/// The statements for events.
pub(crate) struct PostgresEvents {
    connections: Connections,
    listener: Arc<ChangeListener>,
    open: String,
    about: String,
    append: String,
    read: String,
    remove_session: String,
}

impl PostgresEvents {
    pub(crate) fn new(
        connections: Connections,
        listener: Arc<ChangeListener>,
        names: &Names,
    ) -> Self {
        Self {
            connections,
            listener,
            open: names.sql(r#"SELECT "@open"($1, $2, $3, $4)"#),
            about: names.sql(
                r#"SELECT about FROM "@streams"
                WHERE session = $1 AND stream = $2 AND expires > now()"#,
            ),
            append: names.sql(r#"SELECT "@append"($1, $2, $3, $4, $5)"#),
            read: names.sql(r#"SELECT r_ended, r_number, r_message FROM "@read"($1, $2, $3)"#),
            remove_session: names.sql(r#"SELECT "@remove_session"($1)"#),
        }
    }

    pub(crate) async fn open(
        &self,
        stream: StreamKey<'_>,
        about: &[u8],
        kept: Duration,
    ) -> Result<(), StoreError> {
        let kept = millis(kept);
        self.connections
            .run_repeatable(
                &self.open,
                &[&stream.session, &stream.stream, &about, &kept],
            )
            .await?;
        Ok(())
    }

    pub(crate) async fn about(&self, stream: StreamKey<'_>) -> Result<Option<Vec<u8>>, StoreError> {
        let rows = self
            .connections
            .run_repeatable(&self.about, &[&stream.session, &stream.stream])
            .await?;
        let about = rows.first().map(|row| row.try_get(0));
        about.transpose().map_err(StoreError::unreadable)
    }

    pub(crate) async fn append(
        &self,
        stream: StreamKey<'_>,
        number: u64,
        message: Option<Bytes>,
        kept: Duration,
    ) -> Result<(), StoreError> {
        let (number, kept) = (integer(number), millis(kept));
        let message = message.as_deref();
        self.connections
            .run_repeatable(
                &self.append,
                &[&stream.session, &stream.stream, &number, &message, &kept],
            )
            .await?;
        Ok(())
    }

    pub(crate) async fn read(
        &self,
        stream: StreamKey<'_>,
        after: u64,
    ) -> Result<Option<EventPage>, StoreError> {
        let end = Instant::now() + READ_TIME;
        let after = integer(after);
        let watch = self.listener.watch(stream);
        loop {
            let changed = watch.changed.notified();
            tokio::pin!(changed);
            // Enabled before the stream is read, so that no notification is missed in between.
            changed.as_mut().enable();
            let rows = self
                .connections
                .run_repeatable(&self.read, &[&stream.session, &stream.stream, &after])
                .await?;
            if rows.is_empty() {
                return Ok(None);
            }
            let page = page(&rows).map_err(StoreError::unreadable)?;
            let waits = page.events.is_empty() && !page.ended;
            if !waits || !self.listener.wait(changed, end).await {
                return Ok(Some(page));
            }
        }
    }

    pub(crate) async fn remove_session(&self, session: &str) -> Result<(), StoreError> {
        self.connections
            .run_repeatable(&self.remove_session, &[&session])
            .await?;
        Ok(())
    }
}

fn page(rows: &[Row]) -> Result<EventPage, tokio_postgres::Error> {
    let mut page = EventPage::default();
    for row in rows {
        page.ended = row.try_get(0)?;
        let number: Option<i64> = row.try_get(1)?;
        if let Some(number) = number {
            let message: Vec<u8> = row.try_get(2)?;
            page.events.push((number.unsigned_abs(), message.into()));
        }
    }
    Ok(page)
}
