//! Fetches resources by their HTTPS URLs (the proposal `https-url`).

use std::sync::Arc;

use mcp_types::{AnyResourceContents, Resource};

use super::handle::Client;
use crate::proposals::https_url::{Fetch, ReadFuture, Reference, ResourceReader};
use crate::protocol::error::CallError;

impl Client {
    /// Fetches the content of a resource: by its `httpUrl` if it has a usable one, otherwise with
    /// `resources/read`. (Proposal `https-url`.)
    ///
    /// The URL is used if it is `https`, does not expire soon, and the
    /// [policy](crate::ClientBuilder::fetch_policy) allows it. No authorization, header or cookie
    /// of this connection is sent there. The content must have the media type and the size of the
    /// resource. After any failure except for the size, the resource is read over this connection,
    /// and [`Fetched::attempts`](crate::Fetched::attempts) contains the reasons. If the URL has
    /// expired or is rejected (HTTP status 401, 403 or 410), or if only the URI is known, servers
    /// that support SEP-2093 are first asked for the current URL.
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
    /// If the resource has several contents, one of them is returned: that of the [requested
    /// type](Fetch::as_type), or the one with the URI and the media type of the resource.
    /// [`read_resource`](Self::read_resource) returns all.
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
