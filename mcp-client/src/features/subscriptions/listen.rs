//! [`run`]: keeps a subscription going.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;
use std::time::Duration;

use mcp_types::json;
use mcp_types::{Request, Revision, SubscriptionsListenRequest};
use tokio::time::{sleep, timeout};

use super::SubscriptionEvent;
use super::inbox::Inbox;
use super::legacy;
use crate::protocol::connection::Core;
use crate::protocol::error::CallError;
use crate::protocol::params::{Params, Part};
use crate::protocol::roundtrip::{Wait, exchange};

/// Listens until the server ends the subscription, or refuses it, or is gone for good.
pub(super) async fn run(core: Arc<Core>, inbox: Arc<Inbox>) {
    let known = Known::new(&core, &inbox);
    let mut patience = Patience::new(&core);
    let end = loop {
        core.life.ready().await;
        let heard = if core.revision() == Revision::LATEST {
            listen(&core, &inbox, &mut patience).await
        } else {
            legacy::listen(&core, &inbox, &mut patience).await
        };
        match heard {
            Ok(()) => break Ok(()),
            Err(error) if is_final(&core, &error) => break Err(error),
            Err(error) => {
                let again = patience.next();
                let error = Arc::new(error);
                inbox.hear(SubscriptionEvent::Interrupted { error, again }, 0);
                sleep(again).await;
            }
        }
    };
    drop(known);
    inbox.end(end);
}

/// Whether there is no use in trying again.
fn is_final(core: &Core, error: &CallError) -> bool {
    core.calls.is_lost() || !matches!(error, CallError::Lost { .. } | CallError::Timeout { .. })
}

/// One request that lasts.
async fn listen(
    core: &Arc<Core>,
    inbox: &Arc<Inbox>,
    patience: &mut Patience,
) -> Result<(), CallError> {
    let method = SubscriptionsListenRequest::METHOD;
    let filter = json::to_value(&inbox.filter).map_err(|error| CallError::Params {
        method,
        source: error.into(),
    })?;
    let ended = exchange(core, method, Wait::endless(), |id| {
        inbox.listen_as(Some(id));
        let params = Params::new().with("notifications", Part::Value(&filter));
        params.described(core, Revision::LATEST, None)
    });
    let mut ended = std::pin::pin!(ended);
    let first = core.limits.call_time;
    tokio::select! {
        // What was said before the end is said.
        biased;
        acknowledged = timeout(first, inbox.acknowledged()) => {
            if acknowledged.is_err() {
                return Err(CallError::Timeout { method, after: first });
            }
        }
        ended = &mut ended => return ended.map(drop),
    }
    patience.restore();
    ended.await.map(drop)
}

/// A subscription that hears, until this is dropped.
struct Known<'a> {
    core: &'a Core,
    inbox: &'a Arc<Inbox>,
}

impl<'a> Known<'a> {
    fn new(core: &'a Core, inbox: &'a Arc<Inbox>) -> Self {
        core.inboxes.add(inbox);
        Self { core, inbox }
    }
}

impl Drop for Known<'_> {
    fn drop(&mut self) {
        self.core.inboxes.remove(self.inbox);
    }
}

/// However short the program wants the wait to be: a server that cannot be reached is not asked in
/// a loop without a pause.
const SHORTEST: Duration = Duration::from_millis(10);

/// How long to wait before the next attempt: each time twice as long.
pub(super) struct Patience {
    first: Duration,
    most: Duration,
    next: Duration,
}

impl Patience {
    fn new(core: &Core) -> Self {
        let first = core.limits.retry_first;
        Self {
            first,
            most: core.limits.retry_most,
            next: first,
        }
    }

    /// It worked.
    pub(super) fn restore(&mut self) {
        self.next = self.first;
    }

    /// Between half of the time and all of it, so that clients that lost the same server do not
    /// come back in the same moment.
    fn next(&mut self) -> Duration {
        let time = self.next.min(self.most).max(SHORTEST);
        self.next = time.saturating_mul(2);
        let chance = RandomState::new().build_hasher().finish() % 512;
        let part = 512 + u32::try_from(chance).unwrap_or_default();
        time / 1024 * part
    }
}
