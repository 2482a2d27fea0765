//! SEP-2093: `resources/metadata`, and the metadata of contents.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use mcp_types::peer_text::PeerText;
use mcp_types::{
    AnyResourceContents, ReadResourceMetadataRequestParams, ReadResourceMetadataResult, Resource,
};

use crate::features::resources::listed::{ListedPage, ResourceSource};
use crate::features::resources::resolved::AuthorizedResource;
use crate::features::resources::scope::Scope;
use crate::proposals::metadata::metadata_view::read_metadata;
use crate::proposals::resources::Resources;
use crate::proposals::resources::describe_listed::describe_listed;
use crate::proposals::resources::finish::{finish_listed, withhold_of_contents};
use crate::proposals::versioned_resources::get::read_current;
use crate::protocol::core::Context;
use crate::protocol::dispatch::error_report::for_log;
use crate::protocol::error::handler_error::HandlerError;

/// Handles `resources/metadata`. The resource is not read, unless this is the only way to know
/// whether it exists.
pub(crate) async fn metadata(
    params: ReadResourceMetadataRequestParams,
    cx: Context,
    resources: Arc<Resources>,
) -> Result<ReadResourceMetadataResult, HandlerError> {
    let found = resources.definitions.find(&cx, &params.uri).await?;
    let resource = found.describe_for_client(&cx, &resources).await?;
    found.check_exists(&cx).await?;
    Ok(ReadResourceMetadataResult::new(resource))
}

/// Reads a resource and adds its metadata to the contents.
pub(crate) async fn read(
    found: &AuthorizedResource,
    cx: &Context,
    resources: &Resources,
) -> Result<Vec<AnyResourceContents>, HandlerError> {
    let resource = found.describe_for_client(cx, resources).await?;
    let (resource, mut contents) = if cx.offered(mcp_types::Proposal::VersionedResources) {
        read_current(resource, found, cx, resources).await?
    } else {
        let contents = found.read_as(&resource, cx).await?;
        (resource, contents)
    };
    let mime_type = resource.mime_type.as_deref();
    let preferred = AnyResourceContents::preferred(&contents, &resource.uri, mime_type);
    let mut formats = HashMap::<String, usize>::new();
    for view in contents.iter_mut().filter_map(read_metadata) {
        *formats.entry(view.uri.to_owned()).or_default() += 1;
    }
    let views = contents.iter_mut().filter_map(read_metadata);
    let others = views.filter(|view| view.uri != resource.uri && view.is_incomplete());
    let others = others.map(|view| view.uri.to_owned()).collect();
    let members = member_metadata(others, found, cx, resources).await;
    for (index, contents) in contents.iter_mut().enumerate() {
        if let Some(mut view) = read_metadata(contents) {
            view.set_size();
            let is_only = formats.get(view.uri) == Some(&1);
            if view.uri == resource.uri {
                view.fill(&resource, is_only, preferred == Some(index));
            } else if let Some(member) = members.get(view.uri)
                && view.is_incomplete()
            {
                view.fill(member, is_only, is_only);
            }
            view.fill_name();
        }
        withhold_of_contents(contents, cx);
    }
    Ok(contents)
}

/// The maximum number of pages of the collection's list in which members are looked up.
const PAGES: usize = 8;

/// Returns the members of a collection with these URIs, as its list has them, or else as the
/// definitions with their URIs describe them. Members without either are missing.
pub(crate) async fn member_metadata(
    uris: BTreeSet<String>,
    collection: &AuthorizedResource,
    cx: &Context,
    catalog: &Resources,
) -> HashMap<String, Resource> {
    if uris.is_empty() {
        return HashMap::new();
    }
    let mut page = listed(&uris, collection, cx, catalog).await;
    let mut unlisted = uris;
    for member in &page.resources {
        unlisted.remove(&member.uri);
    }
    let of_list = page.resources.len();
    for uri in unlisted {
        page.extend(defined(&uri, cx, catalog).await, ResourceSource::Handler);
    }
    let described = describe_listed(&mut page, cx, catalog).await;
    let known = described.into_iter().enumerate();
    // Without its description, a member that no list has may not exist.
    let known = known.filter(|(index, member)| *index < of_list || member.is_described);
    let known = known.map(|(_, member)| {
        let resource = finish_listed(member, cx, catalog);
        (resource.uri.clone(), resource)
    });
    known.collect()
}

/// Returns the members that the list of the collection has.
async fn listed(
    uris: &BTreeSet<String>,
    collection: &AuthorizedResource,
    cx: &Context,
    catalog: &Resources,
) -> ListedPage {
    let mut found = ListedPage::default();
    let mut missing = uris.clone();
    let mut after = None;
    for _ in 0..PAGES {
        if collection.0.definition.lister().is_none() {
            break;
        }
        let at = Scope::default().list_at(after.take(), catalog.definitions.resources.page_size);
        let page = match collection.list(at, cx).await {
            Ok(page) => page,
            Err(error) => {
                let (uri, error) = (PeerText(&collection.0.uri), for_log(&error));
                tracing::warn!(%uri, %error, "the members of a collection cannot be listed");
                break;
            }
        };
        let (members, source, next) = page.into_parts();
        let members = members.into_iter();
        found.extend(members.filter(|member| missing.remove(&member.uri)), source);
        after = next;
        if after.is_none() || missing.is_empty() {
            break;
        }
    }
    found
}

/// Returns a resource as its definition describes it, if the client may read it.
async fn defined(uri: &str, cx: &Context, catalog: &Resources) -> Option<Resource> {
    let resolved = catalog
        .definitions
        .locate(uri)
        .filter(|found| found.is_visible(cx))?;
    let resource = resolved.base_resource();
    match resolved.check_access(cx).await {
        Ok(_) => Some(resource),
        Err(error) => {
            let (uri, error) = (PeerText(uri), for_log(&error));
            tracing::warn!(%uri, %error, "a member of a collection is not described");
            None
        }
    }
}
