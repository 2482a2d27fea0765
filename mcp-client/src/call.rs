//! [`Call`]: a request on its way to its result.

use std::any::TypeId;
use std::borrow::Cow;
use std::fmt;
use std::future::{Future, IntoFuture};
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use mcp_types::json::{self, Object, Value};
use mcp_types::revision::{VersionError, Versioned};
use mcp_types::rpc::ErrorObject;
use mcp_types::rpc::INVALID_PARAMS;
#[cfg(feature = "json-schema")]
use mcp_types::{CallToolRequest, ListToolsRequest};
use mcp_types::{InputRequiredResult, Outcome, ProgressNotificationParams, Request, Revision};
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::time::timeout;

use crate::answer;
use crate::cache::{Found, Missing};
use crate::calls::Progress;
use crate::client::Client;
use crate::core::Core;
use crate::error::CallError;
use crate::exchange::{Wait, exchange};
use crate::limits::Limits;
use crate::pages;
use crate::params::{Params, Part};

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
    pub(crate) async fn finish<T>(
        self,
        read: impl Fn(Revision, &str) -> Result<Option<T>, VersionError>,
    ) -> Result<T, CallError> {
        let method = R::METHOD;
        let sending = Sending::new(self).await?;
        let rounds = sending.core.limits.rounds;
        let modern = sending.revision == Revision::LATEST;
        let read = |text: &str| answer::read(sending.revision, method, text, &read);
        let mut missing = match sending.find() {
            Found::Kept(text) => match read(&text) {
                Ok(Some(result)) => {
                    #[cfg(feature = "json-schema")]
                    sending.look_at(&text)?;
                    return Ok(result);
                }
                _ => None,
            },
            Found::Missing(missing) => Some(missing),
            Found::Never => None,
        };
        let mut answers = Answers::default();
        let mut showed_pages = false;
        for _ in 0..rounds {
            let text = match sending.send(&answers).await {
                Err(CallError::Refused { source, .. })
                    if !showed_pages && sending.opened_pages(&source).await? =>
                {
                    // Once: whether the user is done with them is not known.
                    showed_pages = true;
                    continue;
                }
                text => text?,
            };
            let fault = match read(text.get()) {
                Ok(Some(result)) => {
                    sending.keep(missing, &text);
                    #[cfg(feature = "json-schema")]
                    sending.look_at(text.get())?;
                    return Ok(result);
                }
                Ok(None) => None,
                Err(fault) => Some(fault),
            };
            missing = None;
            // Only now it matters what else the answer is.
            match (result_type(text.get()), fault) {
                (Some(kind), _) if modern && kind == INPUT_REQUIRED => {
                    answers = sending.answer(&text).await?;
                }
                (Some(kind), Some(source)) if !modern || kind == COMPLETE => {
                    return Err(CallError::Answer { method, source });
                }
                (None, Some(source)) => return Err(CallError::Answer { method, source }),
                (kind, _) => {
                    let result_type = kind.unwrap_or_default().into_owned();
                    return Err(CallError::ResultType {
                        method,
                        result_type,
                    });
                }
            }
        }
        Err(CallError::Rounds { method, rounds })
    }

    /// What the server answers, whatever it is: questions are not answered, nothing is kept, and
    /// structured results are not held to their schemas.
    ///
    /// # Errors
    ///
    /// See [`CallError`].
    pub async fn outcome(self) -> Result<R::Result, CallError> {
        let method = R::METHOD;
        let sending = Sending::new(self).await?;
        let text = sending.send(&Answers::default()).await?;
        let decoded = answer::read(sending.revision, method, text.get(), Revision::decode);
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
        let finish = self.finish(|revision, text| {
            // What says that it is done needs no look at what else it could be; most results can be
            // nothing else anyway.
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
        });
        #[cfg(feature = "sep-2093")]
        let finish = async move {
            let mut result = finish.await?;
            if settles {
                crate::resources::embedded::settle(&mut result);
            }
            Ok(result)
        };
        Box::pin(finish)
    }
}

/// A call with its params in the form of the server's revision.
struct Sending<R> {
    core: Arc<Core>,
    revision: Revision,
    params: String,
    meta: Object,
    wait: Wait,
    fresh: bool,
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
        // Nearly always there is nothing to wait for, not even by a timer.
        if core.life.is_restarting() {
            timeout(after, core.life.ready())
                .await
                .map_err(|_| CallError::Timeout { method, after })?;
        }
        let revision = core.revision();
        let params = revision.encode_text(call.params);
        let params = params.map_err(|source| CallError::Params { method, source })?;
        Ok(Self {
            core,
            revision,
            params,
            meta: call.meta,
            wait: call.wait,
            fresh: call.fresh,
            _client: call.client,
            request: PhantomData,
        })
    }

    async fn send(&self, answers: &Answers) -> Result<Box<RawValue>, CallError> {
        let method = R::METHOD;
        let reports = self.wait.progress.is_some();
        let mut params = Params::read(&self.params).map_err(|error| CallError::Params {
            method,
            source: error.into(),
        })?;
        if let Some(responses) = &answers.responses {
            params = params.with("inputResponses", Part::Raw(responses));
        }
        if let Some(state) = &answers.state {
            params = params.with("requestState", Part::Raw(state));
        }
        let text = exchange(&self.core, method, self.wait.clone(), |id| {
            let token = reports.then_some(id);
            let params = params.described(&self.core, self.revision, token);
            let more = self.meta.iter();
            more.fold(params, |params, (name, value)| params.meta(name, value))
        });
        let text = text.await;
        if let (Err(CallError::Refused { source, .. }), Some(cache)) = (&text, &self.core.cache) {
            // Perhaps a cursor that the server does not know any more.
            if source.code == INVALID_PARAMS && self.revision == Revision::LATEST {
                cache.forget(method);
            }
        }
        text
    }

    /// Whether it may help to try again after a refusal, since the user opened what it asks for.
    async fn opened_pages(&self, refusal: &ErrorObject) -> Result<bool, CallError> {
        let opened = pages::opened(&self.core.inputs, self.revision, refusal).await;
        opened.map_err(|source| CallError::Input {
            method: R::METHOD,
            source,
        })
    }

    /// Looks whether the result is there already.
    fn find(&self) -> Found {
        match &self.core.cache {
            Some(cache) if self.revision == Revision::LATEST => {
                let known = &self.core.described;
                cache.find(R::METHOD, &self.params, known, &self.meta, self.fresh)
            }
            _ => Found::Never,
        }
    }

    /// Learns from the result what tools promise, or holds it to that.
    #[cfg(feature = "json-schema")]
    fn look_at(&self, text: &str) -> Result<(), CallError> {
        let schemas = &self.core.schemas;
        match R::METHOD {
            ListToolsRequest::METHOD => schemas.learn(text),
            CallToolRequest::METHOD => schemas.hold(self.revision, &self.params, text)?,
            _ => {}
        }
        Ok(())
    }

    /// Keeps a result that was not there.
    fn keep(&self, missing: Option<Missing>, text: &RawValue) {
        if let (Some(missing), Some(cache)) = (missing, &self.core.cache) {
            cache.keep(missing, text.get());
        }
    }

    /// Answers what the server asks.
    async fn answer(&self, text: &RawValue) -> Result<Answers, CallError> {
        let method = R::METHOD;
        let unwritten = |error: serde_json::Error| CallError::Params {
            method,
            source: error.into(),
        };
        let asked: InputRequiredResult =
            json::from_str(text.get()).map_err(|source| CallError::Answer {
                method,
                source: source.into(),
            })?;
        let mut answers = Answers::default();
        if let Some(requests) = asked.input_requests {
            let responses = self.core.inputs.answers(requests).await;
            let responses = responses.map_err(|source| CallError::Input { method, source })?;
            answers.responses = Some(json::to_raw(&responses).map_err(unwritten)?);
        }
        if let Some(state) = asked.request_state {
            answers.state = Some(json::to_raw(&state).map_err(unwritten)?);
        }
        Ok(answers)
    }
}

/// What a request says when it is sent again.
#[derive(Default)]
struct Answers {
    responses: Option<Box<RawValue>>,
    state: Option<Box<RawValue>>,
}

/// The result type of a request that is not done.
const INPUT_REQUIRED: &str = "input_required";
/// The result type of one that is.
const COMPLETE: &str = "complete";

/// What a result says that it is.
fn result_type(text: &str) -> Option<Cow<'_, str>> {
    #[derive(Deserialize)]
    struct Peek<'a> {
        #[serde(borrow, default, rename = "resultType")]
        kind: Option<Cow<'a, str>>,
    }
    serde_json::from_str::<Peek<'_>>(text).ok()?.kind
}

impl<R: Request> fmt::Debug for Call<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call")
            .field("method", &R::METHOD)
            .finish_non_exhaustive()
    }
}
