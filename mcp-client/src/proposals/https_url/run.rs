//! [`Fetch`]: fetches a resource by its URL or over the connection.

use std::fmt;
use std::future::{Future, IntoFuture};
use std::pin::Pin;
use std::sync::Arc;

use super::download::Download;
use super::failed::FetchFailed;
use super::fetched::{Fetched, FetchedBy, Source};
use super::reader::ResourceReader;
use super::reference::Reference;
use super::refresh::refreshed;
use crate::protocol::fetch::FetchError;
use crate::protocol::fetch::FetchPolicy;

/// A resource that is fetched when this is awaited. Dropping the future cancels the transfer.
#[must_use = "nothing is fetched until it is awaited"]
pub struct Fetch {
    reader: Arc<dyn ResourceReader>,
    reference: Reference,
    policy: FetchPolicy,
    wanted: Option<String>,
}

impl Fetch {
    pub(crate) fn new(
        reader: Arc<dyn ResourceReader>,
        reference: Reference,
        policy: FetchPolicy,
    ) -> Self {
        Self {
            reader,
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
            reader: self.reader,
            reference: self.reference,
            wanted: self.wanted,
            limit: policy.bytes,
            attempts: Vec::new(),
            by: FetchedBy::Read,
            media_type: None,
            length: None,
            source: Source::Read,
            given: 0,
        };
        let mut refreshed_once = false;
        loop {
            let wanted = fetched.wanted.as_deref();
            let error = match Download::begin(&policy, &fetched.reference, wanted).await {
                Ok(download) => {
                    fetched.by = FetchedBy::Url;
                    fetched.media_type.clone_from(&download.media_type);
                    fetched.length = download.length;
                    fetched.source = Source::Url(Box::new(download));
                    return Ok(fetched);
                }
                Err(error) => error,
            };
            if is_stale(&error, &fetched.reference) && !refreshed_once {
                refreshed_once = true;
                if let Some(new) = refreshed(&*fetched.reader, &fetched.reference).await {
                    // Only the URI was known, so nothing was attempted.
                    if !matches!(error, FetchError::NoUrl) {
                        fetched.attempts.push(error);
                    }
                    fetched.reference = new;
                    continue;
                }
            }
            fetched.fall_back(error)?;
            fetched.read().await?;
            return Ok(fetched);
        }
    }
}

/// Returns `true` if the server may name another URL by now.
fn is_stale(error: &FetchError, reference: &Reference) -> bool {
    match error {
        FetchError::Expired { .. } => true,
        FetchError::Status { status } => matches!(status.as_u16(), 401 | 403 | 410),
        FetchError::NoUrl => !reference.described,
        _ => false,
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
