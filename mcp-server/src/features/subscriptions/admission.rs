//! Who may subscribe to a resource, and is notified of its changes: the clients that may read it.

use std::pin::Pin;
use std::sync::Arc;

use mcp_types::peer_text::PeerText;
use tokio::time::timeout;

use crate::features::resources::catalog::ResourceCatalog;
use crate::features::resources::resolved::AuthorizedResource;
use crate::protocol::core::{Context, Core, ResourceAccess};
use crate::protocol::dispatch::error_report::for_log;
use crate::protocol::dispatch::request_task::caught;
use crate::protocol::error::handler_error::HandlerError;

/// Checks that the client of a request may subscribe to a resource.
///
/// The server does not check that a subscribed resource exists. A resource that the client may not
/// read, or whose guard panics, is therefore accepted like one that does not exist, and [`admit`]
/// suppresses its changes.
///
/// # Errors
///
/// The error of a guard that refuses the client for another reason, such as a missing scope.
pub(crate) async fn check(
    uri: &str,
    cx: &Context,
    resources: &ResourceCatalog,
) -> Result<(), HandlerError> {
    let Some(found) = resources.definitions.locate(uri) else {
        return Ok(());
    };
    match caught(found.check(cx)).await {
        Some(Err(error)) if error.is_not_found() => Ok(()),
        Some(checked) => checked,
        // The panic is in the log.
        None => Ok(()),
    }
}

/// Whether a client is notified of a change.
pub(crate) enum Admission {
    /// The client may read the resource.
    Admitted(
        #[cfg_attr(
            not(feature = "proposals"),
            expect(dead_code, reason = "only that proposal describes the resource")
        )]
        AuthorizedResource,
    ),
    /// No definition has the URI, so there is nothing to check.
    Undefined,
    /// The client may not read the resource, or the guard failed.
    Refused,
}

/// Decides whether a client is notified of a change. The guards run for each change, because the
/// rights of the client may have changed since it subscribed.
pub(crate) async fn admit(uri: &str, cx: &Context, resources: &ResourceCatalog) -> Admission {
    let Some(found) = resources.definitions.locate(uri) else {
        return Admission::Undefined;
    };
    let checked = timeout(
        cx.core().limits.request_time,
        caught(found.check_access(cx)),
    );
    let uri = PeerText(uri);
    match checked.await {
        Ok(Some(Ok(found))) => return Admission::Admitted(found),
        Ok(Some(Err(error))) => {
            let error = for_log(&error);
            tracing::debug!(%uri, %error, "a client is not told of a resource that it may not read");
        }
        // The panic is in the log.
        Ok(None) => {}
        Err(_) => {
            tracing::warn!(%uri, "a client is not told of a resource: its guard takes too long");
        }
    }
    Admission::Refused
}

/// Decides for clients of older revisions.
pub(crate) struct SessionAdmission(pub(crate) Arc<ResourceCatalog>);

impl ResourceAccess for SessionAdmission {
    fn admits<'a>(
        &'a self,
        uri: &'a str,
        cx: &'a Context,
    ) -> Pin<Box<dyn Future<Output = bool> + Send + 'a>> {
        Box::pin(async move { !matches!(admit(uri, cx, &self.0).await, Admission::Refused) })
    }
}

/// Returns `true` if the server declared that it announces changes of the list of resources.
#[cfg(feature = "proposals")]
pub(crate) fn lists_change(core: &Core) -> bool {
    let resources = core.about.capabilities.resources.as_ref();
    resources.is_some_and(|resources| resources.list_changed == Some(true))
}

/// Returns `true` if the server declared that it announces changes of single resources.
pub(crate) fn can_subscribe(core: &Core) -> bool {
    let resources = core.about.capabilities.resources.as_ref();
    resources.is_some_and(|resources| resources.subscribe == Some(true))
}
