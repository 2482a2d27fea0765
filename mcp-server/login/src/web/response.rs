//! Responses: JSON, pages and redirects, each with its headers.

use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_MAX_AGE, ALLOW, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, LOCATION,
    REFERRER_POLICY, SET_COOKIE, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use http::{HeaderName, HeaderValue, Response, StatusCode};
use maud::Markup;
use serde::Serialize;

use crate::web::style::STYLE;

pub(crate) type Reply = Response<Bytes>;

const ANY: HeaderValue = HeaderValue::from_static("*");
const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");

/// What pages may do: show one style sheet, and send forms to this server. No page can frame them,
/// so that nobody makes the user click on something invisible.
///
/// A browser applies `form-action` to all redirects that follow a form, too. So no form is answered
/// with a redirect to another host, but with a page that leads there.
static POLICY: LazyLock<HeaderValue> = LazyLock::new(|| {
    let digest = STANDARD.encode(ring::digest::digest(
        &ring::digest::SHA256,
        STYLE.as_bytes(),
    ));
    let policy = format!(
        "default-src 'none'; style-src 'sha256-{digest}'; form-action 'self'; \
         frame-ancestors 'none'; base-uri 'none'"
    );
    HeaderValue::try_from(policy).unwrap_or(HeaderValue::from_static("default-src 'none'"))
});

fn respond(
    status: StatusCode,
    body: impl Into<Bytes>,
    headers: &[(HeaderName, HeaderValue)],
) -> Reply {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    let map = response.headers_mut();
    map.insert(CACHE_CONTROL, NO_STORE);
    map.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    map.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    for (name, value) in headers {
        map.insert(name, value.clone());
    }
    response
}

/// Creates a JSON response that pages of all origins may read: endpoints for clients have no cookies.
pub(crate) fn json(status: StatusCode, value: &impl Serialize) -> Reply {
    // The values are structs of strings and numbers, so this does not fail.
    let body = serde_json::to_vec(value).unwrap_or_default();
    let kind = HeaderValue::from_static("application/json");
    let headers = [(CONTENT_TYPE, kind), (ACCESS_CONTROL_ALLOW_ORIGIN, ANY)];
    respond(status, body, &headers)
}

/// Creates an empty response that pages of all origins may read.
pub(crate) fn empty(status: StatusCode) -> Reply {
    respond(status, Bytes::new(), &[(ACCESS_CONTROL_ALLOW_ORIGIN, ANY)])
}

/// Answers the request that a browser sends before one of another origin.
pub(crate) fn preflight() -> Reply {
    let mut response = empty(StatusCode::NO_CONTENT);
    let headers = response.headers_mut();
    let methods = HeaderValue::from_static("POST, OPTIONS");
    headers.insert(ACCESS_CONTROL_ALLOW_METHODS, methods);
    // The wildcard does not include `Authorization`.
    let allowed = HeaderValue::from_static("authorization, content-type, dpop, *");
    headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, allowed);
    headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("7200"));
    response
}

/// Rejects a method.
pub(crate) fn method_not_allowed(allowed: &'static str) -> Reply {
    let allowed = (ALLOW, HeaderValue::from_static(allowed));
    respond(StatusCode::METHOD_NOT_ALLOWED, Bytes::new(), &[allowed])
}

/// Creates a page.
pub(crate) fn page(status: StatusCode, page: Markup) -> Reply {
    let headers = [
        (
            CONTENT_TYPE,
            HeaderValue::from_static("text/html; charset=utf-8"),
        ),
        (CONTENT_SECURITY_POLICY, POLICY.clone()),
        (X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
    ];
    respond(status, page.into_string(), &headers)
}

/// Sends a browser to a URL, which the caller has validated.
pub(crate) fn redirect(url: &str) -> Reply {
    match HeaderValue::try_from(url) {
        Ok(url) => respond(StatusCode::SEE_OTHER, Bytes::new(), &[(LOCATION, url)]),
        // Validated URLs have only visible ASCII characters.
        Err(_) => respond(StatusCode::INTERNAL_SERVER_ERROR, Bytes::new(), &[]),
    }
}

/// Adds a header `Set-Cookie`.
pub(crate) fn with_cookie(mut response: Reply, cookie: &str) -> Reply {
    if let Ok(mut cookie) = HeaderValue::try_from(cookie) {
        cookie.set_sensitive(true);
        response.headers_mut().append(SET_COOKIE, cookie);
    }
    response
}
