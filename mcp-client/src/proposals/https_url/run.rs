//! [`Fetch`]: fetches a resource by its URL or over the connection.

use std::fmt;
use std::future::{Future, IntoFuture};
use std::pin::Pin;

use super::failed::FetchFailed;
use super::fetched::{Fetched, FetchedBy, Source};
use super::reference::Reference;
use crate::features::shared_connection::SharedConnection;
use mcp_fetch::FetchPolicy;

/// A resource that is fetched when this is awaited. Dropping the future cancels the transfer.
#[must_use = "nothing is fetched until it is awaited"]
pub struct Fetch {
    connection: SharedConnection,
    reference: Reference,
    policy: FetchPolicy,
    wanted: Option<String>,
}

impl Fetch {
    pub(crate) fn new(
        connection: SharedConnection,
        reference: Reference,
        policy: FetchPolicy,
    ) -> Self {
        Self {
            connection,
            reference,
            policy,
            wanted: None,
        }
    }

    /// Sets the policy, instead of that of the [client](crate::ClientBuilder::fetch_policy).
    pub fn policy(mut self, policy: FetchPolicy) -> Self {
        self.policy = policy;
        self
    }

    /// Requires content of this media type. The URL is asked for it, too: if it has only another
    /// one, the content is read over the connection.
    pub fn as_type(mut self, media_type: impl Into<String>) -> Self {
        self.wanted = Some(media_type.into());
        self
    }

    async fn run(self) -> Result<Fetched, FetchFailed> {
        let policy = self.policy;
        let mut fetched = Fetched {
            connection: self.connection,
            reference: self.reference,
            wanted: self.wanted,
            limit: policy.max_size(),
            attempts: Vec::new(),
            by: FetchedBy::Read,
            media_type: None,
            length: None,
            source: Source::Read,
            given: 0,
        };
        let Err(error) = fetched.request(&policy).await else {
            return Ok(fetched);
        };
        let Err(error) = fetched.request_again(&policy, error).await else {
            return Ok(fetched);
        };
        fetched.fall_back(error)?;
        fetched.read().await?;
        Ok(fetched)
    }
}

impl IntoFuture for Fetch {
    type Output = Result<Fetched, FetchFailed>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.run())
    }
}

impl fmt::Debug for Fetch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fetch")
            .field("reference", &self.reference)
            .field("wanted", &self.wanted)
            .finish_non_exhaustive()
    }
}
