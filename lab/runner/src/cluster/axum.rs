//! A rolling restart of an application in axum: while a process ends that runs a long call and a
//! task, calls through the load balancer reach the other processes.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, sleep};
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow};
use serde_json::{Value, json};

use super::COUNT;
use crate::cluster::http::Client;
use crate::cluster::processes::Cluster;

/// The option of the example that serves by axum.
const OPTION: &str = "--axum";
/// How long the call takes, in seconds: less than the grace time.
const CALL: f64 = 4.0;
/// How long the task takes, in seconds: longer than the call, and less than the grace time.
const TASK: f64 = 7.0;
/// The time between two of the other calls.
const PAUSE: Duration = Duration::from_millis(100);
/// At most one of so many calls is refused: one that nginx sends on a connection while the process
/// closes it.
const REFUSED: usize = 20;

/// Runs the part, and restarts the processes as they were. Returns what went wrong.
pub(super) fn run(cluster: &mut Cluster) -> Result<Vec<String>> {
    cluster.options.push(OPTION.to_owned());
    restart(cluster)?;
    println!("\n| process | calls | refused | long call | task |");
    println!("| --- | --- | --- | --- | --- |");
    let mut failed = Vec::new();
    for at in 0..COUNT {
        let noticed = end(cluster, at)?;
        cluster.run(at)?;
        let Noticed {
            calls,
            refused,
            long,
            task,
        } = &noticed;
        println!("| {at} | {calls} | {refused} | {long} | {task} |");
        if refused * REFUSED > *calls || long != "answered" || task != "completed" {
            failed.push(format!("a process in axum is restarted: {noticed:?}"));
        }
    }
    cluster.options.retain(|option| option != OPTION);
    restart(cluster)?;
    Ok(failed)
}

fn restart(cluster: &mut Cluster) -> Result<()> {
    (0..COUNT).try_for_each(|at| {
        cluster.terminate(at)?;
        cluster.run(at)
    })
}

#[derive(Debug)]
struct Noticed {
    /// The calls through the load balancer, and how many of them failed.
    calls: usize,
    refused: usize,
    /// The outcome of the long call, and the status of the task right after the process has ended.
    long: String,
    task: String,
}

/// Ends a process that runs a long call and a task, while other calls are made.
fn end(cluster: &mut Cluster, at: usize) -> Result<Noticed> {
    let all = Client::modern(&cluster.url());
    let one = Client::modern(&cluster.url_of(at));
    let mut created = one.call(1, "slow_compute", &json!({ "seconds": TASK }))?;
    let task = created.result(1)?;
    let id = task["taskId"].as_str().context("no task")?.to_owned();
    // A client of an older revision does not know tasks.
    let legacy = Client::legacy(&cluster.url_of(at))?;
    let has_ended = AtomicBool::new(false);
    let (long, (calls, refused)) = thread::scope(|scope| -> Result<_> {
        let arguments = json!({ "seconds": CALL });
        let long = scope.spawn(move || legacy.call(2, "slow_compute", &arguments)?.result(2));
        sleep(Duration::from_secs(1));
        let others = scope.spawn(|| {
            let (mut calls, mut refused) = (0, 0);
            while !has_ended.load(Ordering::Relaxed) {
                let called = all.call(3, "test_simple_text", &json!({}));
                let result = called.and_then(|mut events| events.result(3));
                calls += 1;
                refused += usize::from(result.is_err());
                sleep(PAUSE);
            }
            (calls, refused)
        });
        let terminated = cluster.terminate(at);
        has_ended.store(true, Ordering::Relaxed);
        terminated?;
        let panicked = |_| anyhow!("a client panicked");
        let long = long.join().map_err(panicked)?;
        Ok((long, others.join().map_err(panicked)?))
    })?;
    let task = all
        .request(4, "tasks/get", json!({ "taskId": id }))?
        .result(4)?;
    Ok(Noticed {
        calls,
        refused,
        long: long.map_or_else(
            |error| format!("{error:#}"),
            |_: Value| "answered".to_owned(),
        ),
        task: task["status"].as_str().unwrap_or("unknown").to_owned(),
    })
}
