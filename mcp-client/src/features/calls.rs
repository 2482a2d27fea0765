//! [`Call`]: a request on its way to its result.

mod arguments;
mod sending;

use std::any::TypeId;
use std::fmt;
use std::future::{Future, IntoFuture};
use std::pin::Pin;
use std::time::Duration;

use mcp_types::json::{Object, Value};
use mcp_types::revision::{VersionError, Versioned};
use mcp_types::{Outcome, ProgressNotificationParams, Request, Revision};

use self::sending::{Answers, COMPLETE, Sending, result_type};
use crate::client::Client;
use crate::protocol::error::CallError;
use crate::protocol::lenient;
use crate::protocol::limits::Limits;
use crate::protocol::pending::Progress;
use crate::protocol::roundtrip::Wait;

/// A request that is sent when it is awaited. Dropping it then gives the request up, and the
/// server is told.
///
/// Awaiting gives the result of the request when it is done, or a [`CallError`];
/// [`outcome`](Self::outcome) also the other things that a server may answer. A clone is the same
/// request once more.
#[must_use = "a call does nothing until it is awaited"]
pub struct Call<R: Request> {
    client: Client,
    params: R::Params,
    meta: Object,
    wait: Wait,
    fresh: bool,
}

impl<R: Request> Clone for Call<R> {
    fn clone(&self) -> Self {
        Self {
            client: self.client.clone(),
            params: self.params.clone(),
            meta: self.meta.clone(),
            wait: self.wait.clone(),
            fresh: self.fresh,
        }
    }
}

impl<R> Call<R>
where
    R: Request + 'static,
    R::Params: Versioned,
    R::Result: Versioned,
{
    pub(crate) fn new(client: Client, params: R::Params) -> Self {
        let wait = Wait::new(client.core().limits.call_time);
        Self {
            client,
            params,
            meta: Object::new(),
            wait,
            fresh: false,
        }
    }

    /// Changes the params.
    pub fn with(mut self, change: impl FnOnce(R::Params) -> R::Params) -> Self {
        self.params = change(self.params);
        self
    }

    /// How long to wait for the answer, in place of [`Limits::call_time`](crate::Limits).
    pub fn timeout(mut self, time: Duration) -> Self {
        self.wait.time = time;
        self
    }

    /// Waits anew whenever the server reports progress, but not longer than this in all. Without
    /// [`on_progress`](Self::on_progress) it reports none.
    pub fn while_progressing(mut self, most: Duration) -> Self {
        self.wait.most = Some(most);
        self
    }

    /// Asks the server to report progress (page "Progress" of the specification). What hears of it
    /// must not block.
    pub fn on_progress(
        mut self,
        heard: impl Fn(ProgressNotificationParams) + Send + Sync + 'static,
    ) -> Self {
        self.wait.progress = Some(Progress::new(Box::new(heard)));
        self
    }

    /// Adds a member to the request's `_meta`.
    pub fn meta(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.meta.insert(name.into(), value.into());
        self
    }

    /// Passes a trace on, in the form of the W3C's header of that name.
    pub fn traceparent(self, value: impl Into<String>) -> Self {
        self.meta("traceparent", value.into())
    }

    /// Asks the server also where a result is [kept](crate::Cache) that would do.
    pub fn fresh(mut self) -> Self {
        self.fresh = true;
        self
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.client.core().limits
    }

    /// The result when the request is done; `read` gives none where it is another outcome.
    pub(crate) fn finish<T, F>(
        self,
        read: F,
    ) -> impl Future<Output = Result<T, CallError>> + use<R, T, F>
    where
        F: Fn(Revision, &str) -> Result<Option<T>, VersionError>,
    {
        let call = Box::new(self);
        async move { Sending::new(call).await?.finish(read).await }
    }

    /// What the server answers, whatever it is: questions are not answered, nothing is kept, and
    /// structured results are not held to their schemas.
    ///
    /// # Errors
    ///
    /// See [`CallError`].
    pub async fn outcome(self) -> Result<R::Result, CallError> {
        let method = R::METHOD;
        let sending = Sending::new(Box::new(self)).await?;
        let text = sending.send(&Answers::default()).await?;
        let decoded = lenient::read(sending.revision, method, text.get(), Revision::decode);
        decoded.map_err(|source| CallError::Answer { method, source })
    }
}

impl<R> IntoFuture for Call<R>
where
    R: Request + Send + 'static,
    R::Params: Versioned,
    R::Result: Versioned + Outcome<Complete: Versioned + 'static>,
{
    type Output = Result<<R::Result as Outcome>::Complete, CallError>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        #[cfg(feature = "sep-2093")]
        let settles = self
            .client
            .core()
            .proposals
            .contains(&mcp_types::Proposal::Sep2093);
        Box::pin(self.finish(move |revision, text| {
            let result = complete::<R>(revision, text)?;
            #[cfg(feature = "sep-2093")]
            let result = result.map(|mut result| {
                if settles {
                    crate::proposals::sep_2093::settle(&mut result);
                }
                result
            });
            Ok(result)
        }))
    }
}

/// The result of a request that is done; none where it is another outcome.
fn complete<R>(
    revision: Revision,
    text: &str,
) -> Result<Option<<R::Result as Outcome>::Complete>, VersionError>
where
    R: Request,
    R::Result: Versioned + Outcome<Complete: Versioned + 'static>,
{
    // What says that it is done needs no look at what else it could be; most results can be nothing
    // else anyway.
    let could_be_more =
        TypeId::of::<R::Result>() != TypeId::of::<<R::Result as Outcome>::Complete>();
    if could_be_more
        && revision == Revision::LATEST
        && result_type(text).as_deref() == Some(COMPLETE)
        && let Ok(result) = revision.decode(text)
    {
        return Ok(Some(result));
    }
    let outcome: R::Result = revision.decode(text)?;
    Ok(outcome.complete().ok())
}

impl<R: Request> fmt::Debug for Call<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call")
            .field("method", &R::METHOD)
            .finish_non_exhaustive()
    }
}
