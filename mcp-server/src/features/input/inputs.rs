//! [`Inputs`]: the questions of a request, and the answers to them.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, MutexGuard};
use std::task::Waker;

use mcp_types::error::DecodeError;
use mcp_types::json::{Map, Object};
use mcp_types::peer_text::PeerDisplay;
use mcp_types::rpc::ErrorObject;
use mcp_types::{EmptyResult, ResultType, Revision, json};
use serde_json::value::RawValue;
use tokio::sync::watch;

use crate::features::input::error::InputError;
use crate::features::input::question::Question;
use crate::features::input::state;
use crate::features::input::state::{RawValues, SealedState};
use crate::protocol::core::Context;
use crate::protocol::dispatch::respond;
use crate::protocol::error::handler_error::HandlerError;
use crate::protocol::error::invalid_params;
use crate::protocol::message::params_view::ParamsView;
use crate::protocol::metrics::operations::OperationOutcome;
use crate::util::lock::lock;

/// The answers that a request contains, and the questions that its handler asks.
#[derive(Default)]
pub(crate) struct Inputs {
    /// `None` if the result of the request cannot be a list of questions.
    origin: Option<BoundValues>,
    /// The error, if `requestState` was not made by this server.
    foreign: Option<ErrorObject>,
    rounds: Mutex<Rounds>,
    /// Present if the handler waits for answers, instead of running again in the next round.
    pub(crate) kept: Option<Kept>,
}

/// The values that the state is bound to, besides the method.
struct BoundValues {
    params: Box<str>,
    principal: Option<Box<str>>,
}

#[derive(Default)]
pub(crate) struct Rounds {
    /// The answers in this request that have not been read yet.
    responses: RawValues,
    /// Answers of earlier rounds, and the valid ones of this round.
    accepted: RawValues,
    /// Values of finished operations of `once`.
    pub(crate) once: RawValues,
    /// Whether the request ends with questions, and is sent again with the answers.
    pub(crate) is_suspended: bool,
    /// Operations of `once` that are running.
    pub(crate) working: BTreeSet<String>,
    /// Keys of the questions of this round.
    keys: BTreeSet<String>,
    /// How often each key that is derived from a question's content occurred.
    repeated: HashMap<String, u32>,
    /// The questions that have no answer yet, with their keys.
    open: Vec<OpenQuestion>,
    waker: Option<Waker>,
}

/// The key of a question and its request, in the form of the client's revision.
pub(crate) type OpenQuestion = (String, Box<RawValue>);

/// Which `requestState` a method accepts.
#[derive(Clone, Copy)]
pub(crate) enum AcceptedState {
    /// State that this server sealed.
    Ours,
    /// Any state: the application's handler may have made it, or another server that the handler
    /// calls.
    Any,
}

/// Logs that the state of a request is rejected.
fn refused(error: ErrorObject) -> ErrorObject {
    tracing::warn!(reason = %PeerDisplay(&error), "request state refused");
    error
}

/// Whether a question has been answered.
pub(crate) enum QuestionStatus {
    Answered(String, Box<RawValue>),
    Open(String),
}

impl Inputs {
    /// Reads `inputResponses` and `requestState` of a modern request.
    pub(crate) fn read(
        params: &ParamsView<'_>,
        cx: &Context,
        state: AcceptedState,
    ) -> Result<Self, ErrorObject> {
        let method = cx.method();
        let origin = BoundValues {
            params: params.text().into(),
            principal: cx.state.extensions.principal().map(Into::into),
        };
        let mut rounds = Rounds::default();
        let mut foreign = None;
        let invalid = |error: DecodeError| invalid_params(method, &error);
        let members = &params.members;
        if let Some(text) = members
            .optional::<String>("requestState")
            .map_err(invalid)?
        {
            let bound_to = origin.binding(method)?;
            match (
                SealedState::open(&cx.core().keys.get(), &bound_to, &text),
                state,
            ) {
                (Ok(sealed), _) => {
                    rounds.accepted = sealed.answers;
                    rounds.once = sealed.once;
                }
                (Err(error), AcceptedState::Ours) => return Err(refused(error)),
                (Err(error), AcceptedState::Any) => foreign = Some(error),
            }
        }
        let responses = members.optional("inputResponses").map_err(invalid)?;
        rounds.responses = responses.unwrap_or_default();
        Ok(Self {
            origin: Some(origin),
            foreign,
            rounds: Mutex::new(rounds),
            kept: None,
        })
    }

    /// Checks that the state of the request is one of this server. Otherwise answers to earlier
    /// questions and values of `once` would be lost.
    pub(crate) fn check_state(&self) -> Result<(), HandlerError> {
        match &self.foreign {
            Some(error) => Err(HandlerError::from(refused(error.clone()))),
            None => Ok(()),
        }
    }

    pub(crate) fn rounds(&self) -> MutexGuard<'_, Rounds> {
        lock(&self.rounds)
    }

    /// Finds the answer to a question, or adds the question to the open ones.
    pub(crate) fn ask(
        &self,
        method: &str,
        key: Option<String>,
        question: &Question,
        revision: Revision,
    ) -> Result<QuestionStatus, HandlerError> {
        if self.origin.is_none() && self.kept.is_none() {
            return Err(InputError::Method(method.to_owned()).into());
        }
        self.check_state()?;
        let kind = question.kind();
        let request = question.to_modern(revision)?;
        let mut rounds = self.rounds();
        let key = match key {
            Some(key) => key,
            None => rounds.name(kind, request.get()),
        };
        if !rounds.keys.insert(key.clone()) {
            return Err(InputError::Key(key).into());
        }
        let answer = rounds.accepted.get(&key).cloned();
        if let Some(answer) = answer.or_else(|| rounds.responses.remove(&key)) {
            return Ok(QuestionStatus::Answered(key, answer));
        }
        rounds.open.push((key.clone(), request));
        rounds.wake();
        drop(rounds);
        self.note_change();
        Ok(QuestionStatus::Open(key))
    }

    /// Stores a valid answer for the next rounds.
    pub(crate) fn accept(&self, key: String, answer: Box<RawValue>) {
        self.rounds().accepted.insert(key, answer);
        self.note_change();
    }

    /// Tells the owner of a handler that is kept that there is something to store.
    fn note_change(&self) {
        if let Some(kept) = &self.kept {
            kept.note_change();
        }
    }

    pub(crate) fn withdraw(&self, key: &str) {
        let mut rounds = self.rounds();
        rounds.open.retain(|(open, _)| open != key);
        rounds.keys.remove(key);
        drop(rounds);
        self.note_change();
    }
}

impl Rounds {
    /// Derives a key from the content of a question: the same in every round, and different for
    /// different questions, in whichever order they are asked.
    fn name(&mut self, kind: &str, request: &str) -> String {
        let name = format!("{kind}-{:016x}", fingerprint(request));
        let count = self.repeated.entry(name.clone()).or_default();
        *count += 1;
        match *count {
            1 => name,
            count => format!("{name}-{count}"),
        }
    }

    /// Wakes the request, so that it looks for open questions.
    pub(crate) fn wake(&mut self) {
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }
}

/// FNV-1a: the same in every process and release, unlike the hashes of the standard library.
fn fingerprint(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

impl BoundValues {
    fn binding(&self, method: &str) -> Result<Vec<u8>, ErrorObject> {
        state::binding(method, &self.params, self.principal.as_deref())
    }
}

/// Returns the inputs of a request. Always `Some`, because nothing else is stored in that cell.
pub(crate) fn of(cx: &Context) -> Option<&Inputs> {
    let inputs = cx.state.inputs.get_or_init(|| Box::<Inputs>::default());
    inputs.downcast_ref()
}

/// Returns `true` if a request carries answers or state of an earlier round, whether sound or not.
pub(crate) fn is_retry(params: &ParamsView<'_>) -> bool {
    let members = &params.members;
    let mut names = ["requestState", "inputResponses"].into_iter();
    names.any(|name| !matches!(members.raw(name), Ok(None)))
}

/// Returns the text of the params without the answers of the client, if there are answers.
pub(crate) fn without_answers(params: &ParamsView<'_>) -> Option<String> {
    let mut members: Map<Box<RawValue>> = serde_json::from_str(params.text()).ok()?;
    members.remove("inputResponses")?;
    json::to_string(&members).ok()
}

/// Reads the inputs of a request without a session that may be answered with questions.
pub(crate) fn attach(
    params: &ParamsView<'_>,
    cx: &Context,
    state: AcceptedState,
) -> Result<(), HandlerError> {
    let inputs = Inputs::read(params, cx, state).map_err(HandlerError::from)?;
    // The context is new, so the cell is empty.
    let _ = cx.state.inputs.set(Box::new(inputs));
    Ok(())
}

/// Returns the response that asks the client for input, if the handler waits for any. Otherwise
/// stores the waker, for questions that are asked by a task of the handler.
pub(crate) fn suspend(cx: &Context, waker: &Waker) -> Option<Result<Vec<u8>, HandlerError>> {
    // `get` does not allocate, which requests of sessions rely on.
    let inputs = cx.state.inputs.get()?.downcast_ref::<Inputs>()?;
    let origin = inputs.origin.as_ref()?;
    let mut rounds = inputs.rounds();
    // Running operations of `once` must not be interrupted, because they must not be repeated.
    if rounds.open.is_empty() || !rounds.working.is_empty() {
        rounds.waker = Some(waker.clone());
        return None;
    }
    rounds.is_suspended = true;
    let open = std::mem::take(&mut rounds.open);
    let answers = std::mem::take(&mut rounds.accepted);
    let once = std::mem::take(&mut rounds.once);
    drop(rounds);
    Some(input_required(cx, origin, open, answers, once))
}

fn input_required(
    cx: &Context,
    origin: &BoundValues,
    open: Vec<OpenQuestion>,
    answers: RawValues,
    once: RawValues,
) -> Result<Vec<u8>, HandlerError> {
    cx.state
        .measured
        .set_result(OperationOutcome::InputRequired);
    let bound_to = origin.binding(cx.method()).map_err(HandlerError::from)?;
    let sealed = SealedState::new(cx.core().limits.state_time, answers, once);
    let state = sealed.seal(&cx.core().keys.get(), &bound_to)?;
    let mut requests = Object::with_capacity(open.len());
    for (key, request) in open {
        requests.push(&key, json::from_str(request.get())?);
    }
    // The requests are in the form of the client's revision already. The type of this result would
    // have them in that of the newest one.
    let mut result = EmptyResult::new();
    result.extra.insert("inputRequests", requests);
    result.extra.insert("requestState", state);
    result.result_type = ResultType::InputRequired;
    respond::result(cx, result)
}

/// The signals between the handler and its owner.
#[derive(Default)]
pub(crate) struct Kept {
    /// The number of changes so far.
    changes: watch::Sender<u64>,
    /// The number of changes that are stored.
    stored: watch::Sender<u64>,
    /// The number of deliveries of answers.
    deliveries: watch::Sender<u64>,
    /// Whether there is an owner that stores changes.
    is_stored: bool,
}

impl Kept {
    /// Returns the number of changes so far.
    fn changes(&self) -> u64 {
        *self.changes.borrow()
    }

    /// Wakes the questions that wait for answers.
    fn note_delivery(&self) {
        self.deliveries.send_modify(|deliveries| *deliveries += 1);
    }

    /// Returns what changes with each delivery of answers.
    fn deliveries(&self) -> watch::Receiver<u64> {
        self.deliveries.subscribe()
    }

    fn note_change(&self) {
        self.changes.send_modify(|changes| *changes += 1);
    }

    /// Notes a change, and waits until it is stored if the owner stores changes.
    pub(crate) async fn store(&self) {
        self.note_change();
        if !self.is_stored {
            return;
        }
        let number = *self.changes.borrow();
        let mut stored = self.stored.subscribe();
        // Fails only if the sender is dropped, and `self` owns it.
        let _ = stored.wait_for(|stored| *stored >= number).await;
    }

    /// Waits until there are more changes than this number.
    pub(crate) async fn changed(&self, known: u64) {
        let mut changes = self.changes.subscribe();
        let _ = changes.wait_for(|changes| *changes > known).await;
    }

    /// Confirms that changes are stored, up to this number.
    #[cfg(feature = "tasks")]
    pub(crate) fn confirm(&self, changes: u64) {
        self.stored
            .send_modify(|stored| *stored = changes.max(*stored));
    }
}

/// What the owner stores.
#[cfg(feature = "tasks")]
pub(crate) struct Snapshot {
    /// The number of changes that it includes.
    pub(crate) changes: u64,
    pub(crate) open: RawValues,
    pub(crate) accepted: RawValues,
    pub(crate) once: RawValues,
}

impl Inputs {
    /// Creates the inputs of a handler that is kept and stored: with the answers that the client has given, and
    /// the values of operations that have finished.
    #[cfg(feature = "tasks")]
    pub(crate) fn of_kept(accepted: RawValues, once: RawValues) -> Self {
        let rounds = Rounds {
            accepted,
            once,
            ..Rounds::default()
        };
        Self {
            rounds: rounds.into(),
            kept: Some(Kept {
                is_stored: true,
                ..Kept::default()
            }),
            ..Self::default()
        }
    }

    /// Creates the inputs of a handler that is kept in memory only.
    pub(crate) fn detached() -> Self {
        Self {
            kept: Some(Kept::default()),
            ..Self::default()
        }
    }

    /// Returns the open questions of a handler that is kept, and the number of its changes so far.
    pub(crate) fn open_questions(&self) -> (Vec<OpenQuestion>, u64) {
        let changes = self.kept.as_ref().map_or(0, Kept::changes);
        (self.rounds().open.clone(), changes)
    }

    /// Waits until a handler that is kept has changed something.
    pub(crate) async fn changed_since(&self, changes: u64) {
        if let Some(kept) = &self.kept {
            kept.changed(changes).await;
        }
    }

    /// Returns `true` if questions are the result of the request, which the client then sends
    /// again.
    pub(crate) fn asks_in_rounds(&self) -> bool {
        self.origin.is_some() && self.kept.is_none()
    }

    /// Removes and returns the answers in the request to some questions.
    pub(crate) fn take_responses(&self, questions: &[OpenQuestion]) -> RawValues {
        let responses = &mut self.rounds().responses;
        let answered = questions.iter().filter_map(|(key, _)| {
            let answer = responses.remove(key)?;
            Some((key.clone(), answer))
        });
        answered.collect()
    }

    /// Ends the round with questions of a detached call.
    pub(crate) fn suspend_for(&self, open: Vec<OpenQuestion>) {
        let mut rounds = self.rounds();
        for (key, question) in open {
            // The same question of another call: this one asks again in the next round.
            if !rounds.open.iter().any(|(known, _)| *known == key) {
                rounds.open.push((key, question));
            }
        }
        rounds.wake();
    }

    /// Returns what has to be stored.
    #[cfg(feature = "tasks")]
    pub(crate) fn snapshot(&self) -> Snapshot {
        // Read before the values: what changes in between is stored once more.
        let changes = self.kept.as_ref().map_or(0, Kept::changes);
        let rounds = self.rounds();
        Snapshot {
            changes,
            open: rounds.open.iter().cloned().collect(),
            accepted: rounds.accepted.clone(),
            once: rounds.once.clone(),
        }
    }

    /// Delivers answers to open questions. Ignores others, such as those that were delivered before.
    pub(crate) fn deliver(&self, answers: &RawValues) {
        let mut rounds = self.rounds();
        for (key, answer) in answers {
            let is_open = rounds.open.iter().any(|(open, _)| open == key);
            if is_open && !rounds.accepted.contains_key(key) {
                rounds.responses.insert(key.clone(), answer.clone());
            }
        }
        drop(rounds);
        if let Some(kept) = &self.kept {
            kept.note_delivery();
        }
    }
}

/// Waits for the answer to a question, if the handler is kept. Otherwise returns `None` at once.
pub(crate) async fn answer(cx: &Context, key: &str) -> Option<Box<RawValue>> {
    let inputs = crate::features::input::inputs::of(cx)?;
    let mut deliveries = inputs.kept.as_ref()?.deliveries();
    loop {
        let answer = inputs.rounds().responses.remove(key);
        if answer.is_some() {
            return answer;
        }
        // A task that the handler spawned may still wait when the handler is gone.
        tokio::select! {
            biased;
            _ = deliveries.changed() => {}
            () = cx.cancelled() => return None,
        }
    }
}
