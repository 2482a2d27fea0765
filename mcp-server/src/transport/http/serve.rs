//! [`HttpServer`]: an endpoint with a socket of its own.

use crate::transport::http::open_connection::OpenConnection;
use std::future::Future;
use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::task::{Id, JoinSet};
use tokio::time::{Instant, sleep};

use super::activity::{Activity, EventCounter};
use super::connection::{Connection, Front, Way, refuse};
use super::peer_table::{AllBusy, PeerTable};
use crate::protocol::core::Core;
use crate::protocol::error::ServeError;
use crate::protocol::limits::Limits;
use crate::protocol::metrics::refusals::RefusalCause;
use crate::util::select::{Either, select};

/// Connections that are refused at once; further ones are closed without a response.
const REFUSALS: usize = 64;

/// A server at a socket. It is bound already; it serves while it is awaited, and resolves after
/// [`Server::shutdown`]. Dropping it closes all connections.
#[must_use = "nothing is served until it is awaited"]
pub struct HttpServer {
    server: Arc<Core>,
    local_addr: SocketAddr,
    serving: Pin<Box<dyn Future<Output = Result<(), ServeError>> + Send>>,
}

impl HttpServer {
    pub(crate) fn bind(
        server: &Arc<Core>,
        address: impl ToSocketAddrs,
        front: Front,
        way: Way,
    ) -> Result<Self, ServeError> {
        let listener = std::net::TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        let local_addr = listener.local_addr()?;
        if front.is_local() && !local_addr.ip().is_loopback() {
            return Err(ServeError::NoHosts(local_addr));
        }
        let accepting = server.clone();
        let serving = async move {
            let listener = TcpListener::from_std(listener)?;
            accept(&accepting, &listener, &front, &way).await;
            Ok(())
        };
        Ok(Self {
            server: server.clone(),
            local_addr,
            serving: Box::pin(serving),
        })
    }

    /// The server that is served.
    pub(crate) fn server(&self) -> &Arc<Core> {
        &self.server
    }

    /// Where it listens: the port that the system chose, where 0 was asked for.
    #[must_use]
    pub fn local_addr(&self) -> SocketAddr {
        self.local_addr
    }
}

impl Future for HttpServer {
    type Output = Result<(), ServeError>;

    fn poll(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Self::Output> {
        self.serving.as_mut().poll(task)
    }
}

impl std::fmt::Debug for HttpServer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HttpServer")
            .field("local_addr", &self.local_addr)
            .finish_non_exhaustive()
    }
}

/// Accepts connections until the server stops, then waits for those that are open.
async fn accept(server: &Arc<Core>, listener: &TcpListener, front: &Front, way: &Way) {
    let limits = server.limits();
    let mut connections = PeerTable::new(limits.connections, limits.connections_per_peer);
    let events = EventCounter::default();
    let mut tasks = JoinSet::new();
    let mut refusals = JoinSet::new();
    let mut early_timer = pin!(early_timer(limits));
    loop {
        let next = select(listener.accept(), early_timer.as_mut());
        let Either::Second(Either::First(accepted)) = select(server.stopping(), next).await else {
            break;
        };
        while let Some(ended) = tasks.try_join_next_with_id() {
            let id = ended.map_or_else(|error| error.id(), |(id, ())| id);
            connections.remove(&id);
        }
        while refusals.try_join_next().is_some() {}
        let (stream, remote) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                accept_failed(&error, &mut connections).await;
                continue;
            }
        };
        let peer = front.connection_peer(remote.ip());
        let Ok(evicted) = connections.make_room(&peer) else {
            server.counters.refused(RefusalCause::Connections);
            tracing::debug!(%remote, "a connection is refused: all others are in use");
            if refusals.len() < REFUSALS && matches!(way, Way::Plain) {
                refusals.spawn(refuse(stream));
            }
            continue;
        };
        if let Some(evicted) = evicted {
            evicted.evict();
        }
        let activity = Activity::new(&events);
        let connection = Connection {
            server: server.clone(),
            front: front.clone(),
            remote,
            activity: Arc::clone(&activity),
            deadline: Instant::now() + limits.header_time,
        };
        let way = way.clone();
        let task = tasks.spawn(async move {
            let _open = OpenConnection::new(&connection.server);
            connection.serve(stream, &way).await;
        });
        connections.insert(task.id(), peer, activity);
    }
    while tasks.join_next().await.is_some() {}
}

/// Keeps one timer registered early, so that timers of requests do not wake tokio's time driver.
///
/// For a timer that is due before all others, tokio wakes the driver by a system call and another
/// turn of the loop.
async fn early_timer(limits: &Limits) {
    let time = limits
        .keep_alive
        .min(limits.request_time)
        .min(limits.header_time);
    loop {
        sleep(time.clamp(Duration::from_secs(1), Duration::from_secs(60))).await;
    }
}

/// Makes room where the system could not give a connection, which is for lack of descriptors or
/// memory: it would say so again at once.
async fn accept_failed(error: &io::Error, connections: &mut PeerTable<Id, Arc<Activity>>) {
    let of_peer = matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted | io::ErrorKind::ConnectionReset
    );
    if of_peer {
        return;
    }
    tracing::warn!(%error, "a connection cannot be accepted");
    let pause = match connections.evict_any() {
        // Its task has to run before the descriptor is free.
        Ok(evicted) => {
            evicted.evict();
            Duration::from_millis(1)
        }
        Err(AllBusy) => Duration::from_millis(100),
    };
    sleep(pause).await;
}
