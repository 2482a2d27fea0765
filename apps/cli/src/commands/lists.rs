//! [`all`]: requests lists, and keeps what arrived before a fault.

use mcp_client::types::json::{self, Object, Value};
use mcp_client::types::{Icon, rpc};
use mcp_client::{CallError, Client, List, Paged};
use serde::Serialize;

use crate::failure::Failure;
use crate::output::exact::to_json;
use crate::output::{Output, print_error, print_message};

/// The number of characters of the URI of a malformed element that are shown.
const URI: usize = 200;

/// Returns the elements of a list that arrived, at most `limit`, and the error that ended it early.
/// Malformed elements are reported on stderr.
pub(crate) async fn all<R: Paged>(
    client: &Client,
    list: List<R>,
    limit: usize,
) -> (Vec<R::Item>, Result<(), Failure>) {
    let (items, _, end) = all_and_left_out(client, list, limit).await;
    (items, end)
}

/// Returns the same, and the number of malformed elements.
pub(crate) async fn all_and_left_out<R: Paged>(
    client: &Client,
    mut list: List<R>,
    limit: usize,
) -> (Vec<R::Item>, usize, Result<(), Failure>) {
    let (mut items, mut left_out) = (Vec::new(), 0);
    while items.len() < limit
        && let Some(element) = list.next().await
    {
        for dropped in list.take_dropped() {
            print_error(&dropped.to_string());
        }
        match element {
            Ok(item) => items.push(item),
            Err(CallError::Element { source, .. }) => {
                left_out += 1;
                // An error names only elements that have a name.
                let uri = uri_of(source.raw.get()).filter(|_| source.name.is_none());
                let uri = uri.map_or_else(String::new, |uri| format!("`{uri}`: "));
                print_error(&format!("left out of the list: {uri}{source}"));
            }
            Err(error) if items.is_empty() && is_unsupported::<R>(client, &error) => {
                return (items, left_out, Err(none::<R>()));
            }
            Err(error) => return (items, left_out, Err(error.into())),
        }
    }
    (items, left_out, Ok(()))
}

/// Returns the start of the URI of an element.
fn uri_of(element: &str) -> Option<String> {
    let element: Value = json::from_str(element).ok()?;
    let uri = element.get("uri")?.as_str()?;
    Some(uri.chars().take(URI).collect())
}

/// Returns `true` if the server refused a list because it has none.
fn is_unsupported<R: Paged>(client: &Client, error: &CallError) -> bool {
    error
        .code()
        .is_some_and(|code| code == rpc::METHOD_NOT_FOUND || !is_declared::<R>(client))
}

/// Returns `true` if the server has declared that it has a list.
fn is_declared<R: Paged>(client: &Client) -> bool {
    let capabilities = to_json(&client.server_capabilities());
    let capability = R::METHOD.split('/').next().unwrap_or_default();
    capabilities.get(capability).is_some()
}

/// Tells the user that a list has no elements. This is an error if the server has not declared the
/// list.
pub(crate) fn empty<R: Paged>(client: &Client) -> Result<(), Failure> {
    if !is_declared::<R>(client) {
        return Err(none::<R>());
    }
    print_message(&format!("the list of {} is empty", R::ITEMS));
    Ok(())
}

fn none<R: Paged>() -> Failure {
    Failure::Absent(format!("the server offers no {}", R::ITEMS))
}

/// Returns an object with one member, a list.
pub(crate) fn object(name: &str, items: &[impl Serialize]) -> Object {
    let items: Value = items.iter().map(to_json).collect();
    Object::from([(name, items)])
}

/// Prints icons, one in a line. Embedded images are described by their type and size.
pub(crate) fn icons(icons: Option<&Vec<Icon>>, output: Output) -> Result<(), Failure> {
    for icon in icons.into_iter().flatten() {
        let mut line = format!("icon: {}", short(&icon.src));
        let sizes = icon.sizes.iter().flatten().map(String::as_str);
        for about in icon.mime_type.as_deref().into_iter().chain(sizes) {
            line += &format!(", {about}");
        }
        if let Some(theme) = &icon.theme {
            line += &format!(", {} theme", theme.as_str());
        }
        output.indented(&line)?;
    }
    Ok(())
}

/// Returns a URL as it is, and the media type and the length of a `data:` URI.
pub(crate) fn short(url: &str) -> String {
    let data = url.split_at_checked(5);
    match data.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("data:")) {
        Some((_, data)) => {
            let media_type = data.split([',', ';']).next().unwrap_or_default();
            format!("data:{media_type}, {} characters", data.len())
        }
        None => url.to_owned(),
    }
}
