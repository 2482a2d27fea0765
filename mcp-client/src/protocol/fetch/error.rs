//! [`FetchError`]: why a URL was not used, or did not give what it should.

use std::io;
use std::net::IpAddr;
use std::time::Duration;

use http::StatusCode;

use crate::protocol::error::HttpError;
use crate::util::origin::UrlFault;

/// Why a URL was not used, or did not give what it should. None of them shows more of a URL than
/// its origin: the rest may be a secret.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FetchError {
    /// The reference has no URL.
    #[error("there is no URL")]
    NoUrl,
    /// The URL's time is over, or nearly so ([`FetchPolicy::margin`](crate::FetchPolicy)).
    #[error("the URL expires at {at}")]
    Expired {
        /// When, as the reference says.
        at: String,
    },
    /// When the URL expires cannot be read.
    #[error("`{text}` is no time at which a URL could expire")]
    Expiry {
        /// The beginning of what the reference says.
        text: String,
    },
    /// The URL is none that is used.
    #[error("the URL is not used: {0}")]
    Url(#[source] UrlFault),
    /// The host is none of those to which the policy keeps.
    #[error("{origin} is not among the hosts that are allowed")]
    Host {
        /// Scheme, host and port.
        origin: String,
    },
    /// The host is, or its name means, an address that is not on the public internet.
    #[error("{origin} is at {address}, which is not on the public internet")]
    Address {
        /// Scheme, host and port.
        origin: String,
        /// The address.
        address: IpAddr,
    },
    /// There is no address of that name.
    #[error("{origin} has no address: {source}")]
    Resolve {
        /// Scheme, host and port.
        origin: String,
        /// Why not.
        source: io::Error,
    },
    /// There is no connection, or the other side is not who it should be.
    #[error("there is no connection to {origin}: {source}")]
    Connect {
        /// Scheme, host and port.
        origin: String,
        /// Why not.
        source: io::Error,
    },
    /// The exchange failed, or broke off.
    #[error(transparent)]
    Http(#[from] HttpError),
    /// It took too long.
    #[error("nothing came for {after:?}")]
    Time {
        /// How long was waited.
        after: Duration,
    },
    /// The server at the URL refuses, or gives something else than what was asked for.
    #[error("the answer has HTTP status {status}")]
    Status {
        /// Its status.
        status: StatusCode,
    },
    /// The server at the URL redirects, and is not followed.
    #[error("a redirect (HTTP status {status}) is not followed: {source}")]
    Redirect {
        /// Its status.
        status: StatusCode,
        /// Why not.
        source: RedirectFault,
    },
    /// The content is of another media type.
    #[error("the content is of the type `{found}`, not `{expected}`")]
    MediaType {
        /// What was asked for, or what the reference says.
        expected: String,
        /// What it is; empty where that was not said.
        found: String,
    },
    /// The content is encoded, which was not asked for.
    #[error("the content is encoded as `{0}`")]
    Encoding(String),
    /// The content is longer or shorter than it should be.
    #[error("the content has {found} bytes, not {expected}")]
    Size {
        /// As many bytes there should be.
        expected: u64,
        /// As many there are, or came until it was clear that there are too many.
        found: u64,
    },
    /// The content is larger than the policy allows.
    #[error("the content has {found} bytes, more than the {limit} that are allowed")]
    TooLarge {
        /// As many bytes there are, or came until it was clear that there are too many.
        found: u64,
        /// As many are allowed.
        limit: u64,
    },
    /// The transfer broke off, and cannot go on: the content is another one by now, or the server
    /// does not give the rest alone.
    #[error("the rest of the content is not to be had alone (HTTP status {status})")]
    NoRest {
        /// The status of the answer to the request for the rest.
        status: StatusCode,
    },
}

/// Why a redirect is not followed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RedirectFault {
    /// There were too many before it.
    #[error("there are too many")]
    TooMany,
    /// It does not say where to.
    #[error("it leads nowhere")]
    Nowhere,
    /// It leads to another origin, which is not allowed.
    #[error("it leads to {origin}")]
    Elsewhere {
        /// Scheme, host and port.
        origin: String,
    },
    /// It leads to a URL that is not used.
    #[error("it leads to a URL that is not used: {0}")]
    Url(#[source] UrlFault),
}
