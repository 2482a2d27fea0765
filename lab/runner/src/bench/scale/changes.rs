//! Changes of resources while many streams are open.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::Result;
use serde_json::json;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until};

use super::Size;
use super::connection::{Connection, address};
use super::streams::{COMMON, RESOURCES, Received, listen, uri};
use crate::subject::Subject;
use crate::workspace;

/// The number of connections that change resources.
const CHANGING: u32 = 8;
/// How often one resource is changed that all streams are subscribed to.
const ROUNDS: usize = 5;

pub(super) fn run(program: &Path, size: &Size) -> Result<()> {
    let limit = (size.open + 1_000).to_string();
    let arguments = ["--port", "0", "--connections", &limit];
    let folder = workspace::target()?.join("bench-scale");
    let subject = Subject::start(program, &arguments, &folder)?;
    let server = address(&subject.url)?;
    super::runtime()?.block_on(async {
        println!("\n{} changes/s for {} s", size.rate, size.seconds);
        let received = Received::new();
        measure(&subject, server, size, &received, "no stream").await?;
        let streams = listen(server, size.open, &received).await?;
        let what = format!(
            "{} streams, each with one of {RESOURCES} resources",
            size.open
        );
        measure(&subject, server, size, &received, &what).await?;
        let mut times = Vec::new();
        let mut connection = Connection::open(server, 0).await?;
        for _ in 0..ROUNDS {
            let before = received.count.load(Ordering::Relaxed);
            let start = received.now();
            change(&mut connection, COMMON).await?;
            let last = received.wait(before + size.open as u64).await?;
            times.push((last - start) / 1_000);
            sleep(Duration::from_millis(500)).await;
        }
        times.sort_unstable();
        println!(
            "one change to {} streams: the last one has it after {times:?} ms",
            size.open
        );
        drop(streams);
        Ok(())
    })
}

/// Calls the tool that announces a change.
async fn change(connection: &mut Connection, uri: &str) -> Result<()> {
    let name = "test_trigger_resource_update";
    let params = json!({"name": name, "arguments": {"uri": uri}});
    connection.request("tools/call", params).await?;
    connection.response().await?.expect("200")
}

/// Changes resources at a constant rate, and prints what that costs and how soon subscribers know.
async fn measure(
    subject: &Subject,
    server: SocketAddr,
    size: &Size,
    received: &Arc<Received>,
    what: &str,
) -> Result<()> {
    let count = |received: &Received| received.count.load(Ordering::Relaxed);
    let process = subject.id().to_string();
    let (before, used) = (count(received), system::cpu(&process)?);
    let start = Instant::now();
    let mut changing = JoinSet::new();
    for at in 0..CHANGING {
        let (received, changes, rate) = (Arc::clone(received), size.rate * size.seconds, size.rate);
        changing.spawn(async move {
            let mut connection = Connection::open(server, at as usize).await?;
            for number in (at..changes).step_by(CHANGING as usize) {
                sleep_until(start + Duration::from_secs(1) * number / rate).await;
                let resource = number as usize % RESOURCES;
                received.changing(resource);
                change(&mut connection, &uri(resource)).await?;
            }
            anyhow::Ok(())
        });
    }
    let changed: Result<Vec<()>> = changing.join_all().await.into_iter().collect();
    changed?;
    let took = start.elapsed();
    sleep(Duration::from_secs(1)).await;
    let used = system::cpu(&process)?.saturating_sub(used);
    let latencies = received.take_latencies();
    let at = |percent: usize| latencies.get(latencies.len() * percent / 100).unwrap_or(&0);
    println!(
        "{what}: sent in {:.1} s, {} notifications, {:.2} s of processor time; latency {:.1} ms \
         (half), {:.1} ms (99 %); memory {} MiB",
        took.as_secs_f64(),
        count(received) - before,
        used.as_secs_f64(),
        Duration::from_micros(*at(50)).as_secs_f64() * 1e3,
        Duration::from_micros(*at(99)).as_secs_f64() * 1e3,
        system::memory(&process)? >> 20,
    );
    Ok(())
}
