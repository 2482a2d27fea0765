//! Questions to clients of older revisions: requests that the server sends.

use std::sync::Arc;

use mcp_types::{CancelledNotificationParams, RequestId, Revision, rpc};
use mcp_wire::PendingRequest;
use serde_json::value::RawValue;

use super::question::Question;
use crate::features::input::error::{ClientError, InputError};
use crate::protocol::core::Context;
use crate::protocol::dispatch::middleware::{self, Response};
use crate::protocol::dispatch::sizes::check_values;
use crate::protocol::error::handler_error::HandlerError;
use crate::protocol::message::methods::CANCELLED;
use crate::protocol::message::notification;
use crate::protocol::session::{ResponseFailure, Session};

/// Sends a question and waits for the answer. Also returns the revision of the answer's form.
pub(crate) async fn request(
    cx: &Context,
    session: &Arc<Session>,
    mut question: Question,
) -> Result<(Revision, Box<RawValue>), HandlerError> {
    let method = question.method();
    let checkboxes = question.replace_multi_selects(session.revision)?;
    let params = question.legacy_params(session.revision)?;
    let result = if cx.core().layers.is_empty() {
        exchange(cx, session, method, params.as_deref()).await?
    } else {
        let params = match params {
            Some(params) => params,
            None => RawValue::from_string("{}".to_owned())?,
        };
        let (asking, session) = (cx.clone(), Arc::clone(session));
        let response = middleware::ask(method, params, cx, move |params| async move {
            let result = exchange(&asking, &session, method, Some(&params)).await?;
            Response::from_json(&asking, &result)
        });
        response.await?.result()?.to_owned()
    };
    let invalid = |reason| InputError::Answer { method, reason };
    check_values(Some(&result), &cx.core().limits).map_err(|error| invalid(error.to_string()))?;
    match checkboxes {
        Some(checkboxes) => Ok(checkboxes.join(&result).map_err(invalid)?),
        None => Ok((session.revision, result)),
    }
}

/// Sends a request to the client and waits for its result.
async fn exchange(
    cx: &Context,
    session: &Arc<Session>,
    method: &'static str,
    params: Option<&RawValue>,
) -> Result<Box<RawValue>, HandlerError> {
    // The request has ended, or the client can no longer answer.
    let waiting = (!cx.is_cancelled())
        .then(|| session.pending.register(()))
        .filter(PendingRequest::is_pending);
    let Some(mut waiting) = waiting else {
        return Err(InputError::Ended.into());
    };
    let mut message = Vec::with_capacity(512);
    let id = RequestId::from(waiting.id);
    rpc::write_request(&mut message, &id, method, params)?;
    if !cx.state.sink.send(&message).await {
        return Err(InputError::Ended.into());
    }
    let mut sent = SentQuestion {
        cx,
        id,
        answered: false,
    };
    let response = tokio::select! {
        biased;
        response = &mut waiting.response => response,
        () = cx.cancelled() => return Err(InputError::Ended.into()),
    };
    let Ok(Ok(response)) = response else {
        return Err(InputError::Ended.into());
    };
    sent.answered = true;
    let result = response.map_err(|failure| match failure {
        ResponseFailure::Refused(error) => InputError::Refused {
            method,
            source: ClientError(error),
        },
        ResponseFailure::Malformed(reason) => InputError::Answer { method, reason },
    })?;
    Ok(result)
}

/// A question that was sent. If it is dropped without an answer, the client gets a cancellation.
struct SentQuestion<'a> {
    cx: &'a Context,
    id: RequestId,
    answered: bool,
}

impl Drop for SentQuestion<'_> {
    fn drop(&mut self) {
        if self.answered {
            return;
        }
        let params = CancelledNotificationParams::new(self.id.clone());
        let revision = self.cx.revision();
        match notification(revision, CANCELLED, params) {
            // A drop cannot wait: a client whose queue is full gets no cancellation.
            Ok(message) => {
                if let Some(message) = self.cx.pass_outbound(message) {
                    let _ = self.cx.state.sink.try_send(&message);
                }
            }
            Err(error) => tracing::warn!(%error, "a cancellation cannot be encoded"),
        }
    }
}
