//! The comparison of clients: how fast `mcp-client` and the clients of rmcp and turbomcp call a
//! tool of the same server, the floor. They run alternately, each in its own process with one thread.

mod report;
mod rounds;
mod table;

use std::path::Path;

use anyhow::Result;

use crate::case::{Candidate, Case};
use crate::pinning::Pinning;
use crate::{Options, draw, weight};

const HELLO: [(Candidate, &str); 3] = [
    (Candidate::Ours, "hello-client-ours"),
    (Candidate::Rmcp, "hello-client-rmcp"),
    (Candidate::Turbomcp, "hello-client-turbomcp"),
];

/// Measures and prints everything.
pub(crate) fn compare(folder: &Path, options: &Options<'_>) -> Result<()> {
    let (only, effort) = (options.only, options.effort);
    let mut cases = Case::of_clients();
    cases.retain(|case| case.is_among(only));
    let weights = match only {
        None if effort.builds > 0 => weight::all(folder, &HELLO, effort.builds)?,
        _ => Vec::new(),
    };
    let pinning = Pinning::new();
    let results = rounds::run(folder, &cases, effort, &pinning);
    table::print(&results, &weights, effort, &pinning);
    draw(options.picture, &table::chart(&results))
}

/// Returns the program of a client.
fn program(candidate: Candidate) -> Option<&'static str> {
    match candidate {
        Candidate::Floor => None,
        Candidate::Ours => Some("client-ours"),
        Candidate::Rmcp => Some("client-rmcp"),
        Candidate::Turbomcp => Some("client-turbomcp"),
    }
}
