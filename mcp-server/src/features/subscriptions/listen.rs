//! `subscriptions/listen`: notifies a modern client of changes.

use std::sync::Arc;

use mcp_types::error::DecodeError;
use mcp_types::peer_text::PeerText;
use mcp_types::{
    CancelledNotification, CancelledNotificationParams, Notification, NotificationMetaObject,
    SubscriptionFilter, SubscriptionsAcknowledgedNotification,
    SubscriptionsAcknowledgedNotificationParams, SubscriptionsListenResult,
    SubscriptionsListenResultMetaObject,
};
use tokio::time::timeout;

use crate::features::resources::catalog::ResourceCatalog;
use crate::features::subscriptions::admission;
#[cfg(not(feature = "proposals"))]
use crate::features::subscriptions::admission::Admission;
use crate::features::subscriptions::admission::can_subscribe;
#[cfg(feature = "proposals")]
use crate::features::subscriptions::change_notifier::ChangeNotifier;
#[cfg(not(feature = "proposals"))]
use crate::protocol::changes::Change;
use crate::protocol::changes::Interest;
use crate::protocol::core::{Context, Core};
#[cfg(not(feature = "proposals"))]
use crate::protocol::dispatch::announcements::announcement;
use crate::protocol::dispatch::error_report::for_log;
use crate::protocol::dispatch::sizes::check_uri;
use crate::protocol::error::handler_error::HandlerError;
use crate::protocol::limits::SUBSCRIBED_BYTES;
use crate::protocol::message::notification;
use crate::protocol::message::raw_object::{FromMembers, RawObject};
use crate::protocol::quota::peer_key::PeerKey;
use crate::protocol::quota::retained::{self, RetainedBytes};
use crate::util::uri_set::UriSet;

/// The params of `subscriptions/listen`.
pub(crate) struct Listen {
    notifications: SubscriptionFilter,
}

impl FromMembers for Listen {
    fn from_members(members: &RawObject<'_>) -> Result<Self, DecodeError> {
        let notifications = members.required("notifications")?;
        Ok(Self { notifications })
    }
}

/// Handles `subscriptions/listen`: acknowledges the subscription, then sends notifications until
/// the client cancels or the server stops.
pub(crate) async fn listen(
    params: Listen,
    cx: Context,
    resources: Arc<ResourceCatalog>,
) -> Result<SubscriptionsListenResult, HandlerError> {
    let Some(id) = cx.request_id().cloned() else {
        return Err(HandlerError::internal("a subscription needs a request"));
    };
    let core = Arc::clone(cx.core());
    let Some(permit) = core.peers.subscribe(PeerKey::of(&cx.state.extensions)) else {
        return Err(HandlerError::internal("too many subscriptions"));
    };
    let mut supported = supported_part(&core, params.notifications)?;
    if let Some(uris) = supported.resource_subscriptions.take() {
        let admitted = admitted_part(uris, &cx, &resources);
        let admitted = timeout(core.limits.request_time, admitted).await;
        let admitted = admitted.map_err(|_| {
            HandlerError::internal("the guards of the subscribed resources take too long")
        })?;
        supported.resource_subscriptions = Some(admitted);
    }
    let mut uris = UriSet::default();
    for uri in supported.resource_subscriptions.iter().flatten() {
        uris.insert(uri);
    }
    let memory = retained::memory(cx.state.meta_bytes, uris.bytes());
    let Some(_retained) = RetainedBytes::try_new(permit.peer(), memory) else {
        return Err(HandlerError::internal(
            "subscriptions and sessions keep too much memory",
        ));
    };
    let interest = Interest {
        tools: supported.tools_list_changed == Some(true),
        prompts: supported.prompts_list_changed == Some(true),
        resources: supported.resources_list_changed == Some(true),
    };
    // Before the acknowledgement, so that no change in between is missed.
    let subscriber = core.hub.subscribe(interest, Box::new(uris));
    let meta = NotificationMetaObject::new().subscription_id(id.clone());
    let acknowledged =
        SubscriptionsAcknowledgedNotificationParams::new(supported).meta(meta.clone());
    let method = SubscriptionsAcknowledgedNotification::METHOD;
    // The subscription may last for long, and the URIs are stored elsewhere already.
    let message = notification(cx.revision(), method, acknowledged)?;
    if let Some(message) = cx.pass_outbound(message) {
        cx.send_message(message).await;
    }
    #[cfg(feature = "proposals")]
    let notifier = ChangeNotifier::new(&cx, &resources, Arc::default());
    loop {
        #[cfg(feature = "proposals")]
        let next = notifier.next(&subscriber, &meta);
        #[cfg(not(feature = "proposals"))]
        let next = async {
            loop {
                let announced = subscriber.next().await;
                if let Change::Resource(uri) = &announced.change
                    && let Admission::Refused = admission::admit(uri, &cx, &resources).await
                {
                    let Some(announced) = announced.for_everybody() else {
                        continue;
                    };
                    return announcement(cx.revision(), announced, Some(meta.clone()));
                }
                return announcement(cx.revision(), announced, Some(meta.clone()));
            }
        };
        let message = tokio::select! {
            biased;
            () = core.stopping() => break,
            message = next => message?,
        };
        if let Some(message) = cx.pass_outbound(message) {
            cx.state.sink.send(&message).await;
        }
    }
    let cancelled = CancelledNotificationParams::new(id.clone())
        .reason("the server is shutting down")
        .meta(meta);
    let method = CancelledNotification::METHOD;
    if let Some(message) = cx.pass_outbound(notification(cx.revision(), method, cancelled)?) {
        cx.send_message(message).await;
    }
    let meta = SubscriptionsListenResultMetaObject::new(id);
    Ok(SubscriptionsListenResult::new(meta))
}

/// Returns the resources that the client may read. Those that a guard refuses are left out of the
/// acknowledgement, as the specification asks for what the server does not support.
async fn admitted_part(
    uris: Vec<String>,
    cx: &Context,
    resources: &ResourceCatalog,
) -> Vec<String> {
    let mut admitted = Vec::with_capacity(uris.len());
    for uri in uris {
        match admission::check(&uri, cx, resources).await {
            Ok(()) => admitted.push(uri),
            Err(error) => {
                let (uri, error) = (PeerText(&uri), for_log(&error));
                tracing::debug!(%uri, %error, "a client may not subscribe to a resource");
            }
        }
    }
    admitted
}

/// Returns the part of a filter that the server supports.
fn supported_part(
    core: &Core,
    requested: SubscriptionFilter,
) -> Result<SubscriptionFilter, HandlerError> {
    let limit = core.limits.subscribed_resources;
    let uris = requested
        .resource_subscriptions
        .as_deref()
        .unwrap_or_default();
    if uris.len() > limit {
        return Err(HandlerError::invalid_params(format!(
            "$.notifications.resourceSubscriptions has {} URIs, the limit is {limit}",
            uris.len()
        )));
    }
    for (at, uri) in uris.iter().enumerate() {
        let place = format_args!("$.notifications.resourceSubscriptions[{at}]");
        check_uri(core, place, uri)?;
    }
    if uris.iter().map(String::len).sum::<usize>() > SUBSCRIBED_BYTES {
        return Err(HandlerError::invalid_params(format!(
            "$.notifications.resourceSubscriptions has more than {SUBSCRIBED_BYTES} bytes"
        )));
    }
    let capabilities = &core.about.capabilities;
    let tools = capabilities
        .tools
        .as_ref()
        .and_then(|tools| tools.list_changed);
    let prompts = capabilities
        .prompts
        .as_ref()
        .and_then(|prompts| prompts.list_changed);
    let resources = capabilities.resources.as_ref();
    let mut supported = SubscriptionFilter::new();
    let only = |requested: Option<bool>, declared: Option<bool>| {
        requested.filter(|_| declared == Some(true))
    };
    supported.tools_list_changed = only(requested.tools_list_changed, tools);
    supported.prompts_list_changed = only(requested.prompts_list_changed, prompts);
    supported.resources_list_changed = only(
        requested.resources_list_changed,
        resources.and_then(|resources| resources.list_changed),
    );
    supported.resource_subscriptions = requested
        .resource_subscriptions
        .filter(|_| can_subscribe(core));
    Ok(supported)
}
