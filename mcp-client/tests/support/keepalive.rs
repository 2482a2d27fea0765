//! The TCP timers of a client's connections, as reported by the kernel.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::time::sleep;

/// The state of an established connection. A closing one may have the same timer.
const ESTABLISHED: &str = "01";
/// The prefix of the keep-alive timer.
const KEEP_ALIVE: &str = "02:";

/// Waits until a socket that is connected to a server has a keep-alive timer. Another timer may run
/// first, until the client's data is acknowledged.
pub(crate) async fn has_keep_alive(server: SocketAddr) {
    while !keeps_alive(server) {
        sleep(Duration::from_millis(10)).await;
    }
}

/// Looks for the timer in `/proc/net/tcp`, which proc(5) describes.
fn keeps_alive(server: SocketAddr) -> bool {
    let table = std::fs::read_to_string("/proc/net/tcp").expect("readable");
    let port = format!(":{:04X}", server.port());
    let mut lines = table.lines().map(|line| line.split_whitespace());
    lines.any(|mut columns| {
        let remote = columns.nth(2).unwrap_or_default();
        let state = columns.next().unwrap_or_default();
        let timer = columns.nth(1).unwrap_or_default();
        remote.ends_with(&port) && state == ESTABLISHED && timer.starts_with(KEEP_ALIVE)
    })
}
