//! `resources/subscribe` and `resources/unsubscribe` with several URIs: the subscriptions of a
//! client of the newest revision on a connection.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use mcp_types::rpc::ErrorObject;
use mcp_types::{
    EmptyResult, Proposal, SubscribeResourcesRequestParams, UnsubscribeResourcesRequestParams,
    revision::Versioned,
};

use super::change_notifier::{ChangeNotifier, NotifiedVersions};
use crate::features::resources::catalog::ResourceCatalog;
use crate::features::subscriptions::admission;
use crate::features::subscriptions::admission::{can_subscribe, lists_change};
use crate::protocol::caller::connection_scope::{ConnectionScope, ScopeHandle};
use crate::protocol::changes::{Change, Interest, Subscriber, Watched};
use crate::protocol::core::{Context, ResponseFuture};
use crate::protocol::dispatch::error_report::for_log;
use crate::protocol::dispatch::respond;
use crate::protocol::dispatch::sizes::check_uri;
use crate::protocol::error::handler_error::{HandlerError, bad_params};
use crate::protocol::error::method_not_found;
use crate::protocol::limits::SUBSCRIBED_BYTES;
use crate::protocol::message::MessageSink;
use crate::util::lock::lock;
use crate::util::uri_set::UriSet;

/// The resources that the client of a connection subscribed to. Dropped with the connection.
#[derive(Default)]
pub(crate) struct ResourceSubscriptions(Mutex<Subscriptions>);

#[derive(Default)]
struct Subscriptions {
    uris: UriSet,
    /// Notifies the client as it was when it subscribed last. Only one is kept, so that a client
    /// cannot make the server keep many.
    notifier: Option<Arc<ChangeNotifier>>,
    notified: Arc<NotifiedVersions>,
}

impl Watched for Arc<ResourceSubscriptions> {
    fn contains(&self, uri: &str) -> bool {
        self.has(uri)
    }

    fn all(&self) -> Vec<String> {
        lock(&self.0).uris.all().to_vec()
    }
}

impl ResourceSubscriptions {
    /// Adds all URIs, or none if they exceed the limits.
    fn add(
        self: &Arc<Self>,
        uris: BTreeSet<String>,
        cx: &Context,
        resources: &Arc<ResourceCatalog>,
        scope: &ConnectionScope,
    ) -> Result<(), HandlerError> {
        let limit = cx.core().limits.subscribed_resources;
        let versions = Arc::clone(&lock(&self.0).notified);
        let notifier = ChangeNotifier::new(cx, resources, versions);
        let mut state = lock(&self.0);
        let mut added = UriSet::default();
        for uri in uris {
            if !state.uris.contains(&uri) {
                added.insert(&uri);
            }
        }
        if state.uris.all().len() + added.all().len() > limit {
            return Err(too_many(limit));
        }
        if state.uris.bytes() + added.bytes() > SUBSCRIBED_BYTES {
            let what = format!("$.uris: more than {SUBSCRIBED_BYTES} bytes on this connection");
            return Err(HandlerError::invalid_params(what));
        }
        for uri in added.into_all() {
            state.notified.forget(&uri);
            state.uris.insert(&uri);
        }
        let first = state.notifier.replace(notifier).is_none();
        drop(state);
        if first {
            // Before the response, so that later changes are announced.
            let interest = Interest {
                resources: lists_change(cx.core()),
                ..Interest::default()
            };
            let subscriber = cx
                .core()
                .hub
                .subscribe(interest, Box::new(Arc::clone(self)));
            let sink = Arc::clone(&cx.state.sink);
            scope.spawn(Box::pin(send_notifications(
                Arc::clone(self),
                subscriber,
                sink,
            )));
        }
        Ok(())
    }

    fn remove(&self, uris: &[String]) {
        let mut state = lock(&self.0);
        for uri in uris {
            state.uris.remove(uri);
        }
    }

    fn has(&self, uri: &str) -> bool {
        lock(&self.0).uris.contains(uri)
    }

    /// Returns `true` if the client is notified of a change: of a resource that it subscribed to,
    /// and of the list as long as it has any subscription.
    fn wants(&self, change: &Change) -> bool {
        match change {
            Change::Resource(uri) => self.has(uri),
            _ => !lock(&self.0).uris.all().is_empty(),
        }
    }
}

/// Notifies the client of changes until it is dropped or the connection ends.
async fn send_notifications(
    subscribed: Arc<ResourceSubscriptions>,
    changes: Arc<Subscriber>,
    sink: Arc<dyn MessageSink>,
) {
    loop {
        changes.ready().await;
        sink.ready().await;
        let Some(announced) = changes.take() else {
            continue;
        };
        let Some(notifier) = lock(&subscribed.0).notifier.clone() else {
            continue;
        };
        let change = announced.change.clone();
        match notifier.message(announced, None).await {
            // The client may have unsubscribed meanwhile.
            Ok(Some(message)) if subscribed.wants(&change) => {
                let passed = notifier.cx.pass_outbound(message);
                if let Some(message) = passed
                    && !sink.send(&message).await
                {
                    return;
                }
            }
            Ok(_) => {}
            Err(error) => tracing::error!(error = %for_log(&error), "a change cannot be announced"),
        }
    }
}

/// Handles `resources/subscribe` of the newest revision.
pub(crate) fn subscribe(
    cx: &Context,
    params: &str,
    resources: &Arc<ResourceCatalog>,
) -> Result<ResponseFuture, HandlerError> {
    let (subscribed, scope) = of_connection(cx)?;
    let params: SubscribeResourcesRequestParams = read(cx, params)?;
    check_uris(cx, &params.uris)?;
    let limit = cx.core().limits.subscribed_resources;
    let uris: BTreeSet<String> = params.uris.into_iter().collect();
    // Checked before the guards, so that a request runs at most one for each possible subscription.
    if uris.len() > limit {
        return Err(too_many(limit));
    }
    let (cx, resources) = (cx.clone(), Arc::clone(resources));
    Ok(Box::pin(async move {
        for uri in &uris {
            admission::check(uri, &cx, &resources).await?;
        }
        subscribed.add(uris, &cx, &resources, &scope)?;
        respond::result(&cx, EmptyResult::new())
    }))
}

fn too_many(limit: usize) -> HandlerError {
    let what = format!("$.uris: more than {limit} subscriptions on this connection");
    HandlerError::invalid_params(what)
}

/// Handles `resources/unsubscribe` of the newest revision.
pub(crate) fn unsubscribe(cx: &Context, params: &str) -> Result<Vec<u8>, HandlerError> {
    let (subscribed, _) = of_connection(cx)?;
    let params: UnsubscribeResourcesRequestParams = read(cx, params)?;
    check_uris(cx, &params.uris)?;
    subscribed.remove(&params.uris);
    respond::result(cx, EmptyResult::new())
}

fn check_uris(cx: &Context, uris: &[String]) -> Result<(), HandlerError> {
    let mut uris = uris.iter().enumerate();
    uris.try_for_each(|(at, uri)| check_uri(cx.core(), format_args!("$.uris[{at}]"), uri))
}

/// Returns the subscriptions of the connection that the request arrived on.
fn of_connection(
    cx: &Context,
) -> Result<(Arc<ResourceSubscriptions>, Arc<ConnectionScope>), HandlerError> {
    let core = cx.core();
    if !core.offers(Proposal::VersionedResources) || !can_subscribe(core) {
        return Err(HandlerError::from(method_not_found(cx.method())));
    }
    let scope = cx.extension::<ScopeHandle>();
    let found = scope.and_then(|scope| {
        let scope = scope.0.upgrade()?;
        Some((scope.attached()?, scope))
    });
    found.ok_or_else(|| {
        HandlerError::from(ErrorObject::method_not_found(format!(
            "no method `{}` over HTTP, where nothing connects the requests of this revision: use \
             `subscriptions/listen` with `resourceSubscriptions`",
            cx.method()
        )))
    })
}

fn read<T: Versioned>(cx: &Context, params: &str) -> Result<T, HandlerError> {
    cx.revision()
        .decode(params)
        .map_err(|error| bad_params(cx.method(), &error))
}
