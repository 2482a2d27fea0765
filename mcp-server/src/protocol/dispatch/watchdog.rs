//! Warns of handlers that block a thread and do not return.
//!
//! One thread checks all threads that poll handlers. It starts with the first poll and ends when
//! nothing was polled for a while.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::thread;
use std::time::{Duration, Instant};

use mcp_types::peer_text::PeerText;

use crate::protocol::core::RequestState;
use crate::util::lock::lock;

/// How long a handler may block its thread before the warning.
const BLOCKED: Duration = Duration::from_secs(5);

/// The time between two checks.
const PAUSE: Duration = Duration::from_secs(1);

/// What a thread polls.
#[derive(Default)]
struct PolledThread {
    request: Option<PolledRequest>,
    /// `true` if something was polled since the last check.
    is_active: bool,
}

struct PolledRequest {
    state: Arc<RequestState>,
    began: Instant,
    is_reported: bool,
}

static THREADS: Mutex<Vec<Weak<Mutex<PolledThread>>>> = Mutex::new(Vec::new());
static IS_RUNNING: AtomicBool = AtomicBool::new(false);

thread_local! {
    static THREAD: Arc<Mutex<PolledThread>> = {
        let thread = Arc::default();
        lock(&THREADS).push(Arc::downgrade(&thread));
        thread
    };
}

/// Watches the poll of a request's handler on this thread, until the guard is dropped.
pub(crate) fn watch(state: &Arc<RequestState>, began: Instant) -> PollGuard {
    let request = PolledRequest {
        state: Arc::clone(state),
        began,
        is_reported: false,
    };
    let outer = replace(Some(request));
    if !IS_RUNNING.load(Ordering::SeqCst) {
        start();
    }
    PollGuard { outer }
}

/// Ends the watching of a poll.
pub(crate) struct PollGuard {
    /// The request whose handler polls this one.
    outer: Option<PolledRequest>,
}

impl Drop for PollGuard {
    fn drop(&mut self) {
        replace(self.outer.take());
    }
}

fn replace(request: Option<PolledRequest>) -> Option<PolledRequest> {
    let replaced = THREAD.try_with(|thread| {
        let mut thread = lock(thread);
        thread.is_active = true;
        std::mem::replace(&mut thread.request, request)
    });
    // A thread that ends is not watched.
    replaced.ok().flatten()
}

fn start() {
    if IS_RUNNING.swap(true, Ordering::SeqCst) {
        return;
    }
    let spawned = thread::Builder::new().name("mcp-watchdog".to_owned());
    if let Err(error) = spawned.spawn(run) {
        tracing::debug!(%error, "handlers that block a thread are not detected");
        IS_RUNNING.store(false, Ordering::SeqCst);
    }
}

fn run() {
    loop {
        thread::sleep(PAUSE);
        if check() {
            continue;
        }
        IS_RUNNING.store(false, Ordering::SeqCst);
        // A poll that began before the store relies on this thread.
        if !check() || IS_RUNNING.swap(true, Ordering::SeqCst) {
            return;
        }
    }
}

/// Writes the warnings. Returns `true` if anything was polled since the last check.
fn check() -> bool {
    let mut any_active = false;
    lock(&THREADS).retain(|thread| {
        let Some(thread) = thread.upgrade() else {
            return false;
        };
        let mut thread = lock(&thread);
        any_active |= std::mem::take(&mut thread.is_active) || thread.request.is_some();
        if let Some(request) = &mut thread.request
            && !request.is_reported
            && request.began.elapsed() >= BLOCKED
        {
            request.is_reported = true;
            warn(&request.state);
        }
        true
    });
    any_active
}

fn warn(state: &RequestState) {
    let tools = state.core.routes.tools.as_ref();
    let tool = state
        .measured
        .tool()
        .and_then(|counter| tools?.name_of(counter));
    tracing::warn!(
        method = %PeerText(&state.method),
        tool,
        "a handler has blocked a thread for {} s and has not returned: use \
         `tokio::task::spawn_blocking` for work that does not await",
        BLOCKED.as_secs()
    );
}
