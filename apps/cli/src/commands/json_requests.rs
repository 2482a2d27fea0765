//! Requests as JSON, so that a check sees what the server says and not what types make of it.

use std::collections::HashSet;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use mcp_client::types::json::{self, Object, Value};
use mcp_client::types::uri::canonical;
use mcp_client::{CallError, Client};

/// The maximum number of pages of a list.
const PAGES: usize = 1_000;

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

/// A list of resources, of all its pages.
#[derive(Default)]
pub(crate) struct Pages {
    pub(crate) resources: Vec<Object>,
    /// The URIs that it has more than once.
    pub(crate) repeated: Vec<String>,
    /// Whether a cursor occurred twice, or there were too many pages.
    pub(crate) is_endless: bool,
}

/// Requests all pages of a list of resources.
pub(crate) async fn pages(client: &Client, params: &Object) -> Result<Pages, CallError> {
    let mut pages = Pages::default();
    let (mut uris, mut cursors) = (HashSet::new(), HashSet::new());
    let mut params = params.clone();
    for _ in 0..PAGES {
        let page = request(client, "resources/list", &params).await?;
        for resource in objects(&page, "resources") {
            let uri = text(&resource, "uri").unwrap_or_default();
            if !uris.insert(canonical(uri).into_owned()) {
                pages.repeated.push(uri.to_owned());
            }
            pages.resources.push(resource);
        }
        let Some(cursor) = text(&page, "nextCursor") else {
            return Ok(pages);
        };
        if !cursors.insert(cursor.to_owned()) {
            break;
        }
        params.insert("cursor", cursor);
    }
    pages.is_endless = true;
    Ok(pages)
}

/// Requests a list of at most `limit` objects. What a failing request leaves out is missing.
pub(crate) async fn pages_of(
    client: &Client,
    method: &'static str,
    member: &str,
    limit: usize,
) -> Vec<Object> {
    let (mut all, mut params) = (Vec::new(), Object::new());
    for _ in 0..PAGES {
        let Ok(page) = request(client, method, &params).await else {
            break;
        };
        all.extend(objects(&page, member));
        match text(&page, "nextCursor") {
            Some(cursor) if all.len() < limit => params.insert("cursor", cursor),
            _ => break,
        };
    }
    all.truncate(limit);
    all
}

/// Returns the bytes of an element of contents, whose text has the name `text`. `None` if it has neither
/// text nor a valid blob.
pub(crate) fn bytes(contents: &Object, name: &str) -> Option<Vec<u8>> {
    if let Some(text) = text(contents, name) {
        return Some(text.as_bytes().to_vec());
    }
    BASE64_STANDARD.decode(text(contents, "blob")?).ok()
}
