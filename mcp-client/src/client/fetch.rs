//! Fetches resources by their HTTPS URLs (the proposal `https-url`).

use std::sync::Arc;

use mcp_types::{AnyResourceContents, Resource};

use super::handle::Client;
use crate::proposals::https_url::{Fetch, ReadFuture, Reference, ResourceReader};
use crate::protocol::error::CallError;

impl Client {
    /// Fetches the content of a resource: by its `httpUrl`, where it has one that can be used, and
    /// else by `resources/read`. (Proposal `https-url`.)
    ///
    /// The URL is used when it is `https`, does not expire soon, and the
    /// [policy](crate::ClientBuilder::fetch_policy) allows it. Nothing goes there that belongs to
    /// this connection: no authorization, no header, no cookie. What comes has to have the media
    /// type and the size of the resource. On any failure except for the size the resource is read
    /// over this connection instead, and [`Fetched::attempts`](crate::Fetched::attempts) has the reasons. A
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
        let policy = self.fetch_policy().clone();
        Fetch::new(Arc::new(self.clone()), resource.into(), policy)
    }
}

impl ResourceReader for Client {
    fn contents<'a>(
        &'a self,
        uri: &'a str,
    ) -> ReadFuture<'a, Result<Vec<AnyResourceContents>, CallError>> {
        Box::pin(async move { Ok(self.read_resource(uri).await?.contents) })
    }

    #[cfg(feature = "sep-2093")]
    fn metadata<'a>(&'a self, uri: &'a str) -> ReadFuture<'a, Option<Result<Resource, CallError>>> {
        use mcp_types::Proposal;

        Box::pin(async move {
            if !self.negotiated(Proposal::Sep2093) {
                return None;
            }
            let result = self.read_resource_metadata(uri).await;
            Some(result.map(|result| result.resource))
        })
    }

    #[cfg(not(feature = "sep-2093"))]
    fn metadata<'a>(&'a self, _: &'a str) -> ReadFuture<'a, Option<Result<Resource, CallError>>> {
        Box::pin(std::future::ready(None))
    }

    fn message_bytes(&self) -> usize {
        self.connection().limits.message_bytes
    }
}
