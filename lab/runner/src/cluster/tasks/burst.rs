//! Many tasks at once, from several addresses.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, JoinHandle, sleep};
use std::time::{Duration, Instant};

use serde_json::json;

use super::TAKEN_OVER;
use super::calls::Caller;
use super::orders::Orders;

/// The number of clients, each with an address of its own, and of the tasks of each.
const CLIENTS: usize = 20;
const TASKS: usize = 50;

/// Clients that start tasks.
pub(super) struct Burst {
    accepted: Arc<AtomicUsize>,
    refused: Arc<AtomicUsize>,
    clients: Vec<JoinHandle<(Caller, Vec<String>)>>,
}

/// What happened to the tasks.
pub(super) struct Ended {
    pub(super) tasks: usize,
    pub(super) refused: usize,
    pub(super) time: Duration,
    pub(super) lost: Vec<String>,
}

impl Burst {
    /// Starts the clients, which try a call again that is refused.
    pub(super) fn start(url: &str) -> Self {
        let (accepted, refused) = (Arc::<AtomicUsize>::default(), Arc::<AtomicUsize>::default());
        let mut clients = Vec::new();
        for at in 0..CLIENTS {
            let caller = Caller::with_address(url, &format!("192.0.2.{at}"));
            let (accepted, refused) = (Arc::clone(&accepted), Arc::clone(&refused));
            clients.push(thread::spawn(move || {
                let mut ids = Vec::new();
                while ids.len() < TASKS {
                    if let Ok(id) = caller.start("order", &json!({"during": 1, "after": 4})) {
                        accepted.fetch_add(1, Ordering::Relaxed);
                        ids.push(id);
                    } else {
                        refused.fetch_add(1, Ordering::Relaxed);
                        sleep(Duration::from_millis(100));
                    }
                }
                (caller, ids)
            }));
        }
        Self {
            accepted,
            refused,
            clients,
        }
    }

    /// Waits until half of the tasks are accepted.
    pub(super) fn is_half(&self) {
        while self.accepted.load(Ordering::Relaxed) < CLIENTS * TASKS / 2 {
            sleep(Duration::from_millis(5));
        }
    }

    /// Waits until all tasks have ended.
    pub(super) fn end(self, orders: &Orders, since: Instant) -> Ended {
        let mut lost = Vec::new();
        let mut tasks = 0;
        thread::scope(|scope| {
            let ending = self.clients.into_iter().map(|client| {
                scope.spawn(move || {
                    let (caller, ids) = client.join().ok()?;
                    let lost = orders.unfinished(&caller, &ids, TAKEN_OVER);
                    Some((ids.len(), lost))
                })
            });
            for client in ending.collect::<Vec<_>>() {
                match client.join() {
                    Ok(Some((count, wrong))) => {
                        tasks += count;
                        lost.extend(wrong);
                    }
                    _ => lost.push("a client panicked".to_owned()),
                }
            }
        });
        Ended {
            tasks,
            refused: self.refused.load(Ordering::Relaxed),
            time: since.elapsed(),
            lost,
        }
    }
}
