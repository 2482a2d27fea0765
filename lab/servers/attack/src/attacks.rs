//! The attacks. Each file has those on one subject.

mod bodies;
mod calls;
mod floods;
mod heads;
mod http2;
mod identifiers;
mod sessions;
mod silent;
mod streams;
mod texts;
mod tokens;
mod unread;
mod values;

use std::future::{Future, pending};
use std::pin::Pin;
use std::time::Duration;

use anyhow::{Result, bail};
use tokio::task::JoinSet;
use tokio::time::{Interval, MissedTickBehavior, interval, sleep, timeout};

use crate::options::Options;
use crate::peer::Peer;
use crate::target::Target;

/// A running attack.
type Playing = Pin<Box<dyn Future<Output = Result<()>> + Send>>;

/// Which server an attack needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AttackedServer {
    Open,
    /// The server has sessions.
    WithSessions,
    /// The server requires access tokens.
    Protected,
}

/// Something that a hostile or slow peer does.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attack {
    /// The name, for `--only`.
    pub(crate) name: &'static str,
    /// The description, for the documentation.
    pub(crate) what: &'static str,
    pub(crate) play: fn(Target) -> Playing,
    /// `true` if it uses many source addresses.
    pub(crate) many: bool,
    /// `true` if it sends one message at a time and waits for the response, so that a thread of the
    /// server that does not pause is busy with a single message.
    pub(crate) one_at_a_time: bool,
    pub(crate) server: AttackedServer,
    /// `true` if short runs omit it.
    long_only: bool,
    /// The longest duration in milliseconds, in a short and in a long run.
    lasts: (u64, u64),
}

impl Attack {
    const fn new(name: &'static str, what: &'static str, play: fn(Target) -> Playing) -> Self {
        Self {
            name,
            what,
            play,
            many: false,
            one_at_a_time: false,
            server: AttackedServer::Open,
            long_only: false,
            lasts: (400, 5_000),
        }
    }

    /// Repeats the attack from many addresses.
    const fn by_many(mut self) -> Self {
        self.many = true;
        self
    }

    const fn one_at_a_time(mut self) -> Self {
        self.one_at_a_time = true;
        self
    }

    /// Attacks the server that requires access tokens.
    const fn with_tokens(mut self) -> Self {
        self.server = AttackedServer::Protected;
        self
    }

    /// Attacks only servers that have sessions.
    const fn in_sessions(mut self) -> Self {
        self.server = AttackedServer::WithSessions;
        self
    }

    const fn long_only(mut self) -> Self {
        self.long_only = true;
        self
    }

    const fn lasting(mut self, quick: u64, long: u64) -> Self {
        self.lasts = (quick, long);
        self
    }

    /// Returns the longest duration of the attack.
    pub(crate) fn time(&self, quick: bool) -> Duration {
        let (short, long) = self.lasts;
        Duration::from_millis(if quick { short } else { long })
    }
}

/// Returns the attacks that the options select.
pub(crate) fn chosen(options: &Options) -> Result<Vec<Attack>> {
    let all = [
        texts::ATTACKS,
        values::ATTACKS,
        identifiers::ATTACKS,
        silent::ATTACKS,
        heads::ATTACKS,
        bodies::ATTACKS,
        http2::ATTACKS,
        unread::ATTACKS,
        streams::ATTACKS,
        sessions::ATTACKS,
        calls::ATTACKS,
        floods::ATTACKS,
        tokens::ATTACKS,
    ]
    .concat();
    for name in &options.only {
        if !all.iter().any(|attack| attack.name == name) {
            let names: Vec<&str> = all.iter().map(|attack| attack.name).collect();
            bail!(
                "unknown attack `{name}`; the attacks are {}",
                names.join(", ")
            );
        }
    }
    let wanted = |attack: &Attack| {
        if attack.server == AttackedServer::Protected && !options.has_protected() {
            return false;
        }
        if options.only.is_empty() {
            !(options.quick && attack.long_only)
        } else {
            options.only.iter().any(|name| name == attack.name)
        }
    };
    Ok(all.into_iter().filter(wanted).collect())
}

/// New connections before the attacker waits until the server has accepted them. Otherwise the
/// queue of connections that wait to be accepted could overflow while the machine is busy, and the
/// kernel would let good clients wait for a second, whatever the server does.
const OPENED_AT_ONCE: usize = 50;
const OPENING_INTERVAL: Duration = Duration::from_millis(5);
/// The longest time to wait for that. A server that has reached its limit accepts no connection.
const ACCEPTING: Duration = Duration::from_millis(50);
/// How long each peer waits at least before it acts again, if there are few and many peers.
const REOPENING: [Duration; 2] = [Duration::from_millis(100), Duration::from_secs(1)];
/// The number of peers above which they count as many.
const FEW: usize = 100;
/// The delay between the starts of two peers: they must not all connect at the same time, for the
/// reason above.
const APART: Duration = Duration::from_micros(500);

/// Runs this number of peers, each of which acts repeatedly until the attack is over.
async fn crowd<F, A>(target: Target, peers: usize, act: A) -> Result<()>
where
    F: Future<Output = Result<()>> + Send + 'static,
    A: Fn(Target, usize) -> F + Clone + Send + 'static,
{
    // The set and all peers in it are dropped with this future.
    let mut set = JoinSet::new();
    let mut ticks = ticks(OPENING_INTERVAL);
    let [few, many] = REOPENING;
    let pause = if peers > FEW { many } else { few };
    let mut apart = Duration::ZERO;
    for number in 0..target.at_most(peers) {
        if number > 0 && number % OPENED_AT_ONCE == 0 {
            ticks.tick().await;
            let _ = timeout(ACCEPTING, accepted(&target, number)).await;
        }
        let (target, act) = (target.clone(), act.clone());
        let pause = pause + apart;
        apart += APART;
        set.spawn(async move {
            loop {
                // The reaction of the server is measured elsewhere.
                let _ = act(target.clone(), number).await;
                sleep(pause).await;
            }
        });
    }
    set.join_next().await;
    Ok(())
}

/// Waits until the server has accepted all pending connections. It accepts them in order, so a
/// response on a new connection proves it.
async fn accepted(target: &Target, number: usize) -> Result<()> {
    let mut peer = Peer::open(target, number).await?;
    let request = target.modern("1", "no/such", None, "");
    peer.exchange(&request).await.map(|_| ())
}

/// Sends requests on one connection, at most this number per second, and waits for each response.
async fn volley(target: Target, per_second: u32, requests: Vec<Vec<u8>>) -> Result<()> {
    let mut ticks = ticks(Duration::from_secs(1) / per_second);
    let mut peer = Peer::open(&target, 0).await?;
    for request in requests.iter().cycle() {
        ticks.tick().await;
        let outcome = peer.exchange(request).await;
        if !outcome.is_ok_and(|response| !response.closes) {
            peer = reopen(&target).await;
        }
    }
    Ok(())
}

/// Connects again as soon as the server accepts it.
async fn reopen(target: &Target) -> Peer {
    loop {
        if let Ok(peer) = Peer::open(target, 0).await {
            return peer;
        }
        sleep(Duration::from_millis(20)).await;
    }
}

/// An interval that skips missed ticks.
fn ticks(period: Duration) -> Interval {
    let mut ticks = interval(period);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
    ticks
}

/// Keeps a connection open and neither sends nor reads.
async fn hold(peer: Peer) -> Result<()> {
    pending::<()>().await;
    drop(peer);
    Ok(())
}
