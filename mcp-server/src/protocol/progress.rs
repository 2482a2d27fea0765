//! Progress of a request: [`Context::progress`].

use mcp_types::{Notification, ProgressNotification, ProgressNotificationParams};

use crate::protocol::core::Context;
use crate::protocol::handler_error::HandlerError;

impl Context {
    /// Sends a progress notification if the request has a progress token. Otherwise does nothing.
    ///
    /// A handler may call this as often as it likes: the notification is skipped if `progress` is
    /// not greater than before, or if the last notification is more recent than
    /// [`Limits::progress_interval`](field@crate::Limits::progress_interval) and `progress` has not
    /// reached `total`.
    ///
    /// # Errors
    ///
    /// If a value is not a JSON number (NaN or infinite).
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
            return Err(HandlerError::internal(
                "expected finite numbers for `progress` and `total`",
            ));
        }
        let is_final = total.is_some_and(|total| progress >= total);
        let interval = self.server().limits().progress_interval;
        if !self.state.progress.admit(progress, is_final, interval) {
            return Ok(());
        }
        let mut params = ProgressNotificationParams::new(token.clone(), progress);
        params.total = total.map(Into::into);
        params.message = message.map(Into::into);
        self.notify(ProgressNotification::METHOD, params).await
    }
}
