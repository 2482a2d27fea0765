//! `resources/list`: what stands in the list, then what templates list when asked; or the members
//! of a collection.

use std::num::NonZeroUsize;

use mcp_types::{Cursor, ListResourcesResult, PaginatedRequestParams, Resource};

use super::finish::finish;
use super::scope::Scope;
use super::templates;
use crate::features::catalog::{Definition, Kept, PURPOSE, bad_cursor, behind, cursor_binding};
use crate::features::resources::definition::ResourceDef;
use crate::features::resources::listed::{ListAt, Listed};
use crate::protocol::context::Context;
use crate::protocol::error::HandlerError;

/// Answers the request.
pub(crate) async fn list(
    params: PaginatedRequestParams,
    cx: Context,
) -> Result<ListResourcesResult, HandlerError> {
    let keys = cx.server().inner.keys.get();
    let scope = Scope::of(&params, &cx);
    #[cfg(feature = "versioned-resources")]
    let scope = scope.filtered(&params, &cx)?;
    let bound_to = cursor_binding(&cx, &scope.to_bytes());
    let start = match &params.cursor {
        None => Position::Beginning,
        Some(cursor) => keys
            .open(PURPOSE, &bound_to, cursor.as_ref())
            .ok()
            .and_then(|plain| Position::from_bytes(&plain))
            .ok_or_else(|| bad_cursor(ResourceDef::KIND))?,
    };
    #[cfg(feature = "sep-2093")]
    let page = match &scope.collection {
        Some(uri) => super::members::page(uri, start, &cx).await?,
        None => all(start, &cx).await?,
    };
    #[cfg(not(feature = "sep-2093"))]
    let page = all(start, &cx).await?;
    let Page {
        mut resources,
        next,
    } = page;
    #[cfg(feature = "versioned-resources")]
    scope.narrow(&mut resources);
    for resource in &mut resources {
        finish(resource, &cx);
    }
    let next = next.map(|position| keys.seal(PURPOSE, &bound_to, &position.to_bytes()));
    let hints = &cx.server().inner.features.resources.hints;
    #[cfg(feature = "https-url")]
    let hints = &crate::proposals::https_url::issue::hints(hints, &resources, &cx);
    let next = next.transpose()?.map(Cursor::from);
    Ok(ResourceDef::page(resources, hints, next))
}

/// Some resources, and where the next ones are.
#[derive(Default)]
pub(crate) struct Page {
    pub(crate) resources: Vec<Resource>,
    pub(crate) next: Option<Position>,
}

/// One page of everything: the list first, then one template after the other.
async fn all(start: Position, cx: &Context) -> Result<Page, HandlerError> {
    let features = &cx.server().inner.features;
    let mut page = Page::default();
    // From which template on, and where within that one.
    let (mut from, mut within) = (0, None);
    // Where to go on if the page is full.
    let mut reached = None;
    match start {
        Position::Beginning | Position::Listed(_) => {
            let from = match start {
                Position::Listed(place) => behind(place),
                _ => 0,
            };
            let size = features.page_size.map_or(usize::MAX, NonZeroUsize::get);
            let slice = features.resources.page(from, size, cx.revision());
            page.resources = slice.items;
            reached = slice.last.map(Position::Listed);
            if slice.more {
                page.next = reached;
                return Ok(page);
            }
        }
        Position::Within(place, position) => {
            from = place;
            within = Some((place, position));
        }
        Position::Behind(place) => from = behind(place),
        Position::Member(_) => return Err(bad_cursor(ResourceDef::KIND)),
    }
    while let Some((place, template)) = templates::lister(features, from) {
        let room = room(features.page_size, page.resources.len());
        let Ok(size) = room else {
            page.next = reached;
            return Ok(page);
        };
        let after = within.take_if(|(at, _)| *at == place);
        let at = ListAt::new(after.map(|(_, position)| position), size);
        let listed = match template.lister() {
            Some(lister) => lister(at, cx.clone()).await?,
            None => Listed::default(),
        };
        let (resources, next) = listed.into_parts();
        // One that has a definition of its own was listed with it.
        let others = resources.into_iter();
        let others = others.filter(|resource| features.resources.get(&resource.uri).is_none());
        page.resources.extend(others);
        if let Some(position) = next {
            page.next = Some(Position::Within(place, position));
            return Ok(page);
        }
        from = behind(place);
        reached = Some(Position::Behind(place));
    }
    Ok(page)
}

/// No more fits on a page.
struct Full;

/// How many more fit on a page; `None` where there is no limit.
fn room(size: Option<NonZeroUsize>, taken: usize) -> Result<Option<NonZeroUsize>, Full> {
    let Some(size) = size else {
        return Ok(None);
    };
    let left = size.get().saturating_sub(taken);
    NonZeroUsize::new(left).map(Some).ok_or(Full)
}

/// Where a list goes on. Places are never used twice, so that nothing is listed twice or left out
/// while definitions come and go.
#[derive(Debug, PartialEq)]
pub(crate) enum Position {
    /// At the beginning.
    Beginning,
    /// Behind a place of the list.
    Listed(u64),
    /// Within what a template lists: the place of the template, and what its handler said.
    Within(u64, String),
    /// Behind a template.
    Behind(u64),
    /// Within the members of a collection: what its handler said.
    Member(String),
}

impl Position {
    fn to_bytes(&self) -> Vec<u8> {
        let (tag, place, text) = match self {
            Self::Beginning => (0, 0, ""),
            Self::Listed(place) => (1, *place, ""),
            Self::Within(place, position) => (2, *place, position.as_str()),
            Self::Behind(place) => (3, *place, ""),
            Self::Member(position) => (4, 0, position.as_str()),
        };
        let mut bytes = vec![tag];
        bytes.extend(place.to_be_bytes());
        bytes.extend(text.as_bytes());
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (tag, rest) = bytes.split_first()?;
        let (place, text) = rest.split_first_chunk()?;
        let place = u64::from_be_bytes(*place);
        let text = str::from_utf8(text).ok()?.to_owned();
        Some(match tag {
            0 => Self::Beginning,
            1 => Self::Listed(place),
            2 => Self::Within(place, text),
            3 => Self::Behind(place),
            4 => Self::Member(text),
            _ => return None,
        })
    }
}
