//! Asks the server for the current URL of a resource.

use mcp_internal::peer_text::PeerDisplay;

use super::reader::ResourceReader;
use super::reference::Reference;

/// Returns the current reference to a resource, or `None` if the server cannot be asked for it, or
/// knows no other URL.
pub(super) async fn refreshed(reader: &dyn ResourceReader, old: &Reference) -> Option<Reference> {
    match reader.metadata(&old.uri).await?.map(Reference::from) {
        Ok(new) if new.http_url == old.http_url && old.described => None,
        Ok(new) => Some(new),
        Err(error) => {
            let error = PeerDisplay(&error);
            tracing::debug!(%error, "the server did not give a new reference");
            None
        }
    }
}
