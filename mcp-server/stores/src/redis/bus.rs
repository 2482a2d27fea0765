//! Messages between processes.

use std::sync::LazyLock;
use std::time::Duration;

use mcp_server::{BusPage, StoreError};
use redis::{Script, cmd};

use super::RedisParts;
use super::connection::RedisConnection;
use super::values::millis;

static PUBLISH: LazyLock<Script> =
    LazyLock::new(|| Script::new(include_str!("scripts/publish.lua")));
static LATEST: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("scripts/latest.lua")));
static PAGE: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("scripts/page.lua")));

/// About the maximum number of messages that are kept.
const MESSAGES: usize = 10_000;
/// The maximum size of all messages in bytes. The newest is kept even if it is larger.
const BYTES: usize = 64 << 20;
/// The time for which messages are kept.
const KEPT: Duration = Duration::from_secs(300);
/// The maximum number of messages of a page.
const PAGE_MESSAGES: usize = 128;
/// The time after which a page without messages is returned.
const RECEIVE_TIME: Duration = Duration::from_secs(5);

impl RedisParts {
    fn log_key(&self) -> String {
        format!("{}bus", self.prefix)
    }

    fn latest_key(&self) -> String {
        format!("{}bus:latest", self.prefix)
    }

    pub(super) async fn publish(&self, message: &[u8]) -> Result<(), StoreError> {
        let mut script = PUBLISH.key(self.log_key());
        script.key(self.latest_key());
        script.arg(message).arg(MESSAGES);
        script.arg(millis(KEPT)).arg(BYTES);
        self.connections.run(&script).await
    }

    pub(super) async fn receive(&self, after: Option<&str>) -> Result<BusPage, StoreError> {
        let Some(after) = after else {
            let script = LATEST.key(self.latest_key());
            return Ok(BusPage {
                position: self.connections.run(&script).await?,
                ..BusPage::default()
            });
        };
        let after: u64 = after.parse().map_err(StoreError::unreadable)?;
        let mut connection = self.connections.own().await?;
        let mut page = self.page(&mut connection, after).await?;
        if page.messages.is_empty() && !page.missed {
            let mut read = cmd("XREAD");
            read.arg("COUNT").arg(1);
            read.arg("BLOCK").arg(millis(RECEIVE_TIME));
            read.arg("STREAMS")
                .arg(self.log_key())
                .arg(format!("{after}-0"));
            // The message is read again below, with the others that have arrived.
            connection.block(&read, RECEIVE_TIME).await?;
            page = self.page(&mut connection, after).await?;
        }
        self.connections.give_back(connection);
        Ok(page)
    }

    /// Returns the messages that there are.
    async fn page(
        &self,
        connection: &mut RedisConnection,
        after: u64,
    ) -> Result<BusPage, StoreError> {
        let mut script = PAGE.key(self.log_key());
        script.key(self.latest_key());
        script.arg(after).arg(PAGE_MESSAGES).arg(BusPage::BYTES);
        let mut parts = connection.run::<Vec<Vec<u8>>>(&script).await?.into_iter();
        let latest = position(parts.next())?;
        let mut page = BusPage {
            position: latest.to_string(),
            missed: latest != after,
            ..BusPage::default()
        };
        while let (Some(at), Some(before), Some(message)) =
            (parts.next(), parts.next(), parts.next())
        {
            if page.messages.is_empty() {
                page.missed = position(Some(before))? != after;
            }
            page.position = position(Some(at))?.to_string();
            page.messages.push(message);
        }
        Ok(page)
    }
}

/// Decodes a position.
fn position(text: Option<Vec<u8>>) -> Result<u64, StoreError> {
    let text = String::from_utf8(text.unwrap_or_default()).map_err(StoreError::unreadable)?;
    text.parse().map_err(StoreError::unreadable)
}
