//! Well-behaved clients.

mod calls;
mod client;
mod record;

use std::net::SocketAddrV4;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use anyhow::{Result, anyhow};

pub(crate) use self::client::{Era, GoodClient};
pub(crate) use self::record::Record;

/// The interval between two calls of a client.
const INTERVAL: Duration = Duration::from_millis(40);

/// A tool that responds immediately.
#[derive(Clone, Debug)]
pub(crate) struct Tool {
    pub(crate) name: String,
    /// The arguments, as JSON.
    pub(crate) arguments: String,
}

/// The server and the tool that good clients call.
#[derive(Clone, Debug)]
pub(crate) struct Endpoint {
    pub(crate) address: SocketAddrV4,
    pub(crate) path: String,
    pub(crate) tool: Tool,
    /// `true` if the server requires an access token.
    pub(crate) needs_token: bool,
    /// `true` if the server has sessions.
    pub(crate) has_sessions: bool,
    /// How long a call may take.
    pub(crate) patience: Duration,
}

/// Clients that make calls until they are stopped.
pub(crate) struct GoodClients {
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<Record>>,
}

impl GoodClients {
    /// Starts the clients: both eras, each with a kept connection and with new connections. If the
    /// server has no sessions, all of them use the newest revision.
    ///
    /// # Errors
    ///
    /// If the server does not answer the first calls.
    pub(crate) fn start(endpoint: &Endpoint) -> Result<Self> {
        let other = if endpoint.has_sessions {
            Era::Session
        } else {
            Era::Modern
        };
        let kinds = [
            (Era::Modern, true),
            (Era::Modern, false),
            (other, true),
            (other, false),
        ];
        let stop = Arc::new(AtomicBool::new(false));
        let mut threads = Vec::new();
        for (place, (era, keeps)) in (0_u32..).zip(kinds) {
            let mut client = GoodClient::connect(endpoint, era, keeps)?;
            client.call()?;
            let stop = Arc::clone(&stop);
            threads.push(thread::spawn(move || {
                thread::sleep(INTERVAL / 4 * place);
                calls::run(&mut client, INTERVAL, &stop)
            }));
        }
        Ok(Self { stop, threads })
    }

    /// Waits for calls in flight, and returns the measurements of the clients.
    ///
    /// # Errors
    ///
    /// Returns an error if a thread panicked.
    pub(crate) fn finish(self) -> Result<Record> {
        self.stop.store(true, Ordering::Relaxed);
        let mut all = Record::default();
        for thread in self.threads {
            let record = thread.join();
            all.merge(record.map_err(|_| anyhow!("the thread of a good client panicked"))?);
        }
        Ok(all)
    }
}
