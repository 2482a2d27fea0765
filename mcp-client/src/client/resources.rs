//! Requests of the proposals about resources: `sep-2093`, `versioned-resources` and `https-url`.

use mcp_types::json::Object;
use mcp_types::{
    GetResourceRequest, GetResourceRequestParams, ListResourcesRequest, NOT_MODIFIED, Proposal,
    ReadResourceMetadataRequest, ReadResourceMetadataRequestParams, Request,
    SubscribeResourcesRequest, SubscribeResourcesRequestParams, UnsubscribeResourcesRequest,
    UnsubscribeResourcesRequestParams,
};

use super::handle::Client;
use crate::features::calls::Call;
use crate::features::lists::List;
use crate::proposals::https_url::{Fetch, Reference};
use crate::proposals::versioned_resources::Current;
use crate::protocol::error::CallError;

impl Client {
    /// Requests the metadata of a resource without its contents (SEP-2093).
    ///
    /// A server that does not support the request rejects it with -32601.
    pub fn read_resource_metadata(
        &self,
        uri: impl Into<String>,
    ) -> Call<ReadResourceMetadataRequest> {
        self.request(ReadResourceMetadataRequestParams::new(uri, self.meta()))
    }

    /// Lists the members of a collection, page by page (SEP-2093). Params for more, such as a
    /// filter, are added to a page of [`resources`](Self::resources) instead.
    ///
    /// # Errors
    ///
    /// [`CallError::NotNegotiated`] if not both sides announced the proposal: the server would
    /// ignore the URI and list everything.
    ///
    /// ```
    /// # async fn members(client: mcp_client::Client) -> Result<(), mcp_client::CallError> {
    /// for resource in client.resources_in("file:///src")?.all().await?.items {
    ///     println!("{} {:?}", resource.uri, resource.resource_type);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn resources_in(
        &self,
        collection: impl Into<String>,
    ) -> Result<List<ListResourcesRequest>, CallError> {
        self.require_proposal(Proposal::Sep2093, ListResourcesRequest::METHOD)?;
        Ok(self
            .resources()
            .one_page()
            .with(|params| params.uri(collection))
            .list())
    }

    /// Requests the metadata of a resource, including its current version, and its contents in one
    /// form.
    ///
    /// ```
    /// use mcp_client::Current;
    ///
    /// # async fn get(client: mcp_client::Client) -> Result<(), mcp_client::CallError> {
    /// let had = client.get_resource("demo:page").await?.resource.version.unwrap_or_default();
    /// match client.get_resource("demo:page").unless(had).await? {
    ///     Current::NotModified => println!("still the same"),
    ///     Current::Changed(page) => println!("{:?}", page.contents),
    ///     _ => {}
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn get_resource(&self, uri: impl Into<String>) -> Call<GetResourceRequest> {
        self.request(GetResourceRequestParams::new(uri, self.meta()))
    }

    /// Lists the resources that match a filter, page by page. The server defines the criteria;
    /// servers of this project support `kind`, `uriPrefix` and `metadata`.
    ///
    /// # Errors
    ///
    /// [`CallError::NotNegotiated`] if not both sides announced the proposal: the server would
    /// ignore the filter and list everything.
    pub fn resources_where(
        &self,
        filter: impl Into<Object>,
    ) -> Result<List<ListResourcesRequest>, CallError> {
        self.require_proposal(Proposal::VersionedResources, ListResourcesRequest::METHOD)?;
        let filter = filter.into();
        Ok(self
            .resources()
            .one_page()
            .with(|params| params.filter(filter))
            .list())
    }

    /// Subscribes to several resources at once, for as long as the connection lasts. Changes are
    /// delivered to the [`on_notification`](crate::ClientBuilder::on_notification) handler of
    /// [`ResourceContentChangedNotification`](mcp_types::ResourceContentChangedNotification).
    ///
    /// Servers reject this over HTTP, where the requests of a client are independent.
    /// [`listen`](Self::listen) works with every transport: its filter can name several resources,
    /// and its events are
    /// [`ResourceContentChanged`](crate::SubscriptionEvent::ResourceContentChanged).
    pub fn subscribe_resources<U: Into<String>>(
        &self,
        uris: impl IntoIterator<Item = U>,
    ) -> Call<SubscribeResourcesRequest> {
        let uris: Vec<String> = uris.into_iter().map(Into::into).collect();
        self.request(SubscribeResourcesRequestParams::new(uris, self.meta()))
    }

    /// Ends subscriptions of [`subscribe_resources`](Self::subscribe_resources).
    pub fn unsubscribe_resources<U: Into<String>>(
        &self,
        uris: impl IntoIterator<Item = U>,
    ) -> Call<UnsubscribeResourcesRequest> {
        let uris: Vec<String> = uris.into_iter().map(Into::into).collect();
        self.request(UnsubscribeResourcesRequestParams::new(uris, self.meta()))
    }

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

    /// Fails unless both sides announced a proposal that a request needs.
    fn require_proposal(&self, proposal: Proposal, method: &'static str) -> Result<(), CallError> {
        if self.negotiated(proposal) {
            return Ok(());
        }
        Err(CallError::NotNegotiated { method, proposal })
    }
}

impl Call<GetResourceRequest> {
    /// Requests the contents only if this is not the current version.
    ///
    /// # Errors
    ///
    /// See [`CallError`].
    pub async fn unless(self, version: impl Into<String>) -> Result<Current, CallError> {
        let version = version.into();
        match self.with(|params| params.version(version)).await {
            Ok(result) => Ok(Current::Changed(Box::new(result))),
            Err(CallError::Refused { source, .. }) if source.code == NOT_MODIFIED => {
                Ok(Current::NotModified)
            }
            Err(error) => Err(error),
        }
    }
}
