//! Progress of a request: [`Context::progress`].

use mcp_types::{Notification, ProgressNotification, ProgressNotificationParams};

use crate::protocol::core::Context;
use crate::protocol::handler_error::HandlerError;

impl Context {
    /// Reports progress, if the peer asked for it with a token; else this does nothing.
    ///
    /// Values must grow, and what comes too soon after the one before
    /// ([`Limits::progress_interval`](crate::Limits)) is left out, except when `progress` reaches
    /// `total`: a handler may report as often as it likes.
    ///
    /// # Errors
    ///
    /// Where a value is no JSON number (NaN or infinite).
    pub async fn progress(
        &self,
        progress: f64,
        total: impl Into<Option<f64>>,
        message: impl Into<Option<&str>>,
    ) -> Result<(), HandlerError> {
        let Some(token) = &self.state.progress_token else {
            return Ok(());
        };
        let (total, message) = (total.into(), message.into());
        if !progress.is_finite() || total.is_some_and(|total| !total.is_finite()) {
            return Err(HandlerError::internal("progress is not a finite number"));
        }
        let last = total.is_some_and(|total| progress >= total);
        let interval = self.server().limits().progress_interval;
        if !self.state.progress.admit(progress, last, interval) {
            return Ok(());
        }
        let mut params = ProgressNotificationParams::new(token.clone(), progress);
        params.total = total.map(Into::into);
        params.message = message.map(Into::into);
        self.notify(ProgressNotification::METHOD, params).await
    }
}
