//! [`FetchBody`]: the body of a response, within the limits of a policy.

use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};
use tokio::task::JoinHandle;

use super::dial::TimeBudget;
use super::error::FetchError;

/// The body of a response. Dropping it closes the connection.
#[must_use = "the body is not received until it is read"]
pub struct FetchBody {
    incoming: Incoming,
    pub(super) budget: TimeBudget,
    received: u64,
    limit: u64,
    _connection: ConnectionTask,
}

impl FetchBody {
    pub(super) fn new(
        incoming: Incoming,
        budget: TimeBudget,
        received: u64,
        limit: u64,
        connection: ConnectionTask,
    ) -> Self {
        Self {
            incoming,
            budget,
            received,
            limit,
            _connection: connection,
        }
    }

    /// Returns the total size of the content in bytes, if it is known.
    #[must_use]
    pub fn length(&self) -> Option<u64> {
        let rest = self.incoming.size_hint().exact()?;
        self.received.checked_add(rest)
    }

    /// Returns the number of received bytes, including those of an interrupted transfer that this
    /// one [resumes](super::FetchRequest::resume).
    #[must_use]
    pub fn received(&self) -> u64 {
        self.received
    }

    /// Returns the remaining time of the [whole transfer](super::FetchPolicy::time).
    #[must_use]
    pub fn remaining_time(&self) -> Duration {
        self.budget.left
    }

    /// Returns all remaining bytes.
    ///
    /// # Errors
    ///
    /// See [`chunk`](Self::chunk).
    pub async fn read_all(&mut self) -> Result<Vec<u8>, FetchError> {
        let mut content = Vec::new();
        while let Some(bytes) = self.chunk().await? {
            content.extend_from_slice(&bytes);
        }
        Ok(content)
    }

    /// Returns the next bytes; `None` at the end.
    ///
    /// # Errors
    ///
    /// Fails if the content is larger than the policy allows, if its time is over, or if the
    /// connection fails.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, FetchError> {
        let limit = self.limit;
        if let Some(found) = self.length().filter(|found| *found > limit) {
            return Err(FetchError::TooLarge { found, limit });
        }
        loop {
            let Some(frame) = self.budget.wait(self.incoming.frame()).await? else {
                return Ok(None);
            };
            let frame = frame.map_err(|error| FetchError::Exchange(error.into()))?;
            // Trailers are ignored.
            let Ok(bytes) = frame.into_data() else {
                continue;
            };
            let found = self.received.saturating_add(bytes.len() as u64);
            if found > limit {
                return Err(FetchError::TooLarge { found, limit });
            }
            self.received = found;
            return Ok(Some(bytes));
        }
    }
}

impl fmt::Debug for FetchBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FetchBody")
            .field("received", &self.received)
            .field("length", &self.length())
            .finish_non_exhaustive()
    }
}

/// The task that drives a connection. Dropping this aborts it.
pub(super) struct ConnectionTask(pub(super) JoinHandle<()>);

impl Drop for ConnectionTask {
    fn drop(&mut self) {
        self.0.abort();
    }
}
