//! Clients of both eras that work while faults happen, and count what they notice.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use serde_json::json;

use crate::cluster::http::{Client, Events};

/// The time within which every call has an answer or an error, also if the process that served it
/// was killed: others learn of that after 30 to 40 seconds.
const ANSWERED: Duration = Duration::from_secs(60);

/// What all clients noticed.
#[derive(Debug, Default)]
pub(super) struct Noticed {
    /// Calls with a result.
    pub(super) answered: AtomicU64,
    /// Calls with an error, or whose connection was cut before a response began.
    pub(super) refused: AtomicU64,
    /// Calls without either within [`ANSWERED`].
    pub(super) unanswered: AtomicU64,
    /// Streams that were resumed.
    pub(super) resumed: AtomicU64,
    /// Streams in which an event was missing after they were resumed.
    pub(super) gaps: AtomicU64,
    /// Sessions that were unknown although nobody ended them.
    pub(super) lost_sessions: AtomicU64,
}

/// Clients that work in threads until this value is dropped.
pub(super) struct Load {
    stop: Arc<AtomicBool>,
    pub(super) noticed: Arc<Noticed>,
    threads: Vec<JoinHandle<()>>,
}

fn add(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

impl Load {
    /// Starts this number of clients of each era.
    pub(super) fn start(url: &str, count: usize) -> Self {
        let (stop, noticed) = (Arc::<AtomicBool>::default(), Arc::<Noticed>::default());
        let mut threads = Vec::new();
        for at in 0..2 * count {
            let (stop, noticed) = (Arc::clone(&stop), Arc::clone(&noticed));
            let url = url.to_owned();
            threads.push(thread::spawn(move || {
                // Spread over the time of a call.
                thread::sleep(Duration::from_millis(10) * u32::try_from(at).unwrap_or(0));
                if at % 2 == 0 {
                    work_in_sessions(&url, &stop, &noticed);
                } else {
                    work_without(&url, &stop, &noticed);
                }
            }));
        }
        Self {
            stop,
            noticed,
            threads,
        }
    }

    /// Lets all clients finish their calls, and returns what they noticed.
    pub(super) fn end(mut self) -> Arc<Noticed> {
        self.stop.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
        Arc::clone(&self.noticed)
    }
}

/// Requests of 2026-07-28.
fn work_without(url: &str, stop: &AtomicBool, noticed: &Noticed) {
    let client = Client::modern(url);
    let mut id = 0;
    while !stop.load(Ordering::Relaxed) {
        id += 1;
        let started = Instant::now();
        let result = client.call(id, "test_simple_text", &json!({}));
        let result = result.and_then(|mut events| events.result(id));
        count(result.is_ok(), started, noticed);
        thread::sleep(Duration::from_millis(100));
    }
}

fn count(is_answered: bool, started: Instant, noticed: &Noticed) {
    if started.elapsed() > ANSWERED {
        add(&noticed.unanswered);
    } else if is_answered {
        add(&noticed.answered);
    } else {
        add(&noticed.refused);
    }
}

/// Calls of 2025-11-25 whose responses are streams.
fn work_in_sessions(url: &str, stop: &AtomicBool, noticed: &Noticed) {
    let mut id = 0;
    'sessions: while !stop.load(Ordering::Relaxed) {
        let Ok(client) = Client::legacy(url) else {
            add(&noticed.refused);
            thread::sleep(Duration::from_millis(500));
            continue;
        };
        while !stop.load(Ordering::Relaxed) {
            id += 1;
            let started = Instant::now();
            match call(&client, id, started, noticed) {
                Ok(Called::Answered) => count(true, started, noticed),
                Ok(Called::NoSession) => {
                    add(&noticed.lost_sessions);
                    continue 'sessions;
                }
                Err(_) => count(false, started, noticed),
            }
            thread::sleep(Duration::from_millis(100));
        }
        let _ = client.delete();
    }
}

enum Called {
    Answered,
    NoSession,
}

/// Calls a tool that reports progress, and resumes its stream until the response arrives.
fn call(client: &Client, id: u64, started: Instant, noticed: &Noticed) -> Result<Called> {
    let mut events = client.call(id, "test_tool_with_progress", &json!({}))?;
    let mut last: Option<(String, u64)> = None;
    loop {
        if events.status == 404 {
            return Ok(Called::NoSession);
        }
        if events.status == 200 && answered(&mut events, id, &mut last, noticed)? {
            return Ok(Called::Answered);
        }
        let Some((stream, number)) = &last else {
            bail!("refused with {}", events.status);
        };
        let event = format!("{stream}-{number}");
        events = loop {
            if started.elapsed() > ANSWERED {
                bail!("no answer");
            }
            thread::sleep(Duration::from_millis(500));
            match client.get(Some(&event)) {
                Ok(events) if events.status != 503 && events.status != 502 => break events,
                _ => {}
            }
        };
        add(&noticed.resumed);
    }
}

/// Reads a stream. Returns `true` once the response has arrived, and `false` if the stream ended
/// before.
fn answered(
    events: &mut Events,
    id: u64,
    last: &mut Option<(String, u64)>,
    noticed: &Noticed,
) -> Result<bool> {
    while let Ok(Some(event)) = events.next() {
        let name = event.id.as_deref().and_then(|name| name.rsplit_once('-'));
        if let Some((stream, number)) = name {
            let number: u64 = number.parse()?;
            let expected = last.as_ref().map(|(_, number)| number + 1);
            if !event.message.is_null() && expected.is_some_and(|expected| number > expected) {
                add(&noticed.gaps);
            }
            *last = Some((stream.to_owned(), number));
        }
        if event.message["id"] == id {
            if !event.message["error"].is_null() {
                bail!("{}", event.message["error"]);
            }
            return Ok(true);
        }
    }
    Ok(false)
}
