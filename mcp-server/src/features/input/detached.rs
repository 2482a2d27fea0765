//! [`Context::detached`]: a call that outlives the rounds of its request.

use std::collections::HashSet;
use std::future::Future;
use std::sync::Arc;

use mcp_types::json;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tokio::time::{sleep, timeout};
use tracing::Instrument as _;

use crate::features::input::error::InputError;
use crate::features::input::inputs::{self, Inputs};
use crate::protocol::core::{Context, Core};
use crate::protocol::detached::{CallPhase, DetachedCall, RoundSink};
use crate::protocol::dispatch::request_task::caught;
use crate::protocol::error::handler_error::HandlerError;
use crate::protocol::quota::peer_key::PeerKey;
use crate::util::hex;

/// What the next rounds know of a call.
#[derive(Serialize, Deserialize)]
enum StoredCall {
    /// It runs, or has failed.
    Begun(String),
    /// Its value.
    Done(Box<RawValue>),
}

impl Context {
    /// Runs a call that goes on while the client answers its questions, instead of starting again
    /// in each round: for handlers that call another server whose tool must not run twice.
    ///
    /// A modern client gets the questions of the call as the result of its request. When it sends
    /// the request again with the answers, the handler starts again, and this function waits for
    /// the same call instead of running `call` a second time. The context that `call` gets sends
    /// progress and log messages with the request that waits at the time.
    ///
    /// ```
    /// # use mcp_server::{Context, Form, HandlerError};
    /// # use mcp_server::types::BooleanSchema;
    /// async fn order(cx: Context) -> Result<String, HandlerError> {
    ///     cx.detached("order", async |cx: Context| {
    ///         // This line runs once, whatever the client's revision.
    ///         let table = "table 7";
    ///         let form = Form::new(format!("Take {table}?")).required("ok", BooleanSchema::new());
    ///         Ok(match cx.elicit(form).await?.accepted() {
    ///             Some(_) => format!("{table} is yours"),
    ///             None => "nothing was ordered".to_owned(),
    ///         })
    ///     })
    ///     .await
    /// }
    /// ```
    ///
    /// `key` names the call within the handler, which may have several. Once the call has ended, the
    /// state of the request contains its value, as with [`once`](Self::once). The call ends without a result when its request is
    /// cancelled, or if the client does not answer within
    /// [`Limits::state_time`](field@crate::Limits::state_time). It runs in one process: with several, a
    /// load balancer has to send the requests of a client to the same one, or the next round is refused.
    /// A task, which any process can go on with, has no such limit. In sessions, in tasks and for methods
    /// without questions, `call` runs as a part of the handler.
    ///
    /// # Errors
    ///
    /// The error of the call; -32603 if there are as many calls as
    /// [`Limits::detached_calls`](field@crate::Limits::detached_calls) allows; -32602 if the call of
    /// this request has ended or runs in another process, or if another request waits for it.
    pub async fn detached<T, F, Fut>(&self, key: &str, call: F) -> Result<T, HandlerError>
    where
        T: Serialize + DeserializeOwned,
        F: FnOnce(Self) -> Fut,
        Fut: Future<Output = Result<T, HandlerError>> + Send + 'static,
    {
        let inputs = inputs::of(self).ok_or(InputError::Ended)?;
        if !inputs.asks_in_rounds() {
            return call(self.clone()).await;
        }
        inputs.check_state()?;
        let name = format!("detached/{key}");
        let known = inputs.rounds().once.get(&name).cloned();
        let known = known.map(|known| serde_json::from_str(known.get()));
        let running = match known.transpose()? {
            Some(StoredCall::Done(value)) => return Ok(serde_json::from_str(value.get())?),
            Some(StoredCall::Begun(id)) => self.core().detached.get(&id).ok_or_else(|| {
                let text = "`requestState`: the call has ended, or another process runs it; send the \
                            request again without it";
                HandlerError::invalid_params(text)
            })?,
            None => {
                let (id, running) = start(self, call)?;
                let begun = json::to_raw(&StoredCall::Begun(id))?;
                inputs.rounds().once.insert(name.clone(), begun);
                running
            }
        };
        if !running.attach(&self.state.sink, self.state.progress_token.clone()) {
            let text = "`requestState`: another request with this state is being answered";
            return Err(HandlerError::invalid_params(text));
        }
        let waiting = Waiting {
            request: self,
            call: &running,
            inputs,
        };
        let value = round(self, inputs, &running).await?;
        drop(waiting);
        let result = serde_json::from_str(value.get())?;
        let done = json::to_raw(&StoredCall::Done(value))?;
        // For the next rounds.
        inputs.rounds().once.insert(name, done);
        Ok(result)
    }
}

/// Waits until the call ends, or hands its questions to the request.
async fn round(
    request: &Context,
    inputs: &Inputs,
    call: &DetachedCall<Context>,
) -> Result<Box<RawValue>, HandlerError> {
    let asked = inputs::of(&call.cx).ok_or(InputError::Ended)?;
    let (open, _) = asked.open_questions();
    let answers = inputs.take_responses(&open);
    let answered: HashSet<String> = answers.keys().cloned().collect();
    asked.deliver(&answers);
    loop {
        // Registered before the state is read, so that no change is missed.
        let mut changed = std::pin::pin!(call.changed.notified());
        changed.as_mut().enable();
        if let Some(result) = call.take() {
            return result;
        }
        let (mut open, seen) = asked.open_questions();
        open.retain(|(key, _)| !answered.contains(key));
        if !open.is_empty() {
            inputs.suspend_for(open);
            // The request ends here with the questions, and the handler is dropped.
            request.cancelled().await;
            return Err(InputError::Ended.into());
        }
        tokio::select! {
            biased;
            () = changed => {}
            () = asked.changed_since(seen) => {}
        }
    }
}

/// The request that waits for a call. If it is dropped before the call has ended, and the request
/// does not end with questions, it was cancelled, and the call is, too.
struct Waiting<'a> {
    request: &'a Context,
    call: &'a DetachedCall<Context>,
    inputs: &'a Inputs,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let is_suspended = self.inputs.rounds().is_suspended;
        let ended = &self.call.cx.state.ended;
        ended.set_reason(self.request.cancel_reason());
        self.call.detach(is_suspended);
    }
}

/// Starts a call as a task of its own.
fn start<T, F, Fut>(
    request: &Context,
    call: F,
) -> Result<(String, Arc<DetachedCall<Context>>), HandlerError>
where
    T: Serialize,
    F: FnOnce(Context) -> Fut,
    Fut: Future<Output = Result<T, HandlerError>> + Send + 'static,
{
    let core = Arc::clone(request.core());
    let id = hex::random_id().map_err(|error| HandlerError::internal(error.to_string()))?;
    let sink = Arc::<RoundSink>::default();
    let cx =
        request.detached_from_rounds(&id, Arc::clone(&sink) as _, Box::new(Inputs::detached()));
    let running = DetachedCall::new(PeerKey::of(&request.state.extensions), cx.clone(), sink);
    let running = Arc::new(running);
    if !core.detached.add(&id, &running, &core.limits) {
        return Err(HandlerError::internal("too many calls wait for answers").temporary());
    }
    let entry = TableEntry {
        core,
        id: id.clone(),
        call: Arc::clone(&running),
    };
    let work = call(cx);
    let work = async move {
        let done = caught(work).await;
        let done = done.unwrap_or_else(|| Err(HandlerError::internal("the handler failed")));
        done.and_then(|value| Ok(json::to_raw(&value)?))
    };
    tokio::spawn(supervise(entry, work).in_current_span());
    Ok((id, running))
}

/// Removes a call from the table when its task ends, however it ends.
struct TableEntry {
    core: Arc<Core>,
    id: String,
    call: Arc<DetachedCall<Context>>,
}

impl Drop for TableEntry {
    fn drop(&mut self) {
        self.core.detached.remove(&self.id);
        self.call.cx.state.ended.set();
    }
}

/// Runs a call, and keeps its result until a request takes it.
async fn supervise(
    entry: TableEntry,
    work: impl Future<Output = Result<Box<RawValue>, HandlerError>>,
) {
    let limits = &entry.core.limits;
    let unwanted = async {
        let stopped = async {
            entry.core.stopping().await;
            sleep(entry.core.grace_left()).await;
        };
        tokio::select! {
            biased;
            () = abandoned(&entry, limits.state_time) => {}
            () = stopped => {}
        }
    };
    let mut unwanted = std::pin::pin!(unwanted);
    tokio::select! {
        biased;
        result = work => {
            entry.call.finish(result);
            unwanted.await;
        }
        () = &mut unwanted => {}
    }
}

/// Waits until the result was taken, the call was cancelled, or no request has waited for it for
/// some time.
async fn abandoned(entry: &TableEntry, time: std::time::Duration) {
    let call = &*entry.call;
    loop {
        let mut changed = std::pin::pin!(call.changed.notified());
        changed.as_mut().enable();
        match call.phase() {
            CallPhase::Cancelled | CallPhase::Taken => return,
            CallPhase::Attached => changed.await,
            CallPhase::Suspended => {
                if timeout(time, changed).await.is_err() {
                    tracing::debug!("the client did not answer the questions of a call in time");
                    return;
                }
            }
        }
    }
}
