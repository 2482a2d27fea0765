//! Log messages to the client: `Context::log` and `logging/setLevel`.

use mcp_types::json::Value;
use mcp_types::v2025_11_25::SetLevelRequest;
use mcp_types::{
    LoggingLevel, LoggingMessageNotification, LoggingMessageNotificationParams, Notification,
    Request,
};

use crate::protocol::core::Context;
use crate::protocol::dispatch::lifecycle::SessionRequest;
use crate::protocol::dispatch::registry::Registry;
use crate::protocol::dispatch::route::members;
use crate::protocol::error::handler_error::HandlerError;
use crate::protocol::message::params_view::ParamsView;
use crate::protocol::session::severity;

pub(crate) fn register(registry: &mut Registry) {
    let set_level = SessionRequest::new(set_level);
    registry.route(SetLevelRequest::METHOD, Box::new(set_level));
}

impl Context {
    /// Sends a log message, if the client wants messages of this level. Clients before 2026-07-28
    /// set the level with `logging/setLevel`, newer ones in `_meta` of the request.
    ///
    /// # Errors
    ///
    /// If the client's revision does not have the level.
    /// Where the peer's revision has no such level.
    pub async fn log(
        &self,
        level: LoggingLevel,
        logger: impl Into<Option<&str>>,
        data: impl Into<Value>,
    ) -> Result<(), HandlerError> {
        let wanted = self.state.log_level;
        if wanted.is_none_or(|least| severity(level) < least) {
            return Ok(());
        }
        let mut params = LoggingMessageNotificationParams::new(level, data.into());
        params.logger = logger.into().map(Into::into);
        self.notify(LoggingMessageNotification::METHOD, params)
            .await
    }
}

fn set_level(cx: &Context, params: &ParamsView<'_>) -> Result<(), HandlerError> {
    let level = members(params, cx, |members| members.required("level"))?;
    if let Some(session) = cx.peer().session() {
        session.set_level(level);
    }
    Ok(())
}
