//! [`PreparedCall`]: sends a call and answers questions of the server until the result arrives.

use std::any::Any;
use std::marker::PhantomData;
use std::sync::Arc;

use mcp_types::error::DecodeError;
use mcp_types::headers::name_member;
use mcp_types::json::{self, Map, Object};
use mcp_types::peer_text::PeerText;
use mcp_types::revision::{VersionError, Versioned};
use mcp_types::rpc::{ErrorObject, INVALID_PARAMS};
use mcp_types::{Request, Revision};
use serde_json::value::RawValue;
use tokio::time::timeout;

use super::decoded::{COMPLETE, Decoded, result_type};
use crate::features::cache::{Lookup, Revalidated};
use crate::features::server_requests::input_required::InputRequired;
use crate::features::server_requests::url_elicitation;
use crate::features::shared_connection::SharedConnection;
use crate::features::state::Features;
use crate::protocol::connection::{Connection, HeaderSource};
use crate::protocol::error::{CallError, ServerOutput};
use crate::protocol::lenient;
use crate::protocol::params::{EncodedParams, ParamValue, Params};
use crate::protocol::roundtrip::{CallTimeout, roundtrip};

/// The member of params that continues a list.
const CURSOR: &str = "cursor";

/// The parts of a call that the program configures.
pub(super) struct CallParts<R: Request> {
    /// Keeps the connection open as long as the call exists.
    pub(super) connection: SharedConnection,
    pub(super) params: R::Params,
    pub(super) meta: Object,
    pub(super) timeout: CallTimeout,
    /// Whether the cache is bypassed.
    pub(super) fresh: bool,
    /// The error for a value of the program that cannot be encoded.
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
    pub(super) shared: SharedConnection,
    pub(super) revision: Revision,
    encoded: EncodedParams,
    pub(super) meta: Object,
    pub(super) timeout: CallTimeout,
    pub(super) fresh: bool,
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
                .map_err(|_| CallError::Timeout {
                    method,
                    after,
                    output: ServerOutput::default(),
                })?;
        }
        let mut parts = *parts;
        let revision = parts.connection.connection().revision();
        let encoded = EncodedParams::new(revision, parts.params);
        let encoded = encoded.map_err(|source| CallError::Params { method, source })?;
        parts.timeout.restart();
        Ok(Self {
            shared: parts.connection,
            revision,
            encoded,
            meta: parts.meta,
            timeout: parts.timeout,
            fresh: parts.fresh,
            request: PhantomData,
        })
    }

    pub(super) fn connection(&self) -> &Arc<Connection> {
        self.shared.connection()
    }

    pub(super) fn features(&self) -> &Features {
        self.shared.features()
    }

    /// Separates the members of the params. Called once for a call, however often it is sent.
    pub(super) fn params(&self) -> Result<Params<'_>, CallError> {
        self.encoded.members().map_err(|error| CallError::Params {
            method: R::METHOD,
            source: error.into(),
        })
    }

    /// Sends the call until a final result arrives, decodes it with `read`, and hands it to the
    /// features.
    pub(super) async fn finish<T>(
        self,
        read: impl Fn(Revision, &str) -> Result<Decoded<T>, VersionError>,
        result_of: fn(&mut T) -> &mut dyn Any,
    ) -> Result<T, CallError> {
        let method = R::METHOD;
        let rounds = self.connection().limits.rounds.max(1);
        let read = |text: &str| lenient::read(self.revision, method, text, &read);
        let params = self.params()?;
        // The result of the request that asked whether a stale result is current.
        let mut received = None;
        let (cached, mut miss) = match self.look_up(&params) {
            Lookup::Cached(result) => (Some(result), None),
            Lookup::Stale(stale, miss) => {
                match Box::pin(self.revalidate(&params, stale, miss)).await? {
                    Revalidated::Current(result) => (Some(result), None),
                    Revalidated::Received(response, miss) => {
                        received = Some(response);
                        (None, Some(miss))
                    }
                    Revalidated::Unknown(miss) => (None, Some(miss)),
                }
            }
            Lookup::Miss(miss) => (None, Some(miss)),
            Lookup::Uncacheable => (None, None),
        };
        if let Some(cached) = cached
            && let Ok(Decoded::Final(mut result)) = read(cached.text())
            && cached.restore(result_of(&mut result))
        {
            self.accept(result_of(&mut result));
            #[cfg(feature = "json-schema")]
            if let Some(check) =
                self.check_output(&params, cached.text(), result_of(&mut result))?
            {
                Box::pin(self.features().output_schemas.finish(check)).await?;
            }
            return Ok(result);
        }
        // Rare paths are boxed to keep the future small.
        let mut answers = Answers::default();
        let mut opened_pages_once = false;
        for _ in 0..rounds {
            let response = match received.take() {
                Some(response) => response,
                None => self.send(method, &params, &answers).await,
            };
            let text = match response {
                Err(CallError::Refused { source, .. })
                    if !opened_pages_once && Box::pin(self.opened_pages(&source)).await? =>
                {
                    // Only once: the client cannot know whether the user has finished on the page.
                    opened_pages_once = true;
                    continue;
                }
                text => text?,
            };
            let decoded = read(text.get());
            if let Ok(Decoded::Announced(announced)) = decoded {
                return Ok(announced);
            } else if let Some(later) = self.deferred(text.get()) {
                drop(decoded);
                let text = later.await?;
                let last = read(text.get());
                return Box::pin(self.finish_deferred(&params, &text, last, result_of)).await;
            }
            let input_required = match decoded {
                Ok(Decoded::Final(mut result)) => {
                    self.store(miss, &text, result_of(&mut result));
                    self.accept(result_of(&mut result));
                    #[cfg(feature = "json-schema")]
                    if let Some(check) =
                        self.check_output(&params, text.get(), result_of(&mut result))?
                    {
                        Box::pin(self.features().output_schemas.finish(check)).await?;
                    }
                    return Ok(result);
                }
                Ok(Decoded::InputRequired(result)) => result,
                other => return Err(self.not_final(&text, other.err())),
            };
            // A result that depends on answers is not cached.
            miss = None;
            answers = Box::pin(self.answer(*input_required)).await?;
        }
        Err(CallError::Rounds { method, rounds })
    }

    /// Returns the error for a result that is neither final nor asks for input.
    #[cold]
    pub(super) fn not_final(&self, text: &RawValue, fault: Option<VersionError>) -> CallError {
        let method = R::METHOD;
        let kind = result_type(text.get());
        let known = |kind: &str| !self.revision.is_modern() || kind == COMPLETE;
        if self.revision.is_modern()
            && kind.as_deref() == Some(InputRequired::RESULT_TYPE)
            && let Err(source) = InputRequired::decode(self.revision, text.get())
        {
            return CallError::Answer { method, source };
        }
        match fault {
            Some(source) if kind.as_deref().is_none_or(known) => {
                CallError::Answer { method, source }
            }
            _ => CallError::ResultType {
                method,
                result_type: PeerText(&kind.unwrap_or_default()).to_string(),
            },
        }
    }

    /// Sends a request once, with the answers to the questions of the server so far. `method` is
    /// that of the call, or another one with the same params.
    pub(super) async fn send(
        &self,
        method: &'static str,
        params: &Params<'_>,
        answers: &Answers,
    ) -> Result<Box<RawValue>, CallError> {
        let wants_progress = self.timeout.progress.is_some();
        let name = name_member(method).and_then(|name| params.string(name));
        let header_source = HeaderSource {
            revision: Some(self.revision),
            name: name.as_deref(),
            arguments: params.text("arguments"),
        };
        let has_cursor = params.contains(CURSOR);
        let mut params = params.clone();
        if let Some(responses) = &answers.responses {
            params = params.with("inputResponses", ParamValue::Text(responses.get()));
        }
        if let Some(state) = &answers.state {
            params = params.with("requestState", ParamValue::Text(state.get()));
        }
        let text = roundtrip(
            self.connection(),
            method,
            self.timeout.clone(),
            header_source,
            |id| {
                if let Some(client) = self.connection().request_meta.of(self.revision) {
                    params = params.describe(client);
                }
                if wants_progress {
                    params = params.progress_token(id);
                }
                let members = self.meta.iter();
                members.fold(params, |params, (name, value)| params.meta(name, value))
            },
        );
        let text = text.await;
        if let (Err(CallError::Refused { source, .. }), Some(cache)) =
            (&text, &self.features().cache)
        {
            // The server may have rejected the cursor because the list has changed.
            if source.code == INVALID_PARAMS && has_cursor && self.revision.is_modern() {
                cache.invalidate(method);
            }
        }
        text
    }

    /// Returns `true` if the error named pages and the user opened them, so that the call may
    /// succeed now.
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

    /// Fails if one response has more questions than may be worked on at once.
    fn check_questions(&self, count: usize) -> Result<(), CallError> {
        let limit = self.connection().limits.server_requests;
        if count <= limit {
            return Ok(());
        }
        Err(CallError::Questions {
            method: R::METHOD,
            count,
            limit,
        })
    }

    /// Answers the questions of an input-required result.
    async fn answer(&self, result: InputRequired) -> Result<Answers, CallError> {
        let method = R::METHOD;
        let encode_error = |error: serde_json::Error| CallError::Params {
            method,
            source: error.into(),
        };
        let mut answers = Answers::default();
        if let Some(questions) = result.requests {
            self.check_questions(questions.len())?;
            let (permits, time) = (&self.features().input_permits, self.timeout.time);
            let requests = &self.features().server_requests;
            let answered = requests.answers(questions, self.revision, permits, time);
            let answered = answered.await;
            let answered = answered.map_err(|source| CallError::Input { method, source })?;
            let mut responses: Map<Box<RawValue>> = Map::with_capacity(answered.len());
            for (key, answer) in answered {
                let encoded = answer.encode(self.revision);
                let encoded = encoded.map_err(|source| CallError::Params { method, source })?;
                responses.insert(key, encoded);
            }
            answers.responses = Some(json::to_raw(&responses).map_err(encode_error)?);
        }
        if let Some(state) = result.state {
            answers.state = Some(json::to_raw(&state).map_err(encode_error)?);
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
