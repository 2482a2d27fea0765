//! [`run`]: keeps a subscription open.

use std::sync::Arc;

use mcp_types::json;
use mcp_types::{Request, SubscriptionsListenRequest};
use tokio::time::{sleep, timeout};

use super::backoff::Backoff;
use super::event::SubscriptionEvent;
use super::inbox::Inbox;
use super::legacy;
use crate::features::state::Features;
use crate::protocol::connection::{Connection, HeaderSource};
use crate::protocol::error::CallError;
use crate::protocol::params::{ParamValue, Params};
use crate::protocol::roundtrip::{CallTimeout, roundtrip};

/// Listens until the server ends or refuses the subscription, or the connection is closed.
pub(super) async fn run(connection: Arc<Connection>, features: Arc<Features>, inbox: Arc<Inbox>) {
    let guard = InboxGuard::new(&features, &inbox);
    let mut backoff = Backoff::new(&connection.limits);
    let end = loop {
        connection.state.wait_reconnected().await;
        let ended = if connection.revision().is_modern() {
            listen(&connection, &inbox, &mut backoff).await
        } else {
            legacy::listen(&connection, &features, &inbox, &mut backoff).await
        };
        match ended {
            Ok(()) => break Ok(()),
            Err(error) if is_final(&connection, &error) => break Err(error),
            Err(error) => {
                let again = backoff.next();
                let error = Arc::new(error);
                inbox.add(SubscriptionEvent::Interrupted { error, again }, 0);
                sleep(again).await;
            }
        }
    };
    drop(guard);
    inbox.end(end);
}

/// Returns `true` if another attempt cannot succeed.
fn is_final(connection: &Connection, error: &CallError) -> bool {
    connection.pending.is_closed()
        || !matches!(error, CallError::Lost { .. } | CallError::Timeout { .. })
}

/// Sends the request that opens the subscription, and waits until it ends.
async fn listen(
    connection: &Arc<Connection>,
    inbox: &Arc<Inbox>,
    backoff: &mut Backoff,
) -> Result<(), CallError> {
    let method = SubscriptionsListenRequest::METHOD;
    let filter = json::to_value(&inbox.filter).map_err(|error| CallError::Params {
        method,
        source: error.into(),
    })?;
    let ended = roundtrip(
        connection,
        method,
        CallTimeout::endless(),
        HeaderSource::default(),
        |id| {
            inbox.set_id(Some(id));
            let params = Params::new().with("notifications", ParamValue::Value(&filter));
            params.describe(connection.request_meta())
        },
    );
    let mut ended = std::pin::pin!(ended);
    let first = connection.limits.call_time;
    tokio::select! {
        // An acknowledgement that has arrived wins over the end.
        biased;
        acknowledged = timeout(first, inbox.acknowledged()) => {
            if acknowledged.is_err() {
                return Err(CallError::Timeout { method, after: first });
            }
        }
        ended = &mut ended => return ended.map(drop),
    }
    backoff.reset();
    ended.await.map(drop)
}

/// Delivers events to the inbox until this is dropped.
struct InboxGuard<'a> {
    features: &'a Features,
    inbox: &'a Arc<Inbox>,
}

impl<'a> InboxGuard<'a> {
    fn new(features: &'a Features, inbox: &'a Arc<Inbox>) -> Self {
        features.inboxes.add(inbox);
        Self { features, inbox }
    }
}

impl Drop for InboxGuard<'_> {
    fn drop(&mut self) {
        self.features.inboxes.remove(self.inbox);
    }
}
