//! The store in PostgreSQL, with a database server of each test's own.

mod cluster;
mod encryption;
mod failures;
mod processes;
mod tables;
mod waiting;

use std::time::Duration;

use bytes::Bytes;
use mcp_server::{Condition, EventStore, Put, StreamKey};

const LONG: Duration = Duration::from_secs(600);
const STREAM: StreamKey<'static> = StreamKey {
    session: "session",
    stream: "stream",
};

/// Starts a database server, or returns from the test if PostgreSQL is not installed.
macro_rules! cluster_or_return {
    () => {
        match $crate::postgres::cluster::Cluster::start() {
            Some(cluster) => cluster,
            None => return,
        }
    };
}
use cluster_or_return;

/// Returns a write of a value.
fn put<'a>(key: &'a str, value: &'a [u8]) -> Put<'a> {
    Put {
        key,
        value,
        time_to_live: LONG,
        condition: Condition::Any,
        group: None,
    }
}

/// Appends an event of one byte to the stream.
async fn append(store: &impl EventStore, number: u8) {
    let message = Some(Bytes::from(vec![number]));
    let appended = store.append(STREAM, number.into(), message, LONG).await;
    appended.expect("appended");
}
