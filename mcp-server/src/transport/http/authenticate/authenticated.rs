//! [`Authenticated`]: what is known of the caller of an accepted request.

use std::time::{Duration, SystemTime};

use http::{HeaderMap, HeaderName, HeaderValue};

use crate::protocol::caller::extensions::Principal;
use crate::protocol::handler::access_token::AccessToken;

/// The time after which streams end if nothing says when the credentials expire.
const STREAM_TIME: Duration = Duration::from_secs(60 * 60);

/// Who sends a request that an [`Authenticate`](crate::Authenticate) accepts.
#[derive(Clone, Debug)]
pub struct Authenticated {
    pub(crate) principal: Option<Principal>,
    pub(crate) token: AccessToken,
    pub(crate) headers: HeaderMap,
    stream_time: Option<Duration>,
}

impl Authenticated {
    /// Accepts a request. Handlers get the token, or what else is known of the caller in this form,
    /// and its [principal](AccessToken::principal).
    #[must_use]
    pub fn new(token: AccessToken) -> Self {
        Self {
            principal: token.principal(),
            token,
            headers: HeaderMap::new(),
            stream_time: None,
        }
    }

    /// Returns the user or client. `None` if the token names neither: the endpoint then answers with
    /// 403, because what it issues, such as sessions, belongs to a principal.
    #[must_use]
    pub fn principal(&self) -> Option<&Principal> {
        self.principal.as_ref()
    }

    /// Returns the token.
    #[must_use]
    pub fn token(&self) -> &AccessToken {
        &self.token
    }

    /// Ends a stream of the response after this time, also if the token expires before or later. The
    /// client resumes it, or sends its request again, and is authenticated again. Default: when the
    /// [token expires](field@AccessToken::expires_at), or after an hour if it does not say when.
    #[must_use]
    pub fn stream_time(mut self, time: Duration) -> Self {
        self.stream_time = Some(time);
        self
    }

    /// Adds a header to the response.
    #[must_use]
    pub fn header(mut self, name: HeaderName, mut value: HeaderValue) -> Self {
        value.set_sensitive(true);
        self.headers.append(name, value);
        self
    }

    /// Returns the time after which streams end.
    pub(crate) fn time_left(&self) -> Duration {
        let left = |at: SystemTime| at.duration_since(SystemTime::now()).unwrap_or_default();
        let until_expiry = self.token.expires_at.map(left);
        self.stream_time.or(until_expiry).unwrap_or(STREAM_TIME)
    }
}
