//! Removes resources from lists that the caller may not read: a list must not tell the caller that
//! they exist.

use std::num::NonZeroUsize;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use mcp_types::json::Map;
use mcp_types::peer_text::PeerText;
use mcp_types::uri::canonical;
use mcp_types::{Completion, Resource};
use tokio::time::timeout;

use crate::features::access::Access;
use crate::features::catalog::{List, ListItem, Slice};
use crate::features::resources::catalog::ResourceDefinitions;
use crate::features::resources::defined::Defined;
use crate::features::resources::definition::ResourceDef;
use crate::features::resources::handlers::ListHandler;
use crate::features::resources::listed::{ListAt, ListedPage};
use crate::features::resources::resolved::{CONCURRENT, ResolvedResource};
use crate::features::resources::templates::definition::TemplateDef;
use crate::features::resources::templates::expand::expand;
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

/// How often a handler is called for one page, if the caller may not read much of what it lists.
const CALLS: usize = 16;

/// Adds what a handler lists to a page, without what the caller may not read. Returns where the
/// handler continues.
///
/// The handler is called again if something was left out, so that the length of a page does not tell
/// how much, and for what follows the page, so that a cursor does not tell of what the caller may not
/// read.
pub(crate) async fn extend(
    page: &mut ListedPage,
    handler: &ListHandler,
    at: ListAt,
    handler_cx: &Context,
    cx: &Context,
    definitions: &ResourceDefinitions,
    is_wanted: impl Fn(&Resource) -> bool,
) -> Result<Option<String>, HandlerError> {
    let mut at = at;
    // Where the list continues, if the caller may read any of what follows.
    let mut after = None;
    for _ in 0..CALLS {
        let listed = handler(at.clone(), handler_cx.clone()).await?;
        let (mut resources, source, next) = listed.into_parts();
        resources.retain(&is_wanted);
        let count = resources.len();
        let permitted = permitted(resources, cx, definitions, &mut page.restricted).await;
        let added = permitted.len();
        if after.is_none() {
            page.extend(permitted, source);
        } else if added > 0 {
            return Ok(after);
        }
        if next.is_none() || !page.restricted {
            return Ok(next);
        }
        let left = at.size.map(|size| size.get().saturating_sub(added));
        let left = left.and_then(NonZeroUsize::new);
        if after.is_none() && (added == count || left.is_none()) {
            after.clone_from(&next);
        }
        at.after = next;
        at.size = left.or(Some(NonZeroUsize::MIN));
    }
    Ok(after.or(at.after))
}

/// Returns the resources that the caller may read. Sets `restricted` if other callers may read other
/// ones.
async fn permitted(
    resources: Vec<Resource>,
    cx: &Context,
    definitions: &ResourceDefinitions,
    restricted: &mut bool,
) -> Vec<Resource> {
    let found = resources
        .iter()
        .map(|resource| definitions.locate_closed(&resource.uri));
    let found: Vec<_> = found.collect();
    if found.iter().all(Option::is_none) {
        return resources;
    }
    *restricted = true;
    let listed = are_listed(&found, cx).await;
    let known = resources.into_iter().zip(listed);
    known
        .filter_map(|(resource, listed)| listed.then_some(resource))
        .collect()
}

/// The maximum number of values that are checked for one completion.
const CHECKED: usize = 1_000;

/// The maximum size of the variables that are checked for one completion, in bytes. A client chooses
/// the values of the other variables, and each checked value costs their length.
const CHECKED_BYTES: usize = 512 << 10;

/// Returns a completion without the values with which the URI names a resource that the caller may
/// not read, as soon as `most` are left. `settled` are the values of other variables; guards that
/// need one that is missing refuse the value.
pub(crate) async fn readable(
    mut completion: Completion,
    most: usize,
    template: &Arc<TemplateDef>,
    variable: &str,
    mut settled: Map<String>,
    cx: &Context,
    definitions: &ResourceDefinitions,
) -> Completion {
    settled.retain(|name, _| template.has_variable(name));
    let settled_bytes = settled.values().map(String::len).sum::<usize>();
    if settled_bytes > cx.core().limits.uri_bytes {
        // No request may have such a URI, and each value would cost its length.
        return Completion::new([]).total(0).has_more(false);
    }
    let resolve = |value: &String| {
        let mut variables = settled.clone();
        variables.insert(variable, value.clone());
        let uri = canonical(&expand(&template.template.uri_template, &variables)).into_owned();
        let found = definitions.locate(&uri);
        let is_complete = template.has_all(&variables);
        let own = ResolvedResource {
            uri,
            definition: Defined::Template(Arc::clone(template)),
            variables,
        };
        // Without all variables, the URI may be one of another definition only by chance.
        let both = match found {
            Some(found) if is_complete => [Some(found), None],
            found => [found, Some(own)],
        };
        both.map(|found| found.filter(|found| !found.definition.access_rules().is_open()))
    };
    let all = std::mem::take(&mut completion.values);
    let mut restricted = !template.access.is_open();
    let (mut checked, mut bytes) = (0, 0);
    // One more than may be sent: whether more follow must not depend on what the caller may not read.
    for chunk in all.chunks(CONCURRENT) {
        if completion.values.len() > most || checked >= CHECKED || bytes >= CHECKED_BYTES {
            break;
        }
        checked += chunk.len();
        bytes += chunk
            .iter()
            .map(|value| settled_bytes + value.len())
            .sum::<usize>();
        let found: Vec<_> = chunk.iter().flat_map(resolve).collect();
        restricted |= found.iter().any(Option::is_some);
        let listed = are_listed(&found, cx).await;
        let known = chunk.iter().zip(listed.chunks(2));
        let known = known.filter(|(_, listed)| listed.iter().all(|listed| *listed));
        completion
            .values
            .extend(known.map(|(value, _)| value.clone()));
    }
    if restricted {
        // The number of all values would tell how many the caller may not read.
        let unknown = checked < all.len() && completion.values.len() <= most;
        let more = completion.values.len() > most || unknown || completion.has_more == Some(true);
        completion.values.truncate(most);
        completion.total = i64::try_from(completion.values.len())
            .ok()
            .filter(|_| !more);
        completion.has_more = Some(more);
    } else {
        completion.values = all;
    }
    completion
}
