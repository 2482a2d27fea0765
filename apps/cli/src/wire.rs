//! [`Wire`]: checks each message of the server against the schema of its revision.

pub(crate) mod finding;
pub(crate) mod rules;

use std::fmt::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use mcp_client::middleware::{Direction, Middleware, Next, Notification, Outcome, Request};
use mcp_client::types::error::DecodeError;
use mcp_client::types::json::{self, Value};
use mcp_client::types::{Revision, Sender};
use mcp_types::registry;
use tracing::field::{Field, Visit};
use tracing::{Event, Level as TracingLevel, Subscriber};
use tracing_subscriber::layer::{Context, Layer};

use finding::Findings;

/// The maximum number of answers whose time is kept.
const TIMES: usize = 10_000;

/// What the messages of a server show. Clones share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wire(Arc<Mutex<Seen>>);

#[derive(Debug, Default)]
pub(crate) struct Seen {
    pub(crate) findings: Findings,
    /// The elements of `tools/list`, as the server sent them.
    pub(crate) tools: Vec<Value>,
    /// How long the server took for each answer.
    pub(crate) times: Vec<(String, Duration)>,
    revision: Option<Revision>,
}

impl Wire {
    pub(crate) fn seen(&self) -> MutexGuard<'_, Seen> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Middleware for Wire {
    async fn call(&self, request: Request, next: Next) -> Outcome {
        let (method, revision) = (request.method().to_owned(), request.revision());
        if request.direction() == Direction::ToClient {
            self.seen()
                .params(revision, &method, request.params().get());
            return next.run(request).await;
        }
        let start = Instant::now();
        let outcome = next.run(request).await;
        let mut seen = self.seen();
        if seen.times.len() < TIMES {
            seen.times.push((method.clone(), start.elapsed()));
        }
        if let Ok(response) = &outcome {
            seen.result(revision, &method, response.result().get());
        }
        drop(seen);
        outcome
    }

    fn notify(&self, notification: Notification) -> Option<Notification> {
        if notification.direction() == Direction::ToClient {
            let mut seen = self.seen();
            let revision = seen.revision.unwrap_or(Revision::LATEST);
            let (method, params) = (notification.method(), notification.params().get());
            seen.params(revision, method, params);
        }
        Some(notification)
    }
}

impl Seen {
    /// Checks the params of a request or a notification of the server.
    fn params(&mut self, revision: Revision, method: &str, text: &str) {
        let Some(message) = revision.message(method, Sender::Server) else {
            // Extensions have messages of their own.
            if method.starts_with("notifications/") || !method.contains('/') {
                let text = format!("revision {revision} has no such message of servers");
                self.findings.warning(method, text);
            }
            return;
        };
        let entry = message
            .params
            .and_then(|name| registry::find(revision, name));
        if let Some(entry) = entry {
            self.faults(&format!("{method} params"), &entry.validate(text));
        }
    }

    /// Checks a result.
    fn result(&mut self, revision: Revision, method: &str, text: &str) {
        let value: Value = json::from_str(text).unwrap_or_default();
        let revision = match value.get("protocolVersion").and_then(Value::as_str) {
            // The server chooses the revision in the handshake.
            Some(chosen) if method == "initialize" => chosen.parse().unwrap_or(revision),
            _ => revision,
        };
        self.revision = Some(revision);
        if method == "tools/list" {
            let tools = value.get("tools").and_then(Value::as_array);
            self.tools.extend(tools.into_iter().flatten().cloned());
        }
        let result = revision.message(method, Sender::Client);
        let result = result.and_then(|message| registry::find(revision, message.result?));
        if let Some(result) = result {
            self.faults(method, &result.validate(text));
        }
    }

    fn faults(&mut self, place: &str, faults: &[DecodeError]) {
        for fault in faults {
            self.findings
                .error(format!("{place} {}", fault.path()), fault.message());
        }
    }
}

/// Collects the warnings of the client, which say what it repaired or skipped.
impl<S: Subscriber> Layer<S> for Wire {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let metadata = event.metadata();
        if *metadata.level() > TracingLevel::WARN || !metadata.target().starts_with("mcp_client") {
            return;
        }
        let mut line = Line::default();
        event.record(&mut line);
        let text = format!("{}{}", line.message, line.fields);
        // Events occur while other code of the check runs, but never while it has the lock.
        if let Ok(mut seen) = self.0.try_lock() {
            if line.message.contains("malformed") {
                seen.findings.error("messages", text);
            } else {
                seen.findings.warning("messages", text);
            }
        }
    }
}

/// An event as a line.
#[derive(Default)]
struct Line {
    message: String,
    fields: String,
}

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        // Writing to a `String` does not fail.
        let _ = if field.name() == "message" {
            write!(self.message, "{value:?}")
        } else {
            write!(self.fields, "; {}: {value:?}", field.name())
        };
    }
}
