//! Requests of the proposal `sep-2093`.

use mcp_types::{
    ListResourcesRequest, Proposal, ReadResourceMetadataRequest, ReadResourceMetadataRequestParams,
    Request,
};

use crate::client::handle::Client;
use crate::features::calls::Call;
use crate::features::lists::List;
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
}
