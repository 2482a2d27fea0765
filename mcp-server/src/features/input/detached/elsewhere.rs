//! Rounds of a detached call whose request reaches another process than the one that runs the call.
//!
//! The process that gets the request writes the answers into the store that all processes share,
//! and waits for messages and a report there. The process of the call looks for answers while no request waits
//! for the call.

use std::collections::HashSet;
use std::convert::Infallible;
use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use mcp_types::rpc::ErrorObject;
use mcp_types::{CallToolResult, ProgressToken, json};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tokio::time::{Instant, sleep};

use super::given::{self, ElsewhereRequest, Given, put, remove};
use super::notes::{NoteBatch, Notes};
use crate::features::input::error::InputError;
use crate::features::input::inputs::{self, Inputs, OpenQuestion};
use crate::features::input::state::RawValues;
use crate::protocol::core::{Context, Core};
use crate::protocol::detached::{DetachedCall, Round};
use crate::protocol::error::handler_error::{Cause, HandlerError};
use crate::protocol::message::message_sink::MessageSink;
use crate::protocol::store::access::RECORD_INTERVAL;
use crate::protocol::store::error::StoreError;
use crate::protocol::store::values::{Condition, PutOutcome};
use crate::util::select::{Either, select};

/// How often the other process looks for messages and a report.
const REPORTED: Duration = Duration::from_millis(100);

/// The time after which a process that has not taken the answers is taken to have ended.
const TAKEN: Duration = Duration::from_secs(8);

/// The end of a round.
#[derive(Serialize, Deserialize)]
struct Ended<R = Report> {
    /// Messages that were not stored before.
    notes: NoteBatch,
    report: R,
}

/// What the process of a call reports.
#[derive(Serialize, Deserialize)]
enum Report {
    Result(Box<RawValue>),
    Questions(Vec<OpenQuestion>),
    /// The call ended with an error of the protocol.
    Refused {
        code: i64,
        message: String,
        data: Option<json::Value>,
    },
    /// The call ended with the failure of a tool.
    Failed(Box<CallToolResult>),
}

fn notes_key(id: &str) -> String {
    format!("detached-notes:{id}")
}

fn report_key(id: &str) -> String {
    format!("detached-report:{id}")
}

/// Returns the error for a call that no process runs.
fn ended() -> HandlerError {
    HandlerError::invalid_params(
        "`requestState`: the call has ended; send the request again without it",
    )
}

fn unreachable(error: &StoreError) -> HandlerError {
    HandlerError::internal("the call cannot be reached now: retry later")
        .logged_as(error.to_string())
        .temporary()
}

/// Serves a round of a call that another process runs. Returns the value of the call.
pub(super) async fn round(
    request: &Context,
    inputs: &Inputs,
    id: &str,
) -> Result<Box<RawValue>, HandlerError> {
    if !request.core().stores.values_are_shared {
        return Err(ended());
    }
    let mut waiting = ElsewhereRequest {
        request,
        inputs,
        id,
        is_over: false,
    };
    let value = wait(request, inputs, id).await;
    waiting.is_over = true;
    value
}

async fn wait(request: &Context, inputs: &Inputs, id: &str) -> Result<Box<RawValue>, HandlerError> {
    let core = request.core();
    let (answers, notes, report) = (given::key(id), notes_key(id), report_key(id));
    let given = serde_json::to_vec(&Given::Answers(inputs.take_all_responses()))?;
    // Of a round whose request was cancelled.
    if let Some(left) = stored(core, &report).await? {
        match serde_json::from_slice::<Ended>(&left)?.report {
            Report::Questions(_) => {
                remove(core, &report).await;
                remove(core, &answers).await;
            }
            ended => return read(request, inputs, ended).await,
        }
    }
    remove(core, &notes).await;
    let written = put(core, &answers, &given, Condition::Absent).await;
    if !matches!(
        written.map_err(|error| unreachable(&error))?,
        PutOutcome::Written(_)
    ) {
        let text = "`requestState`: another request with this state is being answered";
        return Err(HandlerError::invalid_params(text));
    }
    // When the answers were written, and then when the other process was known to run.
    let mut seen = Instant::now();
    let (mut is_taken, mut sent) = (false, 0);
    loop {
        sleep(REPORTED).await;
        // Read before the messages, which are stored before it.
        let reported = stored(core, &report).await?;
        if let Some(found) = stored(core, &notes).await? {
            // The next messages are stored when these are gone.
            remove(core, &notes).await;
            send(request, serde_json::from_slice(&found)?, &mut sent).await;
        }
        if let Some(found) = reported {
            remove(core, &report).await;
            remove(core, &answers).await;
            let ended: Ended = serde_json::from_slice(&found)?;
            send(request, ended.notes, &mut sent).await;
            return read(request, inputs, ended.report).await;
        }
        if !is_taken {
            is_taken = stored(core, &answers).await?.as_ref() != Some(&given);
            if !is_taken && seen.elapsed() > TAKEN {
                remove(core, &answers).await;
                return Err(ended());
            }
        } else if seen.elapsed() > RECORD_INTERVAL {
            seen = Instant::now();
            let is_running = core.stores.is_running(id).await;
            if !is_running.map_err(|error| unreachable(&error))? {
                return Err(ended());
            }
        }
    }
}

/// Sends messages of the call with the request, but none that was sent before.
async fn send(request: &Context, notes: NoteBatch, sent: &mut u64) {
    let round = Round::of(&request.state.sink, request.progress_token().cloned());
    for message in notes.after(sent) {
        if let Some(message) = round.message(message.as_bytes()) {
            request.send_message(message).await;
        }
    }
}

async fn stored(core: &Core, key: &str) -> Result<Option<Vec<u8>>, HandlerError> {
    let found = core
        .stores
        .get(key)
        .await
        .map_err(|error| unreachable(&error))?;
    Ok(found.map(|found| found.value))
}

async fn read(
    request: &Context,
    inputs: &Inputs,
    report: Report,
) -> Result<Box<RawValue>, HandlerError> {
    match report {
        Report::Result(value) => Ok(value),
        Report::Refused {
            code,
            message,
            data,
        } => {
            let mut error = ErrorObject::new(code, message);
            error.data = data;
            Err(HandlerError::from(error))
        }
        Report::Failed(result) => Err(HandlerError::tool_result(*result)),
        Report::Questions(open) => {
            inputs.suspend_for(open);
            request.cancelled().await;
            Err(InputError::Ended.into())
        }
    }
}

/// Waits until another process has answers for a call of this one, or cancels it. Also returns the
/// version of what it found.
pub(super) async fn given(core: &Core, id: &str) -> (Given, u64) {
    if !core.stores.values_are_shared {
        return pending().await;
    }
    given::found(core, id, |given| !matches!(given, Given::Taken)).await
}

/// Serves a round of a call of this process for a request that another one has.
pub(super) async fn serve(
    core: &Core,
    id: &str,
    call: &DetachedCall<Context>,
    (answers, version): (&RawValues, u64),
) {
    let notes = Arc::<Notes>::default();
    let sink: Arc<dyn MessageSink> = Arc::clone(&notes) as _;
    // The other process replaces the token.
    let token = Some(ProgressToken::from(id));
    let Some(asked) = inputs::of(&call.cx).filter(|_| call.attach(&sink, token)) else {
        return;
    };
    match given::take(core, id, version).await {
        Ok(true) => {}
        Ok(false) => return call.detach(true),
        Err(error) => {
            tracing::warn!(%error, "the answers for a call cannot be taken");
            return call.detach(true);
        }
    }
    let beside = select(pass_on(core, id, &notes), record_running(core));
    let cancelled = given::found(core, id, |given| matches!(given, Given::Cancelled(_)));
    let mut beside = std::pin::pin!(select(beside, cancelled));
    let answered: HashSet<&String> = answers.keys().collect();
    asked.deliver(answers);
    let report = loop {
        let mut changed = std::pin::pin!(call.changed.notified());
        changed.as_mut().enable();
        if let Some(result) = call.take() {
            break report(result);
        }
        let (mut open, seen) = asked.open_questions();
        open.retain(|(key, _)| !answered.contains(key));
        if !open.is_empty() {
            break Report::Questions(open);
        }
        let changed = select(changed, asked.changed_since(seen));
        match select(changed, beside.as_mut()).await {
            Either::First(_) => {}
            Either::Second(Either::First(Either::First(never) | Either::Second(never))) => {
                match never {}
            }
            Either::Second(Either::Second((given, _))) => {
                remove(core, &given::key(id)).await;
                if let Given::Cancelled(reason) = given {
                    call.cx.state.ended.set_reason(reason.as_deref());
                }
                return call.detach(false);
            }
        }
    };
    let too_large = Report::Refused {
        code: mcp_types::rpc::INTERNAL_ERROR,
        message: "the result of the call cannot be passed on by the store".to_owned(),
        data: None,
    };
    // The messages may be what is too large for the store.
    for (notes, report) in [
        (notes.all(), &report),
        (NoteBatch::default(), &report),
        (NoteBatch::default(), &too_large),
    ] {
        let text = serde_json::to_vec(&Ended { notes, report }).unwrap_or_default();
        match put(core, &report_key(id), &text, Condition::Any).await {
            Ok(_) => break,
            Err(error) => tracing::warn!(%error, "the report of a call cannot be stored"),
        }
    }
    call.detach(true);
}

/// Stores the messages of a call for the other process, whenever that has read those before them.
async fn pass_on(core: &Core, id: &str, notes: &Notes) -> Infallible {
    let key = notes_key(id);
    loop {
        let batch = notes.some().await;
        let text = serde_json::to_vec(&batch).unwrap_or_default();
        match put(core, &key, &text, Condition::Absent).await {
            Ok(PutOutcome::Written(_)) => notes.remove(&batch),
            Ok(_) => {}
            Err(error) => tracing::debug!(%error, "messages of a call cannot be stored yet"),
        }
        sleep(REPORTED).await;
    }
}

/// Records that this process runs, for the one that waits for the call.
async fn record_running(core: &Core) -> Infallible {
    loop {
        sleep(RECORD_INTERVAL).await;
        if let Err(error) = core.stores.record_running().await {
            tracing::warn!(%error, "the process of a call cannot record that it runs");
        }
    }
}

fn report(result: Result<Box<RawValue>, HandlerError>) -> Report {
    let error = match result {
        Ok(value) => return Report::Result(value),
        Err(error) => error,
    };
    let text = error.to_string();
    match error.cause {
        Cause::Protocol(ErrorObject {
            code,
            message,
            data,
            ..
        }) => Report::Refused {
            code,
            message,
            data,
        },
        Cause::Tool(result) => Report::Failed(result),
        Cause::MissingCapability(_) | Cause::Other(_) => Report::Refused {
            code: error_code(&error.cause),
            message: text,
            data: None,
        },
    }
}

fn error_code(cause: &Cause) -> i64 {
    match cause {
        Cause::MissingCapability(_) => mcp_types::MISSING_REQUIRED_CLIENT_CAPABILITY,
        _ => mcp_types::rpc::INTERNAL_ERROR,
    }
}
