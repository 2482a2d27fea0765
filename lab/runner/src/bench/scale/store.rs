//! What a store is asked for, keeps and writes, for one and for several processes.

use std::path::Path;
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use anyhow::Result;
use serde_json::{Value, json};

use crate::cluster::counts::Counts;
use crate::cluster::http::Client;
use crate::cluster::processes::{Cluster, Program};
use crate::cluster::stores::Store;
use crate::workspace;

/// The numbers of processes.
const PROCESSES: [usize; 2] = [1, 3];
/// The number of threads that call a tool which takes some time.
const CALLING: usize = 20;

pub(super) fn run(program: &Path, times: usize) -> Result<()> {
    for name in Store::NAMES {
        for count in PROCESSES {
            println!("\n{name}, {count} processes, {times} times each");
            let folder = workspace::target()?.join("bench-scale");
            let cluster = Cluster::start(
                Program::Everything(program.to_owned()),
                name,
                &folder,
                count,
                &[],
            )?;
            measure(&Rows { cluster, times })?;
        }
    }
    Ok(())
}

struct Rows {
    cluster: Cluster,
    times: usize,
}

fn measure(rows: &Rows) -> Result<()> {
    println!(
        "| each | operations | messages | bytes kept | bytes logged | bytes of network | µs of \
         the store's processor | µs of an operation | µs for the client |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    let process = |at: usize| rows.cluster.url_of(at % rows.cluster.count());
    let mut sessions = Vec::new();
    rows.row("a session", || {
        for at in 0..rows.times {
            sessions.push(Client::legacy(&process(at))?);
        }
        Ok(())
    })?;
    rows.row("a subscription in a session", || {
        for (at, client) in sessions.iter().enumerate() {
            subscribe(client, &format!("test://template/{at}/data"))?;
        }
        Ok(())
    })?;
    rows.row("a request in a session", || {
        for client in &sessions {
            call(client, "test_simple_text", &json!({}))?;
        }
        Ok(())
    })?;
    let filter = json!({"notifications": {"resourceSubscriptions": ["test://template/1/data"]}});
    let mut listening = Vec::new();
    for at in 0..rows.cluster.count() {
        let client = Client::modern(&process(at));
        listening.push(client.request(1, "subscriptions/listen", filter.clone())?);
    }
    let client = Client::modern(&process(0));
    rows.row("a change", || {
        for _ in 0..rows.times {
            let uri = json!({"uri": "test://template/1/data"});
            call(&client, "test_trigger_resource_update", &uri)?;
        }
        Ok(())
    })?;
    let mut last = Vec::new();
    rows.row("a response that is a stream", || {
        last = leave_streams(&sessions)?;
        Ok(())
    })?;
    rows.row("the stream is resumed", || {
        for (at, (client, last)) in sessions.iter().zip(&last).enumerate() {
            // At another process, if there is one.
            let elsewhere = client.at(&process(at + 1));
            if let Some(last) = last {
                elsewhere.get(Some(last))?.result(1)?;
            }
        }
        Ok(())
    })?;
    rows.row("a session is ended", || {
        for client in &sessions {
            client.delete()?;
        }
        Ok(())
    })
}

fn call(client: &Client, tool: &str, arguments: &Value) -> Result<Value> {
    client.call(1, tool, arguments)?.result(1)
}

fn subscribe(client: &Client, uri: &str) -> Result<Value> {
    let params = json!({"uri": uri});
    client.request(1, "resources/subscribe", params)?.result(1)
}

/// Calls a tool that closes its stream before it responds. Returns the last event of each stream;
/// `None` if the server was so busy that the response came first.
fn leave_streams(sessions: &[Client]) -> Result<Vec<Option<String>>> {
    thread::scope(|scope| {
        let parts = sessions.chunks(sessions.len().div_ceil(CALLING));
        let threads: Vec<_> = parts
            .map(|part| {
                scope.spawn(|| {
                    let last = part.iter().map(|client| {
                        let mut events = client.call(1, "test_reconnection", &json!({}))?;
                        let mut last = None;
                        while let Some(event) = events.next()? {
                            last = event.id.or(last);
                        }
                        Ok(last)
                    });
                    last.collect::<Result<Vec<_>>>()
                })
            })
            .collect();
        let mut all = Vec::new();
        for thread in threads {
            all.extend(
                thread
                    .join()
                    .map_err(|_| anyhow::anyhow!("a thread panicked"))??,
            );
        }
        Ok(all)
    })
}

impl Rows {
    #[expect(clippy::cast_precision_loss, reason = "few digits are printed")]
    fn row(&self, what: &str, work: impl FnOnce() -> Result<()>) -> Result<()> {
        let (counts, volume) = (Counts::read(&self.cluster)?, self.cluster.store.volume()?);
        let start = Instant::now();
        work()?;
        let took = start.elapsed();
        // What processes do later, such as passing changes on.
        sleep(Duration::from_millis(500));
        let counts = Counts::read(&self.cluster)? - counts;
        let after = self.cluster.store.volume()?;
        let times = self.times as f64;
        let each = |after: u64, before: u64| (after as f64 - before as f64) / times;
        let optional = |after: Option<u64>, before: Option<u64>| {
            let both = after.zip(before);
            both.map_or_else(String::new, |(after, before)| {
                format!("{:.0}", each(after, before))
            })
        };
        println!(
            "| {what} | {:.2} | {:.2} | {:.0} | {:.0} | {} | {} | {:.0} | {:.0} |",
            counts.operations as f64 / times,
            counts.published as f64 / times,
            each(after.kept, volume.kept),
            each(after.logged, volume.logged),
            optional(after.network, volume.network),
            optional(after.micros, volume.micros),
            counts.micros as f64 / (counts.operations as f64).max(1.0),
            took.as_secs_f64() * 1e6 / times,
        );
        Ok(())
    }
}
