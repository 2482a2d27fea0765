//! [`Sending`]: a call with its params in the form of the server's revision, until its result.

use std::borrow::Cow;
use std::marker::PhantomData;
use std::sync::Arc;

use mcp_types::json::{self, Object};
use mcp_types::peer_text::PeerText;
use mcp_types::revision::{VersionError, Versioned};
use mcp_types::rpc::{ErrorObject, INVALID_PARAMS};
#[cfg(feature = "json-schema")]
use mcp_types::{CallToolRequest, ListToolsRequest};
use mcp_types::{InputRequiredResult, Request, Revision};
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::time::timeout;

use super::Call;
use crate::client::Client;
use crate::features::cache::{Found, Missing};
use crate::features::server_requests::url_elicitation;
use crate::protocol::connection::Core;
use crate::protocol::error::CallError;
use crate::protocol::lenient;
use crate::protocol::params::{Params, Part};
use crate::protocol::roundtrip::{Wait, exchange};

/// A call with its params in the form of the server's revision.
pub(super) struct Sending<R> {
    core: Arc<Core>,
    pub(super) revision: Revision,
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
    /// In a box, since params are large and soon written.
    pub(super) async fn new(call: Box<Call<R>>) -> Result<Self, CallError> {
        let core = Arc::clone(call.client.core());
        let method = R::METHOD;
        let after = call.wait.time;
        // Nearly always there is nothing to wait for, not even by a timer.
        if core.life.is_restarting() {
            Box::pin(timeout(after, core.life.ready()))
                .await
                .map_err(|_| CallError::Timeout { method, after })?;
        }
        let call = *call;
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

    /// The result when the request is done; `read` gives none where it is another outcome.
    pub(super) async fn finish<T>(
        self,
        read: impl Fn(Revision, &str) -> Result<Option<T>, VersionError>,
    ) -> Result<T, CallError> {
        let method = R::METHOD;
        let rounds = self.core.limits.rounds.max(1);
        let modern = self.revision == Revision::LATEST;
        let read = |text: &str| lenient::read(self.revision, method, text, &read);
        let mut missing = match self.find() {
            Found::Kept(text) => match read(&text) {
                Ok(Some(result)) => {
                    #[cfg(feature = "json-schema")]
                    self.look_at(&text)?;
                    return Ok(result);
                }
                _ => None,
            },
            Found::Missing(missing) => Some(missing),
            Found::Never => None,
        };
        // What is rare is in boxes.
        let mut answers = Answers::default();
        let mut showed_pages = false;
        for _ in 0..rounds {
            let text = match self.send(&answers).await {
                Err(CallError::Refused { source, .. })
                    if !showed_pages && Box::pin(self.opened_pages(&source)).await? =>
                {
                    // Once: whether the user is done with them is not known.
                    showed_pages = true;
                    continue;
                }
                text => text?,
            };
            let fault = match read(text.get()) {
                Ok(Some(result)) => {
                    self.keep(missing, &text);
                    #[cfg(feature = "json-schema")]
                    self.look_at(text.get())?;
                    return Ok(result);
                }
                Ok(None) => None,
                Err(fault) => Some(fault),
            };
            missing = None;
            // Only now it matters what else the answer is.
            match (result_type(text.get()), fault) {
                (Some(kind), _) if modern && kind == INPUT_REQUIRED => {
                    answers = Box::pin(self.answer(&text)).await?;
                }
                (Some(kind), Some(source)) if !modern || kind == COMPLETE => {
                    return Err(CallError::Answer { method, source });
                }
                (None, Some(source)) => return Err(CallError::Answer { method, source }),
                (kind, _) => {
                    let result_type = kind.unwrap_or_default();
                    let result_type = PeerText(&result_type).to_string();
                    return Err(CallError::ResultType {
                        method,
                        result_type,
                    });
                }
            }
        }
        Err(CallError::Rounds { method, rounds })
    }

    pub(super) async fn send(&self, answers: &Answers) -> Result<Box<RawValue>, CallError> {
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
        let Some(asked) = url_elicitation::asked(&self.core.inputs, self.revision, refusal) else {
            return Ok(false);
        };
        self.few(asked.len())?;
        let opened = url_elicitation::opened(&self.core.inputs, asked).await;
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

    /// Refuses more questions in one answer than may be worked on at once.
    fn few(&self, asked: usize) -> Result<(), CallError> {
        let limit = self.core.limits.server_requests;
        if asked <= limit {
            return Ok(());
        }
        Err(CallError::Questions {
            method: R::METHOD,
            asked,
            limit,
        })
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
            self.few(requests.len())?;
            let (permits, time) = (&self.core.questions, self.wait.time);
            let responses = self.core.inputs.answers(requests, permits, time).await;
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
pub(super) struct Answers {
    responses: Option<Box<RawValue>>,
    state: Option<Box<RawValue>>,
}

/// The result type of a request that is not done.
const INPUT_REQUIRED: &str = "input_required";
/// The result type of one that is.
pub(super) const COMPLETE: &str = "complete";

/// What a result says that it is.
pub(super) fn result_type(text: &str) -> Option<Cow<'_, str>> {
    #[derive(Deserialize)]
    struct Peek<'a> {
        #[serde(borrow, default, rename = "resultType")]
        kind: Option<Cow<'a, str>>,
    }
    serde_json::from_str::<Peek<'_>>(text).ok()?.kind
}
