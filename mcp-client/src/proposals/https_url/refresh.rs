//! Asks the server for the current URL of a resource, as SEP-2093 allows.

use mcp_types::peer_text::PeerDisplay;
use mcp_types::{Proposal, ReadResourceMetadataRequest, ReadResourceMetadataRequestParams};

use super::fetched::Fetched;
use super::reference::Reference;
use crate::features::calls::Call;
use crate::features::shared_connection::SharedConnection;
use crate::protocol::request_meta::RequestMeta;
use mcp_fetch::{FetchError, FetchPolicy};

impl Fetched {
    /// Requests the content again if the URL has failed and the server knows another one.
    pub(super) async fn request_again(
        &mut self,
        policy: &FetchPolicy,
        error: FetchError,
    ) -> Result<(), FetchError> {
        if !is_stale(&error, &self.reference) {
            return Err(error);
        }
        let Some(new) = refreshed(&self.connection, &self.reference).await else {
            return Err(error);
        };
        // If only the URI was known, nothing was attempted.
        if !matches!(error, FetchError::NoUrl) {
            self.attempts.push(error);
        }
        self.reference = new;
        self.request(policy).await
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

/// Returns the current reference to a resource, or `None` if the server cannot be asked for it, or
/// knows no other URL.
async fn refreshed(connection: &SharedConnection, old: &Reference) -> Option<Reference> {
    if !connection.connection().has_negotiated(Proposal::Sep2093) {
        return None;
    }
    let params = ReadResourceMetadataRequestParams::new(&old.uri, RequestMeta::placeholder());
    match Call::<ReadResourceMetadataRequest>::new(connection.clone(), params).await {
        Ok(result) => {
            let new = Reference::from(result.resource);
            (new.http_url != old.http_url || !old.described).then_some(new)
        }
        Err(error) => {
            let error = PeerDisplay(&error);
            tracing::debug!(%error, "the server did not give a new reference");
            None
        }
    }
}
