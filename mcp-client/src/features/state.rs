//! [`Features`]: the state of the features of a connection, which handle the messages that the server
//! sends on its own.

use std::sync::Arc;

#[cfg(feature = "json-schema")]
use mcp_types::ToolListChangedNotification;
use mcp_types::revision::VersionError;
use mcp_types::{
    CancelledNotification, CancelledNotificationParams, Notification, ProgressNotification,
    Revision,
};
use serde_json::value::RawValue;
use tokio::sync::Semaphore;

use super::background::BackgroundRequests;
use super::cache::ClientCache;
use super::inboxes::{Inboxes, WatchCounts, deliver, dispatch};
use super::inspect::Inspect;
use super::notifications::NotificationHandlers;
#[cfg(feature = "json-schema")]
use super::output_schemas::OutputSchemas;
use super::proposals::ResourceProposals;
use super::server_requests::ServerRequests;
use crate::protocol::connection::{Connection, Inbound, InboundRequest, log_malformed};

/// The state of all features of a connection.
pub(crate) struct Features {
    /// Present if the program set a cache.
    pub(crate) cache: Option<ClientCache>,
    /// The output schemas of the tools that were listed.
    #[cfg(feature = "json-schema")]
    pub(crate) output_schemas: OutputSchemas,
    pub(crate) notifications: NotificationHandlers,
    pub(crate) server_requests: Arc<ServerRequests>,
    /// Permits for the input requests of modern servers that are answered at once.
    pub(crate) input_permits: Arc<Semaphore>,
    pub(crate) inboxes: Inboxes,
    pub(crate) watched: WatchCounts,
    pub(crate) proposals: &'static [&'static dyn ResourceProposals],
    /// Requests that were sent because something was dropped.
    pub(crate) background: BackgroundRequests,
}

impl Features {
    /// Adapts a final result for the announced proposals.
    pub(crate) fn adapt_result(&self, result: &mut impl Inspect, connection: &Connection) {
        for proposal in self.proposals {
            proposal.adapt_result(result.inspect(), connection);
        }
    }

    fn cancelled(&self, revision: Revision, text: &str) -> Result<bool, VersionError> {
        let params: CancelledNotificationParams = revision.decode(text)?;
        Ok(self.server_requests.cancel(&params.request_id))
    }

    /// Delivers a notification to its subscriptions. Returns `false` if it belongs to none.
    fn dispatch(
        &self,
        revision: Revision,
        method: &str,
        params: Option<&RawValue>,
    ) -> Result<bool, VersionError> {
        let text = params.map_or("null", RawValue::get);
        let mut proposals = self.proposals.iter();
        match proposals.find_map(|proposal| proposal.event(method, text, revision)) {
            Some(decoded) => {
                let (subscription, event) = decoded?;
                let (id, bytes) = (subscription.as_ref(), method.len() + text.len());
                Ok(deliver(&self.inboxes, id, event, bytes, |_| false))
            }
            None => dispatch(&self.inboxes, revision, method, params),
        }
    }
}

impl Inbound for Features {
    fn notification(&self, revision: Revision, method: &str, params: Option<&RawValue>) -> bool {
        let text = params.map_or("null", RawValue::get);
        if let Some(cache) = &self.cache {
            cache.invalidate_by(method, text);
            for proposal in self.proposals {
                proposal.invalidate_by(method, text, cache);
            }
        }
        #[cfg(feature = "json-schema")]
        if method == ToolListChangedNotification::METHOD {
            self.output_schemas.clear();
        }
        let delivered = match method {
            ProgressNotification::METHOD => Ok(false),
            CancelledNotification::METHOD => self.cancelled(revision, text),
            _ => self.dispatch(revision, method, params),
        };
        let delivered = delivered.unwrap_or_else(|error| {
            log_malformed(method, &error);
            true
        });
        self.notifications.handle(revision, method, text) || delivered
    }

    fn request(&self, request: &InboundRequest<'_>) {
        self.server_requests.handle(request);
    }

    fn abort_requests(&self) {
        self.server_requests.abort_all();
    }

    #[cfg(feature = "http")]
    fn refresh_tools<'a>(
        &'a self,
        connection: &'a Arc<Connection>,
        revision: Revision,
        has_changed: &'a (dyn Fn() -> bool + Send + Sync),
    ) -> std::pin::Pin<Box<dyn Future<Output = bool> + Send + 'a>> {
        Box::pin(super::refresh_tools::refresh_tools(
            connection,
            revision,
            has_changed,
        ))
    }
}
