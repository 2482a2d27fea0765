//! Checks the contents of a resource against its type (SEP-2093). A violation is an error in the
//! program: it is logged, and the contents are not sent.

use std::sync::atomic::{AtomicBool, Ordering};

use mcp_types::peer_text::{PeerDisplay, PeerText};
use mcp_types::{AnyResourceContents, Resource, ResourceType};

use crate::protocol::error::handler_error::HandlerError;
use crate::protocol::error::short;

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

/// Checks that contents follow the rules of their resource's type.
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
    if known_type(resource, contents) != Some(&ResourceType::Document) {
        return Ok(());
    }
    if contents.is_empty() {
        return Err(Violation::Empty);
    }
    match foreign(resource, contents) {
        Some(uri) => Err(Violation::Foreign(short(uri))),
        None => Ok(()),
    }
}

/// Warns of contents of other resources if neither the resource nor its own contents have a type:
/// the proposal deprecates that. Warns once for each definition, however often it is read.
pub(crate) fn warn_if_untyped(
    resource: &Resource,
    contents: &[AnyResourceContents],
    UntypedWarned(warned): &UntypedWarned,
) {
    let Some(foreign) = foreign(resource, contents) else {
        return;
    };
    let is_typed = known_type(resource, contents).is_some();
    if is_typed || warned.swap(true, Ordering::Relaxed) {
        return;
    }
    let (uri, foreign) = (PeerText(&resource.uri), PeerText(foreign));
    tracing::warn!(
        %uri, %foreign,
        "a resource without a type has contents of other resources, which SEP-2093 deprecates: \
         declare it as a collection with `collection()`, or return only its own contents"
    );
}

/// Returns the URI of contents that belong to another resource.
fn foreign<'a>(resource: &Resource, contents: &'a [AnyResourceContents]) -> Option<&'a str> {
    let mut uris = contents.iter().map(AnyResourceContents::uri);
    uris.find(|uri| *uri != resource.uri)
}

/// Returns the type that the definition sets, or else the contents with the URI of the resource.
fn known_type<'a>(
    resource: &'a Resource,
    contents: &'a [AnyResourceContents],
) -> Option<&'a ResourceType> {
    let mut own = contents.iter().filter(|own| own.uri() == resource.uri);
    let declared = resource.resource_type.as_ref();
    declared.or_else(|| own.find_map(declared_type))
}

fn declared_type(contents: &AnyResourceContents) -> Option<&ResourceType> {
    match contents {
        AnyResourceContents::Text(text) => text.resource_type.as_ref(),
        AnyResourceContents::Blob(blob) => blob.resource_type.as_ref(),
        _ => None,
    }
}
