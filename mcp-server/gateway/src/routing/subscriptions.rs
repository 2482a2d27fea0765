//! Subscriptions of clients, which the gateway repeats at the upstreams.
//!
//! The server of the gateway answers `resources/subscribe` and `subscriptions/listen` itself, and
//! passes changes on. The middleware here sees these requests on their way, and keeps a
//! subscription at each upstream for as long as that of the client lasts.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use mcp_internal::peer_text::PeerDisplay;
use mcp_server::middleware::{Direction, Middleware, Next, Outcome, Request};
use mcp_server::types::error::DecodeError;
use mcp_server::types::json::{self, Object, Value};
use mcp_server::types::{LoggingLevel, SubscriptionFilter};
use mcp_server::{ClientSession, Context, HandlerError};
use tokio::task::JoinSet;

use super::caller::Caller;
use super::questions::set_log_level;
use super::requests::located;
use crate::shared::{Behind, Shared};
use crate::upstream::follower::Follower;

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
                let request = without_hidden(&shared, request)?;
                let filter: Option<SubscriptionFilter> = request.param("notifications")?;
                let _followers = listen(&shared, filter.unwrap_or_default(), &cx).await;
                // The connections of the gateway are closed although the client listens.
                drop(shared);
                next.run(request).await
            }
            "resources/subscribe" => {
                let uri: Option<String> = request.param("uri")?;
                if let Some(hidden) = uri
                    .as_ref()
                    .filter(|uri| located(&shared, uri, &cx).is_none())
                {
                    return Err(HandlerError::resource_not_found(hidden.clone()));
                }
                let subscribed = next.run(request).await?;
                if let (Some(uri), Some(session)) = (uri, cx.session()) {
                    let filter = SubscriptionFilter::new().resource_subscriptions([uri.clone()]);
                    let followers = listen(&shared, filter, &cx).await;
                    shared.sessions.subscribe(&session, uri, followers);
                }
                Ok(subscribed)
            }
            "resources/unsubscribe" => {
                let uri: Option<String> = request.param("uri")?;
                if let (Some(uri), Some(session)) = (uri, cx.session()) {
                    shared.sessions.unsubscribe(&session, &uri);
                }
                next.run(request).await
            }
            "logging/setLevel" => {
                let level: Option<LoggingLevel> = request.param("level")?;
                let answered = next.run(request).await?;
                if let (Some(level), Some(session)) = (level, cx.session()) {
                    pass_level(&shared, level, &session).await;
                }
                Ok(answered)
            }
            _ => next.run(request).await,
        }
    }
}

/// Leaves out the resources that the client does not see.
fn without_hidden(shared: &Shared, request: Request) -> Result<Request, HandlerError> {
    let invalid = |error: DecodeError| HandlerError::invalid_params(error.to_string());
    let mut params: Object = json::from_str(request.params().get()).map_err(invalid)?;
    let uris = params
        .get_mut("notifications")
        .and_then(|filter| filter.get_mut("resourceSubscriptions"))
        .and_then(Value::as_array_mut);
    let Some(uris) = uris else {
        return Ok(request);
    };
    let is_seen = |uri: &str| located(shared, uri, request.context()).is_some();
    uris.retain(|uri| uri.as_str().is_none_or(is_seen));
    request.with_params(&params)
}

/// Sets the level of log messages of the upstream connections of a session.
async fn pass_level(shared: &Shared, level: LoggingLevel, session: &ClientSession) {
    shared.sessions.set_log_level(session, level);
    for behind in shared.upstreams().iter() {
        for link in behind.pool.of_session(session.key()) {
            if let Some(client) = link.connected() {
                let time = behind.pool.upstream.limits.connect_time;
                set_log_level(client, &link, Some(level), time).await;
            }
        }
    }
}

/// Subscribes at each upstream to its part of a filter.
async fn listen(shared: &Arc<Shared>, filter: SubscriptionFilter, cx: &Context) -> Vec<Follower> {
    let upstreams = shared.upstreams();
    let mut of_upstreams: HashMap<usize, Vec<String>> = HashMap::new();
    for uri in filter.resource_subscriptions.iter().flatten() {
        let Some((behind, original)) = located(shared, uri, cx) else {
            continue;
        };
        let at = upstreams
            .iter()
            .position(|known| Arc::ptr_eq(known, &behind));
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
    // At once: an upstream that hangs does not keep the others waiting.
    let mut following = JoinSet::new();
    for (at, behind) in upstreams.iter().enumerate() {
        let uris = of_upstreams.remove(&at).unwrap_or_default();
        if uris.is_empty() && !lists {
            continue;
        }
        let mut part = filter.clone();
        part.resource_subscriptions = (!uris.is_empty()).then_some(uris);
        let (behind, cx) = (Arc::clone(behind), cx.clone());
        following.spawn(async move {
            let followed = follow(&behind, part, &cx).await;
            let note = |error: &HandlerError| {
                let upstream = &*behind.pool.upstream.name;
                tracing::warn!(upstream, error = %PeerDisplay(error), "changes of an upstream are not followed");
            };
            followed.inspect_err(note).ok()
        });
    }
    following.join_all().await.into_iter().flatten().collect()
}

/// Follows the changes of an upstream.
async fn follow(
    behind: &Behind,
    filter: SubscriptionFilter,
    cx: &Context,
) -> Result<Follower, HandlerError> {
    let caller = Caller::of(cx).await?;
    let (lease, client) = behind.pool.listen(&caller.wanted(cx, true)).await?;
    let on_change = Arc::clone(&behind.on_change);
    Ok(Follower::spawn(
        client.listen(filter),
        on_change,
        Some(lease),
        behind.pool.open(),
    ))
}
