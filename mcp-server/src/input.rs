//! Input from the client in the middle of a request.
//!
//! A modern peer gets the open questions as the *result* of its request, and sends the request
//! again with the answers: the handler then runs from the start, and the questions are answered at
//! once. What is known so far travels sealed in `requestState`. A peer of an older revision gets a
//! request for each question, and the handler waits.

mod ask;
mod error;
mod form;
mod legacy;
mod once;
mod question;
mod state;
mod typed;

use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::Waker;

use mcp_types::error::DecodeError;
use mcp_types::json;
use mcp_types::rpc::ErrorObject;
use mcp_types::{
    CallToolOutcome, CreateMessageRequestParams, CreateMessageResult, ElicitRequestFormParams,
    ElicitRequestUrlParams, InputRequests, InputRequiredResult, ListRootsResult, Root,
};
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

pub use ask::Ask;
pub use error::InputError;
pub use form::{Elicited, Field, Form};

use crate::context::Context;
use crate::engine::{Head, Via, respond};
use crate::error::{HandlerError, invalid_params};
use crate::peer::Peer;
use crate::server::Server;
use question::Question;
use state::{Raws, Sealed};

/// The requests that may be answered with questions.
const METHODS: [&str; 3] = ["tools/call", "prompts/get", "resources/read"];

/// What a request has been answered already, and what it asks now.
#[derive(Default)]
pub(crate) struct Inputs {
    /// Absent where the request may not be answered with questions.
    origin: Option<Box<Origin>>,
    rounds: Mutex<Rounds>,
}

/// What state is bound to, besides the method.
struct Origin {
    params: Box<str>,
    principal: Option<Box<str>>,
}

#[derive(Default)]
struct Rounds {
    /// What came with this request, not looked at yet.
    responses: Raws,
    /// Answers from earlier rounds, and those of this one that were good.
    accepted: Raws,
    /// Values of work that is done once.
    once: Raws,
    /// Work that is being done.
    working: BTreeSet<String>,
    /// Keys in use.
    keys: BTreeSet<String>,
    /// How often a question was asked that got its key from its content.
    repeated: HashMap<String, u32>,
    open: InputRequests,
    waker: Option<Waker>,
}

/// How it stands with a question.
enum Standing {
    Answered(String, Box<RawValue>),
    Open(String),
}

impl Inputs {
    /// Reads `inputResponses` and `requestState` of a modern request.
    pub(crate) fn read(
        server: &Server,
        method: &str,
        head: &Head<'_>,
        peer: &Peer,
        via: &Via,
    ) -> Result<Self, ErrorObject> {
        if peer.session().is_some() || !METHODS.contains(&method) {
            return Ok(Self::default());
        }
        let origin = Origin {
            params: head.text().into(),
            principal: via.extensions.principal().map(Into::into),
        };
        let mut rounds = Rounds::default();
        let invalid = |error: DecodeError| invalid_params(method, &error);
        let members = head.params();
        if let Some(text) = members
            .optional::<String>("requestState")
            .map_err(invalid)?
        {
            let bound_to = origin.binding(method)?;
            let sealed = Sealed::open(&server.inner.keys.get(), &bound_to, &text)?;
            rounds.accepted = sealed.answers;
            rounds.once = sealed.once;
        }
        let responses = members.optional("inputResponses").map_err(invalid)?;
        rounds.responses = responses.unwrap_or_default();
        Ok(Self {
            origin: Some(Box::new(origin)),
            rounds: Mutex::new(rounds),
        })
    }

    fn rounds(&self) -> MutexGuard<'_, Rounds> {
        self.rounds.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Finds the answer to a question, or adds it to those that are open.
    fn ask(
        &self,
        method: &str,
        key: Option<String>,
        question: Question,
    ) -> Result<Standing, HandlerError> {
        if self.origin.is_none() {
            return Err(InputError::Method(method.to_owned()).into());
        }
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
    fn accept(&self, key: String, answer: Box<RawValue>) {
        self.rounds().accepted.insert(key, answer);
    }

    fn withdraw(&self, key: &str) {
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
    fn wake(&mut self) {
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

/// The response that asks the client for input, if the handler waits for some; else the waker is
/// woken when a question is asked outside of the handler's own task.
pub(crate) fn suspend(cx: &Context, waker: &Waker) -> Option<Result<Vec<u8>, HandlerError>> {
    let inputs = &cx.call.inputs;
    let origin = inputs.origin.as_deref()?;
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
    let sealed = Sealed::new(cx.server().limits().state_time, answers, once);
    let state = sealed.seal(&cx.server().inner.keys.get(), &bound_to)?;
    let result = InputRequiredResult::new()
        .input_requests(open)
        .request_state(state);
    respond::result(cx, CallToolOutcome::InputRequired(result))
}

impl Context {
    /// Asks the user to fill in a form.
    ///
    /// ```
    /// # use mcp_server::{Context, Elicited, Form, HandlerError};
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct Name {
    ///     name: String,
    /// }
    ///
    /// async fn greet(cx: &Context) -> Result<String, HandlerError> {
    ///     let form = Form::<Name>::of("What is your name?");
    ///     Ok(match cx.elicit(form).key("user_name").await? {
    ///         Elicited::Accepted(Name { name }) => format!("Hello, {name}!"),
    ///         Elicited::Declined | Elicited::Cancelled => "Hello, whoever you are!".into(),
    ///     })
    /// }
    /// ```
    ///
    /// Read [the guide](crate::guide::peers) on what a handler must not do before it asks.
    ///
    /// # Errors
    ///
    /// Of the question: -32021 (to older peers -32602) where the peer did not declare elicitation
    /// of forms or its revision is before 2025-06-18, [`InputError`], and -32602 where a modern
    /// peer's answer does not fit the form.
    pub fn elicit<T: DeserializeOwned + Send + 'static>(&self, form: Form<T>) -> Ask<Elicited<T>> {
        let (question, schema) = match form.schema {
            Ok(schema) => {
                let params = ElicitRequestFormParams::new(form.message, schema.clone());
                (Ok(Question::Form(params)), Some(schema))
            }
            Err(error) => (Err(error), None),
        };
        let read = move |revision, text: &str| {
            let schema = schema.as_ref().ok_or("there is no form")?;
            form::filled(schema, revision, text)
        };
        Ask::new(self, question, Box::new(read))
    }

    /// Asks the user to visit a page, where something happens that the client must not see: a
    /// sign-in elsewhere, a payment, a secret typed in. Accepting is consent, not completion.
    ///
    /// `id` names the interaction for peers of 2025-11-25, see
    /// [`elicitation_complete`](Self::elicitation_complete). The page itself must make sure that
    /// its visitor is the one who was asked.
    ///
    /// # Errors
    ///
    /// Of the question: as [`elicit`](Self::elicit), for elicitation by URL, which came with
    /// 2025-11-25.
    pub fn elicit_url(
        &self,
        message: impl Into<String>,
        url: impl Into<String>,
        id: impl Into<String>,
    ) -> Ask<Elicited<()>> {
        let question = Question::Url {
            params: ElicitRequestUrlParams::new(message, url),
            id: id.into(),
        };
        Ask::new(self, Ok(question), Box::new(form::visited))
    }

    /// Tells a peer of 2025-11-25 that what it sent its user to a page for is done. Others have no
    /// such message, and nothing is sent.
    ///
    /// # Errors
    ///
    /// None that a peer could cause.
    pub async fn elicitation_complete(&self, id: impl Into<String>) -> Result<(), HandlerError> {
        use mcp_types::v2025_11_25::{
            ElicitationCompleteNotification, ElicitationCompleteNotificationParams,
        };
        if self.revision() != mcp_types::Revision::V2025_11_25 {
            return Ok(());
        }
        let params = ElicitationCompleteNotificationParams::new(id);
        let method = <ElicitationCompleteNotification as mcp_types::Notification>::METHOD;
        self.notify(method, params).await
    }

    /// Has the client's model continue a conversation.
    ///
    /// ```
    /// # use mcp_server::{Context, HandlerError};
    /// use mcp_server::types::{
    ///     CreateMessageRequestParams, Role, SamplingMessage, SamplingMessageContentBlock,
    ///     TextContent,
    /// };
    ///
    /// async fn title(text: &str, cx: &Context) -> Result<String, HandlerError> {
    ///     let text = SamplingMessageContentBlock::Text(TextContent::new(text));
    ///     let params = CreateMessageRequestParams::new([SamplingMessage::new(Role::User, text)], 20)
    ///         .system_prompt("Find a title.");
    ///     let answer = cx.sample(params).await?;
    ///     Ok(answer.model)
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// Of the question: -32021 (to older peers -32602) where the peer did not declare sampling, or
    /// not the tools or the context that the params ask for; [`InputError`], and -32602 where a
    /// modern peer's answer is not one.
    pub fn sample(&self, params: CreateMessageRequestParams) -> Ask<CreateMessageResult> {
        let read = |revision: mcp_types::Revision, text: &str| {
            revision.decode(text).map_err(|error| error.to_string())
        };
        #[cfg(feature = "_proposals")]
        let params = told(params, self);
        let question = Question::Sample(Box::new(params));
        Ask::new(self, Ok(question), Box::new(read))
    }

    /// Asks for the directories and files that the server may work on.
    ///
    /// # Errors
    ///
    /// Of the question: -32021 (to older peers -32602) where the peer did not declare roots;
    /// [`InputError`], and -32602 where a modern peer's answer is not one.
    pub fn roots(&self) -> Ask<Vec<Root>> {
        let read = |revision: mcp_types::Revision, text: &str| {
            let result: ListRootsResult =
                revision.decode(text).map_err(|error| error.to_string())?;
            Ok(result.roots)
        };
        Ask::new(self, Ok(Question::Roots), Box::new(read))
    }
}

/// A question to the model as the client may see it: results of tools in it may hold resources.
#[cfg(feature = "_proposals")]
fn told(mut params: CreateMessageRequestParams, cx: &Context) -> CreateMessageRequestParams {
    use mcp_types::{SamplingContent, SamplingMessageContentBlock as Block};

    for message in &mut params.messages {
        let blocks = match &mut message.content {
            SamplingContent::Block(block) => std::slice::from_mut(block),
            SamplingContent::Array(blocks) => blocks.as_mut_slice(),
            _ => continue,
        };
        for block in blocks {
            if let Block::ToolResult(result) = block {
                for block in &mut result.content {
                    crate::resources::withhold_of_block(block, cx);
                }
            }
        }
    }
    params
}
