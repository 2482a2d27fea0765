//! Asking the server for a reference that is up to date.

use super::reference::Reference;
use crate::client::Client;

/// What the server says of a resource now, where it can be asked for that alone: by
/// `resources/metadata` of SEP-2093. `None` where it cannot, or has nothing new to say.
#[cfg(feature = "sep-2093")]
pub(super) async fn refreshed(client: &Client, old: &Reference) -> Option<Reference> {
    use mcp_types::peer_text::PeerDisplay;
    use mcp_types::{Proposal, ReadResourceMetadataRequest, ReadResourceMetadataRequestParams};

    if !client.speaks(Proposal::Sep2093) {
        return None;
    }
    let params = ReadResourceMetadataRequestParams::new(&old.uri, client.meta());
    let asked = client.request::<ReadResourceMetadataRequest>(params).await;
    let new = asked.map(|result| Reference::from(result.resource));
    match new {
        Ok(new) if new.http_url == old.http_url && old.described => None,
        Ok(new) => Some(new),
        Err(error) => {
            let error = PeerDisplay(&error);
            tracing::debug!(%error, "the reference cannot be had anew");
            None
        }
    }
}

#[cfg(not(feature = "sep-2093"))]
pub(super) async fn refreshed(_: &Client, _: &Reference) -> Option<Reference> {
    None
}
