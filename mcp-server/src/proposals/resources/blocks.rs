//! Resources in the results of tools and prompts: links to them, and embedded ones.

use mcp_types::{ContentBlock, Resource, ResourceLink};
#[cfg(feature = "sep-2093")]
use mcp_types::{EmbeddedResource, Proposal};

#[cfg(feature = "https-url")]
use crate::features::resources::listed::position::{ListedPage, ResourceSource};
#[cfg(feature = "https-url")]
use crate::proposals::metadata::collection::is_collection;
#[cfg(feature = "sep-2093")]
use crate::proposals::metadata::metadata_view::read_metadata;
#[cfg(feature = "https-url")]
use crate::proposals::resources::describe_listed::{ListedResource, describe_listed};
#[cfg(feature = "https-url")]
use crate::proposals::resources::finish::finish_without_url;
use crate::proposals::resources::finish::{finish, withhold, withhold_of_contents};
use crate::proposals::resources::state::Resources;
#[cfg(feature = "https-url")]
use crate::proposals::resources::urls;
use crate::protocol::core::Context;

/// Completes the blocks of a result, and removes what the client must not see.
pub(crate) async fn finish_blocks(
    blocks: Vec<&mut ContentBlock>,
    cx: &Context,
    resources: &Resources,
) {
    #[cfg(feature = "https-url")]
    let mut described = described_targets(&blocks, cx, resources).await;
    #[cfg_attr(
        not(feature = "https-url"),
        expect(unused_variables, reason = "no URLs")
    )]
    for (index, block) in blocks.into_iter().enumerate() {
        let ContentBlock::ResourceLink(link) = block else {
            withhold_of_block(block, cx);
            continue;
        };
        apply_to_link(link, |resource| {
            #[cfg(feature = "https-url")]
            if let Some(target) = described.remove(&index) {
                if !target.is_described || is_collection(&target.resource) {
                    return finish_without_url(resource, cx, resources);
                }
                resource.http_url = target.resource.http_url;
                resource.http_url_expires_at = target.resource.http_url_expires_at;
            }
            finish(resource, cx, resources);
        });
    }
}

/// Describes the targets of links whose URLs only handlers know, by the index of the link. The
/// program rarely sets the type of a link.
#[cfg(feature = "https-url")]
async fn described_targets(
    blocks: &[&mut ContentBlock],
    cx: &Context,
    resources: &Resources,
) -> std::collections::BTreeMap<usize, ListedResource> {
    let mut indexes = Vec::new();
    let mut page = ListedPage::default();
    for (index, block) in blocks.iter().enumerate() {
        if let ContentBlock::ResourceLink(link) = &**block
            && link.http_url.is_none()
            && urls::depends_on_handlers(&link.uri, cx, resources)
        {
            indexes.push(index);
            let resource = Resource::new(&*link.uri, &*link.name);
            page.extend([resource], ResourceSource::Link);
        }
    }
    let described = describe_listed(&mut page, cx, resources).await;
    indexes.into_iter().zip(described).collect()
}

/// Removes what the client must not see from a block of a question to the client, and moves
/// annotations to their place. Adds nothing else: the question has to be the same in each round.
pub(crate) fn withhold_of_block(block: &mut ContentBlock, cx: &Context) {
    match block {
        ContentBlock::ResourceLink(link) => apply_to_link(link, |resource| withhold(resource, cx)),
        ContentBlock::Resource(embedded) => {
            #[cfg(feature = "sep-2093")]
            annotate(embedded, cx);
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
        #[cfg(feature = "sep-2093")]
        swap!(one, other, resource_type);
        #[cfg(feature = "versioned-resources")]
        swap!(one, other, kind version metadata);
        #[cfg(feature = "https-url")]
        swap!(one, other, http_url http_url_expires_at);
    };
    let mut resource = Resource::new("", "");
    exchange(link, &mut resource);
    change(&mut resource);
    exchange(link, &mut resource);
}

/// Moves annotations to the place where the client looks for them, if the program opted into
/// SEP-2093: the contents for clients of the newest revision, and also the block for those that did
/// not declare the proposal. If a program set both, each stays, and those of the contents win as a
/// whole.
#[cfg(feature = "sep-2093")]
fn annotate(embedded: &mut EmbeddedResource, cx: &Context) {
    if !cx.core().offers(Proposal::Sep2093) {
        return;
    }
    let Some(view) = read_metadata(&mut embedded.resource) else {
        return;
    };
    let block = &mut embedded.annotations;
    let contents = view.annotations;
    if contents.is_none() {
        *contents = block.clone().map(Box::new);
    }
    if cx.negotiated(Proposal::Sep2093) {
        *block = None;
    } else if block.is_none() {
        *block = contents.as_deref().cloned();
    }
}
