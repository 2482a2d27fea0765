//! What may stand in the contents of a resource, by its type (SEP-2093). A breach is the fault of
//! the server's author: it is logged, and nothing of it leaves.

use mcp_types::peer_text::{PeerDisplay, PeerText};
use mcp_types::{AnyResourceContents, Resource, ResourceType};

use crate::protocol::error_text::short;
use crate::protocol::handler_error::HandlerError;

/// The rule that contents break.
#[derive(Debug, PartialEq, thiserror::Error)]
enum Breach {
    #[error("what is read of a document has at least one element")]
    Empty,
    #[error("what is read of a document has the URI of the document only, not `{0}`")]
    Foreign(String),
}

/// Holds contents to the type of their resource: what the definition says, or else the contents
/// that have the resource's URI.
///
/// Of a collection, and where no type is known, all may stand there.
pub(crate) fn check(
    resource: &Resource,
    contents: &[AnyResourceContents],
) -> Result<(), HandlerError> {
    judge(resource, contents).map_err(|breach| {
        let uri = PeerText(&resource.uri);
        tracing::error!(%uri, rule = %PeerDisplay(&breach), "contents of a resource break a rule of its type");
        HandlerError::internal("the contents of the resource break a rule of its type")
    })
}

fn judge(resource: &Resource, contents: &[AnyResourceContents]) -> Result<(), Breach> {
    let mut own = contents
        .iter()
        .filter(|contents| contents.uri() == resource.uri);
    let resource_type = resource.resource_type.or_else(|| own.find_map(kind));
    if resource_type != Some(ResourceType::Document) {
        return Ok(());
    }
    if contents.is_empty() {
        return Err(Breach::Empty);
    }
    let mut uris = contents.iter().map(AnyResourceContents::uri);
    match uris.find(|uri| *uri != resource.uri) {
        Some(foreign) => Err(Breach::Foreign(short(foreign))),
        None => Ok(()),
    }
}

fn kind(contents: &AnyResourceContents) -> Option<ResourceType> {
    match contents {
        AnyResourceContents::Text(text) => text.resource_type,
        AnyResourceContents::Blob(blob) => blob.resource_type,
        _ => None,
    }
}
