//! The common code of all measured clients: their arguments, the loop that makes the calls, and
//! their report.
//!
//! `CLIENT REVISION TOOL WINDOW MILLISECONDS http URL`, or `... stdio PROGRAM ARGUMENT...`. The
//! report is one line of JSON.

use std::error::Error;
use std::future::Future;
use std::time::{Duration, Instant};

use process::OWN;
use serde_json::json;
use tokio::runtime::Builder;
use tokio::task::JoinSet;

/// Any error.
pub type Fault = Box<dyn Error + Send + Sync>;

/// The task of a client, from its arguments.
pub struct Task {
    /// The only revision to offer.
    pub revision: String,
    /// The tool to call, with [`ARGUMENT`].
    pub tool: String,
    /// `true` if the tool reports progress, which the client counts.
    pub reports: bool,
    /// The address of the server.
    pub server: Server,
    window: usize,
    time: Duration,
}

/// How to reach the server.
pub enum Server {
    /// Over HTTP, at this URL.
    Http(String),
    /// Over stdio, by starting this program with these arguments.
    Stdio(String, Vec<String>),
}

/// The only argument of each tool.
pub const ARGUMENT: (&str, &str) = ("name", "benchmark");

/// The text that each tool returns.
pub const TEXT: &str = "Hello, benchmark!";

const USAGE: &str = "usage: CLIENT REVISION TOOL WINDOW MILLISECONDS http URL | stdio PROGRAM...";

/// Runs a client on a single thread.
///
/// # Errors
///
/// Returns the errors of the client, and an error for invalid arguments.
pub fn main<F>(client: impl FnOnce(Task) -> F) -> Result<(), Fault>
where
    F: Future<Output = Result<(), Fault>>,
{
    let mut arguments = std::env::args().skip(1);
    let mut next = || arguments.next().ok_or(USAGE);
    let (revision, tool) = (next()?, next()?);
    let window = next()?.parse()?;
    let time = Duration::from_millis(next()?.parse()?);
    let server = match (next()?.as_str(), next()?) {
        ("http", url) => Server::Http(url),
        ("stdio", program) => Server::Stdio(program, arguments.collect()),
        _ => return Err(USAGE.into()),
    };
    let reports = tool != "greet";
    let runtime = Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(client(Task {
        revision,
        tool,
        reports,
        server,
        window,
        time,
    }))
}

impl Task {
    /// Makes calls for the given time and returns the measurements. A call returns whether the
    /// response was correct; `progress` returns the number of progress notifications that the calls
    /// received.
    ///
    /// # Errors
    ///
    /// Returns the first error of a call.
    pub async fn run<F>(
        &self,
        call: impl Fn() -> F + Clone + Send + 'static,
        progress: impl Fn() -> u64,
    ) -> Result<(), Fault>
    where
        F: Future<Output = Result<bool, Fault>> + Send,
    {
        self.calls(&call, self.time / 10).await?;
        let heard = progress();
        let (start, cpu) = (Instant::now(), process::cpu(OWN)?);
        let mut done = self.calls(&call, self.time).await?;
        let seconds = start.elapsed().as_secs_f64();
        let cpu = process::cpu(OWN)?.saturating_sub(cpu);
        done.latencies.sort_unstable();
        let report = json!({
            "calls": done.calls,
            "errors": done.errors,
            "progress": progress() - heard,
            "seconds": seconds,
            "cpu_seconds": cpu.as_secs_f64(),
            "p50_seconds": done.latency(50),
            "p99_seconds": done.latency(99),
            "peak_bytes": process::peak_memory(OWN)?,
        });
        println!("{report}");
        Ok(())
    }

    async fn calls<F>(
        &self,
        call: &(impl Fn() -> F + Clone + Send + 'static),
        time: Duration,
    ) -> Result<Done, Fault>
    where
        F: Future<Output = Result<bool, Fault>> + Send,
    {
        let mut tasks = JoinSet::new();
        let end = Instant::now() + time;
        for _ in 0..self.window {
            let call = call.clone();
            let alone = self.window == 1;
            tasks.spawn(async move {
                let mut done = Done::default();
                let mut now = Instant::now();
                while now < end {
                    let begun = now;
                    let right = call().await?;
                    now = Instant::now();
                    done.calls += 1;
                    done.errors += u64::from(!right);
                    if alone {
                        done.latencies.push(now - begun);
                    }
                }
                Ok::<_, Fault>(done)
            });
        }
        let mut all = Done::default();
        while let Some(done) = tasks.join_next().await {
            let done = done??;
            all.calls += done.calls;
            all.errors += done.errors;
            all.latencies.extend(done.latencies);
        }
        Ok(all)
    }
}

#[derive(Default)]
struct Done {
    calls: u64,
    errors: u64,
    /// Only measured if one call is in flight at a time.
    latencies: Vec<Duration>,
}

impl Done {
    /// Returns a percentile of sorted latencies.
    fn latency(&self, percent: usize) -> Option<f64> {
        let at = self.latencies.len() * percent / 100;
        self.latencies.get(at).map(Duration::as_secs_f64)
    }
}
