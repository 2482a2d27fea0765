//! Calls of an upstream on behalf of a client.

use std::future::IntoFuture as _;
use std::sync::Arc;
use std::time::Duration;

use mcp_client::{CallError, JsonCall};
use mcp_server::types::json::{self, Map, Value};
use mcp_server::types::rpc;
use mcp_server::types::{LoggingLevel, ProgressNotificationParams, Revision};
use mcp_server::{Context, HandlerError};
use serde_json::value::RawValue;

use super::caller::Caller;
use super::sealed::{RESPONSES, STATE, Sealed};
use super::{questions, tasks};
use crate::error::RETRY_SOON;
use crate::fault::UpstreamFault;
use crate::shared::Behind;
use crate::translate;
use crate::upstream::connection::{Connected, Purpose};
use crate::upstream::traffic::{Note, Notes, RunningCall};
use crate::uris::UriPrefix;

/// The maximum number of rounds in which a modern upstream asks the client of a session.
const ROUNDS: usize = 16;

/// The code for an unknown resource before 2026-07-28.
const NO_RESOURCE: i64 = -32002;

const PROGRESS: &str = "notifications/progress";

/// The member of params that asks for a task, in 2025-11-25.
const TASK: &str = "task";

/// A request for an upstream.
pub(crate) struct Outgoing {
    pub(crate) method: String,
    pub(crate) params: Map<Box<RawValue>>,
    /// The id that the client knows of the task that the request is about.
    pub(crate) task: Option<String>,
}

/// Calls an upstream. Returns its result in the form of the client's revision.
///
/// | client | upstream | questions of the upstream |
/// | --- | --- | --- |
/// | session | session | are requests to the client, while the call waits |
/// | modern | modern | are the result, and the client sends the request again with the answers |
/// | modern | session | are the result; the call waits for the client's next request |
/// | session | modern | are requests to the client, and the gateway sends the request again |
pub(crate) async fn call(
    cx: &Context,
    behind: &Arc<Behind>,
    caller: Caller,
    outgoing: Outgoing,
) -> Result<Box<RawValue>, HandlerError> {
    let revision = match behind.pool.revision() {
        Some(revision) => revision,
        None => behind.pool.learn_revision(&caller.wanted(cx, true)).await?,
    };
    if cx.session().is_some() || revision.is_modern() {
        return exchange(cx, behind, &caller, outgoing).await;
    }
    let behind = Arc::clone(behind);
    cx.detached("upstream", async move |cx: Context| {
        exchange(&cx, &behind, &caller, outgoing).await
    })
    .await
}

async fn exchange(
    cx: &Context,
    behind: &Behind,
    caller: &Caller,
    outgoing: Outgoing,
) -> Result<Box<RawValue>, HandlerError> {
    let pool = &behind.pool;
    let is_modern = pool.revision().is_some_and(Revision::is_modern);
    let wanted = caller.wanted(cx, is_modern);
    let (running, notes) = RunningCall::new(cx.clone(), &pool.slots);
    let connected = pool
        .connect(&wanted, Purpose::Call(Arc::clone(&running)))
        .await?;
    tokio::select! {
        biased;
        () = connected.link().taken() => {
            let upstream = &*pool.upstream.name;
            tracing::info!(upstream, "a call ends that waits for a user: others need its connection");
            Err(HandlerError::busy(RETRY_SOON))
        }
        result = rounds(cx, behind, caller, &connected, &running, notes, outgoing) => result,
    }
}

/// Calls an upstream on a connection, again with each answer of the client.
async fn rounds(
    cx: &Context,
    behind: &Behind,
    caller: &Caller,
    connected: &Connected,
    running: &Arc<RunningCall>,
    mut notes: Notes,
    mut outgoing: Outgoing,
) -> Result<Box<RawValue>, HandlerError> {
    let (pool, uris) = (&behind.pool, &behind.names.uris);
    let (link, client) = (connected.link(), &connected.client);
    let upstream = &*pool.upstream.name;
    let (from, to) = (client.revision(), cx.revision());
    if !from.is_modern() {
        let time = pool.upstream.limits.connect_time;
        questions::set_log_level(client, link, caller.log_level, time).await;
    }
    if !(from.is_modern() && to.is_modern()) {
        // Nothing says to which client a task of an older revision belongs, and it would go on beside
        // the calls that are counted.
        outgoing.params.remove(TASK);
    }
    if from.is_modern() {
        if to.is_modern() {
            Sealed::State.open_member(cx, upstream, &mut outgoing.params, STATE)?;
        } else {
            // No client with a session got a state, so these could be the answers to a question for
            // another user.
            outgoing.params.remove(STATE);
            outgoing.params.remove(RESPONSES);
        }
    }
    // What a session gets that has set no level.
    let log_level = caller
        .log_level
        .or(cx.session().map(|_| LoggingLevel::Info));
    for _ in 0..ROUNDS {
        let mut call = client
            .request_json(outgoing.method.clone(), &outgoing.params)
            .timeout(Duration::MAX)
            .capabilities(caller.capabilities.clone());
        let cancelled = cx.clone();
        call = call.cancel_reason(move || cancelled.cancel_reason().map(str::to_owned));
        if let Some(level) = log_level {
            call = call.log_level(level);
        }
        if cx.progress_token().is_some() {
            let running = Arc::clone(running);
            call = call.on_progress(move |progress| note_progress(&running, progress));
        }
        let wants_logs = cx.session().is_some() || caller.log_level.is_some();
        running.set_open(true);
        let result = tokio::select! {
            biased;
            result = driven(cx, call, &mut notes, wants_logs) => result,
            () = link.traffic.overdue(running, pool.upstream.limits.call_time) => {
                return Err(pool.faults.report(&UpstreamFault::Slow, None));
            }
        };
        let is_answered = matches!(result, Ok(_) | Err(CallError::Refused { .. }));
        running.set_open(!is_answered);
        // The client's request stays open for them.
        running.asked().await;
        let presented = |error| {
            pool.faults
                .failed(unknown_resource(&outgoing.method, error, uris))
        };
        let result = result.map_err(presented)?;
        pool.faults.clear();
        if from.is_modern()
            && let Some(asked) = questions::asked(&result)
        {
            if to.is_modern() {
                return questions::sealed(cx, upstream, &result);
            }
            let _question = link.traffic.begin_question(running);
            questions::answer(cx, from, asked, &mut outgoing.params).await?;
            continue;
        }
        if from.is_modern() {
            let task = match &*outgoing.method {
                "tasks/get" => outgoing.task,
                method if tasks::METHODS.contains(&method) => None,
                _ => match tasks::announced(&result) {
                    Some(id) if !caller.accepts_tasks() => {
                        return Err(tasks::refused(&pool.upstream, client, &id).await);
                    }
                    Some(id) => {
                        tasks::count(cx, behind, client, &id).await?;
                        Some(tasks::presented_id(cx, behind, &id)?)
                    }
                    None => None,
                },
            };
            if let Some(id) = task {
                return Ok(json::to_raw(&tasks::presented(behind, &id, &result)?)?);
            }
        }
        return Ok(translate::result(&outgoing.method, from, to, result));
    }
    let text = format!("the server `{upstream}` behind the gateway asked {ROUNDS} times");
    Err(HandlerError::internal(text))
}

/// Gives an unknown resource its URI as the client knows it, and the code that it has in older
/// revisions: the server of the gateway sends the code of the client's revision in its place.
fn unknown_resource(method: &str, mut error: CallError, uris: &UriPrefix) -> CallError {
    if let CallError::Refused { source, .. } = &mut error
        && method == "resources/read"
        && matches!(source.code, NO_RESOURCE | rpc::INVALID_PARAMS)
        && let Some(data) = source.data.as_mut().and_then(Value::as_object_mut)
        && data.contains_key("uri")
    {
        uris.set(data, "uri");
        source.code = NO_RESOURCE;
    }
    error
}

/// Waits for the result, and passes on what the upstream sends before it.
async fn driven(
    cx: &Context,
    call: JsonCall,
    notes: &mut Notes,
    wants_logs: bool,
) -> Result<Box<RawValue>, CallError> {
    let mut call = call.into_future();
    loop {
        let result = tokio::select! {
            Some((note, _room)) = notes.recv() => {
                pass_on(cx, note, wants_logs).await;
                continue;
            }
            result = &mut call => result,
        };
        // Those before the result: an upstream that goes on sending does not keep it.
        for _ in 0..notes.len() {
            if let Ok((note, _room)) = notes.try_recv() {
                pass_on(cx, note, wants_logs).await;
            }
        }
        return result;
    }
}

async fn pass_on(cx: &Context, note: Note, wants_logs: bool) {
    if note.method == "notifications/message" && !wants_logs {
        return;
    }
    let passed = cx.notify_json(&note.method, note.params.as_deref()).await;
    if let Err(error) = passed {
        tracing::debug!(%error, "a notification of an upstream cannot be passed on");
    }
}

/// Passes on a report of progress, with the token of the client.
fn note_progress(running: &RunningCall, mut progress: ProgressNotificationParams) {
    let Some(token) = running.cx.progress_token() else {
        return;
    };
    running.note_progress();
    progress.progress_token = token.clone();
    if let Ok(params) = running.cx.revision().encode(progress) {
        running.note(Note {
            method: PROGRESS.to_owned(),
            params: Some(params),
        });
    }
}
