//! Subscriptions where each resource is subscribed to by a request of its own, and changes of lists
//! are announced without being asked for.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mcp_types::json::Object;
use mcp_types::peer_text::PeerDisplay;
use mcp_types::v2025_11_25::{SubscribeRequest, UnsubscribeRequest};
use mcp_types::{Request, RequestId, SubscriptionFilter, rpc};

use super::SubscriptionEvent;
use super::inbox::Inbox;
use super::listen::Patience;
use crate::protocol::connection::Core;
use crate::protocol::error::CallError;
use crate::protocol::pending::Reply;
use crate::protocol::roundtrip::{Wait, exchange};

/// How many subscriptions watch a resource.
#[derive(Default)]
pub(crate) struct Watched {
    counts: Mutex<HashMap<String, usize>>,
}

impl Watched {
    fn counts(&self) -> MutexGuard<'_, HashMap<String, usize>> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Subscribes, and waits until that is of no worth any more.
pub(super) async fn listen(
    core: &Arc<Core>,
    inbox: &Arc<Inbox>,
    patience: &mut Patience,
) -> Result<(), CallError> {
    let method = SubscribeRequest::METHOD;
    inbox.listen_as(None);
    let mut agreed = core.agreed.subscribe();
    agreed.mark_unchanged();
    // Never sent: it hears when the connection is lost.
    let mut connection = core.calls.open(None);
    let mut watching = Watching {
        core,
        uris: Vec::new(),
    };
    let mut honoured = honoured(core, &inbox.filter);
    let asked = honoured.resource_subscriptions.take();
    if let Some(uris) = asked {
        for uri in uris {
            let params = Object::from([("uri", uri.as_str())]);
            let wait = Wait::new(core.limits.call_time);
            let subscribed = exchange(core, method, wait, |_| params).await;
            match subscribed {
                Ok(_) => watching.add(uri),
                Err(error @ CallError::Refused { .. }) => {
                    let error = PeerDisplay(&error);
                    tracing::warn!(uri, %error, "the server does not tell of a resource");
                }
                Err(error) => return Err(error),
            }
        }
        honoured.resource_subscriptions = Some(watching.uris.clone());
    }
    inbox.hear(SubscriptionEvent::Listening(honoured), 0);
    patience.restore();
    tokio::select! {
        reply = &mut connection.reply => match reply {
            Ok(Reply::Lost(source)) => Err(CallError::Lost { method, source }),
            _ => Ok(()),
        },
        // The server was started again, or has a new session, and knows nothing.
        _ = agreed.changed() => {
            let source = Arc::new(crate::TransportError::Closed);
            Err(CallError::Lost { method, source })
        }
    }
}

/// What a server of the older era tells of.
fn honoured(core: &Core, asked: &SubscriptionFilter) -> SubscriptionFilter {
    let era = core.era();
    let offers = era.map(|era| era.capabilities.clone()).unwrap_or_default();
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

/// Resources that are watched until this is dropped.
struct Watching<'a> {
    core: &'a Arc<Core>,
    uris: Vec<String>,
}

impl Watching<'_> {
    fn add(&mut self, uri: String) {
        *self.core.watched.counts().entry(uri.clone()).or_default() += 1;
        self.uris.push(uri);
    }
}

impl Drop for Watching<'_> {
    fn drop(&mut self) {
        for uri in std::mem::take(&mut self.uris) {
            let mut counts = self.core.watched.counts();
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
            unsubscribe(self.core, &uri);
        }
    }
}

/// Nobody waits for the answer.
fn unsubscribe(core: &Core, uri: &str) {
    let id = RequestId::from(core.calls.open(None).id);
    let params = Object::from([("uri", uri)]);
    let mut message = Vec::new();
    let method = UnsubscribeRequest::METHOD;
    if rpc::write_request(&mut message, &id, method, Some(&params)).is_ok() {
        core.link.send_now(message);
    }
}
