//! The measurements, in the rounds of those of servers.

use std::path::Path;

use anyhow::{Result, anyhow};

use super::program;
use super::report::{Report, Target, measure};
use crate::Effort;
use crate::case::{Case, Who};
use crate::pinning::Pinning;
use crate::rounds::Subject;

/// All that was measured.
pub(super) struct Results {
    pub(super) rows: Vec<Row>,
    /// Why a client has no figures for a case.
    pub(super) failures: Vec<(Case, Who, String)>,
}

/// A case with so many calls at once.
pub(super) struct Row {
    pub(super) case: Case,
    pub(super) width: usize,
    pub(super) rounds: Vec<Round>,
}

/// What a round says.
#[derive(Clone, Copy, Default)]
pub(super) struct Round {
    /// Requests a second of the load, which knows beforehand what it sends.
    pub(super) load: Option<f64>,
    ours: Option<Report>,
    rmcp: Option<Report>,
}

impl Round {
    pub(super) fn report(&self, who: Who) -> Option<&Report> {
        match who {
            Who::Floor => None,
            Who::Ours => self.ours.as_ref(),
            Who::Rmcp => self.rmcp.as_ref(),
        }
    }
}

pub(super) fn run(folder: &Path, cases: &[Case], effort: &Effort, pinning: &Pinning) -> Results {
    let mut results = Results {
        rows: Vec::new(),
        failures: Vec::new(),
    };
    for &case in cases {
        for &width in case.widths() {
            let rounds = vec![Round::default(); effort.rounds];
            results.rows.push(Row {
                case,
                width,
                rounds,
            });
        }
    }
    for turn in 0..effort.rounds {
        eprintln!("round {} of {}", turn + 1, effort.rounds);
        // Whoever comes first has another machine than whoever comes last.
        let mut order = Who::ALL;
        order.rotate_left(turn % Who::ALL.len());
        let mut known: Option<(Case, Result<Subject>)> = None;
        for row in &mut results.rows {
            let (case, width) = (row.case, row.width);
            if known.as_ref().is_none_or(|(of, _)| *of != case) {
                let floor = Subject::start(folder, case, Who::Floor, pinning);
                known = Some((case, floor));
            }
            let Some((_, floor)) = &mut known else {
                continue;
            };
            let round = &mut row.rounds[turn];
            for who in order {
                let measured = floor.as_mut().map_err(|error| anyhow!("{error:#}"));
                let measured = measured.and_then(|floor| {
                    let Some(program) = program(who) else {
                        round.load = Some(floor.measure(width, effort.time)?.0.rate());
                        return Ok(());
                    };
                    let target = target(floor, folder, case, pinning);
                    let program = folder.join(program);
                    let report = measure(&program, case, width, effort.time, &target)?;
                    match who {
                        Who::Rmcp => round.rmcp = Some(report),
                        _ => round.ours = Some(report),
                    }
                    Ok(())
                });
                if let Err(error) = measured
                    && !results
                        .failures
                        .iter()
                        .any(|of| of.0 == case && of.1 == who)
                {
                    results.failures.push((case, who, format!("{error:#}")));
                }
            }
        }
    }
    results
}

/// The server of the load where others may call it, too; else another one like it.
fn target(floor: &Subject, folder: &Path, case: Case, pinning: &Pinning) -> Target {
    if let Some(address) = floor.address() {
        return Target::Url(format!("http://{address}/mcp"));
    }
    let (program, arguments) = case.command(Who::Floor);
    let mut command = pinning.server(&folder.join(program));
    command.args(arguments);
    Target::Command(command)
}
