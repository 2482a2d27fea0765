//! The measurements, in rounds: a slow phase of the machine affects all servers.

use std::net::SocketAddr;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;
use process::OWN;

use crate::Effort;
use crate::case::{Candidate, Case};
use crate::http;
use crate::pinning::Pinning;
use crate::results;
use crate::sample::{Memory, Sample};
use crate::server::{self, Connection, Process};
use crate::stdio;

/// The measurements of servers.
pub(crate) type Results = results::Results<Round, Candidate>;

/// The measurements of each server in a round.
#[derive(Clone, Default)]
pub(crate) struct Round {
    samples: [Option<Sample>; Candidate::COUNT],
    memory: [Option<Memory>; Candidate::COUNT],
}

impl Round {
    pub(crate) fn sample(&self, candidate: Candidate) -> Option<&Sample> {
        self.samples[candidate.index()].as_ref()
    }

    /// The peak over all widths up to this one.
    pub(crate) fn memory(&self, candidate: Candidate) -> Option<Memory> {
        self.memory[candidate.index()]
    }
}

pub(crate) fn run(folder: &Path, cases: &[Case], effort: &Effort, pinning: &Pinning) -> Results {
    let mut results = Results::new(cases, effort);
    for round in 0..effort.rounds {
        eprintln!("round {} of {}", round + 1, effort.rounds);
        for &case in cases {
            // The order alternates, because the speed of the machine may change during a round.
            let mut order = Candidate::all();
            order.rotate_left(round % Candidate::COUNT);
            let mut subjects = Vec::new();
            for candidate in order {
                if !case.is_served_by(candidate) {
                    continue;
                }
                match Subject::start(folder, case, candidate, pinning) {
                    Ok(subject) => subjects.push(subject),
                    Err(error) => results.fail(case, candidate, &error),
                }
            }
            for &width in case.widths() {
                for subject in &mut subjects {
                    match subject.measure(width, effort.time) {
                        Ok((sample, memory)) => {
                            let round = results.round(case, width, round);
                            round.samples[subject.candidate.index()] = Some(sample);
                            round.memory[subject.candidate.index()] = Some(memory);
                        }
                        Err(error) => results.fail(case, subject.candidate, &error),
                    }
                }
            }
        }
    }
    results
}

/// A running server.
pub(crate) struct Subject {
    case: Case,
    candidate: Candidate,
    process: Process,
    connection: Connection,
    fresh: bool,
}

impl Subject {
    pub(crate) fn start(
        folder: &Path,
        case: Case,
        candidate: Candidate,
        pinning: &Pinning,
    ) -> Result<Self> {
        let (process, connection) = server::start(folder, case, candidate, pinning)?;
        Ok(Self {
            case,
            candidate,
            process,
            connection,
            fresh: true,
        })
    }

    /// Its address, if other clients can reach it, too.
    pub(crate) fn address(&self) -> Option<SocketAddr> {
        match self.connection {
            Connection::Address(address) => Some(address),
            Connection::Pipes(..) => None,
        }
    }

    pub(crate) fn measure(&mut self, width: usize, time: Duration) -> Result<(Sample, Memory)> {
        let fresh = std::mem::replace(&mut self.fresh, false);
        let (case, process) = (self.case, &mut self.process);
        let sample = match &mut self.connection {
            Connection::Address(address) => {
                let (address, path) = (*address, self.candidate.path());
                if fresh {
                    // Idle memory is measured after a first request has succeeded.
                    drop(http::Load::open(address, path, case, 1)?);
                    process.record_idle()?;
                }
                let mut load = http::Load::open(address, path, case, width)?;
                load.run(time / 10, |_| {})?;
                timed(Some(process), width, |each| load.run(time, each))?
            }
            Connection::Pipes(input, output) => {
                let mut load = stdio::Load::open(input, output, case, fresh)?;
                if fresh {
                    process.record_idle()?;
                }
                load.run(width, time / 10, |_| {})?;
                timed(Some(process), width, |each| load.run(width, time, each))?
            }
        };
        Ok((sample, self.process.memory()?))
    }
}

/// Runs a function, and measures time and processor time meanwhile.
pub(crate) fn timed(
    process: Option<&Process>,
    width: usize,
    run: impl FnOnce(&mut dyn FnMut(Duration)) -> Result<(u64, u64)>,
) -> Result<Sample> {
    let mut latencies = Vec::new();
    let cpu = || process.map_or(Ok(Duration::ZERO), Process::cpu);
    let before = (cpu()?, process::cpu(OWN)?, Instant::now());
    let (requests, errors) = run(&mut |latency| {
        if width == 1 {
            latencies.push(latency);
        }
    })?;
    let time = before.2.elapsed();
    let own_cpu = process::cpu(OWN)?.saturating_sub(before.1);
    let server_cpu = cpu()?.saturating_sub(before.0);
    latencies.sort();
    Ok(Sample {
        requests,
        errors,
        time,
        server_cpu,
        own_cpu,
        latency: latencies.get(latencies.len() / 2).copied(),
    })
}
