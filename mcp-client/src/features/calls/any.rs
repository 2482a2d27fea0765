//! [`JsonCall`]: a request of any method, as JSON.

use std::borrow::Cow;
use std::fmt;
use std::future::{Future, IntoFuture};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use mcp_types::error::DecodeError;
use mcp_types::headers::name_member;
use mcp_types::json::{self, Map};
use mcp_types::peer_text::PeerText;
use mcp_types::revision::VersionError;
use mcp_types::{ClientCapabilities, Implementation, LoggingLevel, ProgressNotificationParams};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::features::shared_connection::SharedConnection;
use crate::protocol::connection::{HeaderSource, Progress};
use crate::protocol::error::CallError;
use crate::protocol::params::{META, ParamValue, Params};
use crate::protocol::request_meta;
use crate::protocol::roundtrip::{CallTimeout, roundtrip};

/// A request of any method, which is sent when it is awaited: for gateways, and for programs that
/// pass on what they do not know. [`Client::request_json`](crate::Client::request_json) creates it.
///
/// The result is returned as the server sent it: it is neither decoded nor cached, and questions in
/// it are not answered. Dropping the future cancels the request on the server.
#[must_use = "a call does nothing until it is awaited"]
pub struct JsonCall {
    connection: SharedConnection,
    method: Cow<'static, str>,
    params: Result<Map<Box<RawValue>>, DecodeError>,
    timeout: CallTimeout,
    info: Option<Implementation>,
    capabilities: Option<ClientCapabilities>,
    log_level: Option<LoggingLevel>,
}

impl JsonCall {
    pub(crate) fn new(
        connection: SharedConnection,
        method: Cow<'static, str>,
        params: &(impl Serialize + ?Sized),
    ) -> Self {
        let params = json::to_raw(params)
            .map_err(DecodeError::from)
            .and_then(|params| json::from_str(params.get()));
        let timeout = CallTimeout::new(connection.connection().limits.call_time);
        Self {
            connection,
            method,
            params,
            timeout,
            info: None,
            capabilities: None,
            log_level: None,
        }
    }

    /// Declares these capabilities for this request instead of those of the client. Servers of
    /// revisions up to 2025-11-25 know only those of the handshake.
    pub fn capabilities(mut self, capabilities: ClientCapabilities) -> Self {
        self.capabilities = Some(capabilities);
        self
    }

    /// Describes another client for this request, such as the one for which a gateway calls.
    /// Servers of revisions up to 2025-11-25 know only the client of the handshake.
    pub fn client_info(mut self, info: Implementation) -> Self {
        self.info = Some(info);
        self
    }

    /// Sets the lowest level of log messages for this request. Servers of revisions up to 2025-11-25
    /// have one level for the whole session.
    pub fn log_level(mut self, level: LoggingLevel) -> Self {
        self.log_level = Some(level);
        self
    }

    /// Sets the timeout of this call, instead of [`Limits::call_time`](crate::Limits).
    pub fn timeout(mut self, time: Duration) -> Self {
        self.timeout.time = time;
        self
    }

    /// Asks the server to report progress, and calls `handler` for each report. The handler must
    /// not block. Without this, a progress token in the params is removed.
    pub fn on_progress(
        mut self,
        handler: impl Fn(ProgressNotificationParams) + Send + Sync + 'static,
    ) -> Self {
        self.timeout.progress = Some(Progress::new(Box::new(handler)));
        self
    }

    /// Sets the reason in `notifications/cancelled`, for users and logs of the server. `reason` is
    /// called when the call is dropped, or its time is over, before its response. Servers of newer
    /// revisions do not get it over HTTP: a call is cancelled there by closing the response.
    pub fn cancel_reason(
        mut self,
        reason: impl Fn() -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        self.timeout.cancel_reason = Some(Arc::new(reason));
        self
    }

    async fn send(self) -> Result<Box<RawValue>, CallError> {
        let connection = self.connection.connection();
        let failed = |source: VersionError| CallError::Params {
            method: self.method.clone(),
            source,
        };
        let revision = connection.revision();
        let mut members = self.params.map_err(|error| failed(error.into()))?;
        let meta = members
            .remove(META)
            .map(|meta| json::from_str::<Map<Box<RawValue>>>(meta.get()));
        let mut meta = meta
            .transpose()
            .map_err(|error| failed(error.inside_member(META).into()))?
            .unwrap_or_default();
        meta.remove("progressToken");
        let described = match connection.request_meta.of(revision) {
            Some(client) => request_meta::changed(
                client,
                revision,
                self.info.as_ref(),
                self.capabilities.as_ref(),
                self.log_level,
            )
            .map_err(failed)?,
            None => Map::new(),
        };
        let subject = name_member(&self.method).and_then(|name| members.get(name));
        let subject: Option<String> =
            subject.and_then(|subject| json::from_str(subject.get()).ok());
        let header_source = HeaderSource {
            revision: Some(revision),
            name: subject.as_deref(),
            arguments: members.get("arguments").map(|arguments| arguments.get()),
        };
        let wants_progress = self.timeout.progress.is_some();
        let mut params = Params::new();
        for (name, value) in &members {
            params = params.with_new(name, ParamValue::Text(value.get()));
        }
        params = params.with_meta(&meta).describe(&described);
        roundtrip(connection, self.method, self.timeout, header_source, |id| {
            if wants_progress {
                params.progress_token(id)
            } else {
                params
            }
        })
        .await
    }
}

impl IntoFuture for JsonCall {
    type Output = Result<Box<RawValue>, CallError>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}

impl fmt::Debug for JsonCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JsonCall")
            .field("method", &PeerText(&self.method))
            .finish_non_exhaustive()
    }
}
