//! [`HttpServer`]: an endpoint with its own socket.

use std::collections::HashSet;
use std::future::{Future, pending};
use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::panic::resume_unwind;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::task::{Id, JoinError, JoinSet};
use tokio::time::{Instant, sleep};

use crate::protocol::core::Core;
use crate::protocol::error::ServeError;
use crate::protocol::limits::Limits;
use crate::protocol::metrics::refusals::RefusalCause;
use crate::transport::http::activity::{Activity, EventCounter};
use crate::transport::http::listener::connection::{
    Connection, Encryption, SocketServices, refuse, shutdown_write_time,
};
use crate::transport::http::peer_table::{AllBusy, PeerTable};
use crate::util::partial_debug::partial_debug;

/// The maximum number of connections that are being rejected at the same time. Further ones are
/// closed without a response.
const REFUSALS: usize = 64;

/// A server that is bound to a socket. It serves once it is awaited, and resolves after
/// [`Server::shutdown`](crate::Server::shutdown). Dropping it closes all connections.
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
        services: SocketServices,
        encryption: Encryption,
    ) -> Result<Self, ServeError> {
        let listener = std::net::TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        let local_addr = listener.local_addr()?;
        if services.is_local() && !local_addr.ip().is_loopback() {
            return Err(ServeError::NoHosts(local_addr));
        }
        let (core, accepting) = (Arc::clone(server), Arc::clone(server));
        let serving = async move {
            let listener = TcpListener::from_std(listener)?;
            // In a task of its own, connections are accepted by the threads that serve them, also
            // if the program waits for the server on another one.
            let mut task = JoinSet::new();
            task.spawn(async move { accept(&accepting, listener, &services, &encryption).await });
            match task.join_next().await.transpose() {
                Err(error) if error.is_panic() => resume_unwind(error.into_panic()),
                _ => {
                    core.background_ended().await;
                    Ok(())
                }
            }
        };
        Ok(Self {
            server: Arc::clone(server),
            local_addr,
            serving: Box::pin(serving),
        })
    }

    /// Returns the address of the socket. If the server was bound to port 0, it contains the port
    /// that the system chose.
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

partial_debug!(HttpServer, |it| local_addr: it.local_addr);

/// Accepts connections until the server has stopped and no request is in flight any more.
async fn accept(
    server: &Arc<Core>,
    listener: TcpListener,
    services: &SocketServices,
    encryption: &Encryption,
) {
    let mut acceptor = Acceptor::new(server, services, encryption);
    let mut early_timer = pin!(early_timer(&server.limits));
    loop {
        tokio::select! {
            biased;
            () = server.stopping() => break,
            accepted = listener.accept() => {
                acceptor.remove_ended();
                acceptor.accepted(accepted).await;
            }
            () = acceptor.remove_next_ended() => acceptor.remove_ended(),
            () = &mut early_timer => break,
        }
    }
    // Other processes serve the clients, and pass on what they send for requests in flight here: a
    // load balancer that cannot connect goes on to them.
    let others_serve = server.stores.connect_processes();
    acceptor.drain((!others_serve).then_some(listener)).await;
}

/// The connections of a listener.
struct Acceptor<'a> {
    server: &'a Arc<Core>,
    services: &'a SocketServices,
    encryption: &'a Encryption,
    connections: PeerTable<Id, Arc<Activity>>,
    tasks: JoinSet<()>,
    refusals: JoinSet<()>,
    events: EventCounter,
}

impl<'a> Acceptor<'a> {
    fn new(
        server: &'a Arc<Core>,
        services: &'a SocketServices,
        encryption: &'a Encryption,
    ) -> Self {
        let limits = &server.limits;
        Self {
            server,
            services,
            encryption,
            connections: PeerTable::new(limits.connections, limits.connections_per_peer),
            tasks: JoinSet::new(),
            refusals: JoinSet::new(),
            events: EventCounter::default(),
        }
    }

    /// Spawns a task that serves a connection and returns the id of the task, or rejects the
    /// connection if all others are in use.
    async fn accepted(&mut self, accepted: io::Result<(TcpStream, SocketAddr)>) -> Option<Id> {
        while self.refusals.try_join_next().is_some() {}
        let (stream, remote) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                accept_failed(&error, &mut self.connections).await;
                return None;
            }
        };
        let server = self.server;
        let peer = self.services.connection_peer(remote.ip());
        let Ok(evicted) = self.connections.make_room(&peer) else {
            server.counters.refused(RefusalCause::Connections);
            tracing::debug!(%remote, "rejected a connection: all connections are in use");
            if self.refusals.len() < REFUSALS && matches!(self.encryption, Encryption::Plain) {
                self.refusals.spawn(refuse(stream));
            }
            return None;
        };
        if let Some(evicted) = evicted {
            evicted.evict();
        }
        let activity = Activity::new(&self.events);
        let connection = Connection {
            server: Arc::clone(server),
            services: self.services.clone(),
            remote,
            activity: Arc::clone(&activity),
            deadline: Instant::now() + server.limits.header_time,
        };
        let encryption = self.encryption.clone();
        let task = self.tasks.spawn(async move {
            let _open = OpenConnection::new(&connection.server);
            connection.serve(stream, &encryption).await;
        });
        let id = task.id();
        self.connections.insert(id, peer, activity);
        Some(id)
    }

    /// Removes the connections whose tasks have ended.
    fn remove_ended(&mut self) {
        while let Some(ended) = self.tasks.try_join_next_with_id() {
            self.remove(ended);
        }
    }

    /// Waits until the task of a connection has ended, and removes it. The memory of a task is
    /// freed only when it is joined, so this must not wait for the next connection.
    async fn remove_next_ended(&mut self) {
        match self.tasks.join_next_with_id().await {
            Some(ended) => {
                self.remove(ended);
            }
            None => pending().await,
        }
    }

    /// Removes a connection whose task has ended, and returns the id of the task.
    fn remove(&mut self, ended: Result<(Id, ()), JoinError>) -> Id {
        let id = ended.map_or_else(|error| error.id(), |(id, ())| id);
        self.connections.remove(&id);
        id
    }

    /// Waits for the requests in flight when the server stops.
    ///
    /// Connections are still accepted if there is a listener, because clients may send responses
    /// that handlers wait for, and cancellations, on new connections. Otherwise connections without
    /// a request are closed at once.
    async fn drain(mut self, listener: Option<TcpListener>) {
        self.remove_ended();
        if listener.is_none() {
            for (_, activity) in self.connections.iter() {
                if !activity.has_request() {
                    activity.evict();
                }
            }
        }
        let accept = async || match &listener {
            Some(listener) => listener.accept().await,
            None => pending().await,
        };
        let all = self.connections.iter();
        let unused = all.filter(|(_, activity)| !activity.has_request());
        // Connections that served no request before the server stopped are not waited for.
        let mut late: HashSet<Id> = unused.map(|(id, _)| *id).collect();
        let mut in_use = self.tasks.len() - late.len();
        while in_use > 0 {
            tokio::select! {
                biased;
                ended = self.tasks.join_next_with_id() => {
                    let Some(ended) = ended else {
                        break;
                    };
                    let id = self.remove(ended);
                    if !late.remove(&id) {
                        in_use -= 1;
                    }
                }
                accepted = accept() => late.extend(self.accepted(accepted).await),
            }
        }
        for (_, activity) in self.connections.iter() {
            activity.evict();
        }
        // The last responses still have to be sent.
        let remaining = async { while self.tasks.join_next().await.is_some() {} };
        tokio::select! {
            biased;
            () = remaining => {}
            () = sleep(shutdown_write_time(&self.server.limits)) => {}
        }
    }
}

/// Keeps one timer registered early, so that timers of requests do not wake tokio's time driver.
///
/// For a timer that is due before all others, tokio wakes the driver, which costs a system call and
/// an iteration of its loop.
async fn early_timer(limits: &Limits) {
    let time = limits
        .keep_alive
        .min(limits.request_time)
        .min(limits.header_time);
    loop {
        sleep(time.clamp(Duration::from_secs(1), Duration::from_secs(60))).await;
    }
}

/// Evicts a connection after accepting failed for lack of file descriptors or memory, because it
/// would fail again at once.
async fn accept_failed(error: &io::Error, connections: &mut PeerTable<Id, Arc<Activity>>) {
    let of_peer = matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted | io::ErrorKind::ConnectionReset
    );
    if of_peer {
        return;
    }
    tracing::warn!(%error, "cannot accept a connection");
    let pause = match connections.evict_any() {
        // Its task has to run before its descriptor is released.
        Ok(evicted) => {
            evicted.evict();
            Duration::from_millis(1)
        }
        Err(AllBusy) => Duration::from_millis(100),
    };
    sleep(pause).await;
}

/// Counts a connection as open until this is dropped.
struct OpenConnection(Arc<Core>);

impl OpenConnection {
    fn new(core: &Arc<Core>) -> Self {
        core.counters.connection_opened();
        Self(Arc::clone(core))
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.0.counters.connection_closed();
    }
}

impl HttpServer {
    /// Serves until `signal` resolves, then shuts down gracefully.
    ///
    /// The signal has the effect of [`Server::shutdown`](crate::Server::shutdown): streams end, and
    /// requests in flight have [`Limits::grace_time`](field@crate::Limits::grace_time) to finish.
    /// Resolves when the shutdown is complete. The output of the signal is ignored.
    ///
    /// ```no_run
    /// # async fn run(server: mcp_server::Server) -> Result<(), mcp_server::ServeError> {
    /// let http = server.serve_http("127.0.0.1:3000")?;
    /// http.until(tokio::signal::ctrl_c()).await
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`ServeError::Io`] if the socket cannot be used.
    pub async fn until(self, signal: impl Future) -> Result<(), ServeError> {
        let core = Arc::clone(&self.server);
        let mut serving = pin!(self);
        tokio::select! {
            biased;
            served = &mut serving => served,
            _ = signal => {
                core.shut_down();
                serving.await
            }
        }
    }
}
