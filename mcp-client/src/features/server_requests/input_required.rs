//! [`InputRequired`]: a result by which a modern server asks questions.

use mcp_types::json::{self, Map};
use mcp_types::revision::VersionError;
use mcp_types::{ResultObject, Revision};
use serde_json::value::RawValue;

use super::question::Question;

/// The questions of a server, and the state that the client returns with the answers.
///
/// Read member by member instead of as the `InputRequiredResult` of the newest revision, whose
/// requests may not include those of the server's revision.
pub(crate) struct InputRequired {
    /// The questions by their keys. Absent if the client only has to send the request again.
    pub(crate) requests: Option<Vec<InputQuestion>>,
    pub(crate) state: Option<String>,
}

/// A question in such a result.
pub(crate) struct InputQuestion {
    pub(crate) key: String,
    /// The request as the server sent it.
    pub(crate) text: Box<RawValue>,
    pub(crate) question: Question,
}

impl InputRequired {
    /// The type of such a result.
    pub(crate) const RESULT_TYPE: &str = "input_required";

    /// Decodes a result in the form of a revision. The caller checks its type.
    pub(crate) fn decode(revision: Revision, text: &str) -> Result<Self, VersionError> {
        let _: ResultObject = revision.decode(text)?;
        let members: Map<Box<RawValue>> = serde_json::from_str(text)?;
        let requests = members.get("inputRequests").map(|text| {
            let requests = questions(revision, text);
            requests.map_err(|error| inside(error, "inputRequests"))
        });
        let state = members.get("requestState").map(|text| {
            let state = json::from_str(text.get());
            state.map_err(|error| error.inside_member("requestState"))
        });
        Ok(Self {
            requests: requests.transpose()?,
            state: state.transpose()?,
        })
    }
}

/// Decodes questions by their keys.
pub(crate) fn questions(
    revision: Revision,
    text: &RawValue,
) -> Result<Vec<InputQuestion>, VersionError> {
    let requests: Map<Box<RawValue>> = json::from_str(text.get())?;
    let mut questions = Vec::with_capacity(requests.len());
    for (key, text) in requests {
        let question =
            Question::decode(revision, text.get()).map_err(|error| inside(error, &key))?;
        questions.push(InputQuestion {
            key,
            text,
            question,
        });
    }
    Ok(questions)
}

/// Adds a member to the path of an error.
fn inside(error: VersionError, member: &str) -> VersionError {
    match error {
        VersionError::Decode(error) => error.inside_member(member.to_owned()).into(),
        other => other,
    }
}
