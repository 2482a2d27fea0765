//! Subscriptions of revisions with sessions: the client subscribes to each resource with a request,
//! and servers announce changes of lists without a subscription.

use std::sync::Arc;

use mcp_types::json::Object;
use mcp_types::peer_text::PeerDisplay;
use mcp_types::v2025_11_25::{SubscribeRequest, UnsubscribeRequest};
use mcp_types::{Request, RequestId, SubscriptionFilter, rpc};

use super::backoff::Backoff;
use crate::features::inboxes::SubscriptionEvent;
use crate::features::inboxes::{Inbox, WatchCounts};
use crate::features::state::Features;
use crate::protocol::connection::{Connection, HeaderSource};
use crate::protocol::error::{CallError, TransportError};
use crate::protocol::roundtrip::{CallTimeout, roundtrip};

/// Subscribes, and waits until the connection or the session ends.
pub(super) async fn listen(
    connection: &Arc<Connection>,
    features: &Features,
    inbox: &Arc<Inbox>,
    backoff: &mut Backoff,
) -> Result<(), CallError> {
    let method = SubscribeRequest::METHOD;
    inbox.set_id(None);
    let mut negotiations = connection.negotiations.subscribe();
    negotiations.mark_unchanged();
    // Never sent. It fails when the connection is lost.
    let mut loss = connection.pending.register(None);
    let mut watching = ResourceSubscriptions {
        connection,
        watched: &features.watched,
        uris: Vec::new(),
    };
    let mut filter = supported(connection, &inbox.filter);
    if let Some(uris) = filter.resource_subscriptions.take() {
        for uri in uris {
            let params = Object::from([("uri", uri.as_str())]);
            let time = CallTimeout::new(connection.limits.call_time);
            let subscribed = roundtrip(connection, method, time, HeaderSource::default(), |_| {
                params
            })
            .await;
            match subscribed {
                Ok(_) => watching.add(uri),
                Err(error @ CallError::Refused { .. }) => {
                    let error = PeerDisplay(&error);
                    tracing::warn!(uri, %error, "the server refused to report changes of a resource");
                }
                Err(error) => return Err(error),
            }
        }
        filter.resource_subscriptions = Some(watching.uris.clone());
    }
    inbox.add(SubscriptionEvent::Listening(filter), 0);
    backoff.opened();
    tokio::select! {
        reply = &mut loss.response => match reply {
            Ok(Err(source)) => Err(CallError::Lost { method: method.into(), source }),
            _ => Ok(()),
        },
        // A restarted server or a new session does not have the subscription.
        _ = negotiations.changed() => {
            let source = Arc::new(TransportError::Closed);
            Err(CallError::Lost { method: method.into(), source })
        }
    }
}

/// Returns the part of a filter that the capabilities of a server cover.
fn supported(connection: &Connection, requested: &SubscriptionFilter) -> SubscriptionFilter {
    let server = connection.negotiated();
    let offers = server
        .map(|server| server.capabilities.clone())
        .unwrap_or_default();
    let resources = offers.resources;
    let subscribe = resources.as_ref().and_then(|offer| offer.subscribe);
    let mut supported = SubscriptionFilter::new();
    let only = |requested: Option<bool>, offered: Option<bool>| {
        requested.filter(|_| offered == Some(true))
    };
    supported.tools_list_changed = only(
        requested.tools_list_changed,
        offers.tools.and_then(|offer| offer.list_changed),
    );
    supported.prompts_list_changed = only(
        requested.prompts_list_changed,
        offers.prompts.and_then(|offer| offer.list_changed),
    );
    supported.resources_list_changed = only(
        requested.resources_list_changed,
        resources.and_then(|offer| offer.list_changed),
    );
    supported.resource_subscriptions = requested
        .resource_subscriptions
        .clone()
        .filter(|_| subscribe == Some(true));
    supported
}

/// The resources to which the server has accepted a subscription. Dropping this unsubscribes.
struct ResourceSubscriptions<'a> {
    connection: &'a Connection,
    watched: &'a WatchCounts,
    uris: Vec<String>,
}

impl ResourceSubscriptions<'_> {
    fn add(&mut self, uri: String) {
        *self.watched.counts().entry(uri.clone()).or_default() += 1;
        self.uris.push(uri);
    }
}

impl Drop for ResourceSubscriptions<'_> {
    fn drop(&mut self) {
        for uri in std::mem::take(&mut self.uris) {
            let mut counts = self.watched.counts();
            let count = counts.get_mut(&uri);
            let others = count.map_or(0, |count| {
                *count -= 1;
                *count
            });
            if others > 0 {
                continue;
            }
            counts.remove(&uri);
            drop(counts);
            unsubscribe(self.connection, &uri);
        }
    }
}

/// Unsubscribes without waiting for the response.
fn unsubscribe(connection: &Connection, uri: &str) {
    let id = RequestId::from(connection.pending.register(None).id);
    let params = Object::from([("uri", uri)]);
    let mut message = Vec::new();
    let method = UnsubscribeRequest::METHOD;
    if rpc::write_request(&mut message, &id, method, Some(&params)).is_ok() {
        connection.sender.send_now(message);
    }
}
