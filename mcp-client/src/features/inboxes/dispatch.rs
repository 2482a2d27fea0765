//! [`dispatch`]: delivers notifications to the subscriptions that they belong to.

use mcp_types::revision::VersionError;
use mcp_types::uri::canonical;
use mcp_types::{
    Notification, NotificationParams, PromptListChangedNotification, RequestId,
    ResourceListChangedNotification, ResourceUpdatedNotification,
    ResourceUpdatedNotificationParams, Revision, SubscriptionFilter,
    SubscriptionsAcknowledgedNotification, SubscriptionsAcknowledgedNotificationParams,
    ToolListChangedNotification,
};
use serde_json::value::RawValue;

use super::event::SubscriptionEvent;
use super::inbox::Inboxes;

/// Delivers a notification to its subscriptions. Returns `false` if it belongs to none.
pub(crate) fn dispatch(
    inboxes: &Inboxes,
    revision: Revision,
    method: &str,
    params: Option<&RawValue>,
) -> Result<bool, VersionError> {
    let text = params.map_or("null", RawValue::get);
    let bytes = method.len() + text.len();
    let subscription = || -> Result<Option<RequestId>, VersionError> {
        let params: Option<NotificationParams> = revision.decode(text)?;
        Ok(params
            .and_then(|params| params.meta)
            .and_then(|meta| meta.subscription_id))
    };
    let list_changed =
        |id: Option<&RequestId>, event, wanted: fn(&SubscriptionFilter) -> Option<bool>| {
            deliver(inboxes, id, event, bytes, |filter| {
                wanted(filter) == Some(true)
            })
        };
    Ok(match method {
        SubscriptionsAcknowledgedNotification::METHOD => {
            let params: SubscriptionsAcknowledgedNotificationParams = revision.decode(text)?;
            let id = params.meta.and_then(|meta| meta.subscription_id);
            let event = SubscriptionEvent::Listening(params.notifications);
            deliver(inboxes, id.as_ref(), event, bytes, |_| false)
        }
        ToolListChangedNotification::METHOD => list_changed(
            subscription()?.as_ref(),
            SubscriptionEvent::ToolListChanged,
            |filter| filter.tools_list_changed,
        ),
        PromptListChangedNotification::METHOD => list_changed(
            subscription()?.as_ref(),
            SubscriptionEvent::PromptListChanged,
            |filter| filter.prompts_list_changed,
        ),
        ResourceListChangedNotification::METHOD => list_changed(
            subscription()?.as_ref(),
            SubscriptionEvent::ResourceListChanged,
            |filter| filter.resources_list_changed,
        ),
        ResourceUpdatedNotification::METHOD => {
            let params: ResourceUpdatedNotificationParams = revision.decode(text)?;
            let meta = params.meta.as_ref();
            let id = meta.and_then(|meta| meta.subscription_id.clone());
            let uri = canonical(&params.uri).into_owned();
            let event = SubscriptionEvent::ResourceUpdated(params);
            // The server may report a sub-resource of a watched one.
            deliver(inboxes, id.as_ref(), event, bytes, |filter| {
                let mut watched = filter.resource_subscriptions.iter().flatten();
                watched.any(|watched| uri.starts_with(&*canonical(watched)))
            })
        }
        _ => {
            // Other notifications are delivered if they name their subscription.
            let Ok(Some(id)) = subscription() else {
                return Ok(false);
            };
            let event = SubscriptionEvent::Other {
                method: method.to_owned(),
                params: params.map(ToOwned::to_owned),
            };
            deliver(inboxes, Some(&id), event, bytes, |_| false)
        }
    })
}

/// Delivers an event to the subscription with this id, or without an id to those whose filter it
/// matches. Returns `false` if no subscription matches.
pub(crate) fn deliver(
    inboxes: &Inboxes,
    id: Option<&RequestId>,
    event: SubscriptionEvent,
    bytes: usize,
    wanted: impl Fn(&SubscriptionFilter) -> bool,
) -> bool {
    let receivers = inboxes.of(id, wanted);
    let Some((last, others)) = receivers.split_last() else {
        return false;
    };
    for inbox in others {
        inbox.add(event.clone(), bytes);
    }
    last.add(event, bytes);
    true
}
