//! [`AuthRefusal`]: the response to a request that is not authenticated.

use std::borrow::Cow;
use std::error::Error;

use http::header::WWW_AUTHENTICATE;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};

use crate::protocol::error::challenge::Challenge;
use crate::protocol::store::error::{CANNOT_BE_REACHED, StoreError};

/// Why an [`Authenticate`](crate::Authenticate) refuses a request, and what the client can do about
/// it. It is the response: its status, its headers, and a JSON-RPC error with the reason.
#[derive(Debug, thiserror::Error)]
#[error("{}", .0.reason)]
pub struct AuthRefusal(Box<RefusedRequest>);

#[derive(Debug)]
struct RefusedRequest {
    status: StatusCode,
    reason: Cow<'static, str>,
    headers: HeaderMap,
    cause: Option<Box<dyn Error + Send + Sync>>,
}

impl AuthRefusal {
    /// Creates the refusal with a status. The client reads the reason, so it must not contain secrets
    /// or parts of the credentials. With 429 and 503, the response says to retry after a second.
    pub fn new(status: StatusCode, reason: impl Into<Cow<'static, str>>) -> Self {
        Self(Box::new(RefusedRequest {
            status,
            reason: reason.into(),
            headers: HeaderMap::new(),
            cause: None,
        }))
    }

    /// Creates the refusal of a request whose credentials are missing or not valid: 401. It needs at
    /// least one [challenge](Self::challenge).
    pub fn unauthorized(reason: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::UNAUTHORIZED, reason)
    }

    /// Adds a header `WWW-Authenticate`, which says what credentials the client needs.
    #[must_use]
    pub fn challenge(self, challenge: &Challenge) -> Self {
        match HeaderValue::try_from(challenge.to_string()) {
            Ok(value) => self.header(WWW_AUTHENTICATE, value),
            // A challenge has only characters that the header can represent.
            Err(_) => self,
        }
    }

    /// Adds a header to the response.
    #[must_use]
    pub fn header(mut self, name: HeaderName, mut value: HeaderValue) -> Self {
        value.set_sensitive(true);
        self.0.headers.append(name, value);
        self
    }

    /// Adds the headers that the response to an accepted request would have.
    pub(crate) fn all_headers(self, headers: &HeaderMap) -> Self {
        headers.iter().fold(self, |refusal, (name, value)| {
            refusal.header(name.clone(), value.clone())
        })
    }

    /// Sets an error for the log, at the level `ERROR`. The client does not read it.
    #[must_use]
    pub fn cause(mut self, cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.0.cause = Some(cause.into());
        self
    }

    /// Returns the status of the response.
    #[must_use]
    pub fn status(&self) -> StatusCode {
        self.0.status
    }

    /// Returns the headers that were added to the response.
    #[must_use]
    pub fn headers(&self) -> &HeaderMap {
        &self.0.headers
    }

    /// Returns the error for the log.
    pub(crate) fn logged(&self) -> Option<&(dyn Error + 'static)> {
        self.0.cause.as_deref().map(|cause| cause as _)
    }
}

/// The store of the server cannot be reached: 503.
impl From<StoreError> for AuthRefusal {
    fn from(error: StoreError) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, CANNOT_BE_REACHED).cause(error)
    }
}
