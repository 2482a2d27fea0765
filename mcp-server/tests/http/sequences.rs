//! For any sequence of client actions: when the clients have disconnected and their sessions are
//! over, the server has no state of them.

mod steps;

use std::fmt::Write as _;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::body::Body;
use http::{Request, StatusCode};
use mcp_server::{HttpConfig, HttpService, Memory};
use proptest::prelude::*;
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tower_service::Service as _;

use super::leaks::{Counted, CountedSessions};
use super::legacy::{initialize, tool};
use super::subject::*;
use steps::{Step, step};

/// Limits that are so low that the last clients cannot be served if any state was left behind.
const REQUESTS: usize = 4;
const SUBSCRIPTIONS: usize = 2;
const SESSIONS: usize = 3;
/// The limit if processes share sessions: no session is evicted.
const SHARED_SESSIONS: usize = 50;

const TOOLS: [&str; 6] = ["echo", "say", "wait", "say_and_wait", "ask", "poll"];
const REVISIONS: [&str; 3] = ["2025-03-26", "2025-06-18", "2025-11-25"];

/// Attached to every request: alive as long as the request is referenced.
#[derive(Clone)]
struct Mark(#[expect(dead_code, reason = "only counted")] Arc<()>);

/// The data from responses.
#[derive(Default)]
struct Seen {
    sessions: Vec<String>,
    events: Vec<String>,
    channels: Vec<String>,
}

struct TwoProcesses {
    /// Two processes that serve one endpoint.
    processes: [HttpService; 2],
    events: [Arc<Counted>; 2],
    sessions: [Arc<CountedSessions>; 2],
    /// The limit of sessions of each process.
    limit: usize,
    go: [Arc<Notify>; 2],
    mark: Arc<()>,
    seen: Arc<Mutex<Seen>>,
    requests: Vec<JoinHandle<()>>,
}

impl TwoProcesses {
    /// Two processes that share all sessions, or none.
    fn new(shared: bool) -> Self {
        let bus = [Arc::new(Memory::new()), Arc::new(Memory::new())];
        let events = [Counted::counted(), Counted::counted()];
        let sessions = [CountedSessions::new(), CountedSessions::new()];
        let (of_two, limit) = if shared {
            ([0, 0], SHARED_SESSIONS)
        } else {
            ([0, 1], SESSIONS)
        };
        let [one, two] = of_two.map(|of| {
            let limits = limits(|limits| {
                limits.concurrent_requests = REQUESTS;
                limits.subscriptions = SUBSCRIPTIONS;
                limits.all_subscriptions = SUBSCRIPTIONS;
                limits.sessions = limit;
            });
            let (server, probe) = server(|builder| {
                let builder = limits(builder).bus(bus[of].clone());
                let builder = builder.event_store(events[of].clone());
                builder.value_store(sessions[of].clone())
            });
            let config = HttpConfig::new().http_sse("/sse");
            (server.into_service(config), probe)
        });
        Self {
            processes: [one.0, two.0],
            events,
            sessions,
            limit,
            go: [one.1.go, two.1.go],
            mark: Arc::default(),
            seen: Arc::default(),
            requests: Vec::new(),
        }
    }

    /// Sends a request to a process and reads the response in a task.
    fn send(
        &mut self,
        at: usize,
        method: &str,
        path: &str,
        headers: &[(&'static str, String)],
        body: String,
    ) {
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in headers {
            request = request.header(*name, value);
        }
        let request = request
            .header("Host", "localhost")
            .extension(Mark(self.mark.clone()));
        let request = request.body(Body::from(body)).expect("a request");
        let mut process = self.processes[at].clone();
        let seen = Arc::clone(&self.seen);
        self.requests.push(tokio::spawn(async move {
            let Ok(response) = process.call(request).await;
            if let Some(id) = response.headers().get("mcp-session-id") {
                let id = id.to_str().expect("ASCII").to_owned();
                seen.lock().expect("sound").sessions.push(id);
            }
            let mut body = Body::new(response.into_body());
            while let Some(text) = next(&mut body).await {
                let mut seen = seen.lock().expect("sound");
                for line in text.lines() {
                    if let Some(id) = line.strip_prefix("id: ") {
                        seen.events.push(id.to_owned());
                    }
                    if let Some(path) = line.strip_prefix("data: /sse") {
                        seen.channels.push(format!("/sse{path}"));
                    }
                }
            }
        }));
    }

    fn session(&self, session: usize) -> Option<Vec<(&'static str, String)>> {
        let seen = self.seen.lock().expect("sound");
        let id = seen
            .sessions
            .get(session.checked_rem(seen.sessions.len())?)?;
        Some(with_header(media(), "Mcp-Session-Id", id))
    }

    fn event(&self, event: usize) -> Option<String> {
        let seen = self.seen.lock().expect("sound");
        seen.events
            .get(event.checked_rem(seen.events.len())?)
            .cloned()
    }

    fn channel(&self, channel: usize) -> Option<String> {
        let seen = self.seen.lock().expect("sound");
        seen.channels
            .get(channel.checked_rem(seen.channels.len())?)
            .cloned()
    }

    /// Sends a request in a session, if there is one.
    fn in_session(&mut self, at: usize, method: &str, session: usize, body: String) {
        if let Some(headers) = self.session(session) {
            self.send(at, method, "/mcp", &headers, body);
        }
    }

    async fn step(&mut self, at: usize, step: Step) {
        match step {
            Step::Initialize { revision } => {
                let body = initialize(REVISIONS[revision % REVISIONS.len()]);
                self.send(at, "POST", "/mcp", &media(), body);
            }
            Step::Call {
                session,
                tool: name,
                id,
            } => {
                let body = tool(id, TOOLS[name % TOOLS.len()]);
                self.in_session(at, "POST", session, body);
            }
            Step::Batch { session, id } => {
                let body = format!("[{},{}]", tool(id, "wait"), tool(id + 1, "say"));
                self.in_session(at, "POST", session, body);
            }
            Step::Cancel { session, id } => {
                let body = format!(
                    r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#
                );
                self.in_session(at, "POST", session, body);
            }
            Step::Answer { session, id } => {
                let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"roots":[]}}}}"#);
                self.in_session(at, "POST", session, body);
            }
            Step::Listen { session } => self.in_session(at, "GET", session, String::new()),
            Step::Resume { session, event } => {
                if let (Some(headers), Some(event)) = (self.session(session), self.event(event)) {
                    let headers = with_header(headers, "Last-Event-ID", &event);
                    self.send(at, "GET", "/mcp", &headers, String::new());
                }
            }
            Step::Delete { session } => self.in_session(at, "DELETE", session, String::new()),
            Step::Modern { tool } => {
                let name = TOOLS[tool % 4];
                self.send(at, "POST", "/mcp", &call_headers(name), call(1, name));
            }
            Step::Subscribe => self.subscribe(at),
            Step::OpenChannel => {
                let accept = with_header(Vec::new(), "Accept", "text/event-stream");
                self.send(at, "GET", "/sse", &accept, String::new());
            }
            Step::PostToChannel { channel, message } => {
                let body = match message % 4 {
                    0 => initialize("2024-11-05"),
                    1 => tool(1, "wait"),
                    2 => tool(2, "ask"),
                    _ => tool(3, "say"),
                };
                if let Some(path) = self.channel(channel) {
                    self.send(at, "POST", &path, &with_header(media(), "Accept", ""), body);
                }
            }
            Step::Disconnect { request } => {
                // Selects one of the newest in most cases, which is probably still running.
                if let Some(at) = self.requests.len().checked_sub(1 + request % 4) {
                    self.requests.remove(at).abort();
                }
            }
            Step::Go => self.go[at].notify_one(),
            Step::Wait { seconds } => tokio::time::sleep(Duration::from_secs(seconds)).await,
        }
    }

    fn subscribe(&mut self, at: usize) {
        let headers = with_header(media(), "MCP-Protocol-Version", "2026-07-28");
        let headers = with_header(headers, "Mcp-Method", "subscriptions/listen");
        let mut body = String::new();
        let _ = write!(
            body,
            r#"{{"jsonrpc":"2.0","id":7,"method":"subscriptions/listen","params":{{"notifications":{{"toolsListChanged":true}},{META}}}}}"#
        );
        self.send(at, "POST", "/mcp", &headers, body);
    }

    /// Disconnects all clients.
    async fn disconnect(&mut self) {
        for request in self.requests.drain(..) {
            request.abort();
            let _ = request.await;
        }
    }

    /// Returns the sessions that are in a store, if none was evicted.
    ///
    /// A request for a session that is being evicted may bring it back, in place of another one. That
    /// one remains in the stores, where requests find it, until it expires there.
    fn kept(&self) -> Vec<String> {
        if self.limit == SESSIONS {
            return Vec::new();
        }
        let events = self.events.iter().flat_map(|store| store.sessions());
        let sessions = self.sessions.iter().flat_map(|store| store.sessions());
        events.chain(sessions).collect()
    }

    /// Checks that no state of any client is left: as many new clients are served as the limits
    /// allow.
    async fn is_empty(&mut self) {
        assert_eq!(self.kept(), [""; 0], "in a store");
        assert_eq!(Arc::strong_count(&self.mark), 1, "requests that are kept");
        let known = std::mem::take(&mut *self.seen.lock().expect("sound"));
        for process in &self.processes {
            for id in &known.sessions {
                let headers = with_header(media(), "Mcp-Session-Id", id);
                assert_eq!(
                    status(process, "GET", "/mcp", &headers).await,
                    StatusCode::NOT_FOUND
                );
            }
        }
        for at in 0..2 {
            // Otherwise a handler might not be waiting.
            let _ = tokio::time::timeout(Duration::from_millis(1), self.go[at].notified()).await;
            // A subscription holds a permit only briefly.
            for _ in 0..SUBSCRIPTIONS {
                self.subscribe(at);
            }
            for _ in 0..REQUESTS {
                self.send(
                    at,
                    "POST",
                    "/mcp",
                    &call_headers("say_and_wait"),
                    call(1, "say_and_wait"),
                );
            }
            for _ in 0..self.limit {
                let accept = with_header(Vec::new(), "Accept", "text/event-stream");
                self.send(at, "GET", "/sse", &accept, String::new());
            }
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
        // The response to a rejected request ends.
        assert!(
            self.requests.iter().all(|request| !request.is_finished()),
            "a place is taken"
        );
        self.disconnect().await;
    }
}

/// Receives the next chunk of a body, as text.
async fn next(body: &mut Body) -> Option<String> {
    use axum::body::HttpBody as _;

    let mut body = std::pin::Pin::new(body);
    let frame = std::future::poll_fn(|task| body.as_mut().poll_frame(task)).await?;
    let data = frame.expect("no error").into_data().expect("data");
    Some(String::from_utf8(data.to_vec()).expect("UTF-8"))
}

async fn status(
    process: &HttpService,
    method: &str,
    path: &str,
    headers: &[(&'static str, String)],
) -> StatusCode {
    let mut request = Request::builder().method(method).uri(path);
    for (name, value) in headers {
        request = request.header(*name, value);
    }
    let request = request.header("Host", "localhost").body(Body::empty());
    let response = process.clone().call(request.expect("a request")).await;
    response.expect("no error").status()
}

/// Yields for a number of turns, so that steps overlap at different points.
async fn turns(count: usize) {
    for _ in 0..count {
        tokio::task::yield_now().await;
    }
}

async fn play(steps: Vec<(usize, Step, usize)>, shared: bool, delete: bool) {
    let mut world = TwoProcesses::new(shared);
    for (at, step, pause) in steps {
        world.step(at, step).await;
        turns(pause).await;
    }
    world.disconnect().await;
    if delete {
        let ids = world.seen.lock().expect("sound").sessions.clone();
        for id in ids {
            let headers = with_header(media(), "Mcp-Session-Id", &id);
            for process in &world.processes {
                status(process, "DELETE", "/mcp", &headers).await;
            }
            turns(64).await;
            assert!(!world.kept().contains(&id), "in a store");
        }
    }
    // Sessions whose id never reached their client expire, too.
    tokio::time::sleep(Duration::from_secs(2 * 3_600)).await;
    world.is_empty().await;
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn disconnected_clients_leave_no_state_behind(
        steps in prop::collection::vec((0..2_usize, step(), 0..16_usize), 1..80),
        shared in any::<bool>(),
        delete in any::<bool>(),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .expect("a runtime");
        runtime.block_on(play(steps, shared, delete));
    }
}
