//! A server at a port, which is killed and restarted.

use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use mcp_client::types::Revision;
use mcp_client::{Client, Http};
use tokio::net::TcpSocket;
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use super::load::{Score, TIMEOUT, builder, quiet, round};
use super::random::{Random, seed};
use super::rest::{Before, assert_constant, memory, runtime, subject, turn};

const ROUNDS: u64 = 8;
const ROUND: u64 = 500;
const WARM: usize = 3;
const GROWTH: u64 = 2 << 20;

/// Reserves a port, even while no server listens on it.
struct Port {
    address: SocketAddr,
    _socket: TcpSocket,
}

impl Port {
    fn reserve() -> Self {
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.set_reuseaddr(true).expect("a socket");
        socket.bind(([127, 0, 0, 1], 0).into()).expect("bound");
        Self {
            address: socket.local_addr().expect("an address"),
            _socket: socket,
        }
    }
}

/// The server's process.
struct Server(Child);

impl Server {
    fn start(address: SocketAddr) -> Self {
        let child = Command::new(subject())
            .arg(address.to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn();
        Self(child.expect("started"))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.0.kill().expect("killed");
        self.0.wait().expect("waited for");
    }
}

async fn connect(address: SocketAddr, revision: Revision) -> Client {
    let connected = timeout(TIMEOUT, async {
        loop {
            let server = Http::new(format!("http://{address}/mcp"));
            match builder().revision(revision).connect(server).await {
                Ok(client) => return client,
                // It has started.
                Err(_) => sleep(Duration::from_millis(5)).await,
            }
        }
    });
    connected.await.expect("connected")
}

/// Kills the server after some answered calls, and restarts it; sometimes it is killed before it is
/// ready. Returns how often it was killed.
async fn killing(
    mut server: Server,
    address: SocketAddr,
    score: Arc<Score>,
    seed: u64,
    mut enough: watch::Receiver<bool>,
) -> (Server, u64) {
    let mut random = Random::new(seed);
    let mut killed = 0;
    loop {
        let until = score.answered() + 20 + random.below(200);
        let killing = async {
            while score.answered() < until {
                sleep(Duration::from_millis(1)).await;
            }
        };
        tokio::select! {
            () = killing => {}
            _ = enough.wait_for(|enough| *enough) => return (server, killed),
        }
        for _ in 0..=random.below(6) / 5 {
            drop(server);
            killed += 1;
            sleep(Duration::from_millis(random.below(20))).await;
            server = Server::start(address);
            sleep(Duration::from_millis(random.below(30))).await;
        }
    }
}

#[test]
fn calls_to_a_killed_server_end_and_leave_no_state() {
    let _turn = turn();
    let seed = seed();
    runtime().block_on(async {
        let port = Port::reserve();
        let address = port.address;
        let server = Server::start(address);
        connect(address, Revision::LATEST).await.close().await;
        drop(server);
        let before = Before::measure().await;
        let server = Server::start(address);
        let clients = [
            connect(address, Revision::LATEST).await,
            connect(address, Revision::V2025_11_25).await,
        ];
        let score = Arc::<Score>::default();
        let (enough, received) = watch::channel(false);
        let other = killing(server, address, Arc::clone(&score), seed, received);
        let other = tokio::spawn(other);
        let mut weighed = Vec::new();
        for number in 0..ROUNDS {
            round(&clients, &score, seed + number, ROUND).await;
            weighed.push(memory());
        }
        enough.send_replace(true);
        let (server, killed) = other.await.expect("no panic");
        println!(
            "{killed} killed; {:?} answered, {:?} failed, {:?} given up, {:?} changes",
            score.answered, score.failed, score.given_up, score.changes
        );
        assert!(killed > ROUNDS);
        for revision in [Revision::LATEST, Revision::V2025_11_25] {
            // The server is running.
            connect(address, revision).await.close().await;
        }
        // If a cancellation overtakes its call, the call ends with its session.
        let [modern, legacy] = clients;
        legacy.close().await;
        quiet(&modern).await;
        modern.close().await;
        drop((modern, legacy));
        drop(server);
        before.assert_restored().await;
        assert_constant(&weighed, WARM, GROWTH);
        drop(port);
    });
}
