//! Resources in the results of tools and prompts: links to them, and embedded ones.

use mcp_types::{ContentBlock, Resource, ResourceLink};
#[cfg(feature = "sep-2093")]
use mcp_types::{EmbeddedResource, Proposal};

use super::finish::{finish, withhold, withhold_of_contents};
use crate::features::resources::catalog::ResourceCatalog;
#[cfg(feature = "sep-2093")]
use crate::features::resources::metadata_view::read_metadata;
use crate::protocol::core::Context;

/// Completes a block of a result, and removes what the client must not see.
pub(crate) fn finish_block(block: &mut ContentBlock, cx: &Context, resources: &ResourceCatalog) {
    match block {
        ContentBlock::ResourceLink(link) => {
            apply_to_link(link, |resource| finish(resource, cx, resources))
        }
        ContentBlock::Resource(embedded) => {
            #[cfg(feature = "sep-2093")]
            annotate(embedded, cx);
            withhold_of_contents(&mut embedded.resource, cx);
        }
        _ => {}
    }
}

/// Removes what the client must not see from a block, and adds nothing: a question to the client
/// has to be the same in each round.
pub(crate) fn withhold_of_block(block: &mut ContentBlock, cx: &Context) {
    match block {
        ContentBlock::ResourceLink(link) => apply_to_link(link, |resource| withhold(resource, cx)),
        ContentBlock::Resource(embedded) => withhold_of_contents(&mut embedded.resource, cx),
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
        contents.clone_from(block);
    }
    if cx.negotiated(Proposal::Sep2093) {
        *block = None;
    } else if block.is_none() {
        block.clone_from(contents);
    }
}
