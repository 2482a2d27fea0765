//! [`ServerRequests`]: requests of servers of revisions with sessions, and the responses to them.

pub(crate) mod input_required;
pub(crate) mod inputs;
pub(crate) mod passed;
pub(crate) mod question;
pub(crate) mod url_elicitation;

use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use mcp_types::json::{self, Object};
use mcp_types::peer_text::PeerDisplay;
use mcp_types::revision::VersionError;
use mcp_types::rpc::{self, ErrorObject};
use mcp_types::{
    CreateMessageRequest, CreateMessageRequestParams, ElicitRequest, ElicitRequestParams,
    ListRootsRequest, Request, RequestId, Revision, v2025_06_18, v2025_11_25,
};
use mcp_wire::{RunningTask, TaskTable};
use serde::Serialize;
use serde_json::value::RawValue;
use tokio::sync::Semaphore;
use tokio::task::AbortHandle;

use crate::protocol::connection::{InboundRequest, MessageSender};
use crate::protocol::error::InputError;
use crate::protocol::lenient;
use crate::protocol::limits::Limits;
use crate::protocol::middleware::Layers;
use input_required::InputQuestion;
use inputs::Inputs;
use question::{Answer, Question};

/// Answers the requests of a server. Dropping this aborts all handlers.
pub(crate) struct ServerRequests {
    inputs: Inputs,
    layers: Layers,
    sender: Arc<dyn MessageSender>,
    /// The number of requests that are worked on at once.
    limit: usize,
    /// The bytes of the requests that are worked on at once.
    byte_limit: usize,
    table: Mutex<RequestTable>,
}

#[derive(Default)]
struct RequestTable {
    /// The handlers that run, each with the bytes of its request.
    running: TaskTable<usize>,
    /// The sum of the bytes of all requests.
    bytes: usize,
}

impl RequestTable {
    /// Removes the request with this number, unless it has ended.
    fn remove(&mut self, number: u64) -> Option<RunningTask<usize>> {
        let task = self.running.remove(number)?;
        self.bytes -= task.data;
        Some(task)
    }
}

impl ServerRequests {
    pub(crate) fn new(
        inputs: Inputs,
        layers: Layers,
        sender: Arc<dyn MessageSender>,
        limits: &Limits,
    ) -> Self {
        Self {
            inputs,
            layers,
            sender,
            limit: limits.server_requests,
            byte_limit: limits.server_request_bytes,
            table: Mutex::default(),
        }
    }

    /// Returns the handlers that answer the requests.
    pub(crate) fn inputs(&self) -> &Inputs {
        &self.inputs
    }

    fn table(&self) -> MutexGuard<'_, RequestTable> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Answers the questions in a result of a modern server: see [`answers`](inputs::answers).
    pub(crate) async fn answers(
        &self,
        questions: Vec<InputQuestion>,
        revision: Revision,
        permits: &Arc<Semaphore>,
        time: Duration,
    ) -> Result<Vec<(String, Answer)>, InputError> {
        let answering = questions.into_iter().map(|mut asked| {
            let key = std::mem::take(&mut asked.key);
            (key, self.answering(asked, revision))
        });
        inputs::answers(answering, permits, time).await
    }

    /// Returns the future that answers a question in a result of a modern server.
    pub(crate) fn answering(
        &self,
        asked: InputQuestion,
        revision: Revision,
    ) -> impl Future<Output = Result<Answer, InputError>> + Send + 'static {
        let (inputs, layers) = (self.inputs.clone(), self.layers.clone());
        async move {
            if layers.is_empty() {
                return inputs.answer(asked.question).await;
            }
            passed::answer(&layers, inputs, revision, asked).await
        }
    }

    /// Answers a request: at once if it needs neither handler nor middleware, otherwise when these
    /// have finished.
    pub(crate) fn handle(self: &Arc<Self>, request: &InboundRequest<'_>) {
        let &InboundRequest {
            revision,
            id,
            method,
            params,
            ..
        } = request;
        if method == "ping" {
            return self.respond(request, response(id, Ok(&Object::new())));
        }
        let inputs = self.inputs.clone();
        if self.layers.is_empty() {
            return match question(&inputs, revision, method, params) {
                Ok(question) => self.spawn(request, answer(inputs, revision, question)),
                Err(error) => self.respond(request, refusal(id, &error)),
            };
        }
        let params = match params.map_or_else(passed::no_params, |params| Ok(params.to_owned())) {
            Ok(params) => params,
            Err(error) => {
                let error = ErrorObject::internal_error(error.to_string());
                return self.respond(request, refusal(id, &error));
            }
        };
        let known = method.to_owned();
        let answering = async move |params: Box<RawValue>| {
            let question = question(&inputs, revision, &known, Some(&params))?;
            answer(inputs, revision, question).await
        };
        let method = method.to_owned();
        let passing = passed::pass(&self.layers, revision, method, params, answering);
        self.spawn(request, passing);
    }

    fn respond(&self, request: &InboundRequest<'_>, message: Option<Vec<u8>>) {
        if let Some(message) = message {
            self.sender.send_response(message, request.session);
        }
    }

    /// Responds to a request when the future has finished.
    fn spawn(
        self: &Arc<Self>,
        request: &InboundRequest<'_>,
        answer: impl Future<Output = Result<Box<RawValue>, InputError>> + Send + 'static,
    ) {
        let InboundRequest {
            session,
            id,
            method,
            params,
            ..
        } = *request;
        let bytes = method.len() + params.map_or(0, |params| params.get().len()) + length(id);
        let number = match self.register(id, bytes) {
            Ok(number) => number,
            Err(error) => return self.respond(request, refusal(id, &error)),
        };
        let guard = RequestGuard {
            requests: Arc::downgrade(self),
            session,
            id: id.clone(),
            number,
        };
        // Spawned without the lock: a runtime that is shutting down drops the future before this
        // returns, and with it `guard`, which takes the lock.
        let task = tokio::spawn(async move {
            let answer = answer.await.map_err(error_for_server);
            guard.finish(response(&guard.id, answer.as_ref()));
        });
        let stored = self.table().running.set_abort(number, task.abort_handle());
        if let Err(abort) = stored {
            // It has finished or was cancelled meanwhile.
            abort.abort();
        }
    }

    /// Adds a request to the table, and returns its number.
    fn register(&self, id: &RequestId, bytes: usize) -> Result<u64, ErrorObject> {
        let mut table = self.table();
        if table.running.number(id).is_some() {
            let text = "a request with this id is already pending";
            return Err(ErrorObject::invalid_request(text));
        }
        let after = table.bytes.saturating_add(bytes);
        let too_large = !table.running.is_empty() && after > self.byte_limit;
        if table.running.len() >= self.limit || too_large {
            return Err(ErrorObject::internal_error("too many pending requests"));
        }
        table.bytes = after;
        Ok(table.running.insert(Some(id.clone()), bytes))
    }

    /// Aborts the handler of a request that the server cancelled. Returns `false`
    /// if no handler runs for that request.
    pub(crate) fn cancel(&self, id: &RequestId) -> bool {
        let cancelled = {
            let mut table = self.table();
            let number = table.running.number(id);
            number.and_then(|number| table.remove(number))
        };
        let Some(task) = cancelled else {
            return false;
        };
        task.into_abort().inspect(AbortHandle::abort);
        true
    }

    /// Aborts all handlers. Their requests are not answered.
    pub(crate) fn abort_all(&self) {
        let aborted = {
            let mut table = self.table();
            table.bytes = 0;
            table.running.remove_if(|_| true)
        };
        aborted.iter().for_each(AbortHandle::abort);
    }
}

impl Drop for ServerRequests {
    fn drop(&mut self) {
        self.abort_all();
    }
}

/// Returns the bytes of an id.
fn length(id: &RequestId) -> usize {
    match id {
        RequestId::String(id) => id.len(),
        RequestId::Number(_) => 0,
    }
}

/// Removes a request from the table when its handler finishes, panics or is aborted.
struct RequestGuard {
    requests: Weak<ServerRequests>,
    session: u64,
    id: RequestId,
    number: u64,
}

impl RequestGuard {
    /// Removes the request from the table and sends the response. Does nothing if the request was
    /// cancelled: the server does not wait for it, and may have reused its id.
    fn finish(&self, response: Option<Vec<u8>>) {
        let Some(requests) = self.requests.upgrade() else {
            return;
        };
        let mut table = requests.table();
        if table.remove(self.number).is_none() {
            return;
        }
        // Under the lock, so that the response is queued before the requests of a restarted
        // server are registered.
        if let Some(response) = response {
            requests.sender.send_response(response, self.session);
        }
    }
}

impl Drop for RequestGuard {
    fn drop(&mut self) {
        let panicked = std::thread::panicking();
        let error = || ErrorObject::internal_error("the client's handler failed");
        let response = panicked.then(|| refusal(&self.id, &error()));
        self.finish(response.flatten());
    }
}

/// Decodes a request of the server.
fn question(
    inputs: &Inputs,
    revision: Revision,
    method: &str,
    params: Option<&RawValue>,
) -> Result<Question, ErrorObject> {
    let text = params.map_or("null", RawValue::get);
    let read = match method {
        ElicitRequest::METHOD if inputs.form.is_some() || inputs.url.is_some() => {
            elicitation(revision, text).map(Question::from)
        }
        CreateMessageRequest::METHOD if inputs.sample.is_some() => {
            let params = lenient::decode::<CreateMessageRequestParams>(revision, text);
            params.map(Question::from)
        }
        ListRootsRequest::METHOD if inputs.roots.is_some() => Ok(Question::Roots),
        _ => match inputs.extensions.get(method) {
            Some(handler) => handler(text).map(Question::Extension),
            None => return Err(unknown(method)),
        },
    };
    read.map_err(|error| match error {
        VersionError::Unmapped { .. } => unknown(method),
        error => ErrorObject::invalid_params(error.to_string()),
    })
}

/// Reads the params of an elicitation. Revision 2025-06-18 has only forms, without a member `mode`.
fn elicitation(revision: Revision, text: &str) -> Result<ElicitRequestParams, VersionError> {
    if revision == Revision::V2025_06_18
        && let Ok(params) = json::from_str::<v2025_06_18::ElicitRequestFormParams>(text)
    {
        let params = v2025_11_25::ElicitRequestFormParams::try_from(params)?;
        return Revision::V2025_11_25.decode(&json::to_string(&params)?);
    }
    lenient::decode(revision, text)
}

fn unknown(method: &str) -> ErrorObject {
    ErrorObject::method_not_found(format!("no method `{method}`"))
}

/// Answers a question in the form of a revision. If that revision cannot express the answer, a
/// newer one is used: then the request was in the form of a newer one, too.
async fn answer(
    inputs: Inputs,
    at: Revision,
    question: Question,
) -> Result<Box<RawValue>, InputError> {
    let answer = inputs.answer(question).await?;
    let encoded = answer.clone().encode(at).or_else(|fault| {
        let mut newer = lenient::newer(at);
        let other = newer.find_map(|newer| answer.clone().encode(newer).ok());
        other.ok_or(fault)
    });
    Ok(encoded?)
}

/// Returns the error that the server receives for a failed handler.
fn error_for_server(error: InputError) -> ErrorObject {
    match error.downcast::<ErrorObject>() {
        Ok(error) => *error,
        Err(error) => ErrorObject::internal_error(error.to_string()),
    }
}

fn refusal(id: &RequestId, error: &ErrorObject) -> Option<Vec<u8>> {
    response::<Object>(id, Err(error))
}

/// Writes the response to a request.
fn response<R: Serialize>(id: &RequestId, reply: Result<&R, &ErrorObject>) -> Option<Vec<u8>> {
    let mut message = Vec::new();
    let written = match reply {
        Ok(result) => rpc::write_result(&mut message, id, result),
        Err(error) => rpc::write_error(&mut message, Some(id), error),
    };
    if let Err(error) = &written {
        let id = PeerDisplay(id);
        tracing::error!(%id, %error, "a response cannot be written");
    }
    written.ok().map(|()| message)
}
