//! [`run`]: keeps a subscription open.

use std::sync::Arc;

use mcp_types::{Request, Revision, SubscriptionsListenRequest, SubscriptionsListenRequestParams};
use tokio::time::{sleep, timeout};

use super::backoff::Backoff;
use super::legacy;
use crate::features::inboxes::Inbox;
use crate::features::inboxes::SubscriptionEvent;
use crate::features::state::Features;
use crate::protocol::connection::{Connection, HeaderSource};
use crate::protocol::error::CallError;
use crate::protocol::params::EncodedParams;
use crate::protocol::request_meta::RequestMeta;
use crate::protocol::roundtrip::{CallTimeout, roundtrip};

/// Listens until the server refuses the subscription, or the connection is closed. If the server
/// ends it, for example because it is restarted, it is opened again.
pub(super) async fn run(connection: Arc<Connection>, features: Arc<Features>, inbox: Arc<Inbox>) {
    let guard = InboxGuard::new(&features, &inbox);
    let mut backoff = Backoff::new(&connection.limits);
    let end = loop {
        connection.state.wait_reconnected().await;
        let revision = connection.revision();
        let ended = if revision.is_modern() {
            listen(&connection, revision, &inbox, &mut backoff).await
        } else {
            legacy::listen(&connection, &features, &inbox, &mut backoff).await
        };
        let error = ended.err().unwrap_or(CallError::Ended {
            method: SubscriptionsListenRequest::METHOD,
        });
        if is_final(&connection, &error) {
            break error;
        }
        let again = backoff.next(error.retry_after());
        let error = Arc::new(error);
        inbox.add(SubscriptionEvent::Interrupted { error, again }, 0);
        sleep(again).await;
        backoff.begin();
    };
    drop(guard);
    inbox.end(end);
}

/// Returns `true` if another attempt cannot succeed.
fn is_final(connection: &Connection, error: &CallError) -> bool {
    let is_temporary = matches!(error, CallError::Lost { .. }) || error.is_transient();
    connection.pending.is_closed() || !is_temporary
}

/// Sends the request that opens the subscription, and waits until it ends.
async fn listen(
    connection: &Arc<Connection>,
    revision: Revision,
    inbox: &Arc<Inbox>,
    backoff: &mut Backoff,
) -> Result<(), CallError> {
    let method = SubscriptionsListenRequest::METHOD;
    let params_error = |source| CallError::Params {
        method: method.into(),
        source,
    };
    let meta = RequestMeta::placeholder();
    let params = SubscriptionsListenRequestParams::new(inbox.filter.clone(), meta);
    let params = EncodedParams::new(revision, params).map_err(params_error)?;
    let params = params
        .members()
        .map_err(|error| params_error(error.into()))?;
    let header_source = HeaderSource {
        revision: Some(revision),
        ..HeaderSource::default()
    };
    let ended = roundtrip(
        connection,
        method,
        CallTimeout::endless(),
        header_source,
        |id| {
            inbox.set_id(Some(id));
            match connection.request_meta.of(revision) {
                Some(client) => params.describe(client),
                None => params,
            }
        },
    );
    let mut ended = std::pin::pin!(ended);
    let first = connection.limits.call_time;
    tokio::select! {
        // An acknowledgement that has arrived wins over the end.
        biased;
        acknowledged = timeout(first, inbox.acknowledged()) => {
            if acknowledged.is_err() {
                return Err(CallError::Timeout {
                    method: method.into(),
                    after: first,
                    output: connection.last_output.get(),
                });
            }
        }
        ended = &mut ended => return ended.map(drop),
    }
    backoff.opened();
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
