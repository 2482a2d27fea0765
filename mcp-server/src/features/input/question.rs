//! [`Question`]: the requests that a server can send to a client.

use mcp_types::json::{self, Object, Value};
use mcp_types::revision::{VersionError, Versioned};
use mcp_types::{
    ClientCapabilities, CreateMessageRequest, CreateMessageRequestParams, ElicitRequest,
    ElicitRequestFormParams, ElicitRequestParams, ElicitRequestUrlParams, ElicitationCapability,
    Extra, IncludeContext, InputRequest, ListRootsRequest, ListRootsRequestParams, Request,
    Revision, SamplingCapability, SamplingContent, SamplingMessage, Sender, v2025_06_18,
    v2025_11_25,
};
use mcp_wire::capability::{ROOTS, SAMPLING, declared, is_declared, with_member};
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use crate::features::input::checkboxes::Checkboxes;
use crate::features::input::error::InputError;
use crate::protocol::error::handler_error::HandlerError;
use crate::protocol::session::peer::Peer;

/// A question to the client. `extra` are the members of the request that the schema does not
/// declare; clients of older revisions do not get them.
///
/// Questions are identified by their methods rather than by the variants of [`InputRequest`]:
/// sampling and roots are deprecated, so a newer revision may not have these variants.
pub enum Question {
    Form {
        params: ElicitRequestFormParams,
        extra: Extra,
    },
    Url {
        params: ElicitRequestUrlParams,
        /// The name of the interaction for clients of older revisions.
        id: String,
        extra: Extra,
    },
    Sample {
        params: Box<CreateMessageRequestParams>,
        extra: Extra,
    },
    Roots {
        params: Option<ListRootsRequestParams>,
        extra: Extra,
    },
    /// A question of the newest revision for which the server has no function of its own.
    Other {
        method: &'static str,
        request: Box<RawValue>,
    },
}

/// The member of the params by which peers of 2025-11-25 know an elicitation by URL.
const ELICITATION_ID: &str = "elicitationId";

impl TryFrom<InputRequest> for Question {
    type Error = InputError;

    fn try_from(request: InputRequest) -> Result<Self, InputError> {
        let value = json::to_value(&request).map_err(|_| InputError::Unknown)?;
        let method = value.get("method").and_then(Value::as_str);
        match method.ok_or(InputError::Unknown)? {
            CreateMessageRequest::METHOD => Ok(decoded::<CreateMessageRequest>(value)?.into()),
            ListRootsRequest::METHOD => Ok(decoded::<ListRootsRequest>(value)?.into()),
            ElicitRequest::METHOD => decoded::<ElicitRequest>(value)?.try_into(),
            method => {
                let known = Revision::LATEST.message(method, Sender::Server);
                Ok(Self::Other {
                    method: known.ok_or(InputError::Unknown)?.method,
                    request: json::to_raw(&request).map_err(|_| InputError::Unknown)?,
                })
            }
        }
    }
}

fn decoded<T: DeserializeOwned>(value: Value) -> Result<T, InputError> {
    json::from_value(value).map_err(|_| InputError::Unknown)
}

impl From<CreateMessageRequest> for Question {
    fn from(request: CreateMessageRequest) -> Self {
        Self::Sample {
            params: Box::new(request.params),
            extra: request.extra,
        }
    }
}

impl From<ListRootsRequest> for Question {
    fn from(request: ListRootsRequest) -> Self {
        Self::Roots {
            params: request.params,
            extra: request.extra,
        }
    }
}

impl TryFrom<ElicitRequest> for Question {
    type Error = InputError;

    fn try_from(request: ElicitRequest) -> Result<Self, InputError> {
        let extra = request.extra;
        match request.params {
            ElicitRequestParams::Form(params) => Ok(Self::Form { params, extra }),
            ElicitRequestParams::Url(params) => {
                let id = params.extra.get(ELICITATION_ID).and_then(Value::as_str);
                let id = id.unwrap_or(&params.url).to_owned();
                Ok(Self::Url { params, id, extra })
            }
            _ => Err(InputError::Unknown),
        }
    }
}

impl Question {
    pub(crate) fn method(&self) -> &'static str {
        match self {
            Self::Form { .. } | Self::Url { .. } => ElicitRequest::METHOD,
            Self::Sample { .. } => CreateMessageRequest::METHOD,
            Self::Roots { .. } => ListRootsRequest::METHOD,
            Self::Other { method, .. } => method,
        }
    }

    /// The beginning of derived keys.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Form { .. } | Self::Url { .. } => "elicitation",
            Self::Sample { .. } => "sampling",
            Self::Roots { .. } => "roots",
            Self::Other { .. } => "input",
        }
    }

    /// Rejects a question that the client did not declare, or that its revision does not have.
    pub(crate) fn check(&self, peer: &Peer) -> Result<(), HandlerError> {
        let revision = peer.revision();
        let capabilities = peer.capabilities();
        let none = Object::new;
        let is_known = revision.has_method(self.method());
        let (is_supported, needed): (_, ClientCapabilities) = match self {
            Self::Form { .. } => {
                let declared = capabilities.elicitation.as_ref();
                // A capability without a mode means forms, as before there were modes.
                let form = declared.is_some_and(|it| it.form.is_some() || it.url.is_none());
                let needed = ElicitationCapability::new().form(none());
                (
                    form && revision >= Revision::V2025_06_18,
                    ClientCapabilities::new().elicitation(needed),
                )
            }
            Self::Url { .. } => {
                let declared = capabilities.elicitation.as_ref();
                let url = declared.is_some_and(|it| it.url.is_some());
                let needed = ElicitationCapability::new().url(none());
                (
                    url && revision >= Revision::V2025_11_25,
                    ClientCapabilities::new().elicitation(needed),
                )
            }
            Self::Sample { params, .. } => {
                let declared = declared(capabilities, SAMPLING);
                let (can, needed) = sampling(params, declared.as_ref(), revision);
                (can, with_member(SAMPLING, &needed))
            }
            Self::Roots { .. } => (
                is_declared(capabilities, ROOTS),
                with_member(ROOTS, &none()),
            ),
            // The schema does not say which capability a request needs.
            Self::Other { .. } if is_known => return Ok(()),
            Self::Other { method, .. } => {
                return Err(InputError::Revision { method, revision }.into());
            }
        };
        if is_supported && is_known {
            Ok(())
        } else {
            Err(HandlerError::missing_capability(needed))
        }
    }

    /// Returns the request for a modern client.
    pub(crate) fn to_modern(&self, revision: Revision) -> Result<Box<RawValue>, HandlerError> {
        let (params, extra) = match self {
            Self::Form { params, extra } => {
                let params = ElicitRequestParams::Form(params.clone());
                (Some(revision.encode_text(params)?), extra)
            }
            Self::Url { params, extra, .. } => {
                let params = ElicitRequestParams::Url(params.clone());
                (Some(revision.encode_text(params)?), extra)
            }
            Self::Sample { params, extra } => (Some(encoded(revision, &**params)?), extra),
            Self::Roots { params, extra } => {
                let params = params.as_ref();
                let params = params.map(|params| encoded(revision, params));
                (params.transpose()?, extra)
            }
            Self::Other { request, .. } => return Ok(request.clone()),
        };
        let mut text = format!(r#"{{"method":"{}""#, self.method());
        if let Some(params) = params {
            text.push_str(r#","params":"#);
            text.push_str(&params);
        }
        for (name, value) in extra.iter() {
            let (name, value) = (json::to_string(name)?, json::to_string(value)?);
            text.push_str(&format!(",{name}:{value}"));
        }
        text.push('}');
        Ok(RawValue::from_string(text)?)
    }

    /// Replaces choices of several values in a form for a client of 2025-06-18, which does not have
    /// them.
    pub(crate) fn replace_multi_selects(
        &mut self,
        revision: Revision,
    ) -> Result<Option<Checkboxes>, InputError> {
        match self {
            Self::Form { params, .. } if revision == Revision::V2025_06_18 => {
                Checkboxes::replace(&mut params.requested_schema)
            }
            _ => Ok(None),
        }
    }

    /// Returns the params of the request for a client of an older revision.
    pub(crate) fn legacy_params(
        self,
        revision: Revision,
    ) -> Result<Option<Box<RawValue>>, InputError> {
        let method = self.method();
        let encoded = match self {
            Self::Form { params, .. } if revision == Revision::V2025_06_18 => {
                form_of_2025_11_25(params).and_then(|params| {
                    let params = v2025_06_18::ElicitRequestFormParams::try_from(params)?;
                    Ok(json::to_raw(&params)?)
                })
            }
            Self::Form { params, .. } => encode(ElicitRequestParams::Form(params), revision),
            Self::Url {
                mut params,
                id: known_by,
                ..
            } => {
                params.extra.insert(ELICITATION_ID, known_by);
                encode(ElicitRequestParams::Url(params), revision)
            }
            Self::Sample { mut params, .. } => {
                if revision < Revision::V2025_11_25 {
                    params.messages = with_one_block_each(params.messages);
                }
                encode(*params, revision)
            }
            Self::Roots { params: None, .. } => return Ok(None),
            Self::Roots {
                params: Some(params),
                ..
            } => json::to_raw(&params).map_err(Into::into),
            // Rejected by `check`: legacy revisions do not have its method.
            Self::Other { .. } => return Err(InputError::Unknown),
        };
        let inexpressible = |source: VersionError| InputError::Inexpressible {
            method,
            revision,
            source,
        };
        encoded.map(Some).map_err(inexpressible)
    }
}

/// Encodes params in the form of a revision.
fn encode<P: Versioned>(params: P, revision: Revision) -> Result<Box<RawValue>, VersionError> {
    Ok(RawValue::from_string(revision.encode_text(params)?)?)
}

/// Returns the params of a form as 2025-11-25 has them. They are written and read again, because
/// there are conversions between adjacent revisions only.
fn form_of_2025_11_25(
    params: ElicitRequestFormParams,
) -> Result<v2025_11_25::ElicitRequestFormParams, VersionError> {
    let params = ElicitRequestParams::Form(params);
    Ok(json::from_str(&Revision::V2025_11_25.encode_text(params)?)?)
}

/// Splits messages of several blocks, which older revisions do not have.
fn with_one_block_each(messages: Vec<SamplingMessage>) -> Vec<SamplingMessage> {
    let mut split = Vec::with_capacity(messages.len());
    for message in messages {
        match message.content {
            SamplingContent::Array(blocks) => {
                let role = message.role;
                let blocks = blocks.into_iter();
                split.extend(blocks.map(|block| SamplingMessage::new(role, block)));
            }
            _ => split.push(message),
        }
    }
    split
}

fn encoded<P: Versioned + Clone>(revision: Revision, params: &P) -> Result<String, HandlerError> {
    Ok(revision.encode_text(params.clone())?)
}

/// Returns whether the client supports a sampling request, and the capability that it has to
/// declare for it.
fn sampling(
    params: &CreateMessageRequestParams,
    declared: Option<&SamplingCapability>,
    revision: Revision,
) -> (bool, SamplingCapability) {
    let mut is_supported = declared.is_some();
    let mut needed = SamplingCapability::new();
    let has_modes = revision >= Revision::V2025_11_25;
    if params.tools.is_some() || params.tool_choice.is_some() {
        is_supported &= has_modes && declared.is_some_and(|it| it.tools.is_some());
        needed.tools = Some(Object::new());
    }
    let context = params.include_context.as_ref();
    if has_modes && context.is_some_and(|context| *context != IncludeContext::None) {
        is_supported &= declared.is_some_and(|it| it.context.is_some());
        needed.context = Some(Object::new());
    }
    (is_supported, needed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn question_that_the_clients_revision_lacks_names_both() {
        let question = |method| Question::Other {
            method,
            request: json::to_raw(&Object::new()).unwrap(),
        };
        let peer = Peer::modern(Revision::V2026_07_28, None);
        assert!(question(ElicitRequest::METHOD).check(&peer).is_ok());
        let error = question("example/later").check(&peer).unwrap_err();
        let text = error.to_string();
        assert!(
            text.contains("example/later") && text.contains("2026-07-28"),
            "{text}"
        );
    }
}
