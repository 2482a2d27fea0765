//! Requests as JSON, so that a check sees what the server says and not what types make of it.

use std::cell::Cell;
use std::collections::HashSet;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use mcp_client::types::json::{self, Object, Value};
use mcp_client::types::uri::canonical;
use mcp_client::{CallError, Client};

/// The maximum number of pages of all lists.
const PAGES: usize = 2_000;

/// The maximum size of all pages, in bytes.
const BYTES: usize = 32 << 20;

/// Sends a request, and returns its result.
pub(crate) async fn request(
    client: &Client,
    method: &'static str,
    params: &Object,
) -> Result<Object, CallError> {
    let result = client.request_json(method, params).await?;
    // A result is an object; what else a server sends is found by the check of messages.
    Ok(json::from_str(result.get()).unwrap_or_default())
}

/// Returns the params of a request for a resource.
pub(crate) fn of(uri: &str) -> Object {
    Object::from([("uri", uri)])
}

/// Returns a member that is text.
pub(crate) fn text<'a>(object: &'a Object, member: &str) -> Option<&'a str> {
    object.get(member).and_then(Value::as_str)
}

/// Returns a member that is an object.
pub(crate) fn object(object: &Object, member: &str) -> Object {
    let found = object.get(member).and_then(Value::as_object);
    found.cloned().unwrap_or_default()
}

/// Returns the objects of a member that is a list.
pub(crate) fn objects(object: &Object, member: &str) -> Vec<Object> {
    let list = object.get(member).and_then(Value::as_array);
    let list = list.into_iter().flatten();
    list.filter_map(Value::as_object).cloned().collect()
}

/// Returns `true` if two URIs name one resource.
pub(crate) fn is_same(one: &str, other: &str) -> bool {
    canonical(one) == canonical(other)
}

/// What may be requested of lists, in total.
pub(crate) struct Budget {
    pages: Cell<usize>,
    bytes: Cell<usize>,
}

impl Budget {
    pub(crate) fn new() -> Self {
        Self {
            pages: Cell::new(PAGES),
            bytes: Cell::new(BYTES),
        }
    }

    /// Returns `false` if nothing is left.
    fn take_page(&self) -> bool {
        let left = self.pages.get();
        self.pages.set(left.saturating_sub(1));
        left > 0 && self.bytes.get() > 0
    }

    /// Returns `true` if not everything could be requested.
    pub(crate) fn is_used_up(&self) -> bool {
        self.pages.get() == 0 || self.bytes.get() == 0
    }
}

/// A list.
#[derive(Default)]
pub(crate) struct Listing {
    pub(crate) entries: Vec<Object>,
    /// Whether there are more than the limit or the budget permit.
    pub(crate) is_cut: bool,
    /// Whether a cursor occurred twice.
    pub(crate) repeats: bool,
}

/// Requests the pages of a list, until it ends or has more than `limit` entries.
pub(crate) async fn list(
    client: &Client,
    (method, member): (&'static str, &str),
    params: &Object,
    limit: usize,
    budget: &Budget,
) -> Result<Listing, CallError> {
    let (mut listing, mut cursors) = (Listing::default(), HashSet::new());
    let mut params = params.clone();
    loop {
        if listing.entries.len() > limit || !budget.take_page() {
            listing.is_cut = true;
            return Ok(listing);
        }
        let result = client.request_json(method, &params).await?;
        let left = budget.bytes.get().saturating_sub(result.get().len());
        budget.bytes.set(left);
        let page: Object = json::from_str(result.get()).unwrap_or_default();
        listing.entries.extend(objects(&page, member));
        let Some(cursor) = text(&page, "nextCursor") else {
            return Ok(listing);
        };
        if !cursors.insert(cursor.to_owned()) {
            listing.repeats = true;
            return Ok(listing);
        }
        params.insert("cursor", cursor);
    }
}

/// Returns a media type without its parameters, in lower case.
pub(crate) fn essence(media_type: &str) -> String {
    let essence = media_type.split(';').next().unwrap_or_default();
    essence.trim().to_ascii_lowercase()
}

/// Returns the bytes of an element of contents, whose text has the name `text`. `None` if it has neither
/// text nor a valid blob.
pub(crate) fn bytes(contents: &Object, name: &str) -> Option<Vec<u8>> {
    if let Some(text) = text(contents, name) {
        return Some(text.as_bytes().to_vec());
    }
    BASE64_STANDARD.decode(text(contents, "blob")?).ok()
}
