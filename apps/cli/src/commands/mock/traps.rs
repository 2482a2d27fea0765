//! What clients have to survive: resources of a server that an attacker controls, or that changes.

use std::time::Duration;

use mcp_server::HandlerError;
use serde_json::{Value, json};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::content::{PNG, Place};

/// The answer to a request: its result, or the error of the server.
pub(super) type Answer = Result<Value, HandlerError>;

/// An SVG image that runs a script where it is shown as a document.
const SCRIPT: &str = "data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciIG9ubG9hZD0iYWxlcnQoMSkiLz4=";

/// How long ago the URL of a resource has expired.
const EXPIRED: Duration = Duration::from_secs(3600);

/// Returns the resources, as a list shows them.
pub(super) fn resources(place: Place) -> Vec<Value> {
    let time = |time: OffsetDateTime| time.format(&Rfc3339).unwrap_or_default();
    let now = OffsetDateTime::now_utc();
    let (past, future) = (time(now - EXPIRED), time(now + EXPIRED));
    let plain = format!("http://127.0.0.1:{}", place.http);
    let icon = |src: String, media_type: &str| {
        json!({
            "uri": "mock://trap/icons", "name": "icons", "resourceType": "document",
            "icons": [{ "src": src, "mimeType": media_type }],
        })
    };
    let mut traps = vec![
        json!({
            "uri": "mock://trap/gone", "name": "gone", "resourceType": "document",
            "description": "Is listed, but does not exist",
        }),
        json!({
            "uri": "mock://trap/loop", "name": "loop", "resourceType": "collection",
            "description": "Is a member of itself",
        }),
        json!({
            "uri": "mock://trap/strange", "name": "strange", "resourceType": "hologram",
            "description": "Has a type that no document names",
        }),
        json!({
            "uri": "mock://trap/\u{1b}[31mred\u{202e}", "name": "\u{1b}]0;title\u{7}",
            "description": "Controls a terminal", "resourceType": "document",
        }),
        json!({
            "uri": "mock://trap/large", "name": "large", "size": 9_007_199_254_740_993_u64,
            "resourceType": "document", "description": "A size that no floating-point number has",
        }),
        json!({
            "uri": "mock://trap/unencrypted", "name": "unencrypted", "resourceType": "document",
            "httpUrl": format!("{plain}/document"), "httpUrlExpiresAt": future,
            "description": "Has a URL that is not `https`",
        }),
        icon(format!("{plain}/icon.png"), "image/png"),
        icon("file:///etc/hostname".to_owned(), "image/png"),
        icon("javascript:alert(1)".to_owned(), "image/svg+xml"),
        icon(SCRIPT.to_owned(), "image/svg+xml"),
        icon(PNG.replace("image/png", "image/jpeg"), "image/jpeg"),
    ];
    if let Some(port) = place.https {
        // The certificate is for `localhost`: the same host by its address is another origin.
        let (own, other) = (
            format!("https://localhost:{port}"),
            format!("https://127.0.0.1:{port}"),
        );
        let linked = |name: &str, until: &str, description: &str| {
            json!({
                "uri": format!("mock://trap/{name}"), "name": name, "resourceType": "document",
                "mimeType": "text/plain", "httpUrl": format!("{own}/trap/{name}"),
                "httpUrlExpiresAt": until, "description": description,
            })
        };
        traps.extend([
            linked("expired", &past, "Has a URL that has expired"),
            linked(
                "broken",
                &future,
                "Has a URL with the status 503; it can be read",
            ),
            linked("endless", &future, "Has a URL whose contents do not end"),
            linked(
                "redirected",
                &future,
                "Has a URL that redirects to another origin",
            ),
            icon(format!("{other}/trap/icon.png"), "image/png"),
            icon(format!("{own}/trap/endless-icon.png"), "image/png"),
        ]);
    }
    for (at, trap) in traps.iter_mut().enumerate() {
        if trap["name"] == "icons" {
            trap["uri"] = format!("mock://trap/icons/{at}").into();
            trap["name"] = format!("icons-{at}").into();
        }
    }
    traps
}

/// Adds the resources to the first page of the list of all.
pub(super) fn add(traps: &[Value], method: &str, params: &Value, result: &mut Value) {
    let is_first = params["uri"].is_null() && params["cursor"].is_null();
    if method == "resources/list"
        && is_first
        && params["filter"].is_null()
        && let Some(list) = result["resources"].as_array_mut()
    {
        list.extend(traps.iter().cloned());
    }
}

/// Answers requests for one of the resources.
pub(super) fn answer(traps: &[Value], method: &str, params: &Value) -> Option<Answer> {
    let uri = params["uri"].as_str().filter(|_| !traps.is_empty())?;
    if method == "resources/list" && uri == "mock://trap/loop" {
        let member = json!({ "uri": uri, "name": "loop", "resourceType": "collection" });
        return Some(Ok(complete(json!({ "resources": [member] }))));
    }
    let trap = traps.iter().find(|trap| trap["uri"] == uri)?;
    let is_gone = uri == "mock://trap/gone";
    Some(match method {
        "resources/read" if !is_gone => {
            let text = "What the server says in the protocol.\n";
            let contents = json!({ "uri": uri, "name": trap["name"], "text": text });
            Ok(complete(json!({ "contents": [contents] })))
        }
        "resources/metadata" if !is_gone => Ok(complete(json!({ "resource": trap }))),
        _ => Err(HandlerError::resource_not_found(uri)),
    })
}

/// Adds what every result of the newest revision has.
pub(super) fn complete(mut result: Value) -> Value {
    result["resultType"] = "complete".into();
    result["ttlMs"] = 0.into();
    result["cacheScope"] = "private".into();
    result
}
