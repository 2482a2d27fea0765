//! [`PreparedCall`]: sends a call and answers questions of the server until the result arrives.

use std::any::TypeId;
use std::borrow::Cow;
use std::marker::PhantomData;
use std::sync::Arc;

#[cfg(feature = "json-schema")]
use mcp_types::CallToolRequest;
use mcp_types::error::DecodeError;
use mcp_types::headers::name_member;
use mcp_types::json::{self, Map, Object, Value};
use mcp_types::peer_text::PeerText;
use mcp_types::revision::{VersionError, Versioned};
use mcp_types::rpc::{ErrorObject, INVALID_PARAMS};
use mcp_types::{Outcome, Request, Revision};
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::time::timeout;

use crate::features::cache::key::VERSION;
use crate::features::cache::{CacheMiss, Caller, Lookup, StaleResult};
use crate::features::inspect::{Inspect, KnownResult};
use crate::features::server_requests::input_required::InputRequired;
use crate::features::server_requests::url_elicitation;
use crate::features::shared_connection::{CallResponse, LaterResult, SharedConnection};
use crate::features::state::Features;
use crate::protocol::connection::{Connection, HeaderSource};
use crate::protocol::error::{CallError, ServerOutput};
use crate::protocol::lenient;
use crate::protocol::params::{EncodedParams, ParamValue, Params};
use crate::protocol::roundtrip::{CallTimeout, roundtrip};

/// The result type of a final result.
const COMPLETE: &str = "complete";

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
            return Err(CallError::Params {
                method: method.into(),
                source,
            });
        }
        let state = &parts.connection.connection().state;
        let after = parts.timeout.time;
        // Checked first: nearly always there is nothing to wait for, and no timer is needed.
        if state.is_reconnecting() {
            Box::pin(timeout(after, state.wait_reconnected()))
                .await
                .map_err(|_| CallError::Timeout {
                    method: method.into(),
                    after,
                    output: ServerOutput::default(),
                })?;
        }
        let mut parts = *parts;
        let revision = parts.connection.connection().revision();
        let encoded =
            EncodedParams::new(revision, parts.params).map_err(|source| CallError::Params {
                method: method.into(),
                source,
            })?;
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
            method: R::METHOD.into(),
            source: error.into(),
        })
    }

    /// Sends the call until a final result arrives, decodes it with `read`, and hands it to the
    /// features.
    pub(super) async fn finish<T: Inspect>(
        self,
        read: impl Fn(Revision, &str) -> Result<Decoded<T>, VersionError>,
    ) -> Result<T, CallError> {
        let method = R::METHOD;
        let rounds = self.connection().limits.rounds.max(1);
        let read = |text: &str| lenient::read(self.revision, method, text, &read);
        let params = self.params()?;
        let lookup = match self.look_up(&params) {
            Lookup::Stale(stale, miss) => Box::pin(self.revalidate(&params, stale, miss)).await?,
            lookup => lookup,
        };
        let (cached, mut received, mut miss) = match lookup {
            Lookup::Cached(cached) => (Some(cached), None, None),
            Lookup::Received(response, miss) => (None, Some(response), Some(miss)),
            Lookup::Stale(_, miss) | Lookup::Miss(miss) => (None, None, Some(miss)),
            Lookup::Uncacheable => (None, None, None),
        };
        if let Some(cached) = cached
            && let Ok(Decoded::Final(mut result)) = read(&cached)
        {
            self.accept(&params, &cached, &mut result).await?;
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
                response => response?,
            };
            let decoded = read(text.get());
            if let Ok(Decoded::Announced(announced)) = decoded {
                return Ok(announced);
            } else if let Some(later) = self.deferred(text.get()) {
                drop(decoded);
                let text = later.await?;
                return match read(text.get()) {
                    Ok(Decoded::Final(mut result)) => {
                        self.accept(&params, text.get(), &mut result).await?;
                        Ok(result)
                    }
                    other => Err(self.not_final(&text, other.err())),
                };
            }
            let input_required = match decoded {
                Ok(Decoded::Final(mut result)) => {
                    self.store(miss, &text);
                    self.accept(&params, text.get(), &mut result).await?;
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

    /// Looks the result up in the cache.
    fn look_up(&self, params: &Params<'_>) -> Lookup {
        let client = self.connection().request_meta.of(self.revision);
        match (&self.features().cache, client) {
            (Some(cache), Some(client)) => {
                let caller = Caller {
                    revision: self.revision,
                    client,
                    call: &self.meta,
                    revalidation: cache.revalidation(self.connection()),
                };
                cache.look_up(R::METHOD, params, caller, self.fresh)
            }
            _ => Lookup::Uncacheable,
        }
    }

    /// Asks the server with the params of the call and the known version. A call of the method that
    /// asks thereby gets its response; for `resources/read`, the contents in the response have
    /// another form, and need not be complete.
    async fn revalidate(
        &self,
        params: &Params<'_>,
        stale: StaleResult,
        miss: CacheMiss,
    ) -> Result<Lookup, CallError> {
        let Some(cache) = &self.features().cache else {
            return Ok(Lookup::Miss(miss));
        };
        let method = stale.revalidation.method();
        let version = Value::from(&*stale.version);
        let params = params.clone().with(VERSION, ParamValue::Value(&version));
        match self.send(method, &params, &Answers::default()).await {
            Err(CallError::Refused { source, .. }) if stale.revalidation.is_current(&source) => {
                cache.renew(&stale, &miss);
                Ok(Lookup::Cached(stale.text))
            }
            received => {
                if let Err(CallError::Refused { .. }) = received {
                    cache.remove(&stale, &miss);
                }
                if R::METHOD == method {
                    return Ok(Lookup::Received(received, miss));
                }
                match received {
                    Ok(_) | Err(CallError::Refused { .. }) => Ok(Lookup::Miss(miss)),
                    Err(error) => Err(error),
                }
            }
        }
    }

    /// Stores a result in the cache.
    fn store(&self, miss: Option<CacheMiss>, text: &RawValue) {
        if let (Some(miss), Some(cache)) = (miss, &self.features().cache) {
            cache.insert(&miss, text.get());
        }
    }

    /// Hands a final result to the features: adapts it for the announced proposals, remembers
    /// listed tools, and checks the result of a tool against the output schema of the tool.
    #[cfg_attr(
        not(feature = "json-schema"),
        expect(
            clippy::unused_async,
            unused_variables,
            reason = "only the check against a schema needs them"
        )
    )]
    async fn accept(
        &self,
        params: &Params<'_>,
        text: &str,
        result: &mut impl Inspect,
    ) -> Result<(), CallError> {
        self.features().adapt_result(result, self.connection());
        self.learn(result.inspect());
        #[cfg(feature = "json-schema")]
        if R::METHOD == CallToolRequest::METHOD
            && !self.features().output_schemas.is_empty()
            && let Some(tool) = params.string("name")
        {
            self.check_output(&tool, text, result.inspect()).await?;
        }
        Ok(())
    }

    /// Remembers the header parameters and the output schemas of listed tools for later calls.
    pub(super) fn learn(&self, result: KnownResult<'_>) {
        let KnownResult::ListTools(page) = result else {
            return;
        };
        if self.revision.is_modern() {
            self.connection().sender.learn_tools(&mut page.tools);
        }
        #[cfg(feature = "json-schema")]
        self.features().output_schemas.learn(&page.tools);
    }

    /// Checks the result of a tool against the output schema of the tool.
    #[cfg(feature = "json-schema")]
    async fn check_output(
        &self,
        tool: &str,
        text: &str,
        result: KnownResult<'_>,
    ) -> Result<(), CallError> {
        let method = R::METHOD;
        let schemas = &self.features().output_schemas;
        if let KnownResult::CallTool(result) = result {
            return schemas.check(tool, result).await;
        }
        // The program decodes the result into a type of its own.
        let result = lenient::read(self.revision, method, text, Revision::decode)
            .map_err(|source| CallError::Answer { method, source })?;
        schemas.check(tool, &result).await
    }

    /// Returns the future of the final result if the response only announces it.
    fn deferred(&self, text: &str) -> Option<LaterResult> {
        self.shared.deferred()?.later(&CallResponse {
            connection: &self.shared,
            method: R::METHOD,
            timeout: &self.timeout,
            text,
        })
    }

    /// Returns the error for a result that is neither final nor asks for input.
    #[cold]
    fn not_final(&self, text: &RawValue, fault: Option<VersionError>) -> CallError {
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
        let response = roundtrip(
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
        )
        .await;
        if let (Err(CallError::Refused { source, .. }), Some(cache)) =
            (&response, &self.features().cache)
        {
            // The server may have rejected the cursor because the list has changed.
            if source.code == INVALID_PARAMS && has_cursor && self.revision.is_modern() {
                cache.invalidate(method);
            }
        }
        response
    }

    /// Returns `true` if the error named pages and the user opened them, so that the call may
    /// succeed now.
    async fn opened_pages(&self, refusal: &ErrorObject) -> Result<bool, CallError> {
        let inputs = self.features().server_requests.inputs();
        let Some(pages) = url_elicitation::required_pages(inputs, self.revision, refusal) else {
            return Ok(false);
        };
        self.check_questions(pages.len())?;
        url_elicitation::open_pages(inputs, pages)
            .await
            .map_err(|source| CallError::Input {
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
            method: method.into(),
            source: error.into(),
        };
        let mut answers = Answers::default();
        if let Some(questions) = result.requests {
            self.check_questions(questions.len())?;
            let (permits, time) = (&self.features().input_permits, self.timeout.time);
            let results = self
                .features()
                .server_requests
                .answers(questions, self.revision, permits, time)
                .await
                .map_err(|source| CallError::Input { method, source })?;
            let mut responses: Map<Box<RawValue>> = Map::with_capacity(results.len());
            for (key, result) in results {
                let encoded = result
                    .encode(self.revision)
                    .map_err(|source| CallError::Params {
                        method: method.into(),
                        source,
                    })?;
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

/// A result of a call.
pub(crate) enum Decoded<T> {
    Final(T),
    /// The server needs input before it can finish the request.
    InputRequired(Box<InputRequired>),
    /// The server announced the result for later, and the caller asks for it itself.
    Announced(T),
    /// A result of another type.
    Other,
}

impl<T> Decoded<T> {
    /// Decodes an input-required result; `None` for other results. Only modern servers send them.
    #[cold]
    fn input_required(revision: Revision, text: &str) -> Option<Self> {
        if !revision.is_modern() || result_type(text)? != InputRequired::RESULT_TYPE {
            return None;
        }
        let result = InputRequired::decode(revision, text).ok()?;
        Some(Self::InputRequired(Box::new(result)))
    }

    /// Decodes a result that is not the final one; `fault` is the error for it, if there is one.
    pub(crate) fn not_final(
        revision: Revision,
        text: &str,
        fault: Option<VersionError>,
    ) -> Result<Self, VersionError> {
        match (Self::input_required(revision, text), fault) {
            (Some(decoded), _) => Ok(decoded),
            (None, Some(fault)) => Err(fault),
            (None, None) => Ok(Self::Other),
        }
    }
}

/// Decodes a result. Nearly all are final, so they are decoded as such before anything else.
pub(crate) fn decode<R>(
    revision: Revision,
    text: &str,
) -> Result<Decoded<<R::Result as Outcome>::Complete>, VersionError>
where
    R: Request,
    R::Result: Versioned + Outcome<Complete: Versioned + 'static>,
    <R::Result as Outcome>::Complete: Outcome<Complete = <R::Result as Outcome>::Complete>,
{
    // Most types have no other form.
    let could_be_more =
        TypeId::of::<R::Result>() != TypeId::of::<<R::Result as Outcome>::Complete>();
    if could_be_more && revision.is_modern() {
        if let Ok(result) = revision.decode::<<R::Result as Outcome>::Complete>(text)
            && let Ok(result) = result.complete()
        {
            return Ok(Decoded::Final(result));
        }
        if let Some(decoded) = Decoded::input_required(revision, text) {
            return Ok(decoded);
        }
    }
    let result = revision.decode::<R::Result>(text).map(Outcome::complete);
    match result {
        Ok(Ok(result)) => Ok(Decoded::Final(result)),
        Ok(Err(_)) => Decoded::not_final(revision, text, None),
        Err(fault) => Decoded::not_final(revision, text, Some(fault)),
    }
}

/// Returns the member `resultType` of a result, for errors.
pub(crate) fn result_type(text: &str) -> Option<Cow<'_, str>> {
    #[derive(Deserialize)]
    struct ResultTypeOnly<'a> {
        #[serde(borrow, default, rename = "resultType")]
        kind: Option<Cow<'a, str>>,
    }
    serde_json::from_str::<ResultTypeOnly<'_>>(text).ok()?.kind
}
