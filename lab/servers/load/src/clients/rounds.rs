//! The measurements, in rounds like those of servers.

use std::path::Path;

use anyhow::{Result, anyhow};

use super::program;
use super::report::{Report, Target, measure};
use crate::Effort;
use crate::case::{Candidate, Case};
use crate::pinning::Pinning;
use crate::results;
use crate::rounds::Subject;

/// The measurements of clients.
pub(super) type Results = results::Results<Round, Candidate>;

/// The measurements of a round.
#[derive(Clone, Copy, Default)]
pub(super) struct Round {
    /// Requests per second of the load generator, which prepares its requests in advance.
    pub(super) load: Option<f64>,
    reports: [Option<Report>; Candidate::COUNT],
}

impl Round {
    pub(super) fn report(&self, candidate: Candidate) -> Option<&Report> {
        self.reports[candidate.index()].as_ref()
    }
}

pub(super) fn run(folder: &Path, cases: &[Case], effort: &Effort, pinning: &Pinning) -> Results {
    let mut results = Results::new(cases, effort);
    for turn in 0..effort.rounds {
        eprintln!("round {} of {}", turn + 1, effort.rounds);
        // The order alternates, because the speed of the machine may change during a round.
        let mut order = Candidate::all();
        order.rotate_left(turn % Candidate::COUNT);
        let mut known: Option<(Case, Result<Subject>)> = None;
        for row in 0..results.rows.len() {
            let (case, width) = (results.rows[row].case, results.rows[row].width);
            if known.as_ref().is_none_or(|(of, _)| *of != case) {
                let floor = Subject::start(folder, case, Candidate::Floor, pinning);
                known = Some((case, floor));
            }
            let Some((_, floor)) = &mut known else {
                continue;
            };
            for candidate in order {
                if !case.is_called_by(candidate) {
                    continue;
                }
                let round = results.round(case, width, turn);
                let measured = floor.as_mut().map_err(|error| anyhow!("{error:#}"));
                let measured = measured.and_then(|floor| {
                    let Some(program) = program(candidate) else {
                        round.load = Some(floor.measure(width, effort.time)?.0.rate());
                        return Ok(());
                    };
                    let target = target(floor, folder, case, pinning);
                    let program = folder.join(program);
                    let report = measure(&program, case, width, effort.time, &target)?;
                    round.reports[candidate.index()] = Some(report);
                    Ok(())
                });
                if let Err(error) = measured {
                    results.fail(case, candidate, &error);
                }
            }
        }
    }
    results
}

/// Returns the server of the load generator if others can also call it, or else starts another one
/// of the same kind.
fn target(floor: &Subject, folder: &Path, case: Case, pinning: &Pinning) -> Target {
    if let Some(address) = floor.address() {
        return Target::Url(format!("http://{address}/mcp"));
    }
    let (program, arguments) = case.command(Candidate::Floor);
    let mut command = pinning.server(&folder.join(program));
    command.args(arguments);
    Target::Command(command)
}
