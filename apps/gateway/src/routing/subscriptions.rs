//! Subscriptions of clients, which the gateway repeats at the upstreams.
//!
//! The server of the gateway answers `resources/subscribe` and `subscriptions/listen` itself, and
//! passes changes on. The middleware here sees these requests on their way, and keeps a
//! subscription at each upstream for as long as that of the client lasts.

use std::sync::{Arc, Weak};
use std::time::Duration;

use mcp_server::middleware::{Direction, Middleware, Next, Notification, Outcome, Request};
use mcp_server::types::error::DecodeError;
use mcp_server::types::json::{self, Object, Value};
use mcp_server::types::peer_text::PeerDisplay;
use mcp_server::types::{LoggingLevel, SubscriptionFilter};
use mcp_server::{ClientSession, Context, HandlerError};
use serde_json::value::RawValue;
use tokio::sync::oneshot;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout};

use super::caller::Caller;
use super::find::located;
use super::questions::set_log_level;
use super::task_states::{WatchedTasks, complete_acknowledgement};
use crate::announcements::readdressed;
use crate::shared::{Begun, Behind, Repeated, Shared};
use crate::upstream::connection::ListenError;
use crate::upstream::follower::Follower;

/// After these times, a subscription is tried again at upstreams where it failed or has ended.
const FIRST_PAUSE: Duration = Duration::from_secs(3);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// How long a client waits for the answers of the upstreams to its subscription.
const PATIENCE: Duration = Duration::from_secs(2);

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
                for behind in shared.upstreams().iter() {
                    behind.lists.note_subscriber();
                }
                let filter: Option<SubscriptionFilter> = request.param("notifications")?;
                let mut filter = filter.unwrap_or_default();
                let tasks = filter.task_ids.take().filter(|ids| !ids.is_empty());
                let tasks = tasks.map(|ids| WatchedTasks::new(&shared, ids, &cx));
                let tasks = tasks.transpose()?;
                let (_repeated, begun) = repeat(&shared, Subscribed::Changes(filter), &cx);
                refused(begun).await?;
                let Some((tasks, states)) = tasks else {
                    // The connections of the gateway are closed although the client listens.
                    drop(shared);
                    return next.run(request).await;
                };
                let repeating = repeat(&shared, Subscribed::Tasks(Arc::clone(&tasks)), &cx);
                let (_repeated, begun) = repeating;
                refused(begun).await?;
                drop(shared);
                let request = request.with_extension(Arc::clone(&tasks));
                tokio::select! {
                    outcome = next.run(request) => outcome,
                    never = tasks.send(states, &cx) => match never {},
                }
            }
            "resources/subscribe" => {
                let uri: Option<String> = request.param("uri")?;
                if let Some(hidden) = uri
                    .as_ref()
                    .filter(|uri| located(&shared, uri, &cx).is_none())
                {
                    return Err(HandlerError::resource_not_found(hidden.clone()));
                }
                let (Some(uri), Some(session)) = (uri, cx.session()) else {
                    return next.run(request).await;
                };
                let filter = SubscriptionFilter::new().resource_subscriptions([uri.clone()]);
                // Kept before the upstreams answer, so that the client can unsubscribe meanwhile.
                let start = || repeat(&shared, Subscribed::Changes(filter), &cx);
                let begun = shared.sessions.subscribe(&session, &uri, start);
                let is_new = begun.is_some();
                let begun = match begun {
                    Some(begun) => refused(begun).await,
                    None => Ok(()),
                };
                let subscribed = match begun {
                    Ok(()) => next.run(request).await,
                    Err(full) => Err(full),
                };
                if is_new && subscribed.is_err() {
                    shared.sessions.unsubscribe(&session, &uri);
                }
                subscribed
            }
            "resources/unsubscribe" => {
                let uri: Option<String> = request.param("uri")?;
                let unsubscribed = next.run(request).await?;
                if let (Some(uri), Some(session)) = (uri, cx.session()) {
                    shared.sessions.unsubscribe(&session, &uri);
                }
                Ok(unsubscribed)
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

    fn notify(&self, notification: Notification) -> Option<Notification> {
        complete_acknowledgement(readdressed(notification)?)
    }
}

/// Waits until the upstreams have answered. Returns the error if one has no place for the
/// subscription: nothing would tell the client of changes.
async fn refused(begun: Begun) -> Result<(), HandlerError> {
    match begun.await {
        Ok(full) => Err(full),
        Err(_) => Ok(()),
    }
}

/// What a client subscribed to.
enum Subscribed {
    Changes(SubscriptionFilter),
    Tasks(Arc<WatchedTasks>),
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

/// Subscribes at each upstream to its part of a subscription, also at those that are added later. The
/// channel is closed when the upstreams of now have answered, or after [`PATIENCE`], or has an error if
/// one has no place for the subscription.
fn repeat(shared: &Arc<Shared>, subscribed: Subscribed, cx: &Context) -> (Repeated, Begun) {
    let mut changes = shared.changes();
    let (shared, cx) = (Arc::downgrade(shared), cx.clone());
    let (open, begun) = oneshot::channel();
    let session = cx.session();
    let repeating = async move {
        let mut open = Some(open);
        let mut followers = Followers::default();
        let mut pause = FIRST_PAUSE;
        loop {
            // Released before the upstreams answer: the gateway ends although clients listen.
            let parts = match shared.upgrade() {
                Some(shared) => match &subscribed {
                    Subscribed::Changes(filter) => parts(&shared, filter, &cx),
                    Subscribed::Tasks(tasks) => tasks.parts(&shared),
                },
                None => return,
            };
            followers.add_missing(parts, &subscribed, &cx);
            if let Some(open) = open.take() {
                // An upstream that hangs does not keep the client waiting.
                let _ = timeout(PATIENCE, followers.answered()).await;
                if let Some(full) = followers.full.take() {
                    let _ = open.send(full);
                    return;
                }
            }
            loop {
                tokio::select! {
                    () = followers.answered(), if followers.is_waiting() => {}
                    others = timeout(pause, changes.changed()) => {
                        if others.is_ok() || !followers.is_complete() {
                            break;
                        }
                        pause = FIRST_PAUSE;
                    }
                }
            }
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    };
    // The session of a client that has gone takes no place at an upstream.
    let repeating = async move {
        match session {
            Some(session) => tokio::select! {
                () = repeating => {}
                () = session.ended() => {}
            },
            None => repeating.await,
        }
    };
    (Repeated(tokio::spawn(repeating).abort_handle()), begun)
}

/// Returns the upstreams that a filter is about, each with its part.
fn parts(
    shared: &Shared,
    filter: &SubscriptionFilter,
    cx: &Context,
) -> Vec<(Arc<Behind>, SubscriptionFilter)> {
    let upstreams = shared.upstreams_for(cx);
    let mut uris = vec![Vec::new(); upstreams.len()];
    for uri in filter.resource_subscriptions.iter().flatten() {
        let Some((behind, original)) = located(shared, uri, cx) else {
            continue;
        };
        let mut all = upstreams.iter().zip(&mut uris);
        if let Some((_, uris)) = all.find(|(known, _)| Arc::ptr_eq(known, &behind)) {
            uris.push(original.into_owned());
        }
    }
    let lists = filter.tools_list_changed == Some(true)
        || filter.prompts_list_changed == Some(true)
        || filter.resources_list_changed == Some(true);
    let parts = upstreams.iter().zip(uris);
    let parts = parts.filter(|(_, uris)| lists || !uris.is_empty());
    let parts = parts.map(|(behind, uris)| {
        // Members that are unknown here are not those of the upstream.
        let mut part = SubscriptionFilter::new();
        part.tools_list_changed = filter.tools_list_changed;
        part.prompts_list_changed = filter.prompts_list_changed;
        part.resources_list_changed = filter.resources_list_changed;
        part.resource_subscriptions = (!uris.is_empty()).then_some(uris);
        (Arc::clone(behind), part)
    });
    parts.collect()
}

/// The upstreams at which a subscription is repeated.
#[derive(Default)]
struct Followers {
    following: Vec<(Weak<Behind>, Follower)>,
    /// Those that have not answered yet.
    waiting: Vec<Weak<Behind>>,
    answers: JoinSet<(Weak<Behind>, Result<Follower, ListenError>)>,
    /// The error of one that has no place for the subscription.
    full: Option<HandlerError>,
    /// The number of upstreams that the subscription is about.
    wanted: usize,
    /// Whether upstreams were subscribed to before.
    is_again: bool,
}

impl Followers {
    /// Returns `true` if the subscription lasts at all upstreams that it is about.
    fn is_complete(&self) -> bool {
        let lasting = self.following.iter();
        lasting.filter(|(_, known)| !known.has_ended()).count() == self.wanted
    }

    fn is_waiting(&self) -> bool {
        !self.answers.is_empty()
    }

    /// Subscribes at the upstreams where the subscription does not last, and forgets those that were
    /// removed.
    fn add_missing(
        &mut self,
        mut parts: Vec<(Arc<Behind>, SubscriptionFilter)>,
        subscribed: &Subscribed,
        cx: &Context,
    ) {
        self.wanted = parts.len();
        let is_again = std::mem::replace(&mut self.is_again, true);
        let mut take = |known: &Weak<Behind>| {
            let is_known = |(behind, _): &(Arc<Behind>, _)| Arc::as_ptr(behind) == known.as_ptr();
            let at = parts.iter().position(is_known);
            at.map(|at| parts.swap_remove(at)).is_some()
        };
        self.following
            .retain(|(known, follower)| !follower.has_ended() && take(known));
        self.waiting.retain(|known| take(known));
        for (behind, part) in parts {
            let cx = cx.clone();
            let tasks = match subscribed {
                Subscribed::Changes(_) => None,
                Subscribed::Tasks(tasks) => Some(Arc::clone(tasks)),
            };
            self.waiting.push(Arc::downgrade(&behind));
            let begun = Instant::now();
            self.answers.spawn(async move {
                let followed = follow(&behind, begun, part, tasks, &cx, is_again).await;
                if let Err(ListenError::Full(error) | ListenError::Failed(error)) = &followed {
                    let upstream = &*behind.pool.upstream.name;
                    tracing::warn!(upstream, error = %PeerDisplay(error), "changes of an upstream are not followed");
                }
                (Arc::downgrade(&behind), followed)
            });
        }
    }

    /// Waits until all upstreams have answered, or one has no place for the subscription. Nothing is
    /// lost if this is dropped.
    async fn answered(&mut self) {
        while let Some(answer) = self.answers.join_next().await {
            let Ok((behind, answer)) = answer else {
                continue;
            };
            self.waiting.retain(|known| !known.ptr_eq(&behind));
            match answer {
                Ok(follower) => self.following.push((behind, follower)),
                Err(ListenError::Full(error)) => {
                    self.full = Some(error);
                    return;
                }
                Err(ListenError::Failed(_)) => {}
            }
        }
        self.waiting.clear();
    }
}

/// Follows the changes of an upstream, or its tasks.
async fn follow(
    behind: &Arc<Behind>,
    begun: Instant,
    filter: SubscriptionFilter,
    tasks: Option<Arc<WatchedTasks>>,
    cx: &Context,
    is_again: bool,
) -> Result<Follower, ListenError> {
    let pool = &behind.pool;
    let caller = Caller::of(cx).map_err(ListenError::Failed)?;
    let (lease, client) = pool.listen(&caller.wanted_without_call(cx, pool)).await?;
    // The client was told that it is subscribed before, so it may have missed changes.
    let is_again = is_again || begun.elapsed() >= PATIENCE;
    Ok(match tasks {
        Some(tasks) => {
            let (states, behind) = (tasks.states.clone(), Arc::downgrade(behind));
            let present = move |params: &RawValue| tasks.present(&behind, params);
            Follower::of_tasks(&client, filter, lease, pool.open(), states, present)
        }
        None => Follower::of_changes(
            &client,
            filter,
            pool.on_change(),
            pool.on_missed(),
            Some(lease),
            pool.open(),
            is_again,
        ),
    })
}
