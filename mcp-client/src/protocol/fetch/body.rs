//! [`Body`]: the body of a response, within the limits of a policy.

use bytes::Bytes;
use http_body::Body as _;
use hyper::body::Incoming;
use tokio::task::JoinHandle;

use super::dial::TimeBudget;
use super::error::FetchError;
use crate::protocol::error::HttpError;
use crate::util::http_body::chunk;

/// The body of a response.
pub(crate) struct Body {
    incoming: Incoming,
    pub(crate) budget: TimeBudget,
    /// The number of received bytes, including those of earlier attempts.
    pub(crate) received: u64,
    limit: u64,
    _connection: ConnectionTask,
}

impl Body {
    pub(super) fn new(
        incoming: Incoming,
        budget: TimeBudget,
        limit: u64,
        connection: ConnectionTask,
    ) -> Self {
        Self {
            incoming,
            budget,
            received: 0,
            limit,
            _connection: connection,
        }
    }

    /// Returns the total size of the content, if it is known.
    pub(crate) fn length(&self) -> Option<u64> {
        let rest = self.incoming.size_hint().exact()?;
        self.received.checked_add(rest)
    }

    /// Returns all remaining bytes.
    pub(crate) async fn read_all(&mut self) -> Result<Vec<u8>, FetchError> {
        let mut content = Vec::new();
        while let Some(bytes) = self.chunk().await? {
            content.extend_from_slice(&bytes);
        }
        Ok(content)
    }

    /// Returns the next bytes; `None` at the end.
    pub(crate) async fn chunk(&mut self) -> Result<Option<Bytes>, FetchError> {
        if let Some(found) = self.length().filter(|found| *found > self.limit) {
            let limit = self.limit;
            return Err(FetchError::TooLarge { found, limit });
        }
        let bytes = self.budget.wait(chunk(&mut self.incoming)).await?;
        let Some(bytes) = bytes.map_err(HttpError::exchange)? else {
            return Ok(None);
        };
        let found = self.received.saturating_add(bytes.len() as u64);
        if found > self.limit {
            let limit = self.limit;
            return Err(FetchError::TooLarge { found, limit });
        }
        self.received = found;
        Ok(Some(bytes))
    }
}

/// The task that drives a connection. Dropping this aborts it.
pub(super) struct ConnectionTask(pub(super) JoinHandle<()>);

impl Drop for ConnectionTask {
    fn drop(&mut self) {
        self.0.abort();
    }
}
