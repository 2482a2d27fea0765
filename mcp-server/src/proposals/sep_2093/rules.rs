//! Checks the contents of a resource against its type (SEP-2093). A violation is an error in the
//! program: it is logged, and the contents are not sent.

use std::sync::atomic::{AtomicBool, Ordering};

use mcp_types::peer_text::{PeerDisplay, PeerText};
use mcp_types::{AnyResourceContents, Resource, ResourceType};

use crate::protocol::error_text::short;
use crate::protocol::handler_error::HandlerError;

/// `true` if the log has a warning of contents of other resources without a type. Stored in the
/// definition.
#[derive(Default)]
pub(crate) struct UntypedWarned(AtomicBool);

/// A rule that contents violate.
#[derive(Debug, PartialEq, thiserror::Error)]
enum Violation {
    #[error("a document needs at least one element")]
    Empty,
    #[error("the contents of a document must have its URI, not `{0}`")]
    Foreign(String),
}

/// Checks that contents follow the rules of their resource's type, which the definition sets, or
/// else the contents with the URI of the resource.
///
/// The contents of collections, of resources without a type, and of those with a type that the
/// proposal does not define, are not restricted.
pub(crate) fn check(
    resource: &Resource,
    contents: &[AnyResourceContents],
) -> Result<(), HandlerError> {
    check_rules(resource, contents).map_err(|violation| {
        let uri = PeerText(&resource.uri);
        tracing::error!(%uri, rule = %PeerDisplay(&violation), "contents of a resource violate a rule of its type");
        HandlerError::internal("the contents of the resource violate a rule of its type")
    })
}

fn check_rules(resource: &Resource, contents: &[AnyResourceContents]) -> Result<(), Violation> {
    let mut own = contents
        .iter()
        .filter(|contents| contents.uri() == resource.uri);
    let declared = resource.resource_type.as_ref();
    if declared.or_else(|| own.find_map(declared_type)) != Some(&ResourceType::Document) {
        return Ok(());
    }
    if contents.is_empty() {
        return Err(Violation::Empty);
    }
    let mut uris = contents.iter().map(AnyResourceContents::uri);
    match uris.find(|uri| *uri != resource.uri) {
        Some(foreign) => Err(Violation::Foreign(short(foreign))),
        None => Ok(()),
    }
}

/// Warns of contents of other resources if neither the resource nor its own contents have a type: the
/// proposal deprecates that. Warns once for each definition, however often it is read.
pub(crate) fn warn_if_untyped(
    resource: &Resource,
    contents: &[AnyResourceContents],
    UntypedWarned(warned): &UntypedWarned,
) {
    let mut all = contents.iter();
    let Some(foreign) = all.find(|contents| contents.uri() != resource.uri) else {
        return;
    };
    let mut own = contents
        .iter()
        .filter(|contents| contents.uri() == resource.uri);
    let is_typed = resource.resource_type.is_some() || own.any(|own| declared_type(own).is_some());
    if is_typed || warned.swap(true, Ordering::Relaxed) {
        return;
    }
    let (uri, foreign) = (PeerText(&resource.uri), PeerText(foreign.uri()));
    tracing::warn!(
        %uri, %foreign,
        "a resource without a type has contents of other resources, which SEP-2093 deprecates: \
         declare it as a collection with `collection()`, or return only its own contents"
    );
}

fn declared_type(contents: &AnyResourceContents) -> Option<&ResourceType> {
    match contents {
        AnyResourceContents::Text(text) => text.resource_type.as_ref(),
        AnyResourceContents::Blob(blob) => blob.resource_type.as_ref(),
        _ => None,
    }
}
