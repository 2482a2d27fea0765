//! Subscriptions of clients, which the gateway repeats at the upstreams.
//!
//! The server of the gateway answers `resources/subscribe` and `subscriptions/listen` itself, and
//! passes changes on. The middleware here sees these requests on their way, and keeps a
//! subscription at each upstream for as long as that of the client lasts.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use mcp_client::SubscriptionEvent;
use mcp_server::middleware::{Direction, Middleware, Next, Outcome, Request};
use mcp_server::types::{LoggingLevel, SubscriptionFilter};
use mcp_server::{Change, Context, HandlerError};
use tokio::task::AbortHandle;

use super::caller::Caller;
use super::questions::set_log_level;
use super::requests::located;
use crate::gateway::{Behind, Shared};

/// The subscriptions of sessions, by the key of the session and the URI.
#[derive(Default)]
pub(crate) struct SessionSubscriptions(Mutex<HashMap<(String, String), Listening>>);

impl SessionSubscriptions {
    fn all(&self) -> MutexGuard<'_, HashMap<(String, String), Listening>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the subscriptions of sessions that have ended.
    pub(crate) fn remove_ended(&self) {
        let ended = |listening: &Listening| {
            let session = listening.session.as_ref();
            session.is_some_and(mcp_server::ClientSession::has_ended)
        };
        self.all().retain(|_, listening| !ended(listening));
    }
}

/// A task that passes on changes of an upstream. It ends when this is dropped.
pub(crate) struct Listening {
    task: AbortHandle,
    session: Option<mcp_server::ClientSession>,
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// The middleware of the gateway.
pub(crate) struct Following(pub(crate) Weak<Shared>);

impl Middleware for Following {
    async fn call(&self, request: Request, next: Next) -> Outcome {
        let shared = match request.direction() {
            Direction::ToServer => self.0.upgrade(),
            Direction::ToClient => None,
        };
        let Some(shared) = shared else {
            return next.run(request).await;
        };
        let cx = request.context().clone();
        match request.method() {
            "subscriptions/listen" => {
                let filter: Option<SubscriptionFilter> = request.param("notifications")?;
                let _listening = listen(&shared, filter.unwrap_or_default(), &cx).await?;
                next.run(request).await
            }
            "resources/subscribe" => {
                let uri: Option<String> = request.param("uri")?;
                let subscribed = next.run(request).await?;
                if let (Some(uri), Some(session)) = (uri, cx.session()) {
                    let filter = SubscriptionFilter::new().resource_subscriptions([uri.clone()]);
                    for listening in listen(&shared, filter, &cx).await? {
                        let key = (session.key().to_owned(), uri.clone());
                        shared.subscriptions.all().insert(key, listening);
                    }
                }
                Ok(subscribed)
            }
            "resources/unsubscribe" => {
                let uri: Option<String> = request.param("uri")?;
                if let (Some(uri), Some(session)) = (uri, cx.session()) {
                    let key = (session.key().to_owned(), uri);
                    shared.subscriptions.all().remove(&key);
                }
                next.run(request).await
            }
            "logging/setLevel" => {
                let level: Option<LoggingLevel> = request.param("level")?;
                let answered = next.run(request).await?;
                pass_level(&shared, level, &cx).await;
                Ok(answered)
            }
            _ => next.run(request).await,
        }
    }
}

/// Sets the level of log messages of the upstream connections of a session.
async fn pass_level(shared: &Shared, level: Option<LoggingLevel>, cx: &Context) {
    let Some(session) = cx.session() else {
        return;
    };
    shared.set_level(&session, level);
    for behind in &shared.upstreams {
        for link in behind.pool.of_session(session.key()) {
            if let Some(client) = link.connected() {
                set_log_level(client, &link, level).await;
            }
        }
    }
}

/// Subscribes at each upstream to its part of a filter.
async fn listen(
    shared: &Arc<Shared>,
    filter: SubscriptionFilter,
    cx: &Context,
) -> Result<Vec<Listening>, HandlerError> {
    let mut of_upstreams: HashMap<usize, Vec<String>> = HashMap::new();
    for uri in filter.resource_subscriptions.iter().flatten() {
        let Some((behind, original)) = located(shared, uri, cx) else {
            continue;
        };
        let at = shared
            .upstreams
            .iter()
            .position(|known| std::ptr::eq(known, behind));
        if let Some(at) = at {
            of_upstreams
                .entry(at)
                .or_default()
                .push(original.into_owned());
        }
    }
    let lists = filter.tools_list_changed == Some(true)
        || filter.prompts_list_changed == Some(true)
        || filter.resources_list_changed == Some(true);
    let mut all = Vec::new();
    for (at, behind) in shared.upstreams.iter().enumerate() {
        let uris = of_upstreams.remove(&at).unwrap_or_default();
        if uris.is_empty() && !lists {
            continue;
        }
        let mut part = filter.clone();
        part.resource_subscriptions = (!uris.is_empty()).then_some(uris);
        match follow(behind, part, cx).await {
            Ok(listening) => all.push(listening),
            Err(error) => {
                let upstream = &*behind.pool.upstream.name;
                tracing::warn!(upstream, %error, "changes of an upstream are not followed");
            }
        }
    }
    Ok(all)
}

/// Follows the changes of an upstream.
async fn follow(
    behind: &Behind,
    filter: SubscriptionFilter,
    cx: &Context,
) -> Result<Listening, HandlerError> {
    let caller = Caller::of(cx, None).await?;
    let mut wanted = caller.wanted(cx, true);
    wanted.is_exclusive = false;
    let (lease, client) = behind.pool.listen(&wanted).await?;
    let mut subscription = client.listen(filter);
    let on_change = Arc::clone(&behind.on_change);
    let following = async move {
        // Keeps the connection open.
        let _lease = lease;
        while let Some(event) = subscription.next().await {
            match event {
                Ok(event) => changes(event).for_each(|change| on_change(change)),
                Err(error) => {
                    tracing::warn!(%error, "changes of an upstream are not followed any more");
                    return;
                }
            }
        }
    };
    let task = tokio::spawn(following).abort_handle();
    let session = cx.session();
    Ok(Listening { task, session })
}

/// Returns what may have changed.
fn changes(event: SubscriptionEvent) -> impl Iterator<Item = Change> {
    let changes = match event {
        SubscriptionEvent::ToolListChanged => vec![Change::Tools],
        SubscriptionEvent::PromptListChanged => vec![Change::Prompts],
        SubscriptionEvent::ResourceListChanged => vec![Change::Resources],
        SubscriptionEvent::ResourceUpdated(params) => vec![Change::Resource(params.uri)],
        SubscriptionEvent::Missed | SubscriptionEvent::Interrupted { .. } => {
            vec![Change::Tools, Change::Prompts, Change::Resources]
        }
        _ => Vec::new(),
    };
    changes.into_iter()
}
