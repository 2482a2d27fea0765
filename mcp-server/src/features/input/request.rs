//! [`AskRequest`]: the requests of the specification that can be asked as they are.

use mcp_types::revision::Versioned;
use mcp_types::{
    CreateMessageRequest, CreateMessageResult, ElicitRequest, ElicitResult, InputRequest,
    InputResponse, ListRootsRequest, ListRootsResult, Request, Revision, json,
};
use serde::Serialize;

use crate::features::input::ask::AnswerReader;
use crate::features::input::error::InputError;
use crate::features::input::question::Question;

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
