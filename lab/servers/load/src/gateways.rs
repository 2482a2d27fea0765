//! The comparison of gateways: calls of the tool of one server through each of them, and without
//! one. All run in turn, each in its own process on the processor for servers; the server behind
//! them runs beside the load, so that it takes no time from a gateway.

mod table;

use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::Effort;
use crate::case::{Case, Form};
use crate::http;
use crate::pinning::Pinning;
use crate::results::Results;
use crate::rounds::timed;
use crate::sample::Sample;
use crate::server::Process;

/// The server behind the gateways.
const BEHIND: &str = "http-ours";

/// What the calls pass through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Route {
    /// Nothing.
    Direct,
    /// A proxy that only parses JSON.
    Floor,
    Ours,
    Fastmcp,
}

impl Route {
    const ALL: [Self; 4] = [Self::Direct, Self::Floor, Self::Ours, Self::Fastmcp];

    fn name(self) -> &'static str {
        match self {
            Self::Direct => "no gateway",
            Self::Floor => "bare proxy",
            Self::Ours => "mcp-gateway",
            Self::Fastmcp => "fastmcp",
        }
    }
}

/// The gateway of fastmcp: its Python, and a script.
pub(crate) struct Script<'a> {
    pub(crate) python: &'a Path,
    pub(crate) script: &'a Path,
}

/// The measurements of a round, by [`Route`].
type Round = [Option<Sample>; Route::ALL.len()];

/// Measures and prints everything.
pub(crate) fn compare(folder: &Path, fastmcp: Option<&Script<'_>>, effort: &Effort) -> Result<()> {
    let mut cases = Case::all();
    cases.retain(|case| case.form == Form::Json && !case.lean);
    let pinning = Pinning::new();
    let mut results = Results::<Round, Route>::new(&cases, effort);
    for round in 0..effort.rounds {
        eprintln!("round {} of {}", round + 1, effort.rounds);
        for &case in &cases {
            // The order alternates, because the speed of the machine may change during a round.
            let mut order = Route::ALL;
            order.rotate_left(round % Route::ALL.len());
            let command = Command::new(folder.join(BEHIND));
            let (_behind, address) = Process::listening(command)?;
            let mut subjects = Vec::new();
            for route in order {
                let Some(command) = command_of(route, folder, fastmcp, address, &pinning) else {
                    continue;
                };
                match Subject::start(route, command, address) {
                    Ok(subject) => subjects.push(subject),
                    Err(error) => results.fail(case, route, &error),
                }
            }
            for &width in case.widths() {
                for subject in &subjects {
                    match subject.measure(case, width, effort) {
                        Ok(sample) => {
                            let round = results.round(case, width, round);
                            round[subject.route as usize] = Some(sample);
                        }
                        Err(error) => results.fail(case, subject.route, &error),
                    }
                }
            }
        }
    }
    table::print(&results, effort, &pinning);
    Ok(())
}

/// Returns the command of a gateway. `None` if it is not to be measured.
fn command_of(
    route: Route,
    folder: &Path,
    fastmcp: Option<&Script<'_>>,
    behind: SocketAddr,
    pinning: &Pinning,
) -> Option<Command> {
    let mut command = match route {
        // Never started.
        Route::Direct => Command::new(BEHIND),
        Route::Floor => pinning.server(&folder.join("proxy-floor")),
        Route::Ours => pinning.server(&folder.join("gateway-ours")),
        Route::Fastmcp => {
            let fastmcp = fastmcp?;
            let mut command = pinning.server(fastmcp.python);
            command.arg(fastmcp.script);
            command
        }
    };
    command.arg(format!("http://{behind}/mcp"));
    Some(command)
}

/// A running gateway.
struct Subject {
    route: Route,
    process: Option<Process>,
    address: SocketAddr,
}

impl Subject {
    fn start(route: Route, command: Command, behind: SocketAddr) -> Result<Self> {
        let (process, address) = if route == Route::Direct {
            (None, behind)
        } else {
            let (process, address) = Process::listening(command)?;
            (Some(process), address)
        };
        Ok(Self {
            route,
            process,
            address,
        })
    }

    fn measure(&self, case: Case, width: usize, effort: &Effort) -> Result<Sample> {
        let mut load = http::Load::open(self.address, "/mcp", case, width)?;
        load.run(effort.time / 5, |_| {})?;
        timed(self.process.as_ref(), width, |each| {
            load.run(effort.time, each)
        })
    }
}
