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
    let start = PageStart::read(list, params, cx)?;
    let slice = list.page(start.from, start.size, cx);
    PageStart::finish(list, slice, cx)
}

/// Where a page begins, and how long it is.
pub(crate) struct PageStart {
    pub(crate) from: u64,
    pub(crate) size: usize,
}

impl PageStart {
    /// Reads the cursor.
    pub(crate) fn read<T: ListItem>(
        list: &List<T>,
        params: &PageParams,
        cx: &Context,
    ) -> Result<Self, HandlerError> {
        // Most lists have one page and are requested without a cursor.
        let from = match &params.cursor {
            None => 0,
            Some(cursor) => {
                let plain = open_cursor(cursor, T::KIND.as_bytes(), cx);
                let index = plain.and_then(|plain| plain.try_into().ok());
                let index = index.map(u64::from_be_bytes).map(next_index);
                index.ok_or_else(|| bad_cursor(T::KIND))?
            }
        };
        let size = list.page_size;
        let size = size.map_or(usize::MAX, std::num::NonZeroUsize::get);
        Ok(Self { from, size })
    }

    /// Returns the page with these items.
    pub(crate) fn finish<T: ListItem>(
        list: &List<T>,
        slice: Slice<T::Item>,
        cx: &Context,
    ) -> Result<T::Page, HandlerError> {
        let next = slice.last.filter(|_| slice.more);
        let next = next.map(|index| seal_cursor(&index.to_be_bytes(), T::KIND.as_bytes(), cx));
        let next = next.transpose()?;
        let hints = list.hints.of(slice.restricted);
        Ok(T::page(slice.items, &hints, next))
    }
}

/// The purpose that cursors are sealed for.
const PURPOSE: &str = "cursor";

/// Seals the position of the next page of a list, which `list` describes.
pub(crate) fn seal_cursor(
    position: &[u8],
    list: &[u8],
    cx: &Context,
) -> Result<Cursor, HandlerError> {
    let keys = cx.core().keys.get();
    let sealed = keys.seal(PURPOSE, &cursor_binding(cx, list), position)?;
    Ok(Cursor::from(sealed))
}

/// Returns the position in a cursor; `None` if it was not sealed for this list and principal.
pub(crate) fn open_cursor(cursor: &Cursor, list: &[u8], cx: &Context) -> Option<Vec<u8>> {
    let keys = cx.core().keys.get();
    let opened = keys.open(PURPOSE, &cursor_binding(cx, list), cursor.as_ref());
    opened.ok()
}

/// Returns what a cursor is bound to: the list, described by `list`, and the principal of the
/// request.
fn cursor_binding(cx: &Context, list: &[u8]) -> Vec<u8> {
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
pub(crate) fn next_index(index: u64) -> u64 {
    index.saturating_add(1)
}

pub(crate) fn bad_cursor(kind: &str) -> HandlerError {
    HandlerError::invalid_params(format!("$.cursor: not a cursor of the list of {kind}s"))
}
