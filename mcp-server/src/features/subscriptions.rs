//! Announced changes on their way to a peer: `subscriptions/listen` in the modern era, and what a
//! session hears of in the legacy one.

#[cfg(feature = "versioned-resources")]
pub(crate) mod connection;
#[cfg(feature = "versioned-resources")]
pub(crate) mod news;

use std::sync::Arc;

use mcp_types::error::DecodeError;
use mcp_types::{
    CancelledNotification, CancelledNotificationParams, Notification, NotificationMetaObject,
    NotificationParams, PromptListChangedNotification, Request, ResourceListChangedNotification,
    ResourceUpdatedNotification, ResourceUpdatedNotificationParams, Revision, SubscriptionFilter,
    SubscriptionsAcknowledgedNotification, SubscriptionsAcknowledgedNotificationParams,
    SubscriptionsListenRequest, SubscriptionsListenResult, SubscriptionsListenResultMetaObject,
    ToolListChangedNotification,
};

use crate::protocol::changes::{Change, Interest};
use crate::protocol::context::{Context, modern, notification};
use crate::protocol::core::Server;
use crate::protocol::error::HandlerError;
use crate::protocol::error_report::logged;
use crate::protocol::limits::SUBSCRIBED_BYTES;
use crate::protocol::message_sink::Outlet;
use crate::protocol::raw_object::{FromMembers, Members};
use crate::protocol::retained;
use crate::protocol::retained::RetainedBytes;
use crate::protocol::session::Session;
use crate::protocol::uri_limit::check_uri;
use crate::server::builder::ServerBuilder;
use crate::util::select::{Either, race};
use crate::util::uri_set::Uris;

pub(crate) fn routes(builder: &mut ServerBuilder) {
    builder.serve(SubscriptionsListenRequest::METHOD, listen);
}

/// What is asked for in `subscriptions/listen`.
struct Listen {
    notifications: SubscriptionFilter,
}

impl FromMembers for Listen {
    fn from_members(members: &Members<'_>) -> Result<Self, DecodeError> {
        let notifications = members.required("notifications")?;
        Ok(Self { notifications })
    }
}

/// Serves `subscriptions/listen`: acknowledges, then tells of changes until the peer cancels or
/// the server stops.
async fn listen(params: Listen, cx: Context) -> Result<SubscriptionsListenResult, HandlerError> {
    let Some(id) = cx.request_id().cloned() else {
        return Err(HandlerError::internal("a subscription needs a request"));
    };
    let server = cx.server().clone();
    let Some(permit) = server.inner.peers.subscribe(&cx) else {
        return Err(HandlerError::internal("too many subscriptions"));
    };
    let honoured = honour(&server, params.notifications)?;
    let named = honoured.resource_subscriptions.as_deref();
    let bytes = named.unwrap_or_default().iter().map(String::len).sum();
    let memory = retained::memory(cx.call.meta_bytes, bytes);
    let Some(_retained) = RetainedBytes::try_new(permit.peer(), memory) else {
        return Err(HandlerError::internal(
            "subscriptions and sessions keep too much memory",
        ));
    };
    let interest = Interest {
        tools: honoured.tools_list_changed == Some(true),
        prompts: honoured.prompts_list_changed == Some(true),
        resources: honoured.resources_list_changed == Some(true),
    };
    let mut uris = Uris::default();
    for uri in honoured
        .resource_subscriptions
        .as_deref()
        .unwrap_or_default()
    {
        uris.insert(uri.clone());
    }
    let wants = Box::new(move |uri: &str| uris.contains(uri));
    // Before the acknowledgement, so that no change between the two is missed.
    let subscriber = server.inner.hub.subscribe(interest, wants);
    let meta = NotificationMetaObject::new().subscription_id(id.clone());
    let acknowledged =
        SubscriptionsAcknowledgedNotificationParams::new(honoured).meta(meta.clone());
    let method = SubscriptionsAcknowledgedNotification::METHOD;
    let message = modern(method, &acknowledged)?;
    // The subscription may last for long, and has the URIs already.
    drop(acknowledged);
    cx.say(message).await;
    #[cfg(feature = "versioned-resources")]
    let news = news::News::new(&cx);
    loop {
        #[cfg(feature = "versioned-resources")]
        let next = news.next(&subscriber, &meta);
        #[cfg(not(feature = "versioned-resources"))]
        let next = async {
            let change = subscriber.next().await;
            announcement(Revision::LATEST, change, Some(meta.clone()))
        };
        match race(server.stopping(), next).await {
            Either::First(()) => break,
            Either::Second(message) => cx.call.outlet.send(&message?).await,
        };
    }
    let cancelled = CancelledNotificationParams::new(id.clone())
        .reason("the server is shutting down")
        .meta(meta);
    cx.say(modern(CancelledNotification::METHOD, &cancelled)?)
        .await;
    let meta = SubscriptionsListenResultMetaObject::new(id);
    Ok(SubscriptionsListenResult::new(meta))
}

/// The part of a filter that the server can serve.
fn honour(server: &Server, asked: SubscriptionFilter) -> Result<SubscriptionFilter, HandlerError> {
    let limit = server.limits().subscribed_resources;
    let uris = asked.resource_subscriptions.as_deref().unwrap_or_default();
    if uris.len() > limit {
        return Err(HandlerError::invalid_params(format!(
            "$.notifications.resourceSubscriptions has {} URIs, the limit is {limit}",
            uris.len()
        )));
    }
    for (at, uri) in uris.iter().enumerate() {
        let place = format_args!("$.notifications.resourceSubscriptions[{at}]");
        check_uri(server, place, uri)?;
    }
    if uris.iter().map(String::len).sum::<usize>() > SUBSCRIBED_BYTES {
        return Err(HandlerError::invalid_params(format!(
            "$.notifications.resourceSubscriptions has more than {SUBSCRIBED_BYTES} bytes"
        )));
    }
    let capabilities = server.capabilities();
    let tools = capabilities
        .tools
        .as_ref()
        .and_then(|tools| tools.list_changed);
    let prompts = capabilities
        .prompts
        .as_ref()
        .and_then(|prompts| prompts.list_changed);
    let resources = capabilities.resources.as_ref();
    let mut honoured = SubscriptionFilter::new();
    let only = |asked: Option<bool>, can: Option<bool>| asked.filter(|_| can == Some(true));
    honoured.tools_list_changed = only(asked.tools_list_changed, tools);
    honoured.prompts_list_changed = only(asked.prompts_list_changed, prompts);
    honoured.resources_list_changed = only(
        asked.resources_list_changed,
        resources.and_then(|resources| resources.list_changed),
    );
    honoured.resource_subscriptions = asked
        .resource_subscriptions
        .filter(|_| can_subscribe(server));
    Ok(honoured)
}

/// Whether the server says that it tells of changes of single resources.
fn can_subscribe(server: &Server) -> bool {
    let resources = server.capabilities().resources.as_ref();
    resources.is_some_and(|resources| resources.subscribe == Some(true))
}

/// Tells a legacy session of changes from now on, until it is dropped or the peer is gone. Lists are
/// announced to every session, resources to those that subscribed.
pub(crate) fn tell_session(
    server: &Server,
    session: Arc<Session>,
    outlet: Arc<dyn Outlet>,
) -> impl Future<Output = ()> + Send + use<> {
    let interest = Interest {
        tools: true,
        prompts: true,
        resources: true,
    };
    let wanted = Arc::clone(&session);
    let wants = Box::new(move |uri: &str| wanted.is_subscribed(uri));
    let subscriber = server.inner.hub.subscribe(interest, wants);
    // The peer may subscribe, and change something, before this is first polled.
    async move {
        loop {
            let change = subscriber.next().await;
            match announcement(session.revision, change, None) {
                Ok(message) => {
                    if !outlet.send(&message).await {
                        return;
                    }
                }
                Err(error) => {
                    tracing::error!(error = %logged(&error), "a change cannot be announced")
                }
            }
        }
    }
}

/// The notification of a change.
pub(crate) fn announcement(
    revision: Revision,
    change: Change,
    meta: Option<NotificationMetaObject>,
) -> Result<Vec<u8>, HandlerError> {
    let mut plain = NotificationParams::new();
    let method = match change {
        Change::Tools => ToolListChangedNotification::METHOD,
        Change::Prompts => PromptListChangedNotification::METHOD,
        Change::Resources => ResourceListChangedNotification::METHOD,
        Change::Resource(uri) => {
            let mut params = ResourceUpdatedNotificationParams::new(uri);
            params.meta = meta;
            return notification(revision, ResourceUpdatedNotification::METHOD, params);
        }
    };
    plain.meta = meta;
    notification(revision, method, plain)
}
