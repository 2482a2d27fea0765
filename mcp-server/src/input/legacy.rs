//! Questions to peers of the older revisions: requests of the server's own.

use std::sync::Arc;

use mcp_types::{CancelledNotificationParams, RequestId};
use serde_json::value::RawValue;

use super::InputError;
use super::question::Question;
use crate::context::{self, Context};
use crate::engine::sizes::check_values;
use crate::error::HandlerError;
use crate::lifecycle;
use crate::race::{Either, race};
use crate::session::Session;

/// Sends a question and waits for its answer.
pub(super) async fn request(
    cx: &Context,
    session: &Arc<Session>,
    question: Question,
) -> Result<Box<RawValue>, HandlerError> {
    let method = question.method();
    // Nobody would hear the answer, or there is nobody who could give one.
    let waiting = (!cx.is_cancelled()).then(|| session.calls.open()).flatten();
    let Some(mut waiting) = waiting else {
        return Err(InputError::Ended.into());
    };
    let mut message = Vec::with_capacity(512);
    question.write_legacy(&mut message, &waiting.id, session.revision)?;
    if !cx.call.outlet.send(&message).await {
        return Err(InputError::Ended.into());
    }
    let mut asked = Asked {
        cx,
        id: waiting.id.clone(),
        answered: false,
    };
    match race(&mut waiting.receiver, cx.cancelled()).await {
        Either::First(Ok(response)) => {
            asked.answered = true;
            let result = response.map_err(|source| InputError::Refused { method, source })?;
            let checked = check_values(Some(&result), cx.server().limits());
            checked.map_err(|error| InputError::Answer {
                method,
                reason: error.to_string(),
            })?;
            Ok(result)
        }
        Either::First(Err(_)) | Either::Second(()) => Err(InputError::Ended.into()),
    }
}

/// A question that was sent: if nobody waits for the answer any more, the client is told.
struct Asked<'a> {
    cx: &'a Context,
    id: RequestId,
    answered: bool,
}

impl Drop for Asked<'_> {
    fn drop(&mut self) {
        if self.answered {
            return;
        }
        let params = CancelledNotificationParams::new(self.id.clone());
        let revision = self.cx.revision();
        match context::notification(revision, lifecycle::CANCELLED, params) {
            // No waiting in a drop: a client whose queue is full is not told.
            Ok(message) => {
                let _ = self.cx.call.outlet.push(&message);
            }
            Err(error) => tracing::warn!(%error, "cancellation cannot be written"),
        }
    }
}
