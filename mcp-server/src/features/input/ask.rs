//! [`Ask`]: a question to the client, as a future.

use std::future::{Future, IntoFuture};
use std::pin::Pin;

use mcp_types::revision::Versioned;
use mcp_types::{
    CreateMessageRequest, CreateMessageResult, ElicitRequest, ElicitResult, InputRequest,
    InputResponse, ListRootsRequest, ListRootsResult, Request, Revision, json,
};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::features::input::error::InputError;
use crate::features::input::inputs;
use crate::features::input::inputs::QuestionStatus;
use crate::features::input::question::Question;
use crate::protocol::core::Context;
use crate::protocol::error::handler_error::HandlerError;

/// Decodes an answer in the form of a revision. The error describes what is wrong with it.
pub(crate) type AnswerReader<A> = Box<dyn FnOnce(Revision, &str) -> Result<A, String> + Send>;

/// A question to the client. It is sent when the value is awaited.
#[must_use = "the question is not sent until it is awaited"]
pub struct Ask<A> {
    cx: Context,
    key: Option<String>,
    question: Result<Question, InputError>,
    read: AnswerReader<A>,
}

impl<A> Ask<A> {
    pub(crate) fn new(
        cx: &Context,
        question: Result<Question, InputError>,
        read: AnswerReader<A>,
    ) -> Self {
        Self {
            cx: cx.clone(),
            key: None,
            question,
            read,
        }
    }

    /// Names the question, uniquely within the request. Modern clients send the answer under this
    /// name; older ones never see it.
    ///
    /// Without a name, the question gets one derived from its content, so that it finds its answer
    /// in the next round whatever else is asked. A question whose text differs in each round
    /// therefore needs a name.
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }

    async fn run(self) -> Result<A, HandlerError> {
        let Self {
            cx,
            key,
            question,
            read,
        } = self;
        let question = question?;
        question.check(cx.peer())?;
        if let Some(session) = cx.peer().session() {
            let method = question.method();
            let (revision, answer) = super::legacy::request(&cx, session, question).await?;
            return read(revision, answer.get())
                .map_err(|reason| InputError::Answer { method, reason }.into());
        }
        let (key, answer) = match inputs::of(&cx).ok_or(InputError::Ended)?.ask(
            cx.method(),
            key,
            &question,
            cx.revision(),
        )? {
            QuestionStatus::Answered(key, answer) => (key, answer),
            QuestionStatus::Open(key) => {
                let withdraw = Withdraw { cx: &cx, key };
                if let Some(answer) = inputs::answer(&cx, &withdraw.key).await {
                    return Self::accept(&cx, withdraw.key.clone(), answer, read);
                }
                // The request ends here, and the handler is dropped. Only tasks that it spawned
                // see this error.
                cx.cancelled().await;
                drop(withdraw);
                return Err(InputError::Ended.into());
            }
        };
        Self::accept(&cx, key, answer, read)
    }

    /// Decodes an answer, and keeps it for the next rounds.
    fn accept(
        cx: &Context,
        key: String,
        answer: Box<RawValue>,
        read: AnswerReader<A>,
    ) -> Result<A, HandlerError> {
        let value = read(cx.revision(), answer.get()).map_err(|reason| {
            let key = crate::protocol::error::short(&key);
            HandlerError::invalid_params(format!("`inputResponses.{key}`: {reason}"))
        })?;
        if let Some(inputs) = inputs::of(cx) {
            inputs.accept(key, answer);
        }
        Ok(value)
    }
}

impl<A: Send + 'static> IntoFuture for Ask<A> {
    type Output = Result<A, HandlerError>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.run())
    }
}

/// Withdraws a question when the handler drops the future that waits for the answer.
struct Withdraw<'a> {
    cx: &'a Context,
    key: String,
}

impl Drop for Withdraw<'_> {
    fn drop(&mut self) {
        if let Some(inputs) = inputs::of(self.cx) {
            inputs.withdraw(&self.key);
        }
    }
}

/// A request for [`Context::ask`](crate::Context::ask).
pub trait AskRequest {
    /// The client's answer.
    type Answer: Send + 'static;

    /// Returns the question, and a function that reads the answer.
    #[doc(hidden)]
    fn into_question(self) -> (Result<Question, InputError>, AnswerReader<Self::Answer>);
}

/// Reads an answer in the form of the client's revision.
fn decode<A: Versioned>(revision: Revision, text: &str) -> Result<A, String> {
    revision.decode(text).map_err(|error| error.to_string())
}

/// Reads an answer as one of the kinds of answers of the newest revision.
fn any<A: Versioned + Serialize>(revision: Revision, text: &str) -> Result<InputResponse, String> {
    let answer = decode::<A>(revision, text)?;
    let value = json::to_value(&answer).map_err(|error| error.to_string())?;
    json::from_value(value).map_err(|error| error.to_string())
}

macro_rules! typed {
    ($($request:ty => $answer:ty, $question:expr;)*) => {$(
        impl AskRequest for $request {
            type Answer = $answer;

            fn into_question(self) -> (Result<Question, InputError>, AnswerReader<$answer>) {
                ($question(self), Box::new(decode))
            }
        }
    )*};
}

typed! {
    ElicitRequest => ElicitResult, Question::try_from;
    CreateMessageRequest => CreateMessageResult, |request| Ok(Question::from(request));
    ListRootsRequest => ListRootsResult, |request| Ok(Question::from(request));
}

impl AskRequest for InputRequest {
    type Answer = InputResponse;

    fn into_question(self) -> (Result<Question, InputError>, AnswerReader<InputResponse>) {
        let question = Question::try_from(self);
        let read: AnswerReader<InputResponse> = match question.as_ref().map(Question::method) {
            Ok(CreateMessageRequest::METHOD) => Box::new(any::<CreateMessageResult>),
            Ok(ListRootsRequest::METHOD) => Box::new(any::<ListRootsResult>),
            Ok(ElicitRequest::METHOD) => Box::new(any::<ElicitResult>),
            // Only clients of the newest revision are asked.
            _ => Box::new(|_, text| json::from_str(text).map_err(|error| error.to_string())),
        };
        (question, read)
    }
}
