//! [`describe_listed`]: describes the resources of a list and the targets of links, so that these
//! have what `resources/metadata` returns.

use std::time::Duration;

use futures_util::stream::{StreamExt, iter};
use mcp_types::json::Map;
use mcp_types::peer_text::PeerText;
use mcp_types::uri::canonical;
use mcp_types::{Proposal, Resource};
use tokio::time::{Instant, timeout, timeout_at};

use crate::features::resources::defined::Defined;
use crate::features::resources::listed::{ListedPage, ResourceSource};
use crate::features::resources::resolved::ResolvedResource;
use crate::proposals::resources::{Resources, urls};
use crate::protocol::core::Context;
use crate::protocol::dispatch::error_report::for_log;
use crate::protocol::dispatch::request_task::caught;

/// The maximum number of descriptions that run for one list at the same time.
const CONCURRENT: usize = 16;

/// The maximum duration of one description. A list is not sent before all of them have ended.
const LONGEST: Duration = Duration::from_secs(5);

/// A resource of a list.
pub(crate) struct ListedResource {
    pub(crate) resource: Resource,
    /// `false` if the handler that describes the resource failed or was not allowed to run, so that
    /// members may be missing.
    pub(crate) is_described: bool,
}

/// A resource whose handlers have to run.
struct ToDescribe {
    index: usize,
    found: ResolvedResource,
    resource: Resource,
    /// Whether the handler of the list knows everything but the URL.
    is_complete: bool,
    /// Whether the handler that reads has to say first whether the resource exists.
    may_be_missing: bool,
}

/// Describes the resources of a page, if the program opted into a proposal. Members that the
/// handler of the list did not set are filled from the definition that has the URI.
///
/// If a description fails, panics or takes longer than [`LONGEST`], its resource is listed without
/// what only the handler knows; so are those that are not described within half of
/// [`Limits::request_time`](crate::Limits::request_time).
pub(crate) async fn describe_listed(
    page: &mut ListedPage,
    cx: &Context,
    catalog: &Resources,
) -> Vec<ListedResource> {
    let resources = std::mem::take(&mut page.resources).into_iter();
    let listed = resources.map(|resource| ListedResource {
        resource,
        is_described: true,
    });
    let mut all: Vec<_> = listed.collect();
    if opted_in(cx) {
        let mut pending = Vec::new();
        for (index, (listed, source)) in all.iter_mut().zip(&page.sources).enumerate() {
            let Some(found) = definition(&mut listed.resource, *source, cx, catalog) else {
                continue;
            };
            let may_be_missing = *source == ResourceSource::Link
                && urls::depends_on_reading(&found, &listed.resource, cx, catalog);
            if found.is_describable() || may_be_missing || has_guarded_version(&found, cx) {
                listed.is_described = false;
                pending.push(ToDescribe {
                    index,
                    found,
                    resource: listed.resource.clone(),
                    is_complete: *source == ResourceSource::CompleteHandler,
                    may_be_missing,
                });
            }
        }
        describe(pending, &mut all, cx).await;
    }
    all
}

fn opted_in(cx: &Context) -> bool {
    let proposals = [
        Proposal::Sep2093,
        Proposal::HttpsUrl,
        Proposal::VersionedResources,
    ];
    proposals.iter().any(|proposal| cx.core().offers(*proposal))
}

/// Returns the resource with a URI, if it has a definition of its own.
fn located(uri: &str, catalog: &Resources) -> Option<ResolvedResource> {
    let uri = canonical(uri).into_owned();
    let definition = catalog.definitions.resources.get(&uri)?;
    Some(ResolvedResource {
        uri,
        definition: Defined::Resource(definition),
        variables: Map::new(),
    })
}

/// Completes a resource from its definition. Returns the definition if its handler that describes
/// may have to run, and the client sees the resource.
fn definition(
    resource: &mut Resource,
    source: ResourceSource,
    cx: &Context,
    catalog: &Resources,
) -> Option<ResolvedResource> {
    let found = match source {
        ResourceSource::Definition => located(&resource.uri, catalog),
        ResourceSource::Handler | ResourceSource::Link => catalog.definitions.locate(&resource.uri),
        // The handler of the list knows everything but the URLs, which are made for each client.
        ResourceSource::CompleteHandler => {
            let found = catalog.definitions.locate(&resource.uri);
            found.filter(ResolvedResource::is_presigned)
        }
    };
    let found = found.filter(|found| found.is_visible(cx))?;
    if matches!(source, ResourceSource::Handler | ResourceSource::Link) {
        fill(resource, found.base_resource());
    }
    Some(found)
}

/// Returns `true` if the version of the contents is known, and only the guards know whether the
/// client may learn it.
fn has_guarded_version(found: &ResolvedResource, cx: &Context) -> bool {
    cx.offered(Proposal::VersionedResources)
        && found.has_fixed_contents()
        && found.definition.access_rules().check(cx).is_some()
}

/// Runs the handlers, and writes what they return into `all`.
async fn describe(pending: Vec<ToDescribe>, all: &mut [ListedResource], cx: &Context) {
    let until = deadline(cx);
    let running =
        iter(pending).map(|pending| async move { (pending.index, description(pending, cx).await) });
    let mut running = std::pin::pin!(running.buffer_unordered(CONCURRENT));
    loop {
        let next = match until {
            Some(until) => timeout_at(until, running.next()).await,
            None => Ok(running.next().await),
        };
        let Ok(next) = next else {
            tracing::warn!("descriptions of a list take too long and were left out");
            return;
        };
        let Some((index, description)) = next else {
            return;
        };
        if let (Some(listed), Some(resource)) = (all.get_mut(index), description) {
            listed.resource = resource;
            listed.is_described = true;
        }
    }
}

/// Returns the time at which the list is sent without the descriptions that still run.
fn deadline(cx: &Context) -> Option<Instant> {
    let half = cx.core().limits.request_time / 2;
    Instant::now().checked_add(half)
}

/// Returns the description; `None` if the handler fails or the client may not read the resource.
async fn description(pending: ToDescribe, cx: &Context) -> Option<Resource> {
    let ToDescribe {
        found,
        resource,
        is_complete,
        may_be_missing,
        ..
    } = pending;
    let uri = resource.uri.clone();
    let uri = PeerText(&uri);
    // A caller that only lacks a scope gets the members that the definition and the handler of the
    // list set, and not those of the description.
    let found = match found.check_access(cx).await {
        Ok(found) => found,
        Err(error) => {
            tracing::debug!(%uri, error = %for_log(&error), "a listed resource is not described");
            return None;
        }
    };
    let described = timeout(
        LONGEST,
        caught(async {
            if may_be_missing {
                found.check_exists(cx).await?;
            }
            let described = found.describe_listed_with_url(resource, is_complete, cx);
            described.await
        }),
    );
    let Ok(described) = described.await else {
        tracing::warn!(%uri, "the description of a listed resource takes too long");
        return None;
    };
    match described {
        Some(Ok(resource)) => Some(resource),
        // It was removed after it was listed.
        Some(Err(error)) if error.is_not_found() => {
            tracing::debug!(%uri, "a listed resource does not exist");
            None
        }
        Some(Err(error)) => {
            let error = for_log(&error);
            tracing::warn!(%uri, %error, "a listed resource cannot be described");
            None
        }
        // The panic is in the log.
        None => None,
    }
}

/// Fills members that are absent.
pub(crate) fn fill(resource: &mut Resource, from: Resource) {
    macro_rules! fill {
        ($($member:ident)*) => {
            $(resource.$member = resource.$member.take().or(from.$member);)*
        };
    }
    fill!(title description mime_type annotations size icons meta resource_type);
    fill!(kind version metadata);
    if resource.http_url.is_none() {
        fill!(http_url http_url_expires_at);
    }
}
