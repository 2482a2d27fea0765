//! [`Question`]: the requests of servers that a client answers, in both eras.
//!
//! Sampling and roots are deprecated. Questions are told apart by their methods rather than by the
//! variants of the newest revision's union, because a newer revision may not have those.

use mcp_types::error::DecodeError;
use mcp_types::json::{self, Map};
use mcp_types::revision::VersionError;
use mcp_types::rpc;
use mcp_types::{
    CreateMessageRequest, CreateMessageRequestParams, CreateMessageResult, ElicitRequest,
    ElicitRequestParams, ElicitResult, ListRootsRequest, ListRootsResult, Request, RequestId,
    Revision, v2025_06_18, v2025_11_25,
};
use serde::Deserialize;
use serde::de::Error as _;
use serde_json::value::RawValue;

use crate::protocol::lenient;

/// A question of a server, in the form of the newest revision that has it.
pub(crate) enum Question {
    Elicit(ElicitRequestParams),
    Sample(Box<CreateMessageRequestParams>),
    Roots,
}

impl Question {
    /// Reads a question in the form of a revision. Returns `None` if the method asks no question.
    pub(crate) fn read(
        revision: Revision,
        method: &str,
        params: Option<&RawValue>,
    ) -> Option<Result<Self, VersionError>> {
        let text = params.map_or("null", RawValue::get);
        Some(match method {
            ElicitRequest::METHOD => elicitation(revision, text).map(Self::Elicit),
            CreateMessageRequest::METHOD => {
                let params = lenient::decode(revision, text);
                params.map(|params| Self::Sample(Box::new(params)))
            }
            ListRootsRequest::METHOD => Ok(Self::Roots),
            _ => return None,
        })
    }
}

/// Reads the params of an elicitation. Revision 2025-06-18 has only forms, without a member `mode`.
fn elicitation(revision: Revision, text: &str) -> Result<ElicitRequestParams, VersionError> {
    if revision == Revision::V2025_06_18
        && let Ok(params) = json::from_str::<v2025_06_18::ElicitRequestFormParams>(text)
    {
        let params = v2025_11_25::ElicitRequestFormParams::from(params);
        return newest_form(&v2025_11_25::ElicitRequestParams::Form(params));
    }
    lenient::decode(revision, text)
}

/// Converts the params of an elicitation to the newest form. They are written and read again, because
/// there are conversions between adjacent revisions only.
pub(super) fn newest_form(
    params: &v2025_11_25::ElicitRequestParams,
) -> Result<ElicitRequestParams, VersionError> {
    let text = json::to_string(params).map_err(DecodeError::from)?;
    Revision::V2025_11_25.decode(&text)
}

/// The answer to a question.
#[derive(Clone, Debug)]
pub(crate) enum InputReply {
    Elicit(ElicitResult),
    Sample(Box<CreateMessageResult>),
    Roots(ListRootsResult),
}

impl InputReply {
    /// Writes the response to a request, in the form of a revision. If that revision cannot express
    /// the reply, a newer one is used: then the request was in the form of a newer one, too.
    pub(crate) fn write(&self, id: &RequestId, at: Revision) -> Result<Vec<u8>, VersionError> {
        self.write_at(id, at).or_else(|fault| {
            let mut newer = lenient::newer(at);
            let other = newer.find_map(|newer| self.write_at(id, newer).ok());
            other.ok_or(fault)
        })
    }

    fn write_at(&self, id: &RequestId, at: Revision) -> Result<Vec<u8>, VersionError> {
        let mut message = Vec::new();
        match self.clone() {
            Self::Elicit(reply) => rpc::write_result_at(&mut message, id, reply, at, None)?,
            Self::Sample(reply) => rpc::write_result_at(&mut message, id, *reply, at, None)?,
            Self::Roots(reply) => rpc::write_result_at(&mut message, id, reply, at, None)?,
        }
        Ok(message)
    }

    /// Encodes the reply for `inputResponses`.
    pub(crate) fn encode(self, at: Revision) -> Result<Box<RawValue>, VersionError> {
        match self {
            Self::Elicit(reply) => at.encode(reply),
            Self::Sample(reply) => at.encode(*reply),
            Self::Roots(reply) => at.encode(reply),
        }
    }
}

/// A result that asks for input: the questions by their keys, and the state of the server.
pub(crate) struct InputRequired {
    pub(crate) questions: Vec<(String, Question)>,
    pub(crate) state: Option<String>,
}

/// The value of `resultType` in a result that asks for input.
pub(crate) const INPUT_REQUIRED: &str = "input_required";

#[derive(Deserialize)]
struct RawInputRequired {
    #[serde(rename = "resultType")]
    result_type: String,
    #[serde(default, rename = "inputRequests")]
    requests: Option<Map<RawQuestion>>,
    #[serde(default, rename = "requestState")]
    state: Option<String>,
}

#[derive(Deserialize)]
struct RawQuestion {
    method: String,
    params: Option<Box<RawValue>>,
}

impl InputRequired {
    /// Reads a result of a modern server.
    ///
    /// # Errors
    ///
    /// The result does not ask for input, or a question is malformed.
    pub(crate) fn read(revision: Revision, text: &str) -> Result<Self, DecodeError> {
        let raw: RawInputRequired = json::from_str(text)?;
        if raw.result_type != INPUT_REQUIRED {
            let text = format!("expected `{INPUT_REQUIRED}`");
            return Err(
                DecodeError::from(serde_json::Error::custom(text)).inside_member("resultType")
            );
        }
        let mut questions = Vec::new();
        for (key, request) in raw.requests.into_iter().flatten() {
            let question = Question::read(revision, &request.method, request.params.as_deref());
            let question = question.unwrap_or_else(|| {
                let text = format!("`{}` asks no question", request.method);
                let error = DecodeError::from(serde_json::Error::custom(text));
                Err(VersionError::Decode(error.inside_member("method")))
            });
            let question = question.map_err(|error| match error {
                VersionError::Decode(error) => error,
                other => DecodeError::from(serde_json::Error::custom(other)),
            });
            let question = question
                .map_err(|error| error.inside_member(&key).inside_member("inputRequests"))?;
            questions.push((key, question));
        }
        Ok(Self {
            questions,
            state: raw.state,
        })
    }
}
