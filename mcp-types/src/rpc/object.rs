//! What [`ErrorObject`] adds to the type that is generated: the errors of JSON-RPC.

use std::fmt;
use std::time::Duration;

use super::code::{INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, PARSE_ERROR};
use super::fault::EnvelopeError;
use crate::json::{Object, Value};
use crate::revisions::ErrorObject;

/// The member of `data` with the seconds after which a request may be sent again.
const RETRY_AFTER: &str = "retryAfter";

impl ErrorObject {
    /// Creates a parse error, -32700: the text is not valid JSON.
    pub fn parse_error(message: impl Into<String>) -> Self {
        Self::new(PARSE_ERROR, message)
    }

    /// Creates an invalid request error, -32600: the JSON is not a valid message.
    pub fn invalid_request(message: impl Into<String>) -> Self {
        Self::new(INVALID_REQUEST, message)
    }

    /// Creates a method not found error, -32601.
    pub fn method_not_found(message: impl Into<String>) -> Self {
        Self::new(METHOD_NOT_FOUND, message)
    }

    /// Creates an invalid params error, -32602.
    pub fn invalid_params(message: impl Into<String>) -> Self {
        Self::new(INVALID_PARAMS, message)
    }

    /// Creates an internal error, -32603: the receiver failed to process the request.
    pub fn internal_error(message: impl Into<String>) -> Self {
        Self::new(INTERNAL_ERROR, message)
    }

    /// States that the same request may succeed after this time, rounded up to whole seconds: the
    /// receiver has too much to do, or the sender has used up its share.
    ///
    /// The protocol has no form for it. It is the member `retryAfter` of `data`, with the seconds, as
    /// in the header `Retry-After` of HTTP. Data that is no object stays as it is.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use mcp_types::rpc::ErrorObject;
    ///
    /// let error = ErrorObject::internal_error("five calls a minute").retry_after(Duration::from_secs(9));
    /// let json = r#"{"code":-32603,"message":"five calls a minute","data":{"retryAfter":9}}"#;
    /// assert_eq!(serde_json::to_string(&error)?, json);
    /// assert_eq!(error.retry_time(), Some(Duration::from_secs(9)));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn retry_after(mut self, time: Duration) -> Self {
        let data = self.data.get_or_insert_with(|| Object::new().into());
        if let Some(data) = data.as_object_mut() {
            data.insert(RETRY_AFTER, whole_seconds(time));
        }
        self
    }

    /// Returns the time of [`retry_after`](Self::retry_after). `None` if the error does not say that
    /// the request may succeed later.
    #[must_use]
    pub fn retry_time(&self) -> Option<Duration> {
        let seconds = self
            .data
            .as_ref()?
            .get(RETRY_AFTER)
            .and_then(Value::as_u64)?;
        Some(Duration::from_secs(seconds))
    }
}

/// Rounds a time up to whole seconds.
fn whole_seconds(time: Duration) -> u64 {
    time.as_secs()
        .saturating_add(u64::from(time.subsec_nanos() > 0))
}

impl From<&EnvelopeError> for ErrorObject {
    fn from(error: &EnvelopeError) -> Self {
        Self::new(error.code(), error.to_string())
    }
}

impl fmt::Display for ErrorObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.message, self.code)
    }
}

impl std::error::Error for ErrorObject {}
