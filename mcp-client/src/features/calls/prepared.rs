//! [`PreparedCall`]: sends a call and answers questions of the server until the result arrives.

use std::borrow::Cow;
use std::marker::PhantomData;
use std::sync::Arc;

use mcp_types::error::DecodeError;
use mcp_types::headers::name_member;
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

use crate::features::cache::{Found, Missing};
use crate::features::server_requests::url_elicitation;
use crate::features::shared_connection::SharedConnection;
use crate::features::state::Features;
use crate::protocol::connection::{Connection, HeaderSource};
use crate::protocol::error::CallError;
use crate::protocol::lenient;
use crate::protocol::params::{ParamValue, Params};
use crate::protocol::roundtrip::{CallTimeout, roundtrip};

/// The parts of a call that the program configures.
pub(super) struct CallParts<R: Request> {
    /// Keeps the connection open as long as the call exists.
    pub(super) connection: SharedConnection,
    pub(super) params: R::Params,
    pub(super) meta: Object,
    pub(super) timeout: CallTimeout,
    /// Whether the cache is bypassed.
    pub(super) fresh: bool,
    /// Why a value that the program gave cannot be encoded.
    pub(super) fault: Option<DecodeError>,
}

impl<R: Request> Clone for CallParts<R> {
    fn clone(&self) -> Self {
        Self {
            connection: self.connection.clone(),
            params: self.params.clone(),
            meta: self.meta.clone(),
            timeout: self.timeout.clone(),
            fresh: self.fresh,
            fault: self.fault.clone(),
        }
    }
}

/// A call whose params are encoded in the form of the negotiated revision.
pub(super) struct PreparedCall<R> {
    shared: SharedConnection,
    pub(super) revision: Revision,
    params: String,
    meta: Object,
    timeout: CallTimeout,
    fresh: bool,
    request: PhantomData<fn() -> R>,
}

impl<R> PreparedCall<R>
where
    R: Request + 'static,
    R::Params: Versioned,
    R::Result: Versioned,
{
    /// Takes a box, because params are large and are dropped as soon as they are encoded.
    pub(super) async fn new(parts: Box<CallParts<R>>) -> Result<Self, CallError> {
        let method = R::METHOD;
        if let Some(fault) = parts.fault {
            let source = fault.into();
            return Err(CallError::Params { method, source });
        }
        let state = &parts.connection.connection().state;
        let after = parts.timeout.time;
        // Checked first: nearly always there is nothing to wait for, and no timer is needed.
        if state.is_reconnecting() {
            Box::pin(timeout(after, state.wait_reconnected()))
                .await
                .map_err(|_| CallError::Timeout { method, after })?;
        }
        let parts = *parts;
        let revision = parts.connection.connection().revision();
        let params = revision.encode_text(parts.params);
        let params = params.map_err(|source| CallError::Params { method, source })?;
        Ok(Self {
            shared: parts.connection,
            revision,
            params,
            meta: parts.meta,
            timeout: parts.timeout,
            fresh: parts.fresh,
            request: PhantomData,
        })
    }

    fn connection(&self) -> &Arc<Connection> {
        self.shared.connection()
    }

    fn features(&self) -> &Features {
        self.shared.features()
    }

    /// Sends the call until a final result arrives. `read` returns `None` for other results.
    pub(super) async fn finish<T>(
        self,
        read: impl Fn(Revision, &str) -> Result<Option<T>, VersionError>,
    ) -> Result<T, CallError> {
        let method = R::METHOD;
        let rounds = self.connection().limits.rounds.max(1);
        let modern = self.revision == Revision::LATEST;
        let read = |text: &str| lenient::read(self.revision, method, text, &read);
        let mut missing = match self.find() {
            Found::Kept(text) => match read(&text) {
                Ok(Some(result)) => {
                    #[cfg(feature = "json-schema")]
                    self.check_output(&text)?;
                    return Ok(result);
                }
                _ => None,
            },
            Found::Missing(missing) => Some(missing),
            Found::Never => None,
        };
        // Rare paths are boxed to keep the future small.
        let mut answers = Answers::default();
        let mut opened_pages_once = false;
        for _ in 0..rounds {
            let text = match self.send(&answers).await {
                Err(CallError::Refused { source, .. })
                    if !opened_pages_once && Box::pin(self.opened_pages(&source)).await? =>
                {
                    // Only once: the client cannot know whether the user has finished there.
                    opened_pages_once = true;
                    continue;
                }
                text => text?,
            };
            let fault = match read(text.get()) {
                Ok(Some(result)) => {
                    self.keep(missing, &text);
                    #[cfg(feature = "json-schema")]
                    self.check_output(text.get())?;
                    return Ok(result);
                }
                Ok(None) => None,
                Err(fault) => Some(fault),
            };
            missing = None;
            // Not a final result: find out which other one it is.
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
        let reports = self.timeout.progress.is_some();
        let mut params = Params::read(&self.params).map_err(|error| CallError::Params {
            method,
            source: error.into(),
        })?;
        let header_source = HeaderSource {
            name: name_member(method).and_then(|name| params.text(name)),
            arguments: params.text("arguments"),
        };
        if let Some(responses) = &answers.responses {
            params = params.with("inputResponses", ParamValue::Raw(responses));
        }
        if let Some(state) = &answers.state {
            params = params.with("requestState", ParamValue::Raw(state));
        }
        let text = roundtrip(
            self.connection(),
            method,
            self.timeout.clone(),
            header_source,
            |id| {
                if self.revision == Revision::LATEST {
                    params = params.describe(&self.connection().request_meta);
                }
                if reports {
                    params = params.progress_token(id);
                }
                let more = self.meta.iter();
                more.fold(params, |params, (name, value)| params.meta(name, value))
            },
        );
        let text = text.await;
        if let (Err(CallError::Refused { source, .. }), Some(cache)) =
            (&text, &self.features().cache)
        {
            // The reason may be a cursor that the server has forgotten.
            if source.code == INVALID_PARAMS && self.revision == Revision::LATEST {
                cache.forget(method);
            }
        }
        text
    }

    /// Returns `true` if the error asked the user to open pages, and the user did, so that the call
    /// may succeed now.
    async fn opened_pages(&self, refusal: &ErrorObject) -> Result<bool, CallError> {
        let inputs = self.features().server_requests.inputs();
        let Some(pages) = url_elicitation::required_pages(inputs, self.revision, refusal) else {
            return Ok(false);
        };
        self.check_questions(pages.len())?;
        let opened = url_elicitation::open_pages(inputs, pages).await;
        opened.map_err(|source| CallError::Input {
            method: R::METHOD,
            source,
        })
    }

    /// Looks the result up in the cache.
    fn find(&self) -> Found {
        match &self.features().cache {
            Some(cache) if self.revision == Revision::LATEST => {
                let known = &self.connection().request_meta;
                cache.find(R::METHOD, &self.params, known, &self.meta, self.fresh)
            }
            _ => Found::Never,
        }
    }

    /// Remembers the output schemas of listed tools, and checks the results of their calls.
    #[cfg(feature = "json-schema")]
    fn check_output(&self, text: &str) -> Result<(), CallError> {
        let schemas = &self.features().output_schemas;
        match R::METHOD {
            ListToolsRequest::METHOD => schemas.learn(text),
            CallToolRequest::METHOD => schemas.hold(self.revision, &self.params, text)?,
            _ => {}
        }
        Ok(())
    }

    /// Stores a result in the cache.
    fn keep(&self, missing: Option<Missing>, text: &RawValue) {
        if let (Some(missing), Some(cache)) = (missing, &self.features().cache) {
            cache.keep(missing, text.get());
        }
    }

    /// Fails if one response has more questions than may be worked on at once.
    fn check_questions(&self, asked: usize) -> Result<(), CallError> {
        let limit = self.connection().limits.server_requests;
        if asked <= limit {
            return Ok(());
        }
        Err(CallError::Questions {
            method: R::METHOD,
            asked,
            limit,
        })
    }

    /// Answers the questions of an input-required result.
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
            self.check_questions(requests.len())?;
            let (permits, time) = (&self.features().input_permits, self.timeout.time);
            let inputs = self.features().server_requests.inputs();
            let responses = inputs.answers(requests, permits, time).await;
            let responses = responses.map_err(|source| CallError::Input { method, source })?;
            answers.responses = Some(json::to_raw(&responses).map_err(unwritten)?);
        }
        if let Some(state) = asked.request_state {
            answers.state = Some(json::to_raw(&state).map_err(unwritten)?);
        }
        Ok(answers)
    }
}

/// The members that a request has in addition when it is sent again.
#[derive(Default)]
pub(super) struct Answers {
    responses: Option<Box<RawValue>>,
    state: Option<Box<RawValue>>,
}

/// The result type of an input-required result.
const INPUT_REQUIRED: &str = "input_required";
/// The result type of a final result.
const COMPLETE: &str = "complete";

/// Returns the member `resultType` of a result.
fn result_type(text: &str) -> Option<Cow<'_, str>> {
    #[derive(Deserialize)]
    struct Peek<'a> {
        #[serde(borrow, default, rename = "resultType")]
        kind: Option<Cow<'a, str>>,
    }
    serde_json::from_str::<Peek<'_>>(text).ok()?.kind
}
