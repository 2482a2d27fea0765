//! Tasks of the extension while their processes and their store fail.

mod burst;
mod calls;
mod orders;
mod states;

use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow, ensure};
use serde_json::{Value, json};

use self::burst::Burst;
use self::calls::Caller;
pub(super) use self::orders::Orders;
use super::COUNT;
use crate::cluster::counts::Counts;
use crate::cluster::processes::Cluster;

/// The number of tasks at each process when it restarts, and when the store fails.
const FEW: usize = 20;
/// How long these tasks take: longer than the grace time.
const LONG: u32 = 12;
/// The time within which a task has ended whose process was killed.
const TAKEN_OVER: Duration = Duration::from_secs(90);

/// Runs the part. Returns what went wrong.
pub(super) fn run(cluster: &mut Cluster, orders: &Orders) -> Result<Vec<String>> {
    let started = Instant::now();
    costs(cluster, orders).context("the costs")?;
    println!("\n| fault | tasks | ended after | refused calls | lost or wrong |");
    println!("| --- | --- | --- | --- | --- |");
    let mut failed = Vec::new();
    let mut row = |name: &str, tasks: usize, time: Duration, refused: usize, lost: Vec<String>| {
        let (seconds, lost_count) = (time.as_secs(), lost.len());
        println!("| {name} | {tasks} | {seconds} s | {refused} | {lost_count} |");
        failed.extend(lost.into_iter().map(|what| format!("{name}: {what}")));
    };

    // Each process ends while it runs some tasks. Others notice it during what follows.
    let mut rolled = Vec::new();
    let rolling = Instant::now();
    for at in 0..COUNT {
        let few = few(cluster, at, LONG)?;
        orders.placed(&few)?;
        rolled.extend(few);
        cluster.terminate(at)?;
        cluster.run(at)?;
    }
    let states = states::prepare(cluster, orders)?;
    let burst = Burst::start(&cluster.url());
    burst.is_half();
    cluster.pause(0);
    states.act(&Caller::new(&cluster.url_of(1)))?;
    cluster.kill(0)?;
    let killed = Instant::now();
    cluster.run(0)?;

    let urls = [cluster.url_of(1), cluster.url_of(2)];
    let (verified, burst) = thread::scope(|scope| {
        let ending = scope.spawn(|| burst.end(orders, killed));
        (states.verify(&urls, orders, killed), ending.join())
    });
    let burst = burst.map_err(|_| anyhow!("the clients panicked"))?;
    let lost = orders.unfinished(&Caller::new(&cluster.url()), &rolled, TAKEN_OVER);
    row("rolling restart", rolled.len(), rolling.elapsed(), 0, lost);
    row(
        "a process is killed, in each state",
        verified.count,
        verified.time,
        0,
        verified.failed,
    );
    row(
        "a process is killed",
        burst.tasks,
        burst.time,
        burst.refused,
        burst.lost,
    );

    let mut running = Vec::new();
    for at in 0..COUNT {
        running.extend(few(cluster, at, LONG)?);
    }
    let failing = Instant::now();
    cluster.store.stop()?;
    sleep(Duration::from_secs(3));
    cluster.store.run()?;
    cluster.store.stall(true);
    sleep(Duration::from_secs(6));
    cluster.store.stall(false);
    let lost = orders.unfinished(&Caller::new(&cluster.url()), &running, TAKEN_OVER);
    row(
        "the store restarts, and stalls for 6 s",
        running.len(),
        failing.elapsed(),
        0,
        lost,
    );
    println!("\ntasks took {} s", started.elapsed().as_secs());
    Ok(failed)
}

/// Starts some orders at one process. Returns their ids.
fn few(cluster: &Cluster, at: usize, after: u32) -> Result<Vec<String>> {
    let caller = Caller::with_address(&cluster.url_of(at), &format!("198.51.100.{at}"));
    let order = json!({"during": 0, "after": after});
    (0..FEW).map(|_| caller.start("order", &order)).collect()
}

/// Prints what tasks ask of the store, if nothing fails.
fn costs(cluster: &Cluster, orders: &Orders) -> Result<()> {
    const TIMES: usize = 100;
    println!("\n| {TIMES} times | operations of the store | messages of the bus |");
    println!("| --- | --- | --- |");
    let mut ids = Vec::new();
    let mut row = |what: &str, tool: &str, arguments: Value, address: &str| -> Result<()> {
        let caller = Caller::with_address(&cluster.url_of(0), address);
        let before = Counts::read(cluster)?;
        ids = (0..TIMES)
            .map(|_| caller.start(tool, &arguments))
            .collect::<Result<_>>()?;
        sleep(Duration::from_secs(2));
        let counts = Counts::read(cluster)? - before;
        println!("| {what} | {} | {} |", counts.operations, counts.published);
        Ok(())
    };
    row(
        "a task",
        "slow_compute",
        json!({"seconds": 0}),
        "203.0.113.1",
    )?;
    row(
        "a task with a step",
        "order",
        json!({"during": 0, "after": 0}),
        "203.0.113.2",
    )?;
    let caller = Caller::new(&cluster.url_of(1));
    let before = Counts::read(cluster)?;
    let lost = orders.unfinished(&caller, &ids, Duration::from_secs(10));
    let counts = Counts::read(cluster)? - before;
    println!(
        "| `tasks/get` | {} | {} |",
        counts.operations, counts.published
    );
    ensure!(lost.is_empty(), "{lost:?}");
    Ok(())
}
