//! Removes resources from lists that the caller may not read: a list must not tell the caller that
//! they exist.

pub(crate) mod handled;
pub(crate) mod offered;

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use mcp_types::json::Map;
use mcp_types::peer_text::PeerText;
use tokio::time::timeout;

use crate::features::access::Access;
use crate::features::catalog::{List, ListItem};
use crate::features::list_slice::Slice;
use crate::features::resources::defined::Defined;
use crate::features::resources::definition::ResourceDef;
use crate::features::resources::resolved::{CONCURRENT, ResolvedResource};
use crate::protocol::core::Context;
use crate::protocol::dispatch::error_report::for_log;
use crate::protocol::dispatch::request_task::caught;
use crate::protocol::error::handler_error::HandlerError;
use crate::util::join::join;

/// The maximum duration of the guards of one resource. A list is not sent before they have ended.
const LONGEST: Duration = Duration::from_secs(5);

/// A definition whose guards decide whether a list has it.
pub(crate) trait GuardedItem: ListItem {
    /// Checks that the caller may read it, as far as this can be decided for a list.
    fn check_listed(
        self: &Arc<Self>,
        cx: &Context,
    ) -> impl Future<Output = Result<(), HandlerError>> + Send;
}

impl GuardedItem for ResourceDef {
    async fn check_listed(self: &Arc<Self>, cx: &Context) -> Result<(), HandlerError> {
        let resolved = ResolvedResource {
            uri: self.resource.uri.clone(),
            definition: Defined::Resource(Arc::clone(self)),
            variables: Map::new(),
        };
        resolved.check(cx).await
    }
}

impl GuardedItem for super::templates::definition::TemplateDef {
    /// Guards that need a URI run for the resources of the template only.
    async fn check_listed(self: &Arc<Self>, cx: &Context) -> Result<(), HandlerError> {
        match self.access.check_template(cx) {
            Some(check) => check.await,
            None => Ok(()),
        }
    }
}

/// Returns up to `size` definitions that the caller may read, from a position on.
pub(crate) async fn slice<T: GuardedItem>(
    list: &List<T>,
    from: u64,
    size: usize,
    cx: &Context,
) -> Slice<T::Item> {
    let Some(rest) = list.guarded(from) else {
        return list.page(from, size, cx);
    };
    let mut slice = Slice::new(true);
    for chunk in rest.chunks(CONCURRENT) {
        let checks = chunk.iter().map(|(_, item)| {
            let check = item.check_listed(cx);
            Box::pin(is_listed(item.access(), item.key(), check, cx)) as Check<'_>
        });
        let listed = join(checks.collect()).await;
        for ((index, item), listed) in chunk.iter().zip(listed) {
            if listed && !slice.add(*index, item.item(), size) {
                return slice;
            }
        }
    }
    slice
}

/// Returns for each resource whether a list for the caller may have it. `None` is a URI that no
/// definition has, or that everybody may read.
pub(crate) async fn are_listed(found: &[Option<ResolvedResource>], cx: &Context) -> Vec<bool> {
    let mut all = Vec::with_capacity(found.len());
    for chunk in found.chunks(CONCURRENT) {
        let checks = chunk.iter().map(|found| {
            Box::pin(async move {
                let Some(found) = found else {
                    return true;
                };
                let access = found.definition.access_rules();
                is_listed(access, &found.uri, found.check(cx), cx).await
            }) as Check<'_>
        });
        all.extend(join(checks.collect()).await);
    }
    all
}

/// A check that resolves to `true` if a list may have something.
type Check<'a> = Pin<Box<dyn Future<Output = bool> + Send + 'a>>;

/// Returns `true` if a list for the caller may have what has this access and passes the check.
///
/// A caller who only lacks a scope may know of it: a request for it is answered with the scopes,
/// for which the client can ask the user.
async fn is_listed(
    access: &Access,
    uri: &str,
    check: impl Future<Output = Result<(), HandlerError>> + Send,
    cx: &Context,
) -> bool {
    access.is_listed(cx) && verdict(uri, check).await != Verdict::Refused
}

/// What the guards of something in a list decide.
#[derive(PartialEq)]
pub(crate) enum Verdict {
    Admitted,
    /// The caller only lacks a scope.
    LacksScope,
    /// A guard forbids it, failed, or took too long.
    Refused,
}

/// Runs guards for a list, which is sent whatever they do.
pub(crate) async fn verdict(
    uri: &str,
    check: impl Future<Output = Result<(), HandlerError>> + Send,
) -> Verdict {
    let uri = PeerText(uri);
    match timeout(LONGEST, caught(check)).await {
        Ok(Some(Ok(()))) => return Verdict::Admitted,
        Ok(Some(Err(error))) if error.is_insufficient_scope() => return Verdict::LacksScope,
        Ok(Some(Err(error))) if error.is_forbidden() || error.is_not_found() => {}
        Ok(Some(Err(error))) => {
            let error = for_log(&error);
            tracing::warn!(%uri, %error, "a resource is not listed, because its guard failed");
        }
        // The panic is in the log.
        Ok(None) => {}
        Err(_) => {
            tracing::warn!(%uri, "a resource is not listed: its guard takes too long");
        }
    }
    Verdict::Refused
}
