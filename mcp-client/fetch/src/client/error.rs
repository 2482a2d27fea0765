//! [`FetchError`]: errors of fetching a URL.

use std::error::Error;
use std::io;
use std::net::IpAddr;
use std::time::Duration;

use http::StatusCode;

use super::tls::TlsError;
use crate::origin::UrlFault;

/// Why a URL was not used, or its content was rejected. The texts contain only the origin of the
/// URL, because the rest may be a secret.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FetchError {
    /// The reference has no URL.
    #[error("the resource has no URL")]
    NoUrl,
    /// The URL has expired, or expires too soon ([`FetchPolicy::margin`](crate::FetchPolicy::margin)).
    #[error("the URL expires at {at}, which is too soon")]
    Expired {
        /// The time in the reference.
        at: String,
    },
    /// The time at which the URL expires is invalid.
    #[error("invalid expiry time `{text}` of the URL")]
    Expiry {
        /// The beginning of the text in the reference.
        text: String,
    },
    /// The URL is invalid or not supported.
    #[error("invalid URL: {0}")]
    Url(#[source] UrlFault),
    /// The policy does not allow the host.
    #[error("the policy does not allow {origin}")]
    Host {
        /// Scheme, host and port.
        origin: String,
    },
    /// The host has an address that is not on the public internet.
    #[error("{origin} has the address {address}, which is not on the public internet")]
    Address {
        /// Scheme, host and port.
        origin: String,
        /// The address.
        address: IpAddr,
    },
    /// The name of the host cannot be resolved.
    #[error("cannot resolve the host of {origin}: {source}")]
    Resolve {
        /// Scheme, host and port.
        origin: String,
        /// Why not.
        source: io::Error,
    },
    /// The connection cannot be established, or the certificate of the host is invalid.
    #[error("cannot connect to {origin}: {source}")]
    Connect {
        /// Scheme, host and port.
        origin: String,
        /// Why not.
        source: io::Error,
    },
    /// The proxy cannot be used.
    #[error("invalid proxy: {0}")]
    Proxy(#[source] ProxyError),
    /// A certificate to trust cannot be read.
    #[error("cannot read a trusted certificate: {0}")]
    Certificate(#[source] TlsError),
    /// A header of the request has an invalid value. It is not shown, because it may be a secret.
    #[error("invalid value of the header `{name}`")]
    Header {
        /// The name.
        name: String,
    },
    /// The connection failed while the request was sent or the response was received.
    #[error("the connection failed: {}", deepest(.0.as_ref()))]
    Exchange(#[source] Box<dyn Error + Send + Sync>),
    /// A step of the transfer took longer than [`FetchPolicy::idle`](crate::FetchPolicy::idle).
    #[error("nothing was received for {after:?}")]
    Time {
        /// The timeout of a step.
        after: Duration,
    },
    /// The whole transfer took longer than [`FetchPolicy::time`](crate::FetchPolicy::time).
    #[error("the transfer takes longer than {limit:?}, which is its time limit")]
    TotalTime {
        /// The timeout of the whole transfer.
        limit: Duration,
    },
    /// The server at the URL answered with an error or with an unexpected status.
    #[error("the URL answered with HTTP status {status}")]
    Status {
        /// The status.
        status: StatusCode,
    },
    /// The server at the URL redirects, and the client does not follow.
    #[error("a redirect (HTTP status {status}) is not followed: {source}")]
    Redirect {
        /// The status.
        status: StatusCode,
        /// Why not.
        source: RedirectFault,
    },
    /// The content is of another media type.
    #[error("the content has the type `{found}`, expected `{expected}`")]
    MediaType {
        /// The type that the program or the reference names.
        expected: String,
        /// The type of the response; empty if it has none.
        found: String,
    },
    /// The content is compressed or otherwise encoded, although the request did not allow it.
    #[error("the content has the encoding `{0}`, expected none")]
    Encoding(String),
    /// The content is longer or shorter than the reference says.
    #[error("the content has {found} bytes, expected {expected}")]
    Size {
        /// The size in the reference.
        expected: u64,
        /// The size of the content, or the bytes received until it was exceeded.
        found: u64,
    },
    /// The content is larger than the policy allows.
    #[error("the content has {found} bytes, more than the {limit} that are allowed")]
    TooLarge {
        /// The size of the content, or the bytes received until the limit was exceeded.
        found: u64,
        /// The maximum size.
        limit: u64,
    },
    /// The transfer was interrupted and cannot be resumed: the content has changed, or the server
    /// does not support ranges.
    #[error("the interrupted transfer cannot be resumed (HTTP status {status})")]
    NoRest {
        /// The status of the response to the request for the rest.
        status: StatusCode,
    },
}

/// Why a proxy cannot be used. Its URL is not shown, because it may contain a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProxyError {
    /// The host to which a connection is wanted cannot be named to a proxy.
    #[error("the host is invalid")]
    Host,
    /// The user name or password in the URL of the proxy is ambiguous.
    #[error(
        "expected `%40`, `%2F`, `%3F` and `%23` instead of `@`, `/`, `?` and `#` in its user name \
         and password"
    )]
    Credentials,
    /// The URL of the proxy is invalid, or has another scheme than `http`.
    #[error("expected a URL of the form `http://HOST:PORT`")]
    Url,
}

/// Why a redirect is not followed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RedirectFault {
    /// There were too many redirects.
    #[error("there were too many redirects")]
    TooMany,
    /// The header `Location` is missing or invalid.
    #[error("its `Location` is missing or invalid")]
    Nowhere,
    /// It leads to another origin, which is not allowed.
    #[error("it leads to {origin}")]
    Elsewhere {
        /// Scheme, host and port.
        origin: String,
    },
    /// It leads to a URL that is invalid or not supported.
    #[error("it leads to an invalid URL: {0}")]
    Url(#[source] UrlFault),
}

/// Returns the innermost source: the errors above it have the same text for every failure.
pub(super) fn deepest<'a>(mut error: &'a (dyn Error + 'static)) -> &'a (dyn Error + 'static) {
    while let Some(source) = error.source() {
        error = source;
    }
    error
}
