//! [`Call`]: a request on its way to its result.

use std::fmt;
use std::future::{Future, IntoFuture};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use mcp_types::json::{self, Object, Value};
use mcp_types::revision::{VersionError, Versioned};
use mcp_types::{Outcome, ProgressNotificationParams, Request, Revision};
use serde_json::value::RawValue;

use crate::calls::Progress;
use crate::client::Client;
use crate::core::Core;
use crate::error::CallError;
use crate::exchange::{Wait, exchange};

/// A request that is sent when it is awaited. Dropping it then gives the request up, and the
/// server is told.
///
/// Awaiting gives the result of the request when it is done; [`outcome`](Self::outcome) also the
/// other things that a server may answer.
#[must_use = "a call does nothing until it is awaited"]
pub struct Call<R: Request> {
    client: Client,
    params: R::Params,
    meta: Object,
    wait: Wait,
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

    /// Asks the server to report progress. What hears of it must not block.
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

    /// What the server answers, whatever it is.
    ///
    /// # Errors
    ///
    /// See [`CallError`].
    pub async fn outcome(self) -> Result<R::Result, CallError> {
        let core = Arc::clone(self.client.core());
        let revision = core.revision();
        let method = R::METHOD;
        let mut params =
            encode(revision, self.params).map_err(|source| CallError::Params { method, source })?;
        let reports = self.wait.progress.is_some();
        let text = exchange(&core, R::METHOD, self.wait, |token| {
            let token = reports.then_some(token);
            describe(&core, revision, &mut params, self.meta, token);
            params
        });
        result::<R>(revision, &text.await?)
    }
}

impl<R> IntoFuture for Call<R>
where
    R: Request + Send + 'static,
    R::Params: Versioned,
    R::Result: Versioned + Outcome,
{
    type Output = Result<<R::Result as Outcome>::Complete, CallError>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let outcome = self.outcome().await?;
            outcome.complete().map_err(|_| CallError::ResultType {
                method: R::METHOD,
                result_type: "input_required".to_owned(),
            })
        })
    }
}

impl<R: Request> fmt::Debug for Call<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call")
            .field("method", &R::METHOD)
            .finish_non_exhaustive()
    }
}

/// Params in the form of a revision.
fn encode<P: Versioned>(revision: Revision, params: P) -> Result<Object, VersionError> {
    let text = revision.encode(params)?;
    let params: Option<Object> = json::from_str(text.get())?;
    Ok(params.unwrap_or_default())
}

/// Adds what a request says of the client and of itself.
pub(crate) fn describe(
    core: &Core,
    revision: Revision,
    params: &mut Object,
    more: Object,
    progress: Option<i64>,
) {
    let mut meta = match params.remove("_meta") {
        Some(Value::Object(meta)) => meta,
        _ => Object::new(),
    };
    if revision == Revision::LATEST {
        for (name, value) in &core.described {
            meta.insert(name, value.clone());
        }
    }
    if let Some(token) = progress {
        meta.insert("progressToken", token);
    }
    for (name, value) in more {
        meta.insert(name, value);
    }
    if !meta.is_empty() {
        params.insert("_meta", meta);
    }
}

fn result<R>(revision: Revision, text: &RawValue) -> Result<R::Result, CallError>
where
    R: Request,
    R::Result: Versioned,
{
    let method = R::METHOD;
    let decoded = revision.decode(text.get());
    decoded.map_err(|source| CallError::Answer { method, source })
}
