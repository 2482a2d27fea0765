//! What the store is asked for: operations for a session, a request, a change and an event.

use std::thread::sleep;
use std::time::Duration;

use anyhow::Result;
use serde_json::json;

use super::COUNT;
use super::checks;
use crate::cluster::counts::Counts;
use crate::cluster::http::Client;
use crate::cluster::processes::Cluster;

/// How often each thing is done.
const TIMES: u64 = 100;

/// Measures and prints the table of the documentation.
pub(super) fn run(cluster: &Cluster) -> Result<()> {
    println!("\n| {TIMES} times | operations of the store | messages of the bus |");
    println!("| --- | --- | --- |");
    let mut sessions = Vec::new();
    row(cluster, "a session is created", || {
        for _ in 0..TIMES {
            sessions.push(Client::legacy(&cluster.url_of(0))?);
        }
        Ok(())
    })?;
    row(cluster, "a request in a session", || {
        for client in &sessions {
            client.call(1, "test_simple_text", &json!({}))?.result(1)?;
        }
        Ok(())
    })?;
    row(
        cluster,
        "a request in a session, at another process",
        || {
            for client in &sessions {
                let client = client.at(&cluster.url_of(1));
                client.call(2, "test_simple_text", &json!({}))?.result(2)?;
            }
            Ok(())
        },
    )?;
    row(cluster, "a request of 2026-07-28", || {
        let client = Client::modern(&cluster.url_of(0));
        for id in 0..TIMES {
            client
                .call(id, "test_simple_text", &json!({}))?
                .result(id)?;
        }
        Ok(())
    })?;
    row(cluster, "a response with 4 events", || {
        for client in &sessions {
            client
                .call(3, "test_tool_with_progress", &json!({}))?
                .result(3)?;
        }
        Ok(())
    })?;
    let filter = json!({"notifications": {"toolsListChanged": true}});
    let mut listening = Vec::new();
    row(cluster, "a subscription of 2026-07-28", || {
        for at in 0..TIMES {
            let process = usize::try_from(at)? % COUNT;
            let client = Client::modern(&cluster.url_of(process));
            listening.push(checks::read(client.request(
                1,
                "subscriptions/listen",
                filter.clone(),
            )?));
        }
        Ok(())
    })?;
    row(cluster, "a change, with these subscribers", || {
        let client = Client::modern(&cluster.url_of(0));
        for id in 0..TIMES {
            client
                .call(id, "test_trigger_tool_change", &json!({}))?
                .result(id)?;
        }
        Ok(())
    })?;
    row(cluster, "a session is ended", || {
        for client in &sessions {
            client.delete()?;
        }
        Ok(())
    })
}

fn row(cluster: &Cluster, what: &str, mut work: impl FnMut() -> Result<()>) -> Result<()> {
    let before = Counts::read(cluster)?;
    work()?;
    // What processes do later, such as passing changes on.
    sleep(Duration::from_millis(500));
    let counts = Counts::read(cluster)? - before;
    println!("| {what} | {} | {} |", counts.operations, counts.published);
    Ok(())
}
