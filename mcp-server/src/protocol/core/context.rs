//! Methods of [`Context`]: the request of a handler, and messages to the client.

use std::sync::{Arc, OnceLock};

use mcp_types::revision::Versioned;
use mcp_types::{ProgressToken, Proposal, RequestId, Revision, rpc};

use crate::protocol::caller::{Caller, ContextValues, Extensions, Principal};
use crate::protocol::core::{Context, Core, RequestState};
use crate::protocol::error::handler_error::HandlerError;
use crate::protocol::message::raw_object::object_text;
use crate::protocol::message::{ClosedSink, MessageSink, TrySend, notification};
use crate::protocol::metrics::operations::Measured;
use crate::protocol::quota::peer_key::PeerKey;
use crate::protocol::seal::SealError;
use crate::protocol::session::ClientSession;
use crate::protocol::session::peer::Peer;
use crate::util::partial_debug::partial_debug;
use crate::util::progress_throttle::ProgressThrottle;
use crate::util::signal::CancelSignal;

impl RequestState {
    /// Creates the state of a message that has no id and asks for nothing.
    pub(crate) fn new(
        core: &Arc<Core>,
        method: &str,
        peer: Peer,
        extensions: Arc<Extensions>,
        sink: Arc<dyn MessageSink>,
    ) -> Self {
        Self {
            core: Arc::clone(core),
            id: None,
            method: method.into(),
            peer,
            progress_token: None,
            log_level: None,
            meta_bytes: 0,
            trace_parent: None,
            sink,
            extensions,
            ended: CancelSignal::default(),
            progress: ProgressThrottle::default(),
            measured: Measured::start(),
            inputs: OnceLock::new(),
        }
    }
}

impl Context {
    /// Creates a context that belongs to no request of a client: what it sends is discarded, and it
    /// cannot ask the client.
    pub(crate) fn without_client(core: &Arc<Core>, method: &str, extensions: Extensions) -> Self {
        let caller = Caller {
            extensions: Arc::new(extensions),
            values: None,
        };
        Self::on_behalf_of(core, method, Peer::modern(Revision::LATEST, None), caller)
    }

    /// As [`without_client`](Self::without_client), on behalf of a client.
    pub(crate) fn on_behalf_of(core: &Arc<Core>, method: &str, peer: Peer, caller: Caller) -> Self {
        let sink = Arc::new(ClosedSink);
        let state = RequestState::new(core, method, peer, caller.extensions, sink);
        Self {
            state: Arc::new(state),
            values: caller.values,
        }
    }

    /// Returns a context of the same client, with this state.
    fn with_state(&self, state: RequestState) -> Self {
        Self {
            state: Arc::new(state),
            values: self.values.clone(),
        }
    }

    /// Creates the state of another message of the same client and the same trace.
    fn new_state(&self, method: &str, sink: Arc<dyn MessageSink>) -> RequestState {
        let extensions = Arc::clone(&self.state.extensions);
        RequestState {
            trace_parent: self.state.trace_parent.clone(),
            ..RequestState::new(self.core(), method, self.peer().clone(), extensions, sink)
        }
    }

    /// Returns the context of another request, which is sent on behalf of the client as a part of this
    /// one. It sends neither progress nor log messages, and cannot ask the client.
    pub(crate) fn part(&self, method: &str) -> Self {
        self.with_state(RequestState {
            id: self.state.id.clone(),
            ..self.new_state(method, Arc::new(ClosedSink))
        })
    }

    /// Turns a context that belongs to no request into that of a handler that outlives its request.
    pub(crate) fn kept(
        mut self,
        id: &str,
        sink: Arc<dyn MessageSink>,
        inputs: Box<dyn std::any::Any + Send + Sync>,
    ) -> Self {
        // The state is new, so nobody shares it.
        if let Some(state) = Arc::get_mut(&mut self.state) {
            state.id = Some(RequestId::from(id));
            state.progress_token = Some(ProgressToken::from(id));
            state.sink = sink;
            state.inputs = OnceLock::from(inputs);
        }
        self
    }

    /// Returns the context of a call that outlives the rounds of this request, with the same client.
    pub(crate) fn detached_from_rounds(
        &self,
        id: &str,
        sink: Arc<dyn MessageSink>,
        inputs: Box<dyn std::any::Any + Send + Sync>,
    ) -> Self {
        let state = RequestState {
            log_level: self.state.log_level,
            ..self.new_state(self.method(), Arc::new(ClosedSink))
        };
        self.with_state(state).kept(id, sink, inputs)
    }

    /// Returns what is known of the client, to keep it after the request.
    pub(crate) fn caller(&self) -> Caller {
        Caller {
            extensions: self.state.extensions.of_client(),
            values: self.values.clone(),
        }
    }

    /// Returns the state of the server.
    pub(crate) fn core(&self) -> &Arc<Core> {
        &self.state.core
    }

    /// Returns the client that sent the request.
    #[must_use]
    pub fn peer(&self) -> &Peer {
        &self.state.peer
    }

    /// Returns who sent the request, to count what each peer uses.
    #[must_use]
    pub fn peer_key(&self) -> PeerKey {
        PeerKey::of(&self.state.extensions)
    }

    /// Returns the revision of the request.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.state.peer.revision()
    }

    /// Returns the session of the client. `None` for clients of newer revisions, which have none.
    #[must_use]
    pub fn session(&self) -> Option<ClientSession> {
        Some(self.peer().session()?.ending.0.clone())
    }

    /// Returns `true` if both sides declared a proposal: this server, and the client for this
    /// request.
    #[must_use]
    pub fn negotiated(&self, proposal: Proposal) -> bool {
        self.core().offers(proposal)
            && proposal.extends(self.revision())
            && proposal.is_announced(&self.peer().capabilities().experimental)
    }

    /// Returns `true` if the client gets what a proposal adds: every client of a revision that the
    /// proposal extends, if the program opted in.
    #[cfg(feature = "proposals")]
    pub(crate) fn offered(&self, proposal: Proposal) -> bool {
        proposal.extends(self.revision()) && self.core().offers(proposal)
    }

    /// Returns the method of the request or notification.
    #[must_use]
    pub fn method(&self) -> &str {
        &self.state.method
    }

    /// Returns the id of the request; `None` in the handler of a notification.
    #[must_use]
    pub fn request_id(&self) -> Option<&RequestId> {
        self.state.id.as_ref()
    }

    /// Returns the W3C trace context in `_meta` of the request. The span of the request has it as
    /// the field `traceparent`, so that a layer that exports spans can use it as the parent.
    #[must_use]
    pub fn trace_parent(&self) -> Option<&str> {
        self.state.trace_parent.as_deref()
    }

    /// Returns a value that the transport or a middleware attached, by its type: claims of an
    /// access token, or the head of the HTTP request (`http::request::Parts`). `serve_http`
    /// attaches the [address](std::net::SocketAddr) of the connection and the address of the
    /// client, [`PeerAddress`](crate::PeerAddress), which differs from it behind a [trusted
    /// proxy](crate::HttpConfig::trusted_proxies).
    #[must_use]
    pub fn extension<T: Send + Sync + 'static>(&self) -> Option<&T> {
        let added = self.values.iter().flat_map(|values| values.values());
        let mut added = added.map(|Attached(value)| value);
        added.next().or_else(|| self.state.extensions.get())
    }

    /// Returns this context with a value attached, which hides another one of the same type. A
    /// middleware passes it on with the request, and handlers find the value by
    /// [`extension`](Self::extension) or by the extractor [`Extension`](crate::Extension).
    #[must_use]
    pub fn with_extension<T: Send + Sync + 'static>(&self, value: T) -> Self {
        self.with_value(Attached(value))
    }

    /// Returns the value of a type that was added last.
    pub(crate) fn value<T: 'static>(&self) -> Option<&T> {
        self.values.as_deref()?.values().next()
    }

    /// Returns this context with a value added.
    pub(crate) fn with_value<T: Send + Sync + 'static>(&self, value: T) -> Self {
        Self {
            state: Arc::clone(&self.state),
            values: Some(ContextValues::with(value, self.values.clone())),
        }
    }

    /// Resolves when the request has ended: it was answered, was cancelled, took too long, or its
    /// connection was lost. The handler itself is dropped then; this is for tasks that it spawned.
    pub async fn cancelled(&self) {
        self.state.ended.wait().await;
    }

    /// Returns the reason that the client gave when it cancelled the request: `reason` of
    /// `notifications/cancelled`. It is known as soon as [`cancelled`](Self::cancelled) resolves,
    /// and to values that are dropped with the handler.
    ///
    /// The text is the client's: it is not escaped, and only its first 1,024 bytes are kept. `None`
    /// for requests that ended in another way. Clients of newer revisions cancel over HTTP by closing
    /// the response, without a reason.
    #[must_use]
    pub fn cancel_reason(&self) -> Option<&str> {
        self.state.ended.reason()
    }

    /// Returns `true` if the request has ended.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.state.ended.is_set()
    }

    /// Closes the connection that the client waits on, if the client reconnects for the response:
    /// in sessions over HTTP since 2025-11-25. Otherwise does nothing. For handlers that take long.
    pub fn close_stream(&self) {
        self.state.sink.detach();
    }

    /// Returns a context of the same client for messages without a request. It cannot ask the
    /// client, and sends neither progress nor log messages.
    #[cfg(feature = "proposals")]
    pub(crate) fn without_request(&self, method: &str) -> Self {
        self.with_state(RequestState {
            meta_bytes: self.state.meta_bytes,
            ..self.new_state(method, Arc::clone(&self.state.sink))
        })
    }

    /// Sends a notification that belongs to this request, before its response. Waits while the
    /// client reads slowly.
    pub(crate) fn notify<P: Versioned>(
        &self,
        method: &'static str,
        params: P,
    ) -> impl Future<Output = Result<(), HandlerError>> + Send + use<'_, P> {
        // Encoded before the first await, so that the future does not store the params.
        let message = if self.is_cancelled() {
            Ok(None)
        } else {
            notification(self.revision(), method, params).map(Some)
        };
        async move {
            if let Some(message) = message?.and_then(|message| self.pass_outbound(message)) {
                self.send_message(message).await;
            }
            Ok(())
        }
    }

    /// Sends a notification of any method that belongs to this request, before its response. The
    /// params are in the form of the client's revision, and are sent as they are.
    ///
    /// A gateway that passes on `notifications/progress` sets `progressToken` to
    /// [`progress_token`](Self::progress_token).
    ///
    /// # Errors
    ///
    /// -32603 if the params are not an object, or cannot be encoded.
    pub async fn notify_json(
        &self,
        method: &str,
        params: Option<&(impl serde::Serialize + Sync + ?Sized)>,
    ) -> Result<(), HandlerError> {
        let params = params.map(object_text).transpose()?;
        let mut message = Vec::with_capacity(256);
        rpc::write_notification(&mut message, method, params.as_ref())?;
        if !self.is_cancelled()
            && let Some(message) = self.pass_outbound(message)
        {
            self.send_message(message).await;
        }
        Ok(())
    }

    /// Returns the token under which the client wants reports of progress, if it wants any.
    #[must_use]
    pub fn progress_token(&self) -> Option<&ProgressToken> {
        self.state.progress_token.as_ref()
    }

    /// Sends a message that belongs to this request.
    pub(crate) async fn send_message(&self, message: Vec<u8>) {
        let sink = &self.state.sink;
        if sink.try_send(&message) == TrySend::Full {
            // A task that the handler spawned may still wait for the queue when the request ends.
            tokio::select! {
                biased;
                () = self.cancelled() => {}
                _ = sink.send(&message) => {}
            }
        }
    }
}

/// Returns a value that a middleware attached.
struct Attached<T>(T);

partial_debug!(Context, |it| method: it.state.method, id: it.state.id, peer: it.state.peer);

impl Context {
    /// Seals a text that this client gets and gives back later, such as a position in a list or the
    /// id of something that belongs to the client. The client cannot read or change the text. It can
    /// be opened only for the same [`Principal`] and the same purpose.
    ///
    /// All processes with the same [`Keys`](crate::Keys) can open it, for as long as they have the
    /// key. If the program sets no keys, only this process can. Clients without authentication have
    /// no principal, so each of them can use a text that another one got. Sealed texts do not
    /// expire: if one has to, put the time into it.
    ///
    /// ```
    /// use mcp_server::{Context, HandlerError};
    ///
    /// async fn next_page(after: String, cx: Context) -> Result<String, HandlerError> {
    ///     cx.unseal("report", &after)
    ///         .map_err(|error| HandlerError::invalid_params(format!("after: {error}")))
    /// }
    /// # drop(next_page);
    /// ```
    ///
    /// # Errors
    ///
    /// [`SealError`]: the text is longer than 256 GiB, or the system returns no random numbers.
    pub fn seal(&self, purpose: &str, text: &str) -> Result<String, SealError> {
        let keys = self.core().keys.get();
        keys.seal(&self::purpose(purpose), &self.bound(), text.as_bytes())
    }

    /// Opens a text that [`seal`](Self::seal) returned for the same purpose and principal.
    ///
    /// # Errors
    ///
    /// [`SealError`]: `seal` did not return this text, or returned it for another purpose, principal
    /// or key.
    pub fn unseal(&self, purpose: &str, sealed: &str) -> Result<String, SealError> {
        let keys = self.core().keys.get();
        let bytes = keys.open(&self::purpose(purpose), &self.bound(), sealed)?;
        String::from_utf8(bytes).map_err(|_| SealError::Malformed)
    }

    /// What a sealed text is bound to.
    fn bound(&self) -> Vec<u8> {
        let principal = self.extension::<Principal>();
        let name = principal.map_or(&b""[..], |principal| principal.0.as_bytes());
        let mut bytes = vec![u8::from(principal.is_some())];
        bytes.extend_from_slice(name);
        bytes
    }
}

/// Separates the purposes of programs from those of this crate.
fn purpose(of_program: &str) -> String {
    format!("program:{of_program}")
}
