//! [`answer`]: questions of upstreams with sessions.

use mcp_client::CallError;
use mcp_client::middleware::{Outcome, Request, Response};
use mcp_server::types::revision::{VersionError, Versioned};
use mcp_server::types::rpc::{self, ErrorObject};
use mcp_server::types::{
    CreateMessageRequest, CreateMessageRequestParams, ElicitRequest, ElicitRequestParams,
    ListRootsRequest, Request as _, Revision,
};
use mcp_server::{Context, HandlerError};

use crate::error::short;

/// Asks the client what an upstream asks.
pub(crate) async fn answer(cx: &Context, request: &Request) -> Outcome {
    let revision = request.revision();
    let text = request.params().get();
    match request.method() {
        ElicitRequest::METHOD => {
            let params: ElicitRequestParams = decoded(revision, text)?;
            let answer = cx.ask(ElicitRequest::new(params)).await;
            Response::new(revision, answer.map_err(|error| refusal(&error))?)
        }
        CreateMessageRequest::METHOD => {
            let params: CreateMessageRequestParams = decoded(revision, text)?;
            let answer = cx.ask(CreateMessageRequest::new(params)).await;
            Response::new(revision, answer.map_err(|error| refusal(&error))?)
        }
        ListRootsRequest::METHOD => {
            let answer = cx.ask(ListRootsRequest::new()).await;
            Response::new(revision, answer.map_err(|error| refusal(&error))?)
        }
        method => {
            let text = format!("the gateway does not pass on `{}`", short(method));
            Err(ErrorObject::method_not_found(text).into())
        }
    }
}

/// Decodes a question. Some servers send it in the form of a newer revision than the negotiated
/// one.
fn decoded<P: Versioned>(revision: Revision, text: &str) -> Result<P, CallError> {
    let decoded = revision.decode(text).or_else(|error: VersionError| {
        let newest = Revision::V2025_11_25.decode(text);
        newest.map_err(|_| error)
    });
    decoded.map_err(|error| ErrorObject::invalid_params(error.to_string()).into())
}

/// Returns the error that an upstream gets when the client cannot be asked or refuses.
fn refusal(error: &HandlerError) -> CallError {
    let code = error.code().unwrap_or(rpc::INTERNAL_ERROR);
    ErrorObject::new(code, error.to_string()).into()
}
