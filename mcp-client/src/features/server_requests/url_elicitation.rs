//! Calls that fail until the user has opened pages.
//!
//! From revision 2025-11-25, page "Elicitation", section "URL Elicitation Required Error".

use mcp_types::json::{self, Value};
use mcp_types::peer_text::PeerDisplay;
use mcp_types::rpc::ErrorObject;
use mcp_types::v2025_11_25::{URL_ELICITATION_REQUIRED, UrlElicitationRequiredErrorData};
use mcp_types::{ElicitAction, ElicitRequestParams, ElicitRequestUrlParams, Revision, v2025_11_25};

use super::inputs::Inputs;
use super::question::{Answer, Question};
use crate::protocol::error::InputError;

/// Returns the pages that the user has to open before the server accepts a call; `None` if the
/// error names none, or if the client has no handler for pages.
pub(crate) fn required_pages(
    inputs: &Inputs,
    revision: Revision,
    refusal: &ErrorObject,
) -> Option<Vec<ElicitRequestUrlParams>> {
    let asks = refusal.code == URL_ELICITATION_REQUIRED && !revision.is_modern();
    if !asks || inputs.url.is_none() {
        return None;
    }
    let data: Value = refusal.data.clone().unwrap_or_default();
    let Ok(data) = json::from_value::<UrlElicitationRequiredErrorData>(data) else {
        let refusal = PeerDisplay(refusal);
        tracing::warn!(%refusal, "the error names no pages to open");
        return None;
    };
    let pages = data.elicitations.into_iter();
    Some(pages.filter_map(page).collect())
}

/// Converts a page into the form of the newest revision.
fn page(params: v2025_11_25::ElicitRequestUrlParams) -> Option<ElicitRequestUrlParams> {
    let params = v2025_11_25::ElicitRequestParams::Url(params);
    match Revision::V2025_11_25.decode(&json::to_string(&params).ok()?) {
        Ok(ElicitRequestParams::Url(params)) => Some(params),
        _ => None,
    }
}

/// Shows pages to the user, one after the other. Returns `true` if there are some and the user
/// accepted all of them, so that the call may be sent again.
pub(crate) async fn open_pages(
    inputs: &Inputs,
    pages: Vec<ElicitRequestUrlParams>,
) -> Result<bool, InputError> {
    if pages.is_empty() {
        return Ok(false);
    }
    for page in pages {
        match inputs.answer(Question::Url(page)).await? {
            Answer::Elicit(answer) if answer.action == ElicitAction::Accept => {}
            _ => return Ok(false),
        }
    }
    Ok(true)
}
