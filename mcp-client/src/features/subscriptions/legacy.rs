//! Subscriptions where each resource is subscribed to by a request of its own, and changes of lists
//! are announced without being asked for.

use std::sync::Arc;

use mcp_types::json::Object;
use mcp_types::peer_text::PeerDisplay;
use mcp_types::v2025_11_25::{SubscribeRequest, UnsubscribeRequest};
use mcp_types::{Request, RequestId, SubscriptionFilter, rpc};

use super::backoff::Backoff;
use super::event::SubscriptionEvent;
use super::inbox::Inbox;
use super::watched::Watched;
use crate::features::state::Features;
use crate::protocol::connection::{Connection, HeaderSource};
use crate::protocol::error::{CallError, TransportError};
use crate::protocol::pending_requests::Reply;
use crate::protocol::roundtrip::{CallTimeout, roundtrip};

/// Subscribes, and waits until the connection or the session ends.
pub(super) async fn listen(
    connection: &Arc<Connection>,
    features: &Features,
    inbox: &Arc<Inbox>,
    backoff: &mut Backoff,
) -> Result<(), CallError> {
    let method = SubscribeRequest::METHOD;
    inbox.listen_as(None);
    let mut negotiations = connection.negotiations.subscribe();
    negotiations.mark_unchanged();
    // Never sent: it is answered when the connection is lost.
    let mut loss = connection.pending.register(None);
    let mut watching = Watching {
        connection,
        watched: &features.watched,
        uris: Vec::new(),
    };
    let mut honoured = honoured(connection, &inbox.filter);
    let asked = honoured.resource_subscriptions.take();
    if let Some(uris) = asked {
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
        honoured.resource_subscriptions = Some(watching.uris.clone());
    }
    inbox.push(SubscriptionEvent::Listening(honoured), 0);
    backoff.reset();
    tokio::select! {
        reply = &mut loss.reply => match reply {
            Ok(Reply::Lost(source)) => Err(CallError::Lost { method, source }),
            _ => Ok(()),
        },
        // A restarted server, or a new session, knows nothing of the subscription.
        _ = negotiations.changed() => {
            let source = Arc::new(TransportError::Closed);
            Err(CallError::Lost { method, source })
        }
    }
}

/// Returns the part of a filter that the capabilities of a server cover.
fn honoured(connection: &Connection, asked: &SubscriptionFilter) -> SubscriptionFilter {
    let server = connection.negotiated();
    let offers = server
        .map(|server| server.capabilities.clone())
        .unwrap_or_default();
    let resources = offers.resources;
    let subscribe = resources.as_ref().and_then(|offer| offer.subscribe);
    let mut honoured = SubscriptionFilter::new();
    let only = |asked: Option<bool>, can: Option<bool>| asked.filter(|_| can == Some(true));
    honoured.tools_list_changed = only(
        asked.tools_list_changed,
        offers.tools.and_then(|offer| offer.list_changed),
    );
    honoured.prompts_list_changed = only(
        asked.prompts_list_changed,
        offers.prompts.and_then(|offer| offer.list_changed),
    );
    honoured.resources_list_changed = only(
        asked.resources_list_changed,
        resources.and_then(|offer| offer.list_changed),
    );
    honoured.resource_subscriptions = asked
        .resource_subscriptions
        .clone()
        .filter(|_| subscribe == Some(true));
    honoured
}

/// Resources that the server reports changes of, until this is dropped.
struct Watching<'a> {
    connection: &'a Connection,
    watched: &'a Watched,
    uris: Vec<String>,
}

impl Watching<'_> {
    fn add(&mut self, uri: String) {
        *self.watched.counts().entry(uri.clone()).or_default() += 1;
        self.uris.push(uri);
    }
}

impl Drop for Watching<'_> {
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
