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
                let bound_to = cursor_binding(cx, T::KIND.as_bytes());
                let plain = cx
                    .core()
                    .keys
                    .get()
                    .open(PURPOSE, &bound_to, cursor.as_ref());
                plain
                    .ok()
                    .and_then(|plain| Some(next_index(u64::from_be_bytes(plain.try_into().ok()?))))
                    .ok_or_else(|| bad_cursor(T::KIND))?
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
        let next = match slice.last.filter(|_| slice.more) {
            Some(index) => {
                let bound_to = cursor_binding(cx, T::KIND.as_bytes());
                let sealed = cx
                    .core()
                    .keys
                    .get()
                    .seal(PURPOSE, &bound_to, &index.to_be_bytes())?;
                Some(Cursor::from(sealed))
            }
            None => None,
        };
        let hints = list.hints.of(slice.restricted);
        Ok(T::page(slice.items, &hints, next))
    }
}

/// The purpose that cursors are sealed for.
pub(crate) const PURPOSE: &str = "cursor";

/// Returns what a cursor is bound to: the list, described by `list`, and the principal of the
/// request.
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
pub(crate) fn next_index(index: u64) -> u64 {
    index.saturating_add(1)
}

pub(crate) fn bad_cursor(kind: &str) -> HandlerError {
    HandlerError::invalid_params(format!("$.cursor: not a cursor of the list of {kind}s"))
}
