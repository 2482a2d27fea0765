//! One attack on one server.

use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::attacks::Attack;
use crate::good::{Endpoint, Era, GoodClient, GoodClients};
use crate::machine;
use crate::options::Options;
use crate::sampler::{Sampler, Samples};
use crate::subject::{Running, Subject};
use crate::target::Target;
use crate::verdict::MEMORY;

/// How long the good clients continue after an attack.
const AFTERMATH: Duration = Duration::from_millis(100);

/// The interval at which the start of an attack is checked.
const PREPARING: Duration = Duration::from_millis(5);

/// The p99 of a server's good calls without an attack, once it is measured.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Quiet(Option<Duration>);

/// The measurements of an attack.
#[derive(Clone, Debug)]
pub(crate) struct Measured {
    /// p99 of good calls without an attack.
    pub(crate) quiet: Duration,
    /// p99 of good calls during the attack.
    pub(crate) p99: Duration,
    /// The longest time that a good call waited, or that one message kept a thread busy.
    pub(crate) blocked: Duration,
    /// `None` if the process is unknown.
    pub(crate) memory: Option<Memory>,
    /// The number of good calls during the attack, including those that were due while another one
    /// waited.
    pub(crate) calls: usize,
    /// The number of good calls without a good response.
    pub(crate) failed: usize,
    /// The most frequent error.
    pub(crate) fault: Option<String>,
    /// A description of what the attacker did.
    pub(crate) tally: String,
}

/// Bytes of the server in memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Memory {
    pub(crate) before: u64,
    pub(crate) peak: u64,
    pub(crate) after: u64,
}

/// Starts the server, plays the attack, and measures.
pub(crate) fn play(
    attack: &Attack,
    subject: &Subject,
    quiet: &mut Quiet,
    options: &Options,
    most_connections: usize,
) -> Result<Measured> {
    let mut running = subject.start()?;
    let endpoint = Endpoint {
        address: running.address,
        path: running.path.clone(),
        tool: subject.tool.clone(),
        needs_token: subject.issuer.is_some(),
        has_sessions: subject.has_sessions,
        patience: options.call_time(),
    };
    let quiet = match quiet.0 {
        // A short run measures the quiet values once for each server.
        Some(known) if options.quick => known,
        _ => *quiet
            .0
            .insert(calls(&endpoint, &running, options.quiet_time())?),
    };

    let idle = subject
        .has_sessions
        .then(|| GoodClient::connect(&endpoint, Era::Session, false))
        .transpose()?;
    let before = running.memory();
    let watch = Sampler::start(running.pid.as_deref());
    let clients = GoodClients::start(&endpoint)?;
    let target = Target::new(
        running.address,
        &running.path,
        &subject.tool,
        most_connections,
        attack.many,
        subject.issuer.as_deref(),
    );
    let played = assault(attack, &target, attack.time(options.quick));
    thread::sleep(AFTERMATH);
    let mut record = clients.finish()?;
    let samples = watch.finish();
    running.check_alive()?;
    played?;
    if let Some(mut idle) = idle
        && let Err(error) = idle.call()
    {
        record.fail(format!("a session from before the attack: {error:#}"));
    }
    let memory = before.and_then(|before| settle(&running, before, &samples, options));
    let latencies = record.latencies(&samples);
    Ok(Measured {
        quiet,
        p99: latencies.p99(),
        blocked: if attack.one_at_a_time {
            latencies.longest().max(samples.longest_run)
        } else {
            latencies.longest()
        },
        memory,
        calls: latencies.count(),
        failed: record.failed(),
        fault: record.fault().map(str::to_owned),
        tally: target.tally().to_string(),
    })
}

/// Makes good calls without an attack and returns their p99.
fn calls(endpoint: &Endpoint, running: &Running, time: Duration) -> Result<Duration> {
    let watch = Sampler::start(running.pid.as_deref());
    let clients = GoodClients::start(endpoint).context("without an attack")?;
    thread::sleep(time);
    let record = clients.finish()?;
    if let Some(fault) = record.fault()
        && running.is_fresh()
    {
        return Err(anyhow!("without an attack: {fault}"));
    }
    Ok(record.latencies(&watch.finish()).p99())
}

/// Runs an attack on its own thread. Its connections are closed when this function returns.
fn assault(attack: &Attack, target: &Target, time: Duration) -> Result<()> {
    let (play, target) = (attack.play, target.clone());
    let attacker = thread::spawn(move || -> Result<()> {
        machine::lower_priority()?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let played = runtime.block_on(async {
            let mut attack = JoinSet::new();
            attack.spawn(play(target.clone()));
            // The messages are prepared first; this time is not counted.
            let mut ended = None;
            while ended.is_none() && !target.tally().has_begun() {
                ended = timeout(PREPARING, attack.join_next()).await.ok();
            }
            match ended {
                Some(ended) => ended,
                // An attack does not have to end by itself.
                None => timeout(time, attack.join_next()).await.ok().flatten(),
            }
        });
        let played = played.transpose()?.unwrap_or(Ok(()));
        played.context("the attack could not be played")
    });
    let played = attacker.join();
    played.map_err(|_| anyhow!("the attacker's thread panicked"))?
}

/// Waits until memory is within its bound again, for at most some seconds.
fn settle(running: &Running, before: u64, samples: &Samples, options: &Options) -> Option<Memory> {
    let end = Instant::now() + options.settle_time();
    loop {
        let after = running.memory()?;
        if after <= before + MEMORY || Instant::now() > end {
            let highest = samples.peak.unwrap_or(after);
            let peak = running.peak_memory().unwrap_or(highest).max(after);
            return Some(Memory {
                before,
                peak,
                after,
            });
        }
        thread::sleep(Duration::from_millis(100));
    }
}
