//! [`Requests`]: requests of servers of the older era, and the answers to them.

pub(crate) mod inputs;
pub(crate) mod url_elicitation;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use mcp_types::json::{self, Object};
use mcp_types::peer_text::PeerDisplay;
use mcp_types::revision::VersionError;
use mcp_types::rpc::{self, ErrorObject};
use mcp_types::{
    CreateMessageRequest, ElicitRequest, ElicitRequestParams, InputRequest, InputResponse,
    ListRootsRequest, RequestId, Revision, v2025_06_18, v2025_11_25,
};
use serde::Serialize;
use serde_json::value::RawValue;
use tokio::task::AbortHandle;

use crate::protocol::error::InputError;
use crate::protocol::lenient;
use crate::protocol::link::Link;
use inputs::Inputs;

/// What is being worked on. Dropping this ends it.
#[derive(Default)]
pub(crate) struct Requests {
    running: Mutex<Running>,
}

#[derive(Default)]
struct Running {
    by_id: HashMap<RequestId, Working>,
    /// The sum of the bytes of all.
    bytes: usize,
    /// Counts them: a server that is started again takes the same ids.
    next: u64,
}

struct Working {
    number: u64,
    bytes: usize,
    /// Absent for the moment between the insertion and the start of the task.
    task: Option<AbortHandle>,
}

impl Running {
    /// Makes room for a request, which gets a number.
    fn add(&mut self, id: &RequestId, bytes: usize, with: &Answering) -> Result<u64, ErrorObject> {
        if self.by_id.contains_key(id) {
            let text = "a request with this id is being worked on";
            return Err(ErrorObject::invalid_request(text));
        }
        let after = self.bytes.saturating_add(bytes);
        let large = !self.by_id.is_empty() && after > with.byte_limit;
        if self.by_id.len() >= with.limit || large {
            return Err(ErrorObject::internal_error("too many requests at once"));
        }
        let number = self.next;
        self.next += 1;
        self.bytes = after;
        let task = None;
        let working = Working {
            number,
            bytes,
            task,
        };
        self.by_id.insert(id.clone(), working);
        Ok(number)
    }

    /// The request with this number, unless its id is another one's by now.
    fn get_mut(&mut self, id: &RequestId, number: u64) -> Option<&mut Working> {
        let working = self.by_id.get_mut(id)?;
        (working.number == number).then_some(working)
    }

    fn remove(&mut self, id: &RequestId) -> Option<Working> {
        let working = self.by_id.remove(id)?;
        self.bytes -= working.bytes;
        Some(working)
    }
}

/// What is needed to answer.
#[derive(Clone)]
pub(crate) struct Answering {
    pub(crate) inputs: Inputs,
    pub(crate) link: Arc<dyn Link>,
    /// In which they were asked.
    pub(crate) session: u64,
    pub(crate) revision: Revision,
    /// As many at once.
    pub(crate) limit: usize,
    /// Bytes of all at once.
    pub(crate) byte_limit: usize,
}

impl Requests {
    fn running(&self) -> MutexGuard<'_, Running> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Answers a request, at once or as soon as its handler has.
    pub(crate) fn take(
        self: &Arc<Self>,
        with: Answering,
        id: &RequestId,
        method: &str,
        params: Option<&RawValue>,
    ) {
        let refuse = |error: ErrorObject| {
            if let Some(message) = refusal(id, &error) {
                with.link.answer(message, with.session);
            }
        };
        if method == "ping" {
            if let Some(message) = reply(id, Ok(&Object::new())) {
                with.link.answer(message, with.session);
            }
            return;
        }
        let request = match question(&with.inputs, with.revision, method, params) {
            Ok(request) => request,
            Err(error) => return refuse(error),
        };
        let bytes = method.len() + params.map_or(0, |params| params.get().len()) + length(id);
        let number = match self.running().add(id, bytes, &with) {
            Ok(number) => number,
            Err(error) => return refuse(error),
        };
        let open = Open {
            requests: Arc::downgrade(self),
            link: with.link,
            session: with.session,
            id: id.clone(),
            number,
        };
        // Without the lock: a runtime that is being shut down drops the future, and with it `open`,
        // which takes the lock, before this returns.
        let task = tokio::spawn(async move {
            let answer = with.inputs.answer(request).await;
            let message = answer.and_then(|answer| Ok(write(&open.id, &answer, with.revision)?));
            open.answer(match message {
                Ok(message) => Some(message),
                Err(error) => refusal(&open.id, &said(error)),
            });
        });
        if let Some(working) = self.running().get_mut(id, number) {
            working.task = Some(task.abort_handle());
            return;
        }
        // It is done, or was cancelled meanwhile.
        task.abort();
    }

    /// The server does not wait for an answer any more.
    pub(crate) fn cancel(&self, id: &RequestId) -> bool {
        let cancelled = self.running().remove(id);
        cancelled.inspect(Working::abort).is_some()
    }

    /// There is nobody to answer any more.
    pub(crate) fn end(&self) {
        let ended = {
            let mut running = self.running();
            running.bytes = 0;
            std::mem::take(&mut running.by_id)
        };
        ended.values().for_each(Working::abort);
    }
}

impl Drop for Requests {
    fn drop(&mut self) {
        self.end();
    }
}

impl Working {
    fn abort(&self) {
        if let Some(task) = &self.task {
            task.abort();
        }
    }
}

/// Bytes of an id.
fn length(id: &RequestId) -> usize {
    match id {
        RequestId::String(id) => id.len(),
        RequestId::Number(_) => 0,
    }
}

/// A request that is being worked on.
struct Open {
    requests: Weak<Requests>,
    link: Arc<dyn Link>,
    session: u64,
    id: RequestId,
    number: u64,
}

impl Open {
    /// Strikes it off the list, with an answer unless somebody has done so before: then nobody
    /// waits for it, and another request may have its id.
    fn answer(&self, message: Option<Vec<u8>>) {
        // Who is not there any more has no list to be struck off.
        let Some(requests) = self.requests.upgrade() else {
            return;
        };
        let mut running = requests.running();
        if running.get_mut(&self.id, self.number).is_none() {
            return;
        }
        running.remove(&self.id);
        // Before the list is free again for the requests of another process.
        if let Some(message) = message {
            self.link.answer(message, self.session);
        }
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        let failed = std::thread::panicking();
        self.answer(
            failed
                .then(|| {
                    let error = ErrorObject::internal_error("the client's handler failed");
                    refusal(&self.id, &error)
                })
                .flatten(),
        );
    }
}

/// A request in the form of the newest revision.
fn question(
    inputs: &Inputs,
    revision: Revision,
    method: &str,
    params: Option<&RawValue>,
) -> Result<InputRequest, ErrorObject> {
    let text = params.map_or("null", RawValue::get);
    let read = match method {
        "elicitation/create" if inputs.form.is_some() || inputs.url.is_some() => {
            elicitation(revision, text).map(|params| ElicitRequest::new(params).into())
        }
        "sampling/createMessage" if inputs.sample.is_some() => {
            let params = lenient::decode(revision, text);
            params.map(|params| CreateMessageRequest::new(params).into())
        }
        "roots/list" if inputs.roots.is_some() => Ok(ListRootsRequest::new().into()),
        _ => return Err(unknown(method)),
    };
    read.map_err(|error| match error {
        VersionError::Unmapped { .. } => unknown(method),
        error => ErrorObject::invalid_params(error.to_string()),
    })
}

/// At first there were only forms.
fn elicitation(revision: Revision, text: &str) -> Result<ElicitRequestParams, VersionError> {
    if revision == Revision::V2025_06_18
        && let Ok(params) = json::from_str::<v2025_06_18::ElicitRequestFormParams>(text)
    {
        let params = v2025_11_25::ElicitRequestFormParams::from(params);
        return Ok(ElicitRequestParams::Form(params.into()));
    }
    lenient::decode(revision, text)
}

fn unknown(method: &str) -> ErrorObject {
    ErrorObject::method_not_found(format!("no method `{method}`"))
}

/// An answer in the form of a revision; a server that asks in the form of a newer one, for what the
/// older cannot say, is answered in it.
fn write(id: &RequestId, reply: &InputResponse, at: Revision) -> Result<Vec<u8>, VersionError> {
    write_at(id, reply.clone(), at).or_else(|fault| {
        let mut newer = lenient::newer(at);
        let other = newer.find_map(|newer| write_at(id, reply.clone(), newer).ok());
        other.ok_or(fault)
    })
}

fn write_at(id: &RequestId, reply: InputResponse, at: Revision) -> Result<Vec<u8>, VersionError> {
    let mut message = Vec::new();
    match reply {
        InputResponse::Elicit(reply) => rpc::write_result_at(&mut message, id, reply, at, None)?,
        InputResponse::CreateMessage(reply) => {
            rpc::write_result_at(&mut message, id, reply, at, None)?;
        }
        InputResponse::ListRoots(reply) => {
            rpc::write_result_at(&mut message, id, reply, at, None)?;
        }
        // No question has another answer.
        other => rpc::write_result(&mut message, id, &other)?,
    }
    Ok(message)
}

/// What the server hears of an error.
fn said(error: InputError) -> ErrorObject {
    match error.downcast::<ErrorObject>() {
        Ok(error) => *error,
        Err(error) => ErrorObject::internal_error(error.to_string()),
    }
}

fn refusal(id: &RequestId, error: &ErrorObject) -> Option<Vec<u8>> {
    reply::<Object>(id, Err(error))
}

/// The message that answers a request.
fn reply<R: Serialize>(id: &RequestId, reply: Result<&R, &ErrorObject>) -> Option<Vec<u8>> {
    let mut message = Vec::new();
    let written = match reply {
        Ok(result) => rpc::write_result(&mut message, id, result),
        Err(error) => rpc::write_error(&mut message, Some(id), error),
    };
    if let Err(error) = &written {
        let id = PeerDisplay(id);
        tracing::error!(%id, %error, "an answer that cannot be written");
    }
    written.ok().map(|()| message)
}
