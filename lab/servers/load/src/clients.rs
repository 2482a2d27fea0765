//! The comparison of clients: how fast `mcp-client` and the clients of the peers call a tool of the
//! same server, the floor. They run alternately, each in its own process with one thread.

mod report;
mod rounds;
mod table;

use std::path::Path;

use anyhow::Result;
use peers::Peer;

use crate::case::{Candidate, Case};
use crate::pinning::Pinning;
use crate::{Options, draw, weight};

/// Measures and prints everything.
pub(crate) fn compare(folder: &Path, options: &Options<'_>) -> Result<()> {
    let (only, effort) = (options.only, options.effort);
    let mut cases = Case::of_clients();
    cases.retain(|case| case.is_among(only));
    let weights = match only {
        None if effort.builds > 0 => weight::all(folder, hello(), effort.builds)?,
        _ => Vec::new(),
    };
    let pinning = Pinning::new();
    let results = rounds::run(folder, &cases, effort, &pinning);
    table::print(&results, &weights, effort, &pinning);
    draw(options.picture, &table::chart(&results))
}

/// Returns the program of a client.
fn program(candidate: Candidate) -> Option<String> {
    match candidate {
        Candidate::Floor => None,
        Candidate::Ours => Some("client-ours".to_owned()),
        Candidate::Peer(_) => candidate.peer().map(Peer::client),
    }
}

/// Returns the packages of the smallest clients.
fn hello() -> impl Iterator<Item = (Candidate, String)> {
    Candidate::compared().filter_map(|candidate| {
        let client = match candidate.peer() {
            Some(peer) => peer.hello_client()?,
            None => "hello-client-ours".to_owned(),
        };
        Some((candidate, client))
    })
}
