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
use ring::digest::{SHA256, digest};
use serde::Serialize;

use crate::web::STYLE;

pub(crate) type Reply = Response<Bytes>;

/// What pages may do: show one style sheet, and send forms to this server. No page can frame them,
/// so that nobody makes the user click on something invisible.
///
/// A browser applies `form-action` to all redirects that follow a form, too. So no form is answered
/// with a redirect to another host, but with a page that leads there.
static POLICY: LazyLock<String> = LazyLock::new(|| {
    let digest = STANDARD.encode(digest(&SHA256, STYLE.as_bytes()));
    format!(
        "default-src 'none'; style-src 'sha256-{digest}'; form-action 'self'; \
         frame-ancestors 'none'; base-uri 'none'"
    )
});

fn respond(
    status: StatusCode,
    body: impl Into<Bytes>,
    headers: &[(HeaderName, &'static str)],
) -> Reply {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    let always = [
        (CACHE_CONTROL, "no-store"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "no-referrer"),
    ];
    for (name, value) in always.iter().chain(headers) {
        let value = HeaderValue::from_static(value);
        response.headers_mut().insert(name, value);
    }
    response
}

/// Creates a JSON response that pages of all origins may read: endpoints for clients have no cookies.
pub(crate) fn json(status: StatusCode, value: &impl Serialize) -> Reply {
    // The values are structs of strings and numbers, so this does not fail.
    let body = serde_json::to_vec(value).unwrap_or_default();
    let kind = (CONTENT_TYPE, "application/json");
    respond(status, body, &[kind, (ACCESS_CONTROL_ALLOW_ORIGIN, "*")])
}

/// Creates an empty response that pages of all origins may read.
pub(crate) fn empty(status: StatusCode) -> Reply {
    respond(status, Bytes::new(), &[(ACCESS_CONTROL_ALLOW_ORIGIN, "*")])
}

/// Answers the request that a browser sends before one of another origin.
pub(crate) fn preflight() -> Reply {
    let headers = [
        (ACCESS_CONTROL_ALLOW_ORIGIN, "*"),
        (ACCESS_CONTROL_ALLOW_METHODS, "POST, OPTIONS"),
        // The wildcard does not include `Authorization`.
        (
            ACCESS_CONTROL_ALLOW_HEADERS,
            "authorization, content-type, dpop, *",
        ),
        (ACCESS_CONTROL_MAX_AGE, "7200"),
    ];
    respond(StatusCode::NO_CONTENT, Bytes::new(), &headers)
}

/// Rejects a method.
pub(crate) fn method_not_allowed(allowed: &'static str) -> Reply {
    respond(
        StatusCode::METHOD_NOT_ALLOWED,
        Bytes::new(),
        &[(ALLOW, allowed)],
    )
}

/// Creates a page.
pub(crate) fn page(status: StatusCode, page: Markup) -> Reply {
    let headers = [
        (CONTENT_TYPE, "text/html; charset=utf-8"),
        (X_FRAME_OPTIONS, "DENY"),
        (CONTENT_SECURITY_POLICY, &**POLICY),
    ];
    respond(status, page.into_string(), &headers)
}

/// Sends a browser to a URL, which the caller has validated.
pub(crate) fn redirect(url: &str) -> Reply {
    let mut response = respond(StatusCode::SEE_OTHER, Bytes::new(), &[]);
    match HeaderValue::try_from(url) {
        Ok(url) => drop(response.headers_mut().insert(LOCATION, url)),
        // Validated URLs have only visible ASCII characters.
        Err(_) => *response.status_mut() = StatusCode::INTERNAL_SERVER_ERROR,
    }
    response
}

/// Adds a header `Set-Cookie`, if there is a cookie.
pub(crate) fn with_cookie(mut response: Reply, cookie: Option<String>) -> Reply {
    if let Some(Ok(mut cookie)) = cookie.map(HeaderValue::try_from) {
        cookie.set_sensitive(true);
        response.headers_mut().append(SET_COOKIE, cookie);
    }
    response
}
