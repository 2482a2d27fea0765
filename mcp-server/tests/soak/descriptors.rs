//! A server whose process has no file descriptors left.

use std::net::SocketAddr;
use std::time::Duration;

use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use serde_json::json;
use tokio::net::TcpStream;

use super::process::MeasuredProcess;
use super::wire::request;

/// The number of file descriptors that the server's process may open.
const DESCRIPTORS: u32 = 64;
/// The number of clients that keep their connections open, which exceeds the number of descriptors.
const CLIENTS: usize = 200;
/// Shorter than `Limits::connection_idle_time`, after which idle connections are closed anyway.
const TIMEOUT: Duration = Duration::from_secs(50);

/// A client that keeps its connection open.
struct KeptConnection {
    address: SocketAddr,
    sender: http1::SendRequest<String>,
}

impl KeptConnection {
    async fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).await.expect("connected");
        let (sender, connection) = http1::handshake(TokioIo::new(stream)).await.expect("HTTP");
        tokio::spawn(connection);
        Self { address, sender }
    }

    /// Sends a request, and returns the status of the response. Returns `None` if the server has
    /// closed the connection.
    async fn ping(&mut self) -> Option<u16> {
        let ping = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" });
        let ping = request("POST", self.address, None, ping.to_string());
        self.sender.ready().await.ok()?;
        let response = self.sender.send_request(ping).await.ok()?;
        Some(response.status().as_u16())
    }
}

/// When `accept` fails with EMFILE, the server has to close the connection that has been idle for
/// longest. Otherwise idle connections would be closed only after a minute, and the new client
/// would wait as long.
#[tokio::test]
async fn longest_idle_connection_is_closed_when_descriptors_run_out() {
    let mut process = MeasuredProcess::start_with_descriptors("http", DESCRIPTORS);
    let address = process.first_line().parse().expect("an address");
    let served = async {
        // The oldest connection is in use all the time, so that it is never the longest idle one.
        let mut oldest = KeptConnection::connect(address).await;
        let mut others = Vec::new();
        for at in 0..CLIENTS {
            assert_eq!(oldest.ping().await, Some(200), "before client {at}");
            let mut newcomer = KeptConnection::connect(address).await;
            assert_eq!(newcomer.ping().await, Some(200), "client {at}");
            others.push(newcomer);
        }
        assert_eq!(oldest.ping().await, Some(200));
        // The last connections are open at the same time, the first ones were closed.
        let mut open = Vec::new();
        for client in &mut others {
            open.push(client.ping().await == Some(200));
        }
        let (first, last) = open.split_at(CLIENTS - 16);
        assert!(last.iter().all(|open| *open), "{open:?}");
        let kept = first.iter().skip_while(|open| !**open);
        assert!(kept.clone().all(|open| *open), "out of order: {open:?}");
        assert!(kept.count() < DESCRIPTORS as usize, "{open:?}");
    };
    tokio::time::timeout(TIMEOUT, served)
        .await
        .expect("a new client had to wait for descriptors");
}
