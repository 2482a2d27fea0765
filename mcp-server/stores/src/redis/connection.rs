//! [`RedisConnections`]: the connections of a process to its Redis server.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex as SyncMutex, PoisonError};
use std::time::Duration;

use mcp_server::StoreError;
use redis::aio::{MultiplexedConnection, PubSub, SendError};
use redis::{
    AsyncConnectionConfig, Client, Cmd, ErrorKind, FromRedisValue, IntoConnectionInfo,
    ProtocolVersion, PushInfo, PushKind, RedisResult, ScriptInvocation, ServerErrorKind,
};
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};

use super::error::{RedisError, store_error};

/// The longest time that connecting takes, with the handshake.
const CONNECT_TIME: Duration = Duration::from_secs(1);
/// The longest time that the server may need for an operation.
pub(super) const OPERATION_TIME: Duration = Duration::from_secs(2);
/// The first pause after the server could not be reached. It doubles with every failure.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
/// The longest pause after the server could not be reached.
const LONGEST_PAUSE: Duration = Duration::from_secs(2);
/// The maximum number of unused connections for blocking commands.
const SPARE: usize = 2;

/// The connections of a process: one that all operations share, and one for each blocking command.
pub(super) struct RedisConnections {
    client: Client,
    shared: Mutex<SharedConnection>,
    spare: SyncMutex<Vec<RedisConnection>>,
}

/// The connection that all operations share.
struct SharedConnection {
    connection: Option<RedisConnection>,
    /// Until then, operations fail at once.
    retry_at: Instant,
    pause: Duration,
}

/// A connection that may have been closed.
#[derive(Clone)]
pub(super) struct RedisConnection {
    commands: MultiplexedConnection,
    is_closed: Arc<AtomicBool>,
}

impl RedisConnections {
    /// Connects to a server, and checks that it can be used.
    pub(super) async fn connect(url: &str) -> Result<Self, RedisError> {
        let info = url.into_connection_info().map_err(|_| RedisError::Url)?;
        #[cfg(feature = "redis-tls")]
        install_crypto(&info);
        // Only in this version, the client sees at once that a connection was closed.
        let settings = info.redis_settings().clone();
        let settings = settings.set_protocol(ProtocolVersion::RESP3);
        let client = Client::open(info.set_redis_settings(settings))?;
        let connections = Self {
            client,
            shared: Mutex::new(SharedConnection {
                connection: None,
                retry_at: Instant::now(),
                pause: FIRST_PAUSE,
            }),
            spare: SyncMutex::default(),
        };
        let mut first = connections.open().await?;
        let info: String = first.query(&redis::cmd("INFO"), OPERATION_TIME).await?;
        check_server(&info)?;
        connections.shared.lock().await.connection = Some(first);
        Ok(connections)
    }

    /// Makes a connection.
    async fn open(&self) -> RedisResult<RedisConnection> {
        let is_closed = Arc::new(AtomicBool::new(false));
        let closed = Arc::clone(&is_closed);
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(None)
            .set_response_timeout(None)
            .set_push_sender(move |push: PushInfo| {
                if push.kind == PushKind::Disconnection {
                    closed.store(true, Ordering::Relaxed);
                }
                Ok::<(), SendError>(())
            });
        let client = &self.client;
        let opened = client.get_multiplexed_async_connection_with_config(&config);
        let opened = timeout(CONNECT_TIME, opened).await;
        Ok(RedisConnection {
            commands: opened.unwrap_or_else(|_| Err(timed_out()))?,
            is_closed,
        })
    }

    /// Makes a connection for subscriptions.
    pub(super) async fn subscriptions(&self) -> RedisResult<PubSub> {
        let opened = timeout(CONNECT_TIME, self.client.get_async_pubsub()).await;
        opened.unwrap_or_else(|_| Err(timed_out()))
    }

    /// Runs a script on the shared connection.
    pub(super) async fn run<T: FromRedisValue>(
        &self,
        script: &ScriptInvocation<'_>,
    ) -> Result<T, StoreError> {
        self.shared().await?.run(script).await
    }

    /// Returns the shared connection. Connects again if it was closed, unless that has failed just
    /// now.
    async fn shared(&self) -> Result<RedisConnection, StoreError> {
        let mut shared = self.shared.lock().await;
        if let Some(connection) = &shared.connection
            && connection.is_open()
        {
            return Ok(connection.clone());
        }
        shared.connection = None;
        if Instant::now() < shared.retry_at {
            return Err(StoreError::failed(
                "there is no connection to the Redis server",
            ));
        }
        match self.open().await {
            Ok(connection) => {
                shared.pause = FIRST_PAUSE;
                shared.connection = Some(connection.clone());
                Ok(connection)
            }
            Err(error) => {
                shared.retry_at = Instant::now() + shared.pause;
                shared.pause = (2 * shared.pause).min(LONGEST_PAUSE);
                Err(store_error(&error))
            }
        }
    }

    /// Returns a connection that nobody else uses, for blocking commands. It is closed when it is
    /// dropped, which also ends such a command.
    pub(super) async fn own(&self) -> Result<RedisConnection, StoreError> {
        while let Some(connection) = self.spare().pop() {
            if connection.is_open() {
                return Ok(connection);
            }
        }
        self.open().await.map_err(|error| store_error(&error))
    }

    /// Keeps a connection that is not used any more, and has no command that runs.
    pub(super) fn give_back(&self, connection: RedisConnection) {
        let mut spare = self.spare();
        if spare.len() < SPARE {
            spare.push(connection);
        }
    }

    fn spare(&self) -> std::sync::MutexGuard<'_, Vec<RedisConnection>> {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RedisConnection {
    fn is_open(&self) -> bool {
        !self.is_closed.load(Ordering::Relaxed)
    }

    /// Runs a script, which the server may not know yet.
    pub(super) async fn run<T: FromRedisValue>(
        &mut self,
        script: &ScriptInvocation<'_>,
    ) -> Result<T, StoreError> {
        let done = timeout(OPERATION_TIME, script.invoke_async(&mut self.commands)).await;
        self.check(done.unwrap_or_else(|_| Err(timed_out())))
    }

    /// Runs a command that the server may delay for this time.
    pub(super) async fn block(
        &mut self,
        command: &Cmd,
        time: Duration,
    ) -> Result<redis::Value, StoreError> {
        let done = self.query(command, time + OPERATION_TIME).await;
        self.check(done)
    }

    async fn query<T: FromRedisValue>(&mut self, command: &Cmd, limit: Duration) -> RedisResult<T> {
        let done = timeout(limit, command.query_async(&mut self.commands)).await;
        done.unwrap_or_else(|_| Err(timed_out()))
    }

    /// Converts an error. After one that says nothing about the operation, the connection is not
    /// used again: the server may be unreachable, or another one may be the primary now.
    fn check<T>(&self, done: RedisResult<T>) -> Result<T, StoreError> {
        done.map_err(|error| {
            let is_lost = matches!(
                error.kind(),
                ErrorKind::Io
                    | ErrorKind::Parse
                    | ErrorKind::AuthenticationFailed
                    | ErrorKind::Server(ServerErrorKind::ReadOnly)
            );
            if is_lost {
                self.is_closed.store(true, Ordering::Relaxed);
            }
            if error.is_timeout() {
                return StoreError::TimedOut(OPERATION_TIME);
            }
            store_error(&error)
        })
    }
}

/// Returns the error of an operation that took too long.
fn timed_out() -> redis::RedisError {
    std::io::Error::from(std::io::ErrorKind::TimedOut).into()
}

/// Chooses ring for TLS, unless the program has chosen something else: the client panics if it has
/// to choose among several.
#[cfg(feature = "redis-tls")]
fn install_crypto(info: &redis::ConnectionInfo) {
    use rustls::crypto::{CryptoProvider, ring};

    if matches!(info.addr(), redis::ConnectionAddr::TcpTls { .. })
        && CryptoProvider::get_default().is_none()
    {
        // Fails if another thread has just done so.
        let _ = ring::default_provider().install_default();
    }
}

/// Checks what the server says about itself.
fn check_server(info: &str) -> Result<(), RedisError> {
    let member = |name| {
        let mut lines = info.lines();
        lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))
    };
    if member("cluster_enabled") == Some("1") {
        return Err(RedisError::Cluster);
    }
    if member("role") == Some("slave") {
        return Err(RedisError::Replica);
    }
    let mut numbers = member("redis_version").unwrap_or_default().split('.');
    let mut number = || numbers.next().and_then(|it| it.parse::<u32>().ok());
    // A server that does not tell its version is used.
    match (number(), number()) {
        (Some(major), Some(minor)) if (major, minor) < (6, 2) => Err(RedisError::Version),
        _ => Ok(()),
    }
}
