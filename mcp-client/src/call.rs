//! [`Call`]: a request on its way to its result.

use std::fmt;
use std::future::{Future, IntoFuture};
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use mcp_types::json::{self, Object, Value};
use mcp_types::revision::{VersionError, Versioned};
use mcp_types::{InputRequiredResult, Outcome, ProgressNotificationParams, Request, Revision};
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::time::timeout;

use crate::calls::Progress;
use crate::client::Client;
use crate::core::Core;
use crate::error::CallError;
use crate::exchange::{Wait, exchange};
use crate::limits::Limits;

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

impl<R: Request> Clone for Call<R> {
    fn clone(&self) -> Self {
        Self {
            client: self.client.clone(),
            params: self.params.clone(),
            meta: self.meta.clone(),
            wait: self.wait.clone(),
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

    pub(crate) fn limits(&self) -> &Limits {
        &self.client.core().limits
    }

    /// The result when the request is done; `read` gives none where it is another outcome.
    pub(crate) async fn finish<T>(
        self,
        read: impl FnOnce(Revision, &str) -> Result<Option<T>, VersionError>,
    ) -> Result<T, CallError> {
        let method = R::METHOD;
        let sending = Sending::new(self).await?;
        let text = sending.complete().await?;
        match read(sending.revision, text.get()) {
            Ok(Some(result)) => Ok(result),
            Ok(None) => Err(CallError::ResultType {
                method,
                result_type: result_type(&text).unwrap_or_default(),
            }),
            Err(source) => Err(CallError::Answer { method, source }),
        }
    }

    /// What the server answers, whatever it is: questions are not answered.
    ///
    /// # Errors
    ///
    /// See [`CallError`].
    pub async fn outcome(self) -> Result<R::Result, CallError> {
        let sending = Sending::new(self).await?;
        let text = sending.send(sending.params.clone()).await?;
        sending.read(&text)
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
        Box::pin(self.finish(|revision, text| {
            let outcome: R::Result = revision.decode(text)?;
            Ok(outcome.complete().ok())
        }))
    }
}

/// A call with its params in the form of the server's revision.
struct Sending<R> {
    core: Arc<Core>,
    revision: Revision,
    params: Object,
    meta: Object,
    wait: Wait,
    /// The connection lasts as long as the call.
    _client: Client,
    request: PhantomData<fn() -> R>,
}

impl<R> Sending<R>
where
    R: Request + 'static,
    R::Params: Versioned,
    R::Result: Versioned,
{
    async fn new(call: Call<R>) -> Result<Self, CallError> {
        let core = Arc::clone(call.client.core());
        let method = R::METHOD;
        let after = call.wait.time;
        timeout(after, core.life.ready())
            .await
            .map_err(|_| CallError::Timeout { method, after })?;
        let revision = core.revision();
        let params =
            encode(revision, call.params).map_err(|source| CallError::Params { method, source })?;
        Ok(Self {
            core,
            revision,
            params,
            meta: call.meta,
            wait: call.wait,
            _client: call.client,
            request: PhantomData,
        })
    }

    async fn send(&self, mut params: Object) -> Result<Box<RawValue>, CallError> {
        let reports = self.wait.progress.is_some();
        let text = exchange(&self.core, R::METHOD, self.wait.clone(), |id| {
            let token = reports.then_some(id);
            describe(
                &self.core,
                self.revision,
                &mut params,
                self.meta.clone(),
                token,
            );
            params
        });
        text.await
    }

    /// Sends the request, answers what the server asks, and sends it again, until it is done.
    async fn complete(&self) -> Result<Box<RawValue>, CallError> {
        let method = R::METHOD;
        let mut params = self.params.clone();
        for _ in 0..self.core.limits.rounds {
            let text = self.send(params).await?;
            if result_type(&text).as_deref() != Some(INPUT_REQUIRED) {
                return Ok(text);
            }
            let asked: InputRequiredResult =
                json::from_str(text.get()).map_err(|source| CallError::Answer {
                    method,
                    source: source.into(),
                })?;
            params = self.params.clone();
            if let Some(requests) = asked.input_requests {
                let answers = self.core.inputs.answers(requests).await;
                let answers = answers.map_err(|source| CallError::Input { method, source })?;
                let answers = json::to_value(&answers).map_err(|error| CallError::Params {
                    method,
                    source: error.into(),
                })?;
                params.insert("inputResponses", answers);
            }
            if let Some(state) = asked.request_state {
                params.insert("requestState", state);
            }
        }
        let rounds = self.core.limits.rounds;
        Err(CallError::Rounds { method, rounds })
    }

    fn read(&self, text: &RawValue) -> Result<R::Result, CallError> {
        let method = R::METHOD;
        let decoded = self.revision.decode(text.get());
        decoded.map_err(|source| CallError::Answer { method, source })
    }
}

/// The result type of a request that is not done.
const INPUT_REQUIRED: &str = "input_required";

/// What a result says that it is.
fn result_type(text: &RawValue) -> Option<String> {
    #[derive(Deserialize)]
    struct Peek {
        #[serde(default, rename = "resultType")]
        kind: Option<String>,
    }
    serde_json::from_str::<Peek>(text.get()).ok()?.kind
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
