//! [`Inputs`]: the questions of a request, and the answers to them.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::Waker;

use mcp_types::error::DecodeError;
use mcp_types::json;
use mcp_types::peer_text::PeerDisplay;
use mcp_types::rpc::ErrorObject;
use mcp_types::{CallToolOutcome, InputRequests, InputRequiredResult};
use serde_json::value::RawValue;

use crate::features::input::error::InputError;
use crate::features::input::question::Question;
use crate::features::input::state::{self, Raws, SealedState};
use crate::protocol::core::Context;
use crate::protocol::error_text::invalid_params;
use crate::protocol::handler_error::HandlerError;
use crate::protocol::params_view::ParamsView;
use crate::protocol::respond;

/// What a request has been answered already, and what it asks now.
#[derive(Default)]
pub(crate) struct Inputs {
    /// Absent where the request may not be answered with questions.
    origin: Option<Origin>,
    /// Why the request's state is not one of this server, if it is not.
    foreign: Option<ErrorObject>,
    rounds: Mutex<Rounds>,
}

/// What state is bound to, besides the method.
struct Origin {
    params: Box<str>,
    principal: Option<Box<str>>,
}

#[derive(Default)]
pub(crate) struct Rounds {
    /// What came with this request, not looked at yet.
    responses: Raws,
    /// Answers from earlier rounds, and those of this one that were good.
    accepted: Raws,
    /// Values of work that is done once.
    pub(crate) once: Raws,
    /// Work that is being done.
    pub(crate) working: BTreeSet<String>,
    /// Keys in use.
    keys: BTreeSet<String>,
    /// How often a question was asked that got its key from its content.
    repeated: HashMap<String, u32>,
    open: InputRequests,
    waker: Option<Waker>,
}

/// Which `requestState` a method takes.
#[derive(Clone, Copy)]
pub(crate) enum AcceptedState {
    /// What this server sealed.
    Ours,
    /// Any: the application's handler may have made it, or another server that the handler calls.
    Any,
}

/// Logs that a request's state is not one of this server.
fn refused(error: ErrorObject) -> ErrorObject {
    tracing::warn!(reason = %PeerDisplay(&error), "request state refused");
    error
}

/// How it stands with a question.
pub(crate) enum Standing {
    Answered(String, Box<RawValue>),
    Open(String),
}

impl Inputs {
    /// Reads `inputResponses` and `requestState` of a modern request.
    pub(crate) fn read(
        head: &ParamsView<'_>,
        cx: &Context,
        state: AcceptedState,
    ) -> Result<Self, ErrorObject> {
        let method = cx.method();
        let origin = Origin {
            params: head.text().into(),
            principal: cx.state.extensions.principal().map(Into::into),
        };
        let mut rounds = Rounds::default();
        let mut foreign = None;
        let invalid = |error: DecodeError| invalid_params(method, &error);
        let members = head.members();
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
        })
    }

    /// Checks that the request's state is one of this server: answers to earlier questions and
    /// values of work that is done once would be lost otherwise.
    pub(crate) fn check_state(&self) -> Result<(), HandlerError> {
        match &self.foreign {
            Some(error) => Err(HandlerError::protocol(refused(error.clone()))),
            None => Ok(()),
        }
    }

    pub(crate) fn rounds(&self) -> MutexGuard<'_, Rounds> {
        self.rounds.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Finds the answer to a question, or adds it to those that are open.
    pub(crate) fn ask(
        &self,
        method: &str,
        key: Option<String>,
        question: Question,
    ) -> Result<Standing, HandlerError> {
        if self.origin.is_none() {
            return Err(InputError::Method(method.to_owned()).into());
        }
        self.check_state()?;
        let kind = question.kind();
        let request = question.into_modern();
        let mut rounds = self.rounds();
        let key = match key {
            Some(key) => key,
            None => rounds.name(kind, &json::to_string(&request)?),
        };
        if !rounds.keys.insert(key.clone()) {
            return Err(InputError::Key(key).into());
        }
        let answer = rounds.accepted.get(&key).cloned();
        if let Some(answer) = answer.or_else(|| rounds.responses.remove(&key)) {
            return Ok(Standing::Answered(key, answer));
        }
        rounds.open.insert(&key, request);
        rounds.wake();
        Ok(Standing::Open(key))
    }

    /// Keeps an answer that was good for the rounds to come.
    pub(crate) fn accept(&self, key: String, answer: Box<RawValue>) {
        self.rounds().accepted.insert(key, answer);
    }

    pub(crate) fn withdraw(&self, key: &str) {
        let mut rounds = self.rounds();
        rounds.open.remove(key);
        rounds.keys.remove(key);
    }
}

impl Rounds {
    /// A key from what is asked: the same in every round, and different for different questions,
    /// in whichever order they are asked.
    fn name(&mut self, kind: &str, request: &str) -> String {
        let name = format!("{kind}-{:016x}", fingerprint(request));
        let count = self.repeated.entry(name.clone()).or_default();
        *count += 1;
        match *count {
            1 => name,
            count => format!("{name}-{count}"),
        }
    }

    /// Has the call look for open questions, where it is not doing so anyway.
    pub(crate) fn wake(&mut self) {
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }
}

/// FNV-1a: the same in every process and release, which the standard library's hashes are not.
fn fingerprint(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

impl Origin {
    fn binding(&self, method: &str) -> Result<Vec<u8>, ErrorObject> {
        state::binding(method, &self.params, self.principal.as_deref())
    }
}

/// The inputs of a request. `None` cannot happen: nothing else is kept in that place.
pub(crate) fn of(cx: &Context) -> Option<&Inputs> {
    let inputs = cx.state.inputs.get_or_init(|| Box::<Inputs>::default());
    inputs.downcast_ref()
}

/// Returns `true` if a request carries answers or state of an earlier round, whether sound or not.
pub(crate) fn is_retry(params: &ParamsView<'_>) -> bool {
    let members = params.members();
    let mut names = ["requestState", "inputResponses"].into_iter();
    names.any(|name| !matches!(members.raw(name), Ok(None)))
}

/// Reads the inputs of a request without a session that may be answered with questions.
pub(crate) fn attach(
    head: &ParamsView<'_>,
    cx: &Context,
    state: AcceptedState,
) -> Result<(), HandlerError> {
    let inputs = Inputs::read(head, cx, state).map_err(HandlerError::protocol)?;
    // The context is new: nothing is there.
    let _ = cx.state.inputs.set(Box::new(inputs));
    Ok(())
}

/// The response that asks the client for input, if the handler waits for some. Otherwise the waker
/// is woken when a question is asked outside of the handler's own task.
pub(crate) fn suspend(cx: &Context, waker: &Waker) -> Option<Result<Vec<u8>, HandlerError>> {
    // Without an allocation for requests of sessions.
    let inputs = cx.state.inputs.get()?.downcast_ref::<Inputs>()?;
    let origin = inputs.origin.as_ref()?;
    let mut rounds = inputs.rounds();
    // Work that must not be repeated is not cut off either.
    if rounds.open.is_empty() || !rounds.working.is_empty() {
        rounds.waker = Some(waker.clone());
        return None;
    }
    let open = std::mem::take(&mut rounds.open);
    let answers = std::mem::take(&mut rounds.accepted);
    let once = std::mem::take(&mut rounds.once);
    drop(rounds);
    Some(input_required(cx, origin, open, answers, once))
}

fn input_required(
    cx: &Context,
    origin: &Origin,
    open: InputRequests,
    answers: Raws,
    once: Raws,
) -> Result<Vec<u8>, HandlerError> {
    let bound_to = origin
        .binding(cx.method())
        .map_err(HandlerError::protocol)?;
    let sealed = SealedState::new(cx.core().limits().state_time, answers, once);
    let state = sealed.seal(&cx.core().keys.get(), &bound_to)?;
    let result = InputRequiredResult::new()
        .input_requests(open)
        .request_state(state);
    respond::result(cx, CallToolOutcome::InputRequired(result))
}
