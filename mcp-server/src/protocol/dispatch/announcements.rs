//! Notifications of changes, and the task that sends them to a legacy session.

use std::future::Future;
use std::sync::Arc;

use mcp_types::json::{self, Map};
use mcp_types::meta::SUBSCRIPTION_ID;
use mcp_types::rpc::{self, Message};
use mcp_types::{
    Notification, NotificationMetaObject, NotificationParams, PromptListChangedNotification,
    ResourceListChangedNotification, ResourceUpdatedNotification,
    ResourceUpdatedNotificationParams, Revision, ToolListChangedNotification,
};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::protocol::changes::{Announced, Change, ChangeParams, Interest};
use crate::protocol::core::{Context, Core};
use crate::protocol::dispatch::error_report::for_log;
use crate::protocol::error::handler_error::HandlerError;
use crate::protocol::message::raw_object::object_text;
use crate::protocol::message::{MessageSink, notification};
use crate::protocol::session::Session;
use crate::protocol::session::peer::Peer;

/// Sends notifications of changes to a legacy session, until the future is dropped or the peer
/// disconnects. Changes of lists are sent to every session, changes of resources to those that
/// subscribed and may still read the resource. A client that is `behind` is first told that anything
/// may have changed.
pub(crate) fn send_changes(
    core: &Arc<Core>,
    session: Arc<Session>,
    sink: Arc<dyn MessageSink>,
    behind: bool,
) -> impl Future<Output = ()> + Send + use<> {
    let interest = Interest {
        tools: true,
        prompts: true,
        resources: true,
    };
    let watched = Box::new(Arc::clone(&session));
    let subscriber = core.hub.subscribe(interest, watched);
    if behind {
        subscriber.mark_everything();
    }
    let core = Arc::clone(core);
    // Subscribed before the first poll, so that no change in between is missed.
    async move {
        loop {
            let announced = subscriber.next().await;
            let admitted = is_admitted(&announced.change, &core, &session).await;
            let announced = if admitted {
                Some(announced)
            } else {
                announced.for_everybody()
            };
            let Some(announced) = announced else {
                continue;
            };
            match announcement(session.revision, announced, None) {
                Ok(message) => {
                    let passed = if core.layers.is_empty() {
                        Some(message)
                    } else {
                        client_context(&core, &session).pass_outbound(message)
                    };
                    if let Some(message) = passed
                        && !sink.send(&message).await
                    {
                        return;
                    }
                }
                Err(error) => {
                    tracing::error!(error = %for_log(&error), "cannot encode a notification")
                }
            }
        }
    }
}

/// Returns `true` if the client of a session may be notified of a change.
async fn is_admitted(change: &Change, core: &Arc<Core>, session: &Arc<Session>) -> bool {
    let (Change::Resource(uri), Some(access)) = (change, &core.routes.resource_access) else {
        return true;
    };
    access.admits(uri, &client_context(core, session)).await
}

/// Returns a context of the client of a session, which belongs to no request.
fn client_context(core: &Arc<Core>, session: &Arc<Session>) -> Context {
    let peer = Peer::legacy(Arc::clone(session));
    let method = ResourceUpdatedNotification::METHOD;
    Context::on_behalf_of(core, method, peer, session.notified_caller())
}

/// The maximum size of the params of an announcement, in bytes.
const PARAMS_BYTES: usize = 16 << 10;

const META: &str = "_meta";

/// Encodes the params that an announcement has beside its change.
///
/// # Errors
///
/// The value or its `_meta` is not an object, or the text is longer than 16 KiB.
pub(crate) fn change_params(
    params: &(impl Serialize + ?Sized),
) -> Result<ChangeParams, HandlerError> {
    let text = object_text(params)?;
    if text.get().len() > PARAMS_BYTES {
        return Err(HandlerError::internal(format!(
            "the params of an announcement have {} bytes, the limit is {PARAMS_BYTES}",
            text.get().len()
        )));
    }
    let members: Map<Box<RawValue>> = json::from_str(text.get())?;
    if let Some(meta) = members.get(META) {
        object_text(meta)?;
    }
    Ok((!members.is_empty()).then(|| Arc::from(text)))
}

/// Encodes the notification of a change.
pub(crate) fn announcement(
    revision: Revision,
    announced: Announced,
    meta: Option<NotificationMetaObject>,
) -> Result<Vec<u8>, HandlerError> {
    let Announced { change, params, .. } = announced;
    let message = plain_announcement(revision, change, meta)?;
    let Some(params) = params else {
        return Ok(message);
    };
    let Ok(Message::Notification {
        method,
        params: own,
        ..
    }) = rpc::parse(&message)
    else {
        return Ok(message);
    };
    let own: Map<Box<RawValue>> = match own {
        Some(own) => json::from_str(own.get())?,
        None => Map::new(),
    };
    let mut members: Map<Box<RawValue>> = json::from_str(params.get())?;
    let mut meta: Map<Box<RawValue>> = match members.get(META) {
        Some(meta) => json::from_str(meta.get())?,
        None => Map::new(),
    };
    // That of another server has no meaning for this client.
    meta.remove(SUBSCRIPTION_ID);
    for (name, value) in own {
        if name == META {
            meta.extend(json::from_str::<Map<Box<RawValue>>>(value.get())?);
        } else {
            members.insert(name, value);
        }
    }
    if meta.is_empty() {
        members.remove(META);
    } else {
        members.insert(META, json::to_raw(&meta)?);
    }
    let mut message = Vec::with_capacity(params.get().len() + 256);
    rpc::write_notification(&mut message, &method, Some(&members))?;
    Ok(message)
}

fn plain_announcement(
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
