//! The memory of idle sessions and open streams.

use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use anyhow::{Context as _, Result};
use tokio::runtime::Runtime;

use super::connection::address;
use super::streams::{open, start_sessions};
use crate::cluster::processes::{Cluster, Program};
use crate::subject::Subject;
use crate::workspace;

/// How long a server has to finish what was asked, before its memory is read.
const SETTLE: Duration = Duration::from_secs(2);

pub(super) fn run(program: &Path, count: usize) -> Result<()> {
    let limit = (count + 1_000).to_string();
    let folder = workspace::target()?.join("bench-scale");
    let options = ["--connections", &limit];
    println!("\n{count} of each | memory of the process, KiB each");
    println!("--- | ---");
    let alone = || Subject::start(program, &[&["--port", "0"], &options[..]].concat(), &folder);
    let server = alone()?;
    sessions("", &server.url, server.id(), count)?;
    drop(server);
    let server = alone()?;
    subscriptions(&server.url, server.id(), count)?;
    drop(server);
    let cluster = Cluster::start(
        Program::Everything(program.to_owned()),
        "redis",
        &folder,
        1,
        &options,
    )?;
    let id = cluster.ids().next().context("no process")?;
    sessions(", with a store", &cluster.url_of(0), id, count)
}

fn sessions(how: &str, url: &str, process: u32, count: usize) -> Result<()> {
    let (server, runtime) = (address(url)?, super::runtime()?);
    let memory = Memory::warm(process, &runtime, || start_sessions(server, 1))?;
    let ids = runtime.block_on(start_sessions(server, count))?;
    let memory = memory.print(&format!("an idle session{how}"), count);
    let streams = runtime.block_on(open(server, count, Some(&ids)))?;
    memory.print(&format!("an open stream of a session{how}"), count);
    drop(streams);
    Ok(())
}

fn subscriptions(url: &str, process: u32, count: usize) -> Result<()> {
    let (server, runtime) = (address(url)?, super::runtime()?);
    let memory = Memory::warm(process, &runtime, || open(server, 1, None))?;
    let streams = runtime.block_on(open(server, count, None))?;
    memory.print("an open stream of a subscription", count);
    drop(streams);
    Ok(())
}

/// The memory of a process before something is opened.
struct Memory {
    process: u32,
    kib: u64,
}

impl Memory {
    /// Reads the memory after the first use, which loads code.
    fn warm<T, F>(process: u32, runtime: &Runtime, first: impl FnOnce() -> F) -> Result<Self>
    where
        F: Future<Output = Result<T>>,
    {
        runtime.block_on(first())?;
        Ok(Self::read(process))
    }

    fn read(process: u32) -> Self {
        sleep(SETTLE);
        let kib = system::memory(&process.to_string()).map_or(0, |bytes| bytes >> 10);
        Self { process, kib }
    }

    /// Prints by how much the memory has grown, and returns the current one.
    #[expect(clippy::cast_precision_loss, reason = "few digits are printed")]
    fn print(&self, what: &str, count: usize) -> Self {
        let now = Self::read(self.process);
        let grown = now.kib.saturating_sub(self.kib) as f64;
        println!("{what} | {:.1}", grown / count as f64);
        now
    }
}
