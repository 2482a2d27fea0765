//! Subscriptions of clients, which the gateway repeats at the upstreams.
//!
//! The server of the gateway answers `resources/subscribe` and `subscriptions/listen` itself, and
//! passes changes on. The middleware here sees these requests on their way, and keeps a
//! subscription at each upstream for as long as that of the client lasts.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use mcp_server::middleware::{Direction, Middleware, Next, Outcome, Request};
use mcp_server::types::{LoggingLevel, SubscriptionFilter};
use mcp_server::{ClientSession, Context, HandlerError};

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
                let filter: Option<SubscriptionFilter> = request.param("notifications")?;
                let _followers = listen(&shared, filter.unwrap_or_default(), &cx).await;
                next.run(request).await
            }
            "resources/subscribe" => {
                let uri: Option<String> = request.param("uri")?;
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

/// Sets the level of log messages of the upstream connections of a session.
async fn pass_level(shared: &Shared, level: LoggingLevel, session: &ClientSession) {
    shared.sessions.set_log_level(session, level);
    for behind in shared.upstreams().iter() {
        for link in behind.pool.of_session(session.key()) {
            if let Some(client) = link.connected() {
                set_log_level(client, &link, Some(level)).await;
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
    let mut all = Vec::new();
    for (at, behind) in upstreams.iter().enumerate() {
        let uris = of_upstreams.remove(&at).unwrap_or_default();
        if uris.is_empty() && !lists {
            continue;
        }
        let mut part = filter.clone();
        part.resource_subscriptions = (!uris.is_empty()).then_some(uris);
        match follow(behind, part, cx).await {
            Ok(follower) => all.push(follower),
            Err(error) => {
                let upstream = &*behind.pool.upstream.name;
                tracing::warn!(upstream, %error, "changes of an upstream are not followed");
            }
        }
    }
    all
}

/// Follows the changes of an upstream.
async fn follow(
    behind: &Behind,
    filter: SubscriptionFilter,
    cx: &Context,
) -> Result<Follower, HandlerError> {
    let caller = Caller::of(cx).await?;
    let mut wanted = caller.wanted(cx, true);
    wanted.is_exclusive = false;
    let (lease, client) = behind.pool.listen(&wanted).await?;
    let on_change = Arc::clone(&behind.on_change);
    Ok(Follower::spawn(
        client.listen(filter),
        on_change,
        Some(lease),
    ))
}
