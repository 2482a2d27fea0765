//! [`Refusal`]: why a request is not served.

use http::StatusCode;

/// The status and the text with which a request is refused before it is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Refusal(pub(crate) StatusCode, pub(crate) &'static str);

pub(crate) const SHUTTING_DOWN: Refusal = Refusal(
    StatusCode::SERVICE_UNAVAILABLE,
    "the server is shutting down",
);
