//! Plays attacks on a server of this machine over loopback while well-behaved clients make calls,
//! and prints what the clients noticed and how much memory the server used.
//!
//! # How it is measured
//!
//! - **Good calls.** Four clients call a tool: with revision 2026-07-28 and in a session of
//!   2025-11-25, each on a kept connection and on a new connection for each call. Together they
//!   make a call every 10 ms, from 127.0.0.1, on threads of their own. If a call takes so long that
//!   the next ones are due meanwhile, those count as if they had been made when they were due. A
//!   fifth client opens a session before the attack and uses it only afterwards: it must still
//!   exist. If the server has no revision with sessions, all four use 2026-07-28, there is no fifth
//!   one, and attacks in sessions are left out.
//! - **Quiet values.** The same calls are made without an attack, in the same run.
//! - **Blocked.** The longest time that a good call waited for its response. The server runs with
//!   two worker threads on any machine (`TOKIO_WORKER_THREADS`), and if a message blocks only one
//!   of them, the other one answers good calls. Attacks that send one expensive message at a time
//!   are therefore also measured at the threads: the longest processor time that one of those which
//!   the server had before the attack used without a pause (`voluntary_ctxt_switches` and
//!   `schedstat` in `/proc`, every 20 ms, so that up to 40 ms of it are not seen). A worker pauses
//!   when it has nothing to do, which it has not while it handles a message. `--workers 1` shows
//!   the same in the good calls.
//! - **Memory.** The resident set of the server (`VmRSS`) before the attack, at its peak, and after
//!   the attack, as soon as it is within the bound again or after some seconds. Every attack gets a
//!   new server process, unless `--url` names one that runs already.
//! - **The attacker** runs on one thread with low priority (nice 10) and uses other source
//!   addresses than the good clients: 127.0.0.2, and for attacks of many peers 127.0.1.1 and up.
//! - **A busy machine.** A thread of the server or of a client may have to wait for a processor
//!   (run delay in `/proc/PID/task/TID/schedstat`). The server is not the cause of this delay, so
//!   it is subtracted from the calls in flight, except for the time in which other threads of the
//!   server used the processor. A machine that is itself virtual can also stand still without any
//!   trace in `/proc`. Therefore an attack after which calls took too long is played again, twice
//!   at most, on a new server: a fault of the server shows each time. Memory that is not freed and
//!   calls without a good response count the first time.

mod attacks;
mod frames;
mod good;
mod http;
mod issuer;
mod machine;
mod messages;
mod options;
mod peer;
mod proof;
mod report;
mod round;
mod sampler;
mod subject;
mod target;
mod verdict;

use std::process::ExitCode;

use anyhow::Result;

use crate::attacks::AttackedServer;
use crate::options::Options;
use crate::round::Quiet;
use crate::subject::Subject;
use crate::verdict::Breach;

/// Connections that the largest attacks open: one more than servers keep at once by default.
const CONNECTIONS: usize = 10_001;

/// How often an attack is played before its times count as broken bounds.
const PLAYS: u32 = 3;

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// Runs all attacks and prints the results. Returns `true` if the first server kept all bounds.
fn run() -> Result<bool> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let options = Options::parse(&arguments)?;
    let descriptors = machine::raise_descriptors()?;
    if descriptors < CONNECTIONS {
        eprintln!("the limit of open files allows only {descriptors} connections in an attack");
    }
    let attacks = attacks::chosen(&options)?;
    let subjects = options.subjects();
    let protected = options.protected(&issuer::start()?);

    let mut quiet: Vec<Quiet> = subjects.iter().map(|_| Quiet::default()).collect();
    let mut protected_quiet = Quiet::default();
    let mut rows = Vec::new();
    for attack in &attacks {
        let mut outcomes = Vec::new();
        let attacked: Vec<(&Subject, &mut Quiet)> = if attack.server == AttackedServer::Protected {
            Vec::from_iter(
                protected
                    .as_ref()
                    .map(|subject| (subject, &mut protected_quiet)),
            )
        } else {
            let needs_sessions = attack.server == AttackedServer::WithSessions;
            let pairs = subjects.iter().zip(&mut quiet);
            pairs
                .filter(|(subject, _)| subject.has_sessions || !needs_sessions)
                .collect()
        };
        for (subject, quiet) in attacked {
            let mut plays = 1;
            let outcome = loop {
                let outcome = round::play(attack, subject, quiet, &options, descriptors);
                report::progress(attack, subject, &outcome);
                let is_late = outcome.as_ref().is_ok_and(Breach::is_only_of_time);
                if !is_late || plays == PLAYS {
                    break outcome;
                }
                plays += 1;
            };
            outcomes.push(outcome);
        }
        rows.push((attack, outcomes));
    }
    println!();
    report::table(&rows, &subjects, &options);
    Ok(report::summary(&rows))
}
