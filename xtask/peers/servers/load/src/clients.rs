//! The comparison of clients: how fast `mcp-client` and rmcp's client call a tool of the same
//! server, the floor. They take turns, each as a process of its own with one thread.

mod report;
mod rounds;
mod table;

use std::path::Path;

use anyhow::Result;

use crate::case::{Case, Who};
use crate::pinning::Pinning;
use crate::{Effort, weight};

const HELLO: [(Who, &str); 2] = [
    (Who::Ours, "hello-client-ours"),
    (Who::Rmcp, "hello-client-rmcp"),
];

/// Measures and prints everything.
pub(crate) fn compare(folder: &Path, only: Option<&str>, effort: &Effort) -> Result<()> {
    let mut cases = Case::of_clients();
    cases.retain(|case| case.is_among(only));
    let weights = match only {
        None if effort.builds > 0 => weight::all(folder, HELLO, effort.builds)?,
        _ => Vec::new(),
    };
    let pinning = Pinning::new();
    let results = rounds::run(folder, &cases, effort, &pinning);
    table::print(&results, &weights, effort, &pinning);
    Ok(())
}

/// The program of a client.
fn program(who: Who) -> Option<&'static str> {
    match who {
        Who::Floor => None,
        Who::Ours => Some("client-ours"),
        Who::Rmcp => Some("client-rmcp"),
    }
}
