//! Progress and log messages of a request: [`Context::progress`] and [`Context::log`].

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use mcp_types::{
    LoggingLevel, LoggingMessageNotification, LoggingMessageNotificationParams, Notification,
    ProgressNotification, ProgressNotificationParams, json::Value,
};

use crate::protocol::context::Context;
use crate::protocol::error::HandlerError;
use crate::protocol::session::severity;

/// What was reported last.
#[derive(Default)]
pub(crate) struct Progress(Mutex<Option<(f64, Instant)>>);

impl Progress {
    /// Whether a value is worth a notification: it grew, and the last one is long enough ago or
    /// this is the end.
    fn admit(&self, value: f64, last: bool, interval: std::time::Duration) -> bool {
        let now = Instant::now();
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let admit = match *state {
            None => true,
            Some((before, at)) => value > before && (last || now.duration_since(at) >= interval),
        };
        if admit {
            *state = Some((value, now));
        }
        admit
    }
}

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
        let Some(token) = &self.call.progress_token else {
            return Ok(());
        };
        let (total, message) = (total.into(), message.into());
        if !progress.is_finite() || total.is_some_and(|total| !total.is_finite()) {
            return Err(HandlerError::internal("progress is not a finite number"));
        }
        let last = total.is_some_and(|total| progress >= total);
        let interval = self.server().limits().progress_interval;
        if !self.call.progress.admit(progress, last, interval) {
            return Ok(());
        }
        let mut params = ProgressNotificationParams::new(token.clone(), progress);
        params.total = total.map(Into::into);
        params.message = message.map(Into::into);
        self.notify(ProgressNotification::METHOD, params).await
    }

    /// Sends a log message, if the peer wants messages of this level: one before 2026-07-28 by
    /// `logging/setLevel`, a newer one by the request's `_meta`.
    ///
    /// # Errors
    ///
    /// Where the peer's revision has no such level.
    pub async fn log(
        &self,
        level: LoggingLevel,
        logger: impl Into<Option<&str>>,
        data: impl Into<Value>,
    ) -> Result<(), HandlerError> {
        let wanted = self.call.log_level;
        if wanted.is_none_or(|least| severity(level) < least) {
            return Ok(());
        }
        let mut params = LoggingMessageNotificationParams::new(level, data.into());
        params.logger = logger.into().map(Into::into);
        self.notify(LoggingMessageNotification::METHOD, params)
            .await
    }
}
