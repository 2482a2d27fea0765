//! Calls at a steady rate.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::client::GoodClient;
use super::record::Record;
use crate::machine::own_wait;

/// Makes a call at each interval until `stop` is set.
pub(super) fn run(client: &mut GoodClient, interval: Duration, stop: &AtomicBool) -> Record {
    let mut record = Record::default();
    while !stop.load(Ordering::Relaxed) {
        // Measured from here: the client's own late wake-up is not the server's fault.
        let start = Instant::now();
        let before = own_wait();
        let outcome = client.call();
        let latency = start.elapsed();
        let waited = own_wait().saturating_sub(before);
        record.add(start, latency, waited);
        if let Err(error) = outcome {
            record.fail(format!("{error:#}"));
            client.recover();
        }
        // Calls that were due meanwhile would have waited for the rest of that time.
        let end = start + latency;
        let mut due = start + interval;
        while due < end {
            let rest = end.saturating_duration_since(due);
            record.add(due, rest, waited.min(rest));
            due += interval;
        }
        thread::sleep(due.saturating_duration_since(Instant::now()));
    }
    record
}
