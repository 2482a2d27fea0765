//! Requests of the proposal `versioned-resources`.

use mcp_types::json::Object;
use mcp_types::{
    GetResourceRequest, GetResourceRequestParams, ListResourcesRequest, NOT_MODIFIED, Proposal,
    Request, SubscribeResourcesRequest, SubscribeResourcesRequestParams,
    UnsubscribeResourcesRequest, UnsubscribeResourcesRequestParams,
};

use crate::client::handle::Client;
use crate::features::calls::Call;
use crate::features::lists::List;
use crate::proposals::versioned_resources::Current;
use crate::protocol::error::CallError;

impl Client {
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
