//! [`Requests`]: requests of servers of the older era, and the answers to them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use mcp_types::json::{self, Object};
use mcp_types::revision::VersionError;
use mcp_types::rpc::{self, ErrorObject};
use mcp_types::{
    CreateMessageRequest, ElicitRequest, ElicitRequestParams, InputRequest, InputResponse,
    ListRootsRequest, RequestId, Revision, v2025_06_18, v2025_11_25,
};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use tokio::task::{AbortHandle, JoinSet};

use crate::answer;
use crate::inputs::{InputError, Inputs};
use crate::link::Link;

/// What is being worked on. Dropping this ends it.
#[derive(Default)]
pub(crate) struct Requests {
    running: Mutex<Running>,
}

#[derive(Default)]
struct Running {
    tasks: JoinSet<()>,
    by_id: HashMap<RequestId, AbortHandle>,
}

/// What is needed to answer.
#[derive(Clone)]
pub(crate) struct Answering {
    pub(crate) inputs: Inputs,
    pub(crate) link: Arc<dyn Link>,
    pub(crate) revision: Revision,
    /// As many at once.
    pub(crate) limit: usize,
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
        if method == "ping" {
            return respond(&*with.link, id, Ok(&Object::new()));
        }
        let request = match question(&with.inputs, with.revision, method, params) {
            Ok(request) => request,
            Err(error) => return refuse(&*with.link, id, &error),
        };
        let mut running = self.running();
        // What has ended has no need to be kept.
        while running.tasks.try_join_next().is_some() {}
        if running.by_id.contains_key(id) {
            drop(running);
            let error = ErrorObject::invalid_request("a request with this id is being worked on");
            return refuse(&*with.link, id, &error);
        }
        if running.by_id.len() >= with.limit {
            drop(running);
            let error = ErrorObject::internal_error("too many requests at once");
            return refuse(&*with.link, id, &error);
        }
        let open = Open {
            requests: Arc::downgrade(self),
            link: with.link,
            id: id.clone(),
        };
        let task = running.tasks.spawn(async move {
            let reply = match with.inputs.answer(request).await {
                Ok(reply) => encode(&reply, with.revision).map_err(InputError::from),
                Err(error) => Err(error),
            };
            match reply {
                Ok(reply) => respond(&*open.link, &open.id, Ok(&reply)),
                Err(error) => refuse(&*open.link, &open.id, &said(error)),
            }
        });
        running.by_id.insert(id.clone(), task);
    }

    /// The server does not wait for an answer any more.
    pub(crate) fn cancel(&self, id: &RequestId) -> bool {
        let task = self.running().by_id.remove(id);
        task.inspect(AbortHandle::abort).is_some()
    }

    /// There is nobody to answer any more.
    pub(crate) fn end(&self) {
        let mut running = self.running();
        running.tasks.abort_all();
        running.by_id.clear();
    }
}

/// A request that is being worked on.
struct Open {
    requests: Weak<Requests>,
    link: Arc<dyn Link>,
    id: RequestId,
}

impl Drop for Open {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let error = ErrorObject::internal_error("the client's handler failed");
            refuse(&*self.link, &self.id, &error);
        }
        // Who is not there any more has no list to be struck off.
        if let Some(requests) = self.requests.upgrade() {
            requests.running().by_id.remove(&self.id);
        }
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
            let params = answer::decode(revision, text);
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
    answer::decode(revision, text)
}

fn unknown(method: &str) -> ErrorObject {
    ErrorObject::method_not_found(format!("no method `{method}`"))
}

/// An answer in the form of a revision; a server that asks in the form of a newer one, for what the
/// older cannot say, is answered in it.
fn encode(reply: &InputResponse, revision: Revision) -> Result<Box<RawValue>, VersionError> {
    encode_at(reply.clone(), revision).or_else(|fault| {
        let mut newer = answer::newer(revision);
        let other = newer.find_map(|newer| encode_at(reply.clone(), newer).ok());
        other.ok_or(fault)
    })
}

fn encode_at(reply: InputResponse, revision: Revision) -> Result<Box<RawValue>, VersionError> {
    match reply {
        InputResponse::Elicit(reply) => revision.encode(reply),
        InputResponse::CreateMessage(reply) => revision.encode(reply),
        InputResponse::ListRoots(reply) => revision.encode(reply),
        // No question has another answer.
        other => Ok(to_raw_value(&other)?),
    }
}

/// What the server hears of an error.
fn said(error: InputError) -> ErrorObject {
    match error.downcast::<ErrorObject>() {
        Ok(error) => *error,
        Err(error) => ErrorObject::internal_error(error.to_string()),
    }
}

fn refuse(link: &dyn Link, id: &RequestId, error: &ErrorObject) {
    respond::<Object>(link, id, Err(error));
}

fn respond<R: Serialize>(link: &dyn Link, id: &RequestId, reply: Result<&R, &ErrorObject>) {
    let mut message = Vec::new();
    let written = match reply {
        Ok(result) => rpc::write_result(&mut message, id, result),
        Err(error) => rpc::write_error(&mut message, Some(id), error),
    };
    match written {
        Ok(()) => link.send_now(message),
        Err(error) => tracing::error!(%id, %error, "an answer that cannot be written"),
    }
}
