//! [`Call`]: a request that is sent when it is awaited.

pub(crate) mod any;
mod arguments;
mod prepared;

pub use arguments::IntoObject;

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use mcp_types::json::{Object, Value};
use mcp_types::revision::{VersionError, Versioned};
use mcp_types::{Outcome, ProgressNotificationParams, Request, Revision};

use self::prepared::{Answers, CallParts, PreparedCall};
pub(crate) use self::prepared::{Decoded, decode, result_type};
use super::inspect::{Inspect, KnownResult};
use super::shared_connection::SharedConnection;
use crate::protocol::connection::Progress;
use crate::protocol::error::CallError;
use crate::protocol::lenient;
use crate::protocol::limits::Limits;
use crate::protocol::roundtrip::CallTimeout;

/// A request that is sent when it is awaited. Dropping the future cancels the request on the
/// server.
///
/// Awaiting returns the final result or a [`CallError`]; [`outcome`](Self::outcome) returns other
/// results, too. A clone sends the same request again.
#[must_use = "a call does nothing until it is awaited"]
pub struct Call<R: Request> {
    parts: CallParts<R>,
}

impl<R: Request> Clone for Call<R> {
    fn clone(&self) -> Self {
        Self {
            parts: self.parts.clone(),
        }
    }
}

impl<R> Call<R>
where
    R: Request + 'static,
    R::Params: Versioned,
    R::Result: Versioned,
{
    pub(crate) fn new(connection: SharedConnection, params: R::Params) -> Self {
        let limits = &connection.connection().limits;
        let mut timeout = CallTimeout::new(limits.call_time);
        if limits.progress_time.is_some() {
            timeout.most = limits.progress_time;
            timeout.progress = Some(Progress::new(Box::new(|_| {})));
        }
        let parts = CallParts {
            connection,
            params,
            meta: Object::new(),
            timeout,
            fresh: false,
            fault: None,
        };
        Self { parts }
    }

    /// Changes the params.
    pub fn with(mut self, change: impl FnOnce(R::Params) -> R::Params) -> Self {
        self.parts.params = change(self.parts.params);
        self
    }

    /// Sets a member of the params that is an object. A value that cannot be converted is an error
    /// when the call is awaited.
    pub(crate) fn with_object(
        mut self,
        value: impl IntoObject,
        change: impl FnOnce(R::Params, Object) -> R::Params,
    ) -> Self {
        match value.into_object() {
            Ok(object) => self.with(|params| change(params, object)),
            Err(error) => {
                self.parts.fault = Some(error);
                self
            }
        }
    }

    /// Sets the timeout of this call, instead of [`Limits::call_time`](crate::Limits).
    pub fn timeout(mut self, time: Duration) -> Self {
        self.parts.timeout.time = time;
        self
    }

    /// Asks the server to report progress, and restarts the timeout whenever it does, up to `most`
    /// in total. [`Limits::progress_time`](crate::Limits) does so for all calls.
    pub fn while_progressing(mut self, most: Duration) -> Self {
        let timeout = &mut self.parts.timeout;
        timeout.most = Some(most);
        let ignore = || Progress::new(Box::new(|_| {}));
        timeout.progress.get_or_insert_with(ignore);
        self
    }

    /// Asks the server to report progress (page "Progress" of the specification), and calls
    /// `handler` for each report. The handler must not block.
    pub fn on_progress(
        mut self,
        handler: impl Fn(ProgressNotificationParams) + Send + Sync + 'static,
    ) -> Self {
        self.parts.timeout.progress = Some(Progress::new(Box::new(handler)));
        self
    }

    /// Sets the reason in `notifications/cancelled`, for users and logs of the server. `reason` is
    /// called when the call is dropped, or its time is over, before its response. Servers of newer
    /// revisions do not get it over HTTP: a call is cancelled there by closing the response.
    pub fn cancel_reason(
        mut self,
        reason: impl Fn() -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        self.parts.timeout.cancel_reason = Some(Arc::new(reason));
        self
    }

    /// Adds a member to the request's `_meta`.
    pub fn meta(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.parts.meta.insert(name.into(), value.into());
        self
    }

    /// Sets the trace context, in the form of the W3C header `traceparent`.
    pub fn traceparent(self, value: impl Into<String>) -> Self {
        self.meta("traceparent", value.into())
    }

    /// Asks the server even if the [cache](crate::Cache) has a result.
    pub fn fresh(mut self) -> Self {
        self.parts.fresh = true;
        self
    }

    pub(crate) fn connection(&self) -> &SharedConnection {
        &self.parts.connection
    }

    pub(crate) fn params(&self) -> &R::Params {
        &self.parts.params
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.parts.connection.connection().limits
    }

    /// Sends the call until a final result arrives, decodes it with `read`, and hands it to the
    /// features.
    pub(crate) fn finish<T, F>(
        self,
        read: F,
    ) -> impl Future<Output = Result<T, CallError>> + use<R, T, F>
    where
        T: Inspect,
        F: Fn(Revision, &str) -> Result<Decoded<T>, VersionError>,
    {
        let parts = Box::new(self.parts);
        async move { PreparedCall::new(parts).await?.finish(read).await }
    }

    /// Sends the call once and returns the result as it is, whether it is final or not. Questions
    /// of the server are not answered, the cache is not used, and structured results are not
    /// checked against their schemas.
    ///
    /// # Errors
    ///
    /// See [`CallError`].
    pub async fn outcome(self) -> Result<R::Result, CallError> {
        let method = R::METHOD;
        let call = PreparedCall::new(Box::new(self.parts)).await?;
        let text = call
            .send(method, &call.params()?, &Answers::default())
            .await?;
        let mut result = lenient::read(call.revision, method, text.get(), Revision::decode)
            .map_err(|source| CallError::Answer { method, source })?;
        call.learn(KnownResult::of(&mut result));
        Ok(result)
    }
}

impl<R> IntoFuture for Call<R>
where
    R: Request + Send + 'static,
    R::Params: Versioned,
    R::Result: Versioned + Outcome<Complete: Versioned + 'static>,
    <R::Result as Outcome>::Complete: Outcome<Complete = <R::Result as Outcome>::Complete>,
{
    type Output = Result<<R::Result as Outcome>::Complete, CallError>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.finish(decode::<R>))
    }
}

impl<R: Request> fmt::Debug for Call<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call")
            .field("method", &R::METHOD)
            .finish_non_exhaustive()
    }
}
