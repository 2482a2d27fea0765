//! [`TokenRefusal`]: the response to a request without a usable access token.

use std::borrow::Cow;

use http::header::{RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};

use crate::protocol::error::challenge::Challenge;

/// The header with the nonce for the next proof of possession (RFC 9449, section 8.2).
pub(crate) const DPOP_NONCE: HeaderName = HeaderName::from_static("dpop-nonce");

/// Why a request lacks a usable access token, and what the client can do about it.
#[derive(Debug, thiserror::Error)]
#[error("{reason}")]
pub(crate) struct TokenRefusal {
    status: StatusCode,
    reason: Cow<'static, str>,
    challenges: Vec<Challenge>,
    nonce: Option<HeaderValue>,
}

impl TokenRefusal {
    pub(crate) fn new(
        status: StatusCode,
        reason: impl Into<Cow<'static, str>>,
        challenges: Vec<Challenge>,
    ) -> Self {
        Self {
            status,
            reason: reason.into(),
            challenges,
            nonce: None,
        }
    }

    /// Creates the refusal for a token that cannot be verified now.
    pub(crate) fn unavailable(reason: &'static str) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, reason, Vec::new())
    }

    /// Sends a nonce for the next proof of possession.
    pub(crate) fn with_nonce(mut self, nonce: Option<HeaderValue>) -> Self {
        self.nonce = nonce;
        self
    }

    pub(crate) fn status(&self) -> StatusCode {
        self.status
    }

    /// Adds the challenges to the headers of the response.
    pub(crate) fn add_headers(&self, headers: &mut HeaderMap) {
        for challenge in &self.challenges {
            if let Ok(challenge) = HeaderValue::try_from(challenge.header()) {
                headers.append(WWW_AUTHENTICATE, challenge);
            }
        }
        if let Some(nonce) = &self.nonce {
            headers.insert(DPOP_NONCE, nonce.clone());
        }
        if self.status == StatusCode::TOO_MANY_REQUESTS {
            headers.insert(RETRY_AFTER, HeaderValue::from_static("1"));
        }
    }
}
