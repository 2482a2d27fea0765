//! [`Question`] and [`Answer`]: what a server asks the client, and what the client responds.
//!
//! Sampling and roots are deprecated, so a newer revision may not have them. They are recognised by
//! their methods rather than by variants of [`InputRequest`], which the newest revision defines,
//! and are decoded and encoded in the form of the revision of the connection.

use std::future::Future;
use std::pin::Pin;

use mcp_types::json::{self, Map};
use mcp_types::revision::VersionError;
use mcp_types::{
    CreateMessageRequest, CreateMessageRequestParams, CreateMessageResult, ElicitRequest,
    ElicitRequestFormParams, ElicitRequestParams, ElicitRequestUrlParams, ElicitResult,
    InputRequest, ListRootsRequest, ListRootsResult, Request, Revision,
};
use serde_json::value::RawValue;

use crate::protocol::error::InputError;

/// An answer that a handler is working on.
pub(crate) type AnswerFuture<R> = Pin<Box<dyn Future<Output = Result<R, InputError>> + Send>>;

/// A question of a server, in the form of the newest revision that has it.
pub(crate) enum Question {
    Form(ElicitRequestFormParams),
    Url(ElicitRequestUrlParams),
    Sample(Box<CreateMessageRequestParams>),
    Roots,
    /// A request of an extension, with the future that answers it.
    Extension(AnswerFuture<Box<RawValue>>),
    /// A question for which the client has no handler, with its method.
    Other(String),
}

/// The client's response to a [`Question`].
#[derive(Clone)]
pub(crate) enum Answer {
    Elicit(ElicitResult),
    Sample(CreateMessageResult),
    Roots(ListRootsResult),
    /// An answer that is encoded already.
    Encoded(Box<RawValue>),
}

impl Question {
    /// Returns the method of a question in an input-required result.
    pub(crate) fn method(&self) -> &str {
        match self {
            Self::Form(_) | Self::Url(_) => ElicitRequest::METHOD,
            Self::Sample(_) => CreateMessageRequest::METHOD,
            Self::Roots => ListRootsRequest::METHOD,
            // Extensions have none.
            Self::Extension(_) => "",
            Self::Other(method) => method,
        }
    }

    /// Decodes one of the requests in an input-required result of a revision.
    pub(crate) fn decode(revision: Revision, text: &str) -> Result<Self, VersionError> {
        Ok(match method_of(text).as_deref() {
            Some(CreateMessageRequest::METHOD) => {
                let request: CreateMessageRequest = revision.decode(text)?;
                request.params.into()
            }
            Some(ListRootsRequest::METHOD) => {
                let _: ListRootsRequest = revision.decode(text)?;
                Self::Roots
            }
            Some(ElicitRequest::METHOD) => {
                let request: ElicitRequest = revision.decode(text)?;
                request.params.into()
            }
            method => {
                // Fails for a request that no revision known here defines.
                let _: InputRequest = json::from_str(text)?;
                Self::Other(method.unwrap_or_default().to_owned())
            }
        })
    }
}

/// Returns the member `method` of a request if it is a string.
fn method_of(text: &str) -> Option<String> {
    let members: Map<Box<RawValue>> = serde_json::from_str(text).ok()?;
    serde_json::from_str(members.get("method")?.get()).ok()
}

impl From<CreateMessageRequestParams> for Question {
    fn from(params: CreateMessageRequestParams) -> Self {
        Self::Sample(Box::new(params))
    }
}

impl From<ElicitRequestParams> for Question {
    fn from(params: ElicitRequestParams) -> Self {
        match params {
            ElicitRequestParams::Form(params) => Self::Form(params),
            ElicitRequestParams::Url(params) => Self::Url(params),
            _ => Self::Other(ElicitRequest::METHOD.to_owned()),
        }
    }
}

impl Answer {
    /// Encodes the answer in the form of a revision.
    pub(crate) fn encode(self, revision: Revision) -> Result<Box<RawValue>, VersionError> {
        match self {
            Self::Elicit(answer) => revision.encode(answer),
            Self::Sample(answer) => revision.encode(answer),
            Self::Roots(answer) => revision.encode(answer),
            Self::Encoded(answer) => Ok(answer),
        }
    }
}
