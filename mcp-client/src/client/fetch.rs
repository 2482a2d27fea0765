//! Fetches resources by their HTTPS URLs (the proposal `https-url`).

use super::handle::Client;
use crate::proposals::https_url::{Fetch, Reference};

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
        Fetch::new(self.shared.clone(), resource.into(), policy)
    }
}
