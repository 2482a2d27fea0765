//! [`HttpServer`]: an endpoint with a socket of its own.

use std::collections::HashSet;
use std::future::{Future, pending};
use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::task::{Id, JoinError, JoinSet};
use tokio::time::{Instant, sleep};

use super::activity::{Activity, EventCounter};
use super::connection::{Connection, Front, Way, farewell_time, refuse};
use super::guard::HttpConfig;
use super::peer_table::{AllBusy, PeerTable};
use crate::error::ServeError;
use crate::limits::Limits;
use crate::metrics::RefusalCause;
use crate::race::{Either, race};
use crate::server::Server;

/// Connections that are refused at once; further ones are closed without a response.
const REFUSALS: usize = 64;

/// A server at a socket. It is bound already; it serves while it is awaited, and resolves after
/// [`Server::shutdown`]. Dropping it closes all connections.
#[must_use = "nothing is served until it is awaited"]
pub struct HttpServer {
    server: Server,
    local_addr: SocketAddr,
    serving: Pin<Box<dyn Future<Output = Result<(), ServeError>> + Send>>,
}

impl Server {
    /// Serves Streamable HTTP at an address of this machine, to programs of this machine, at any
    /// path.
    ///
    /// ```no_run
    /// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
    /// let server = mcp_server::Server::builder("calculator", "1.0.0").build()?;
    /// let http = server.serve_http("127.0.0.1:8080")?;
    /// eprintln!("listening on http://{}/mcp", http.local_addr());
    /// http.await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`ServeError::Io`] where the address cannot be bound, [`ServeError::NoHosts`] where it can
    /// be reached from other machines.
    pub fn serve_http(&self, address: impl ToSocketAddrs) -> Result<HttpServer, ServeError> {
        self.serve_http_with(address, HttpConfig::default())
    }

    /// Serves Streamable HTTP at an address, under the names that `config` allows, at any path.
    ///
    /// # Errors
    ///
    /// As [`serve_http`](Self::serve_http).
    pub fn serve_http_with(
        &self,
        address: impl ToSocketAddrs,
        config: HttpConfig,
    ) -> Result<HttpServer, ServeError> {
        HttpServer::bind(self, address, config, Way::Plain)
    }

    /// Serves Streamable HTTP over TLS at an address of this machine, to programs of this machine,
    /// at any path: HTTP/1.1 and HTTP/2, as ALPN finds out.
    ///
    /// ```no_run
    /// use std::sync::Arc;
    ///
    /// use mcp_server::rustls::ServerConfig;
    /// use mcp_server::rustls::crypto::ring::default_provider;
    /// use mcp_server::rustls::pki_types::pem::PemObject;
    /// use mcp_server::rustls::pki_types::{CertificateDer, PrivateKeyDer};
    ///
    /// # async fn run(server: mcp_server::Server) -> Result<(), Box<dyn std::error::Error>> {
    /// let chain = CertificateDer::pem_file_iter("chain.pem")?.collect::<Result<_, _>>()?;
    /// let key = PrivateKeyDer::from_pem_file("key.pem")?;
    /// let tls = ServerConfig::builder_with_provider(Arc::new(default_provider()))
    ///     .with_safe_default_protocol_versions()?
    ///     .with_no_client_auth()
    ///     .with_single_cert(chain, key)?;
    /// server.serve_https("127.0.0.1:8443", Arc::new(tls))?.await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`serve_http`](Self::serve_http).
    #[cfg(feature = "tls")]
    pub fn serve_https(
        &self,
        address: impl ToSocketAddrs,
        tls: Arc<crate::rustls::ServerConfig>,
    ) -> Result<HttpServer, ServeError> {
        self.serve_https_with(address, tls, HttpConfig::default())
    }

    /// Serves Streamable HTTP over TLS at an address, under the names that `config` allows, at any
    /// path.
    ///
    /// # Errors
    ///
    /// As [`serve_http`](Self::serve_http).
    #[cfg(feature = "tls")]
    pub fn serve_https_with(
        &self,
        address: impl ToSocketAddrs,
        tls: Arc<crate::rustls::ServerConfig>,
        config: HttpConfig,
    ) -> Result<HttpServer, ServeError> {
        let mut tls = tls;
        if tls.alpn_protocols.is_empty() {
            Arc::make_mut(&mut tls).alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        }
        HttpServer::bind(self, address, config, Way::Tls(tls.into()))
    }
}

impl HttpServer {
    fn bind(
        server: &Server,
        address: impl ToSocketAddrs,
        config: HttpConfig,
        way: Way,
    ) -> Result<Self, ServeError> {
        let listener = std::net::TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        let local_addr = listener.local_addr()?;
        if config.is_local() && !local_addr.ip().is_loopback() {
            return Err(ServeError::NoHosts(local_addr));
        }
        let front = Front::new(server, config);
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
    pub(super) fn server(&self) -> &Server {
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

/// Accepts connections until the server has stopped and no request is in flight any more.
async fn accept(server: &Server, listener: &TcpListener, front: &Front, way: &Way) {
    let mut acceptor = Acceptor::new(server, front, way);
    let mut early_timer = pin!(early_timer(server.limits()));
    loop {
        let next = race(listener.accept(), acceptor.remove_next_ended());
        let next = race(next, early_timer.as_mut());
        let Either::Second(Either::First(next)) = race(server.stopping(), next).await else {
            break;
        };
        acceptor.remove_ended();
        if let Either::First(accepted) = next {
            acceptor.accepted(accepted).await;
        }
    }
    acceptor.drain(listener).await;
}

/// The connections of a listener.
struct Acceptor<'a> {
    server: &'a Server,
    front: &'a Front,
    way: &'a Way,
    connections: PeerTable<Id, Arc<Activity>>,
    tasks: JoinSet<()>,
    refusals: JoinSet<()>,
    events: EventCounter,
}

impl<'a> Acceptor<'a> {
    fn new(server: &'a Server, front: &'a Front, way: &'a Way) -> Self {
        let limits = server.limits();
        Self {
            server,
            front,
            way,
            connections: PeerTable::new(limits.connections, limits.connections_per_peer),
            tasks: JoinSet::new(),
            refusals: JoinSet::new(),
            events: EventCounter::default(),
        }
    }

    /// Serves a connection in a task of its own and returns the id of the task, or refuses the
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
        let peer = self.front.connection_peer(remote.ip());
        let Ok(evicted) = self.connections.make_room(&peer) else {
            server.inner.counters.refused(RefusalCause::Connections);
            tracing::debug!(%remote, "a connection is refused: all others are in use");
            if self.refusals.len() < REFUSALS && matches!(self.way, Way::Plain) {
                self.refusals.spawn(refuse(stream));
            }
            return None;
        };
        if let Some(evicted) = evicted {
            evicted.evict();
        }
        let activity = Activity::new(&self.events);
        let connection = Connection {
            server: server.clone(),
            front: self.front.clone(),
            remote,
            activity: Arc::clone(&activity),
            deadline: Instant::now() + server.limits().header_time,
        };
        let way = self.way.clone();
        let task = self.tasks.spawn(async move {
            let _open = connection.server.count_connection();
            connection.serve(stream, &way).await;
        });
        let id = task.id();
        self.connections.insert(id, peer, activity);
        Some(id)
    }

    /// Forgets the connections whose tasks have ended.
    fn remove_ended(&mut self) {
        while let Some(ended) = self.tasks.try_join_next_with_id() {
            self.remove(ended);
        }
    }

    /// Waits until the task of a connection has ended, and forgets it: a task keeps its memory until
    /// it is joined, whether or not other clients connect.
    async fn remove_next_ended(&mut self) {
        match self.tasks.join_next_with_id().await {
            Some(ended) => {
                self.remove(ended);
            }
            None => pending().await,
        }
    }

    /// Forgets a connection whose task has ended, and returns the id of the task.
    fn remove(&mut self, ended: Result<(Id, ()), JoinError>) -> Id {
        let id = ended.map_or_else(|error| error.id(), |(id, ())| id);
        self.connections.remove(&id);
        id
    }

    /// Waits for the requests in flight when the server stops.
    ///
    /// Connections are accepted meanwhile: handlers may wait for answers of their clients, which
    /// send them, and cancellations, on connections of their own.
    async fn drain(mut self, listener: &TcpListener) {
        self.remove_ended();
        let all = self.connections.iter();
        let unused = all.filter(|(_, activity)| !activity.has_begun());
        // Connections that served nothing before the server stopped. The end does not wait for
        // them.
        let mut late: HashSet<Id> = unused.map(|(id, _)| *id).collect();
        let mut in_use = self.tasks.len() - late.len();
        while in_use > 0 {
            match race(self.tasks.join_next_with_id(), listener.accept()).await {
                Either::First(Some(ended)) => {
                    let id = self.remove(ended);
                    if !late.remove(&id) {
                        in_use -= 1;
                    }
                }
                Either::First(None) => break,
                Either::Second(accepted) => late.extend(self.accepted(accepted).await),
            }
        }
        for (_, activity) in self.connections.iter() {
            activity.evict();
        }
        // The last responses still have to leave.
        let last = async { while self.tasks.join_next().await.is_some() {} };
        race(last, sleep(farewell_time(self.server.limits()))).await;
    }
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
