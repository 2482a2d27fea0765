//! Resources in the results of tools and prompts: links to them, and embedded ones.

use mcp_types::{ContentBlock, EmbeddedResource, Proposal, Resource, ResourceLink};

use crate::features::resources::listed::{ListedPage, ResourceSource};
use crate::features::resources::permitted::are_listed;
use crate::features::resources::resolved::AdmittedResources;
use crate::proposals::metadata::metadata_view::{is_collection, read_metadata};
use crate::proposals::resources::Resources;
use crate::proposals::resources::describe_listed::{describe_listed, fill};
use crate::proposals::resources::finish::{
    finish, finish_without_url, withhold, withhold_of_contents,
};
use crate::protocol::core::Context;

/// Completes the blocks of a result, and removes what the client must not see.
///
/// Members that a link does not have are those of its target, as a list would have them.
pub(crate) async fn finish_blocks(
    blocks: Vec<&mut ContentBlock>,
    cx: &Context,
    resources: &Resources,
) {
    let cx = &cx.with_value(AdmittedResources::default());
    let mut links = Vec::new();
    for block in blocks {
        if let ContentBlock::ResourceLink(link) = block {
            links.push(link);
        } else {
            withhold_of_block(block, cx);
        }
    }
    let closed = links
        .iter()
        .map(|link| resources.definitions.locate_closed(&link.uri));
    let closed: Vec<_> = closed.collect();
    let permitted = are_listed(&closed, cx).await;
    let mut known = Vec::with_capacity(links.len());
    let mut targets = ListedPage::default();
    for (link, is_permitted) in links.into_iter().zip(permitted) {
        if is_permitted {
            targets.extend([target(link)], ResourceSource::Link);
            known.push(link);
        } else {
            // As for a target that does not exist.
            apply_to_link(link, |resource| finish_without_url(resource, cx, resources));
        }
    }
    let described = describe_listed(&mut targets, cx, resources).await;
    for (link, target) in known.into_iter().zip(described) {
        apply_to_link(link, |resource| {
            let has_url = target.is_described && !is_collection(&target.resource);
            fill(resource, target.resource);
            if has_url {
                finish(resource, cx, resources);
            } else {
                finish_without_url(resource, cx, resources);
            }
        });
    }
}

/// Returns the resource that a link names, without the members that the program set. No other URL
/// is made for a link that has one.
fn target(link: &ResourceLink) -> Resource {
    let mut target = Resource::new(&*link.uri, &*link.name);
    target.http_url.clone_from(&link.http_url);
    target
}

/// Removes what the client must not see from a block of a question to the client, and moves
/// annotations to their place. Adds nothing else but names: the question has to be the same in each
/// round.
pub(crate) fn withhold_of_block(block: &mut ContentBlock, cx: &Context) {
    match block {
        ContentBlock::ResourceLink(link) => apply_to_link(link, |resource| withhold(resource, cx)),
        ContentBlock::Resource(embedded) => {
            complete_embedded(embedded, cx);
            withhold_of_contents(&mut embedded.resource, cx);
        }
        _ => {}
    }
}

/// Applies a change of resources to a link: both have the same members.
fn apply_to_link(link: &mut ResourceLink, change: impl FnOnce(&mut Resource)) {
    macro_rules! swap {
        ($one:ident, $other:ident, $($member:ident)*) => {
            $(std::mem::swap(&mut $one.$member, &mut $other.$member);)*
        };
    }
    let exchange = |one: &mut ResourceLink, other: &mut Resource| {
        swap!(one, other, uri name title description mime_type annotations size icons meta extra);
        swap!(one, other, resource_type kind version metadata http_url http_url_expires_at);
    };
    let mut resource = Resource::new("", "");
    exchange(link, &mut resource);
    change(&mut resource);
    exchange(link, &mut resource);
}

/// Completes an embedded resource, if the program opted into SEP-2093.
///
/// The contents get a name. Annotations are moved to the place where the client looks for them: the
/// contents for clients of the newest revision, and also the block for those that did not declare
/// the proposal. If a program set both, each stays, and those of the contents win as a whole.
fn complete_embedded(embedded: &mut EmbeddedResource, cx: &Context) {
    if !cx.core().offers(Proposal::Sep2093) {
        return;
    }
    let Some(mut view) = read_metadata(&mut embedded.resource) else {
        return;
    };
    let block = &mut embedded.annotations;
    let contents = &mut *view.annotations;
    if contents.is_none() {
        *contents = block.clone().map(Box::new);
    }
    if cx.negotiated(Proposal::Sep2093) {
        *block = None;
    } else if block.is_none() {
        *block = contents.as_deref().cloned();
    }
    view.fill_name();
}
