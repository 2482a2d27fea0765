//! [`AskRequest`]: the requests of the specification that can be asked as they are.

use mcp_types::revision::Versioned;
use mcp_types::{
    CreateMessageRequest, CreateMessageResult, ElicitRequest, ElicitResult, InputRequest,
    InputResponse, ListRootsRequest, ListRootsResult, Revision,
};

use crate::features::input::ask::AnswerReader;

/// A request for [`Context::ask`](crate::Context::ask).
pub trait AskRequest: Into<InputRequest> {
    /// The client's answer.
    type Answer: Send + 'static;

    /// Reads the answer to a request.
    #[doc(hidden)]
    fn reader(request: &InputRequest) -> AnswerReader<Self::Answer>;
}

/// Reads an answer in the form of the client's revision.
fn decode<A: Versioned>(revision: Revision, text: &str) -> Result<A, String> {
    revision.decode(text).map_err(|error| error.to_string())
}

/// Reads an answer as one of the kinds of answers.
fn any<A: Versioned + Into<InputResponse>>(
    revision: Revision,
    text: &str,
) -> Result<InputResponse, String> {
    decode::<A>(revision, text).map(Into::into)
}

macro_rules! typed {
    ($($request:ty => $answer:ty)*) => {$(
        impl AskRequest for $request {
            type Answer = $answer;

            fn reader(_: &InputRequest) -> AnswerReader<$answer> {
                Box::new(decode)
            }
        }
    )*};
}

typed! {
    ElicitRequest => ElicitResult
    CreateMessageRequest => CreateMessageResult
    ListRootsRequest => ListRootsResult
}

impl AskRequest for InputRequest {
    type Answer = InputResponse;

    fn reader(request: &InputRequest) -> AnswerReader<InputResponse> {
        match request {
            InputRequest::CreateMessage(_) => Box::new(any::<CreateMessageResult>),
            InputRequest::ListRoots(_) => Box::new(any::<ListRootsResult>),
            InputRequest::Elicit(_) => Box::new(any::<ElicitResult>),
            _ => Box::new(|_, _| Err("of an unknown kind".to_owned())),
        }
    }
}
