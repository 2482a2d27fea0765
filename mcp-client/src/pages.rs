//! [`opened`]: pages that the user has to open before a call works.
//!
//! From revision 2025-11-25, page "Elicitation", section "URL Elicitation Required Error".

use mcp_types::json::{self, Value};
use mcp_types::rpc::ErrorObject;
use mcp_types::v2025_11_25::{URL_ELICITATION_REQUIRED, URLElicitationRequiredErrorData};
use mcp_types::{ElicitAction, ElicitRequest, ElicitRequestURLParams, InputResponse, Revision};

use crate::inputs::{InputError, Inputs};

/// Where a server refuses a call for want of such pages, shows them to the user; `true` where the
/// user accepted all of them, so that the call may be tried again.
pub(crate) async fn opened(
    inputs: &Inputs,
    revision: Revision,
    refusal: &ErrorObject,
) -> Result<bool, InputError> {
    let asks = refusal.code == URL_ELICITATION_REQUIRED && revision == Revision::V2025_11_25;
    if !asks || inputs.url.is_none() {
        return Ok(false);
    }
    let data: Value = refusal.data.clone().unwrap_or_default();
    let Ok(data) = json::from_value::<URLElicitationRequiredErrorData>(data) else {
        tracing::warn!(%refusal, "the server names no pages");
        return Ok(false);
    };
    if data.elicitations.is_empty() {
        return Ok(false);
    }
    for page in data.elicitations {
        let page = ElicitRequestURLParams::from(page);
        match inputs.answer(ElicitRequest::new(page).into()).await? {
            InputResponse::Elicit(answer) if answer.action == ElicitAction::Accept => {}
            _ => return Ok(false),
        }
    }
    Ok(true)
}
