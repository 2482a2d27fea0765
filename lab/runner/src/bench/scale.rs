//! `cargo xtask bench scale`: what sessions, streams and changes cost, and what they ask of a store.

mod changes;
mod connection;
mod memory;
mod store;
mod streams;

use std::fs;

use anyhow::{Context as _, Result, bail, ensure};
use clap::Args;
use tokio::runtime::{Builder, Runtime};

use crate::{services, subject};

/// Measures many sessions, streams and changes, and what they ask of a store
///
/// Runs the example `everything` of mcp-server, alone and with Redis and PostgreSQL, which it starts;
/// prints what sessions, subscriptions, changes and resumed streams ask of the store, the memory of
/// 10,000 sessions and of 10,000 streams, and how soon 10,000 streams have changes, see
/// docs/scale.md.
#[derive(Args)]
pub(crate) struct Options {
    /// Measures for a short time only
    #[arg(long)]
    quick: bool,
    /// The only part
    #[arg(long, value_name = "PART", value_parser = ["store", "memory", "changes"])]
    only: Option<String>,
}

/// How much is measured.
struct Size {
    /// How often the store is asked for each thing.
    times: usize,
    /// The number of sessions, and of streams that are open at the same time.
    open: usize,
    /// The number of changes per second.
    rate: u32,
    /// For how many seconds resources change.
    seconds: u32,
}

/// Runs the command.
pub(super) fn run(options: &Options) -> Result<bool> {
    let size = if options.quick {
        Size {
            times: 100,
            open: 500,
            rate: 100,
            seconds: 2,
        }
    } else {
        Size {
            times: 1_000,
            open: 10_000,
            rate: 1_000,
            seconds: 10,
        }
    };
    if let Some(why) = services::missing() {
        bail!("{why}");
    }
    has_descriptors(size.open)?;
    let program = subject::build_for_speed("mcp-server", "everything")?;
    let only = options.only.as_deref();
    let wants = |part: &str| only.is_none_or(|only| only == part);
    if wants("store") {
        store::run(&program, size.times)?;
    }
    if wants("memory") {
        memory::run(&program, size.open)?;
    }
    if wants("changes") {
        changes::run(&program, &size)?;
    }
    Ok(true)
}

/// Returns a runtime of one thread, which leaves the other processors to the server.
fn runtime() -> Result<Runtime> {
    Ok(Builder::new_current_thread().enable_all().build()?)
}

/// Checks that this process and the server, which inherits the limit, may have that many connections.
fn has_descriptors(count: usize) -> Result<()> {
    let limits = fs::read_to_string("/proc/self/limits")?;
    let line = limits
        .lines()
        .find_map(|line| line.strip_prefix("Max open files"));
    let limit = line.and_then(|line| line.split_whitespace().next());
    let limit = limit.context("no limit of open files")?;
    // `unlimited` is no number.
    let is_enough = limit
        .parse()
        .map_or(true, |limit: usize| limit > count + 100);
    ensure!(
        is_enough,
        "{limit} open files are allowed; run `ulimit -n {}` before",
        count + 1_000
    );
    Ok(())
}
