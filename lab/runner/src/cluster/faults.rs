//! Faults, while clients of both eras work.

use std::sync::atomic::Ordering;
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::Result;
use serde_json::{Value, json};

use super::COUNT;
use super::checks;
use super::load::{Load, Noticed};
use crate::cluster::http::Client;
use crate::cluster::processes::Cluster;

/// The number of clients of each era.
const CLIENTS: usize = 50;
/// The time between two faults.
const PAUSE: Duration = Duration::from_secs(3);
/// The time within which a client can subscribe again and be told of a change.
const RECOVERY: Duration = Duration::from_secs(20);
/// By how many MiB the memory of a process may grow over all faults.
const GROWTH: u64 = 64;

type Fault = fn(&mut Cluster) -> Result<()>;

const FAULTS: [(&str, Fault); 6] = [
    ("no fault", |_| Ok(())),
    ("each process is killed", kill_each),
    ("rolling restart with new keys", roll),
    ("the store restarts", restart_store),
    ("the store stalls for 10 s", |cluster| {
        cluster.store.stall(true);
        sleep(Duration::from_secs(10));
        cluster.store.stall(false);
        Ok(())
    }),
    ("the connections to the store are cut", |cluster| {
        cluster.store.cut()
    }),
];

/// Returns what went wrong.
pub(super) fn run(cluster: &mut Cluster) -> Result<Vec<String>> {
    let mut failed = Vec::new();
    println!(
        "\n| fault | answered | refused | unanswered | resumed | gaps | lost sessions | MiB |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- |");
    let mut first_memory = None;
    for (name, fault) in FAULTS {
        let load = Load::start(&cluster.url(), CLIENTS);
        sleep(PAUSE);
        fault(cluster)?;
        sleep(PAUSE);
        if let Err(error) = recovers(cluster) {
            failed.push(format!("{name}: {error:#}"));
        }
        let noticed = load.end();
        let memory = cluster.memory();
        println!("| {name} | {} | {memory:?} |", row(&noticed).join(" | "));
        failed.extend(bounds(&noticed).map(|what| format!("{name}: {what}")));
        let largest = memory.into_iter().max().unwrap_or(0);
        let first = *first_memory.get_or_insert(largest);
        if largest > first + GROWTH {
            failed.push(format!("{name}: {largest} MiB of memory, {first} at first"));
        }
    }
    Ok(failed)
}

fn row(noticed: &Noticed) -> [String; 6] {
    [
        &noticed.answered,
        &noticed.refused,
        &noticed.unanswered,
        &noticed.resumed,
        &noticed.gaps,
        &noticed.lost_sessions,
    ]
    .map(|count| count.load(Ordering::Relaxed).to_string())
}

/// Returns the bounds that were exceeded.
fn bounds(noticed: &Noticed) -> impl Iterator<Item = String> {
    let bounds = [
        (
            "calls without an answer or an error in time",
            &noticed.unanswered,
        ),
        ("resumed streams with a gap", &noticed.gaps),
        ("lost sessions", &noticed.lost_sessions),
    ];
    bounds
        .map(|(what, count)| (what, count.load(Ordering::Relaxed)))
        .into_iter()
        .filter(|(_, count)| *count > 0)
        .map(|(what, count)| format!("{count} {what}"))
}

/// Checks that a change at one process reaches new subscribers at all of them.
fn recovers(cluster: &Cluster) -> Result<()> {
    let end = Instant::now() + RECOVERY;
    loop {
        match change_arrives(cluster) {
            Ok(()) => return Ok(()),
            Err(error) if Instant::now() > end => return Err(error),
            Err(_) => sleep(Duration::from_millis(500)),
        }
    }
}

fn change_arrives(cluster: &Cluster) -> Result<()> {
    let filter = json!({"notifications": {"toolsListChanged": true}});
    let mut subscribers = Vec::new();
    for at in 0..COUNT {
        let client = Client::modern(&cluster.url_of(at));
        let listening = client.request(1, "subscriptions/listen", filter.clone())?;
        subscribers.push(checks::read(listening));
    }
    let changer = Client::modern(&cluster.url());
    changer
        .call(2, "test_trigger_tool_change", &json!({}))?
        .result(2)?;
    let is_change = |message: &Value| message["method"] == "notifications/tools/list_changed";
    for received in subscribers {
        while !is_change(&received.recv_timeout(Duration::from_secs(2))?) {}
    }
    Ok(())
}

fn kill_each(cluster: &mut Cluster) -> Result<()> {
    for at in 0..COUNT {
        cluster.kill(at)?;
        sleep(PAUSE);
        cluster.run(at)?;
        sleep(PAUSE);
    }
    Ok(())
}

/// First all processes learn to open what the new key seals, then they seal with it.
fn roll(cluster: &mut Cluster) -> Result<()> {
    let key = "22".repeat(32);
    for seals in [false, true] {
        cluster.add_key(&key, seals);
        for at in 0..COUNT {
            cluster.terminate(at)?;
            cluster.run(at)?;
            sleep(PAUSE);
        }
    }
    Ok(())
}

fn restart_store(cluster: &mut Cluster) -> Result<()> {
    cluster.store.stop()?;
    sleep(PAUSE);
    cluster.store.run()
}
