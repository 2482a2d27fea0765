//! Results of list requests: all items, or one page.

use mcp_types::Cursor;
use mcp_types::error::DecodeError;

use crate::features::catalog::{List, ListItem, Slice};
use crate::protocol::core::Context;
use crate::protocol::error::handler_error::HandlerError;
use crate::protocol::message::raw_object::{FromMembers, RawObject};

/// The params of a list request: the cursor.
pub(crate) struct PageParams {
    pub(crate) cursor: Option<Cursor>,
}

impl FromMembers for PageParams {
    fn from_members(members: &RawObject<'_>) -> Result<Self, DecodeError> {
        let cursor = members.optional::<String>("cursor")?;
        Ok(Self {
            cursor: cursor.map(Cursor::from),
        })
    }
}

/// Returns the result of a list request.
pub(crate) fn list<T: ListItem>(
    list: &List<T>,
    params: &PageParams,
    cx: &Context,
) -> Result<T::Page, HandlerError> {
    let (page, next) = page(cx, list, params.cursor.as_ref())?;
    Ok(T::page(page.items, &list.hints.of(page.restricted), next))
}

/// Returns the page for a cursor, and the cursor of the next page.
#[cfg(feature = "pagination")]
fn page<T: ListItem>(
    cx: &Context,
    list: &List<T>,
    cursor: Option<&Cursor>,
) -> Result<(Slice<T::Item>, Option<Cursor>), HandlerError> {
    let keys = cx.core().keys.get();
    // Most lists have one page and are requested without a cursor.
    let bound_to = || cursor_binding(cx, T::KIND.as_bytes());
    let from = match cursor {
        None => 0,
        Some(cursor) => keys
            .open(PURPOSE, &bound_to(), cursor.as_ref())
            .ok()
            .and_then(|plain| Some(next_index(u64::from_be_bytes(plain.try_into().ok()?))))
            .ok_or_else(|| bad_cursor(T::KIND))?,
    };
    let size = list.page_size;
    let size = size.map_or(usize::MAX, std::num::NonZeroUsize::get);
    let page = list.page(from, size, cx);
    let next = page
        .last
        .filter(|_| page.more)
        .map(|index| keys.seal(PURPOSE, &bound_to(), &index.to_be_bytes()))
        .transpose()?;
    Ok((page, next.map(Cursor::from)))
}

/// Returns all items. Without the feature there is one page, so every cursor is invalid.
#[cfg(not(feature = "pagination"))]
fn page<T: ListItem>(
    cx: &Context,
    list: &List<T>,
    cursor: Option<&Cursor>,
) -> Result<(Slice<T::Item>, Option<Cursor>), HandlerError> {
    if cursor.is_some() {
        return Err(bad_cursor(T::KIND));
    }
    Ok((list.page(0, usize::MAX, cx), None))
}

/// The purpose that cursors are sealed for.
#[cfg(feature = "pagination")]
pub(crate) const PURPOSE: &str = "cursor";

/// Returns what a cursor is bound to: the list, described by `list`, and the principal of the
/// request.
#[cfg(feature = "pagination")]
pub(crate) fn cursor_binding(cx: &Context, list: &[u8]) -> Vec<u8> {
    let principal = cx.state.extensions.principal();
    let name = principal.unwrap_or_default().as_bytes();
    let mut bytes = Vec::with_capacity(9 + name.len() + list.len());
    bytes.push(u8::from(principal.is_some()));
    // The length separates the two parts.
    bytes.extend_from_slice(&(name.len() as u64).to_be_bytes());
    bytes.extend_from_slice(name);
    bytes.extend_from_slice(list);
    bytes
}

/// Returns the position after an item.
#[cfg(feature = "pagination")]
pub(crate) fn next_index(index: u64) -> u64 {
    index.saturating_add(1)
}

pub(crate) fn bad_cursor(kind: &str) -> HandlerError {
    HandlerError::invalid_params(format!("$.cursor: not a cursor of the list of {kind}s"))
}
