//! Middleware for every day: a log, times, a rate limit, a cache, and a span for each message.
//!
//! ```text
//! cargo run -p mcp-server --example middleware
//! ```

use std::collections::HashMap;
use std::error::Error;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use mcp_server::middleware::{
    self, Direction, Middleware, Next, Notification, Outcome, Request, Response,
};
use mcp_server::{HandlerError, Principal, Server, Stdio};
use serde_json::value::RawValue;
use tracing::Instrument as _;

/// Writes each message in both directions to a log.
struct Log<W>(W);

impl<W: Fn(String) + Send + Sync + 'static> Middleware for Log<W> {
    async fn call(&self, request: Request, next: Next) -> Outcome {
        let (direction, method) = (request.direction(), request.method().to_owned());
        self.0(format!("{direction:?} {method}"));
        let outcome = next.run(request).await;
        self.0(match &outcome {
            Ok(_) => format!("{direction:?} {method}: answered"),
            Err(error) => format!("{direction:?} {method}: {error}"),
        });
        outcome
    }

    fn notify(&self, notification: Notification) -> Option<Notification> {
        let (direction, method) = (notification.direction(), notification.method());
        self.0(format!("{direction:?} {method}"));
        Some(notification)
    }
}

/// Warns of requests that take long.
async fn time(request: Request, next: Next) -> Outcome {
    let (method, start) = (request.method().to_owned(), Instant::now());
    let outcome = next.run(request).await;
    if start.elapsed() > Duration::from_secs(1) {
        eprintln!("{method} took {:?}", start.elapsed());
    }
    outcome
}

/// Admits so many calls of tools of each user in a minute.
struct RateLimit {
    calls: u32,
    /// The start of the current minute, and the calls of each user in it.
    minute: Mutex<(Instant, HashMap<String, u32>)>,
}

impl RateLimit {
    fn new(calls: u32) -> Self {
        let minute = Mutex::new((Instant::now(), HashMap::new()));
        Self { calls, minute }
    }

    fn admits(&self, user: &str) -> bool {
        let mut minute = self.minute.lock().unwrap_or_else(PoisonError::into_inner);
        if minute.0.elapsed() >= Duration::from_secs(60) {
            *minute = (Instant::now(), HashMap::new());
        }
        let calls = minute.1.entry(user.to_owned()).or_default();
        *calls += 1;
        *calls <= self.calls
    }
}

impl Middleware for RateLimit {
    async fn call(&self, request: Request, next: Next) -> Outcome {
        let user = request.context().extension::<Principal>();
        let user = user.map_or("", |Principal(name)| name);
        if request.method() == "tools/call" && !self.admits(user) {
            return Err(HandlerError::busy(Duration::from_secs(60)));
        }
        next.run(request).await
    }
}

/// Keeps the results of one tool for a time. Only for tools whose result depends on nothing but
/// their arguments.
struct Cache {
    tool: &'static str,
    time: Duration,
    /// At most this many results.
    size: usize,
    results: Mutex<HashMap<Key, (Instant, Box<RawValue>)>>,
}

/// The revision, because results have the form of the client's, and the arguments.
type Key = (&'static str, String);

impl Cache {
    fn new(tool: &'static str, time: Duration, size: usize) -> Self {
        let results = Mutex::default();
        Self {
            tool,
            time,
            size,
            results,
        }
    }

    fn get(&self, key: &Key) -> Option<Box<RawValue>> {
        let results = self.results.lock().unwrap_or_else(PoisonError::into_inner);
        let (since, result) = results.get(key)?;
        (since.elapsed() < self.time).then(|| result.clone())
    }

    fn insert(&self, key: Key, result: Box<RawValue>) {
        let mut results = self.results.lock().unwrap_or_else(PoisonError::into_inner);
        if results.len() >= self.size {
            results.clear();
        }
        results.insert(key, (Instant::now(), result));
    }
}

impl Middleware for Cache {
    async fn call(&self, request: Request, next: Next) -> Outcome {
        if request.tool().as_deref() != Some(self.tool) {
            return next.run(request).await;
        }
        let arguments = request.param::<Box<RawValue>>("arguments")?;
        let arguments = arguments.map_or_else(String::new, |arguments| arguments.get().to_owned());
        let cx = request.context().clone();
        let key = (cx.revision().as_str(), arguments);
        if let Some(result) = self.get(&key) {
            return Response::from_json(&cx, &result);
        }
        let response = next.run(request).await?;
        if !response.is_tool_error() && !response.is_input_required() {
            self.insert(key, response.result()?.to_owned());
        }
        Ok(response)
    }
}

/// Runs the handler of each request in a span that names the tool. The server itself has a span for
/// each request already; this one is for names of one's own.
async fn span(request: Request, next: Next) -> Outcome {
    let tool = request.tool().unwrap_or_default();
    let span = match request.direction() {
        Direction::ToServer => tracing::info_span!("shop.request", tool),
        Direction::ToClient => tracing::info_span!("shop.question"),
    };
    next.run(request).instrument(span).await
}

async fn price() -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    format!("the price at {:?}", now.unwrap_or_default())
}

/// Builds the server. The first layer is the outermost: the log sees calls that the limit refuses.
pub(crate) fn server(
    log: impl Fn(String) + Send + Sync + 'static,
) -> Result<Server, impl Error + 'static> {
    Server::builder("shop", "1.0.0")
        .layer(Log(log))
        .layer(middleware::from_fn(time))
        .layer(middleware::from_fn(span))
        .layer(RateLimit::new(100))
        .layer(Cache::new("price", Duration::from_secs(10), 1000))
        .tool("price", "Returns the current price", price)
        .build()
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let lines = Arc::new(Mutex::new(0_u64));
    let server = server(move |line| {
        let mut number = lines.lock().unwrap_or_else(PoisonError::into_inner);
        *number += 1;
        eprintln!("{number}: {line}");
    })?;
    server.serve(Stdio::new()).await?;
    Ok(())
}
