//! The methods `tasks/get`, `tasks/update` and `tasks/cancel`.

use std::sync::Arc;

use mcp_types::json::{self, Object, Value};
use mcp_types::{
    CancelTaskRequest, CancelTaskResult, ElicitRequestParams, ElicitResult, GetTaskRequest,
    InputRequest, InputResponse, Request, Sender, UpdateTaskRequest, UpdateTaskResult, form,
};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::extensions::tasks::record::TaskRecord;
use crate::extensions::tasks::settings::ClientTasks;
use crate::extensions::tasks::state::TaskState;
use crate::extensions::tasks::storage::{self, TaskError};
use crate::features::input::state::RawValues;
use crate::protocol::core::Context;
use crate::protocol::dispatch::extension::ServerExtension;
use crate::protocol::error::handler_error::HandlerError;
use crate::protocol::error::short;
use crate::protocol::handler::extract::Negotiated;
use crate::protocol::handler::params::Params;

/// Adds the methods to the extension.
pub(super) fn add(extension: ServerExtension, state: &Arc<TaskState>) -> ServerExtension {
    let (update_state, cancel_state) = (Arc::clone(state), Arc::clone(state));
    extension
        .on(get)
        .on(move |params, client, cx| update(params, client, cx, Arc::clone(&update_state)))
        .on(move |params, client, cx| cancel(params, client, cx, Arc::clone(&cancel_state)))
}

type Client = Negotiated<ClientTasks>;

/// The method of [`GetTaskRequest`]. The questions in its result are in the form of the client's
/// revision already, and the types of the newest one may not have all of them.
struct Get;

impl Request for Get {
    const METHOD: &'static str = GetTaskRequest::METHOD;
    const SENDER: Sender = GetTaskRequest::SENDER;
    type Params = <GetTaskRequest as Request>::Params;
    type Result = Object;
}

async fn get(Params(params): Params<Get>, _: Client, cx: Context) -> Result<Object, HandlerError> {
    let mut details = find(&cx, &params.task_id).await?.details()?;
    details.insert("resultType", Value::from("complete"));
    Ok(details)
}

/// The method of [`UpdateTaskRequest`]. The responses are not decoded here, because a response to an
/// unknown question is ignored, even if it is malformed.
struct Update;

#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct UpdateParams {
    task_id: String,
    input_responses: RawValues,
}

impl Request for Update {
    const METHOD: &'static str = UpdateTaskRequest::METHOD;
    const SENDER: Sender = UpdateTaskRequest::SENDER;
    type Params = UpdateParams;
    type Result = UpdateTaskResult;
}

async fn update(
    Params(params): Params<Update>,
    _: Client,
    cx: Context,
    state: Arc<TaskState>,
) -> Result<UpdateTaskResult, HandlerError> {
    let open = find(&cx, &params.task_id).await?.open;
    for (key, response) in &params.input_responses {
        if let Some(question) = open.get(key)
            && let Err(error) = check(question, response)
        {
            let place = format!("$.inputResponses.{}", short(key));
            return Err(HandlerError::invalid_params(format!("{place}: {error}")));
        }
    }
    let responses = params.input_responses;
    change(&cx, &state, &params.task_id, |record| {
        record.answer(responses.clone())
    })
    .await?;
    Ok(UpdateTaskResult::new())
}

/// Checks the response to a question, so that the client can send another one: a response that was
/// accepted cannot be taken back.
fn check(question: &RawValue, response: &RawValue) -> Result<(), String> {
    // The newest revision may not have a question of an older one, nor its responses.
    let Ok(question) = json::from_str::<InputRequest>(question.get()) else {
        return Ok(());
    };
    let response = json::from_str::<InputResponse>(response.get());
    let response = response.map_err(|error| error.to_string())?;
    let (InputRequest::Elicit(question), InputResponse::Elicit(answer)) = (question, response)
    else {
        return Ok(());
    };
    match (question.params, answer) {
        (
            ElicitRequestParams::Form(form),
            ElicitResult {
                content: Some(content),
                ..
            },
        ) => form::check(&form.requested_schema, &content).map_err(|error| error.to_string()),
        _ => Ok(()),
    }
}

async fn cancel(
    Params(params): Params<CancelTaskRequest>,
    _: Client,
    cx: Context,
    state: Arc<TaskState>,
) -> Result<CancelTaskResult, HandlerError> {
    change(&cx, &state, &params.task_id, |record| {
        !std::mem::replace(&mut record.is_cancelling, true)
    })
    .await?;
    Ok(CancelTaskResult::new())
}

/// Returns a task of the caller.
///
/// # Errors
///
/// -32602 if no task has this id, or if the task belongs to another principal.
pub(super) async fn find(cx: &Context, id: &str) -> Result<TaskRecord, HandlerError> {
    let found = storage::load(cx.core(), id).await;
    let found = found.map_err(TaskError::into_handler_error)?;
    let principal = cx.state.extensions.principal();
    let mine = found.filter(|(record, _)| record.principal.as_deref() == principal);
    match mine {
        Some((record, _)) => Ok(record),
        None => Err(HandlerError::invalid_params(
            "$.taskId: there is no task with this id, or it has expired",
        )),
    }
}

/// Changes a task of the caller, unless it has ended, and notifies the process that runs it.
async fn change(
    cx: &Context,
    state: &TaskState,
    id: &str,
    mut change: impl FnMut(&mut TaskRecord) -> bool + Send,
) -> Result<(), HandlerError> {
    if find(cx, id).await?.has_ended() {
        return Ok(());
    }
    let mut is_changed = false;
    storage::update(cx.core(), id, |record| {
        is_changed = change(record);
        is_changed
    })
    .await
    .map_err(TaskError::into_handler_error)?;
    if is_changed {
        state.changed(cx.core(), id).await;
    }
    Ok(())
}
