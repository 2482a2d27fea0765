//! A store with one bucket that accepts signed requests only.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::body::Body;
use axum::extract::State;
use http::{HeaderMap, Method, Response, Uri};
use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use super::credentials;
use crate::support::apps::serve_app;

#[derive(Default)]
pub(crate) struct Fake {
    pub(crate) objects: BTreeMap<String, String>,
    /// The number of HEAD requests.
    pub(crate) heads: usize,
}

pub(crate) type Shared = Arc<Mutex<Fake>>;

pub(crate) async fn serve(fake: Shared) -> SocketAddr {
    let app = axum::Router::new().fallback(answer).with_state(fake);
    serve_app(app).await
}

fn decode(text: &str) -> String {
    percent_decode_str(text).decode_utf8().unwrap().into_owned()
}

/// Two objects have the same tag only if they are equal.
fn etag(object: &str) -> String {
    let hash = ring::digest::digest(&ring::digest::SHA256, object.as_bytes());
    format!("\"{hash:?}\"").replace("SHA256:", "")
}

async fn answer(
    State(fake): State<Shared>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
) -> Response<Body> {
    let header = |name| {
        headers
            .get(name)
            .map_or("", |value| value.to_str().unwrap())
    };
    let plain = |status: u16, text: &str| {
        let response = Response::builder().status(status);
        response.body(text.to_owned().into()).unwrap()
    };
    let query = uri.query().unwrap_or_default();
    let (query, signature) = query.split_once("&X-Amz-Signature=").unwrap_or_default();
    let parameters: BTreeMap<_, _> = query
        .split('&')
        .filter_map(|parameter| parameter.split_once('='))
        .map(|(name, value)| (name, decode(value)))
        .collect();
    let parameter = |name| parameters.get(name).map_or("", String::as_str);
    let (name, date) = (method.as_str(), parameter("X-Amz-Date"));
    if credentials().signature(name, header("host"), uri.path(), query, date) != signature {
        return plain(403, "SignatureDoesNotMatch");
    }
    let mut fake = fake.lock().unwrap();
    fake.heads += usize::from(method == Method::HEAD);
    let key = decode(uri.path().strip_prefix("/bucket/").unwrap());
    if key.is_empty() {
        let (after, limit) = (parameter("start-after"), parameter("max-keys"));
        let objects = fake.objects.iter().filter(|(key, _)| key.as_str() > after);
        let entries = objects.take(limit.parse().unwrap()).map(|(key, object)| {
            let key = utf8_percent_encode(key, NON_ALPHANUMERIC).to_string();
            let (key, tag) = (key.replace("%20", "+"), etag(object).replace('"', "&quot;"));
            let size = object.len();
            format!("<Contents><Key>{key}</Key><ETag>{tag}</ETag><Size>{size}</Size></Contents>")
        });
        return plain(200, &entries.collect::<String>());
    }
    let Some(object) = fake.objects.get(&key) else {
        return plain(404, "NoSuchKey");
    };
    let tag = etag(object);
    let response = Response::builder().header("etag", &tag);
    let empty = |status: u16, response: http::response::Builder| {
        response.status(status).body(Body::empty()).unwrap()
    };
    if ![String::new(), tag.clone()].contains(&header("if-match").to_owned()) {
        return empty(412, response);
    }
    if header("if-none-match") == tag {
        return empty(304, response);
    }
    let range = header("range").strip_prefix("bytes=");
    let (status, part) = match range.and_then(|range| range.split_once('-')) {
        Some((first, last)) => {
            let (first, last): (usize, usize) = (first.parse().unwrap(), last.parse().unwrap());
            (206, &object[first..=last])
        }
        None => (200, &**object),
    };
    let response = response
        .header("content-type", parameter("response-content-type"))
        .header("content-length", part.len())
        .status(status);
    response.body(part.to_owned().into()).unwrap()
}
