//! [`Question`]: the requests that a server can send to a client.

use mcp_types::json::{Object, Value};
use mcp_types::rpc;
use mcp_types::{
    ClientCapabilities, CreateMessageRequest, CreateMessageRequestParams, ElicitRequest,
    ElicitRequestFormParams, ElicitRequestParams, ElicitRequestUrlParams, ElicitationCapability,
    Extra, IncludeContext, InputRequest, ListRootsRequest, ListRootsRequestParams, Request,
    RequestId, Revision, SamplingCapability,
};

use crate::features::input::error::InputError;
use crate::protocol::handler_error::HandlerError;
use crate::protocol::peer::Peer;

/// A question to the client, in the newest form. `extra` are the members of the request that the
/// schema does not declare; clients of older revisions do not get them.
pub(crate) enum Question {
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
}

/// The member of the params by which peers of 2025-11-25 know an elicitation by URL.
const ELICITATION_ID: &str = "elicitationId";

impl TryFrom<InputRequest> for Question {
    type Error = InputError;

    fn try_from(request: InputRequest) -> Result<Self, InputError> {
        match request {
            InputRequest::CreateMessage(request) => Ok(Self::Sample {
                params: Box::new(request.params),
                extra: request.extra,
            }),
            InputRequest::ListRoots(request) => Ok(Self::Roots {
                params: request.params,
                extra: request.extra,
            }),
            InputRequest::Elicit(request) => match request.params {
                ElicitRequestParams::Form(params) => Ok(Self::Form {
                    params,
                    extra: request.extra,
                }),
                ElicitRequestParams::Url(params) => {
                    let id = params.extra.get(ELICITATION_ID).and_then(Value::as_str);
                    let id = id.unwrap_or(&params.url).to_owned();
                    Ok(Self::Url {
                        params,
                        id,
                        extra: request.extra,
                    })
                }
                _ => Err(InputError::Unknown),
            },
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
        }
    }

    /// The beginning of derived keys.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Form { .. } | Self::Url { .. } => "elicitation",
            Self::Sample { .. } => "sampling",
            Self::Roots { .. } => "roots",
        }
    }

    /// Rejects a question that the client did not declare, or that its revision does not have.
    pub(crate) fn check(&self, peer: &Peer) -> Result<(), HandlerError> {
        let revision = peer.revision();
        let declared = peer.capabilities();
        let none = Object::new;
        let (is_supported, needed) = match self {
            Self::Form { .. } => {
                let declared = declared.elicitation.as_ref();
                // A capability without a mode means forms, as before there were modes.
                let form = declared.is_some_and(|it| it.form.is_some() || it.url.is_none());
                let needed = ElicitationCapability::new().form(none());
                (
                    form && revision >= Revision::V2025_06_18,
                    ClientCapabilities::new().elicitation(needed),
                )
            }
            Self::Url { .. } => {
                let declared = declared.elicitation.as_ref();
                let url = declared.is_some_and(|it| it.url.is_some());
                let needed = ElicitationCapability::new().url(none());
                (
                    url && revision >= Revision::V2025_11_25,
                    ClientCapabilities::new().elicitation(needed),
                )
            }
            Self::Sample { params, .. } => {
                let (can, needed) = sampling(params, declared.sampling.as_ref(), revision);
                (can, ClientCapabilities::new().sampling(needed))
            }
            Self::Roots { .. } => (
                declared.roots.is_some(),
                ClientCapabilities::new().roots(none()),
            ),
        };
        if is_supported {
            Ok(())
        } else {
            Err(HandlerError::missing_capability(needed))
        }
    }

    /// Returns the question for a modern client.
    pub(crate) fn into_modern(self) -> InputRequest {
        match self {
            Self::Form { params, extra } => {
                let mut request = ElicitRequest::new(params);
                request.extra = extra;
                request.into()
            }
            Self::Url { params, extra, .. } => {
                let mut request = ElicitRequest::new(params);
                request.extra = extra;
                request.into()
            }
            Self::Sample { params, extra } => {
                let mut request = CreateMessageRequest::new(*params);
                request.extra = extra;
                request.into()
            }
            Self::Roots { params, extra } => {
                let mut request = ListRootsRequest::new();
                request.params = params;
                request.extra = extra;
                request.into()
            }
        }
    }

    /// Writes the request for a client of an older revision.
    pub(crate) fn write_legacy(
        self,
        message: &mut Vec<u8>,
        id: &RequestId,
        revision: Revision,
    ) -> Result<(), HandlerError> {
        use mcp_types::{v2025_06_18, v2025_11_25};
        let method = self.method();
        match self {
            Self::Form { params, .. } if revision == Revision::V2025_06_18 => {
                let params = v2025_11_25::ElicitRequestFormParams::from(params);
                let params = v2025_06_18::ElicitRequestFormParams::try_from(params)?;
                rpc::write_request(message, id, method, Some(&params))?;
            }
            Self::Form { params, .. } => {
                let params = ElicitRequestParams::Form(params);
                rpc::write_request_at(message, id, method, params, revision)?;
            }
            Self::Url {
                mut params,
                id: known_by,
                ..
            } => {
                params.extra.insert(ELICITATION_ID, known_by);
                let params = ElicitRequestParams::Url(params);
                rpc::write_request_at(message, id, method, params, revision)?;
            }
            Self::Sample { params, .. } => {
                rpc::write_request_at(message, id, method, *params, revision)?;
            }
            Self::Roots { params, .. } => {
                rpc::write_request(message, id, method, params.as_ref())?;
            }
        }
        Ok(())
    }
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
