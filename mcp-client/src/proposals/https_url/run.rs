//! [`Fetch`]: a resource on its way, by its URL or over the connection.

use std::fmt;
use std::future::{Future, IntoFuture};
use std::pin::Pin;

use super::download::Download;
use super::failed::FetchFailed;
use super::fetched::{Fetched, FetchedBy, Source};
use super::reference::Reference;
use super::refresh::refreshed;
use crate::client::Client;
use crate::protocol::fetch::FetchError;
use crate::protocol::fetch::FetchPolicy;

/// A resource that is fetched when this is awaited. Dropping it then gives that up.
#[must_use = "nothing is fetched until it is awaited"]
pub struct Fetch {
    client: Client,
    reference: Reference,
    policy: Option<FetchPolicy>,
    wanted: Option<String>,
}

impl Client {
    /// Fetches the content of a resource: by its `httpUrl`, where it has one that can be used, and
    /// else by `resources/read`. (Proposal `https-url`.)
    ///
    /// The URL is used when it is `https`, does not expire soon, and the
    /// [policy](crate::ClientBuilder::fetch_policy) allows it. Nothing goes there that belongs to
    /// this connection: no authorization, no header, no cookie. What comes has to have the media
    /// type and the size that the resource says. On any failure the resource is read over this
    /// connection instead, and [`Fetched::attempts`] tells why; only what is too large is not. A
    /// URL whose time is over, or which is refused for that reason (HTTP status 401, 403 or 410),
    /// is first asked for anew, of servers that speak SEP-2093; so is that of a bare URI.
    ///
    /// ```no_run
    /// # async fn fetch(client: mcp_client::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// for resource in client.resources().all().await?.items {
    ///     let mut fetched = client.fetch(&resource).await?;
    ///     let mut file = Vec::new(); // anything that can be written to
    ///     let bytes = fetched.write_to(&mut file).await?;
    ///     println!("{}: {bytes} bytes by {:?}", resource.uri, fetched.by());
    ///     for attempt in fetched.attempts() {
    ///         println!("  {attempt}");
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// Of a resource with several contents it is one: of the type that is
    /// [asked for](Fetch::as_type), or the one with the URI and the media type of the resource.
    /// [`read_resource`](Self::read_resource) gives all.
    pub fn fetch(&self, resource: impl Into<Reference>) -> Fetch {
        Fetch {
            client: self.clone(),
            reference: resource.into(),
            policy: None,
            wanted: None,
        }
    }
}

impl Fetch {
    /// Another policy than that of the [client](crate::ClientBuilder::fetch_policy).
    pub fn policy(mut self, policy: FetchPolicy) -> Self {
        self.policy = Some(policy);
        self
    }

    /// Content of this media type and no other, also where the resource says that it is of another
    /// one: then it is read, for the URL gives the type that the resource says.
    pub fn as_type(mut self, media_type: impl Into<String>) -> Self {
        self.wanted = Some(media_type.into());
        self
    }

    async fn run(self) -> Result<Fetched, FetchFailed> {
        let policy = match self.policy {
            Some(policy) => policy,
            None => self.client.core().fetch.clone(),
        };
        let mut fetched = Fetched {
            client: self.client,
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
        let mut asked_anew = false;
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
            if is_stale(&error, &fetched.reference) && !asked_anew {
                asked_anew = true;
                if let Some(new) = refreshed(&fetched.client, &fetched.reference).await {
                    fetched.attempts.push(error);
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

/// Whether the server might name another URL by now.
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
