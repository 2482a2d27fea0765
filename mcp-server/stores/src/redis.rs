//! [`Redis`]: a store in a Redis server.

mod bus;
mod connection;
pub(crate) mod error;
mod events;
mod notifications;
mod values;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use mcp_server::{
    Bus, BusPage, EventPage, EventStore, Put, PutOutcome, StoreFuture, StreamKey, ValueStore,
    VersionedValue,
};

use self::connection::RedisConnections;
use self::error::RedisError;
use self::notifications::Notifications;

/// What the keys of a store begin with, unless a program sets it.
const PREFIX: &str = "mcp:";
/// The maximum size of the prefix in bytes.
const PREFIX_BYTES: usize = 128;

/// A [`Store`](mcp_server::Store) in a Redis server (6.2 or newer) or Valkey, for
/// [`ServerBuilder::store`](mcp_server::ServerBuilder::store). Clones share their connections.
///
/// ```no_run
/// use mcp_server::{Keys, Server};
/// use mcp_stores::Redis;
///
/// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
/// let store = Redis::connect("redis://user:password@redis.example.com").await?;
/// # let keys = Keys::generate()?;
/// let server = Server::builder("calculator", "1.0.0")
///     .store(store)
///     .keys(keys)
///     .build()?;
/// # Ok(())
/// # }
/// ```
///
/// # Atomicity
///
/// Each method is one Lua script, which Redis runs alone: it makes all of a change or nothing.
/// Expiry follows the clock of the server. A version is the time of the write in microseconds, or
/// one more than the latest if the clock has not advanced, so that versions do not repeat even if
/// the server loses its data.
///
/// # Operations
///
/// Every method is one round trip; after a restart of the server, another one sends the script.
/// Writing to a stream also publishes a notification. [`read`](EventStore::read) makes two or three
/// round trips if it has to wait, and one every two seconds while it waits.
/// [`receive`](Bus::receive) makes one, and three if it has to wait.
///
/// A process has up to three connections: for all operations, for waiting messages of the bus, and
/// for notifications while clients read legacy streams of other processes.
///
/// # Limits
///
/// Everything expires: values after their time to live, streams after the time for which they are
/// kept, messages of the bus after five minutes. Only two counters stay. A stream has at most 256
/// events and 1 MiB, a session 64 streams, and the bus about 10,000 messages of together 64 MiB. The
/// total is limited by the server: set `maxmemory` with the policy `noeviction`, so that it refuses writes instead of
/// removing sessions early.
///
/// # Persistence
///
/// After a restart, Redis has what it has written to its disk:
///
/// | setting | lost by a crash |
/// | --- | --- |
/// | `appendonly yes`, `appendfsync always` | nothing |
/// | `appendonly yes`, `appendfsync everysec` (default) | the writes of about a second |
/// | `save` | the writes since the latest snapshot |
/// | `appendonly no`, `save ""` | everything |
///
/// Lost sessions end: their clients have to start new ones. Revocations of URLs and marks of proofs
/// that were used are lost as well, so until they would have expired, these can be used again.
/// Readers of the bus notice that messages were lost ([`BusPage::missed`]). The same holds for a
/// failover to a replica, which is asynchronous.
///
/// # Failures
///
/// While the server cannot be reached, methods fail within a second, and if it does not answer,
/// within three. Lost connections are made again when they are needed; the pause between attempts
/// grows to two seconds. A waiting [`read`](EventStore::read) tries again for five seconds.
///
/// Redis Cluster and Sentinel are not supported. `rediss://` URLs need the feature `redis-tls`.
#[derive(Clone)]
pub struct Redis(Arc<RedisParts>);

/// The connections, and the names of keys.
struct RedisParts {
    connections: Arc<RedisConnections>,
    notifications: Notifications,
    prefix: String,
}

impl fmt::Debug for Redis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = f.debug_struct("Redis");
        text.field("prefix", &self.0.prefix).finish_non_exhaustive()
    }
}

impl Redis {
    /// Connects to a server. Keys begin with `mcp:`.
    ///
    /// # Errors
    ///
    /// If the URL is invalid, or if the server cannot be reached or used.
    pub async fn connect(url: &str) -> Result<Self, RedisError> {
        Self::connect_with(url, PREFIX).await
    }

    /// Connects to a server, with a prefix for all keys and channels. Endpoints that use the same
    /// server need different prefixes.
    ///
    /// # Errors
    ///
    /// If the URL or the prefix is invalid, or if the server cannot be reached or used.
    pub async fn connect_with(url: &str, prefix: &str) -> Result<Self, RedisError> {
        if prefix.len() > PREFIX_BYTES {
            return Err(RedisError::Prefix(prefix.len()));
        }
        let connections = Arc::new(RedisConnections::connect(url).await?);
        Ok(Self(Arc::new(RedisParts {
            notifications: Notifications::new(Arc::clone(&connections)),
            connections,
            prefix: prefix.to_owned(),
        })))
    }
}

impl ValueStore for Redis {
    fn get<'a>(&'a self, key: &'a str) -> StoreFuture<'a, Option<VersionedValue>> {
        Box::pin(self.0.get(key))
    }

    fn put<'a>(&'a self, put: Put<'a>) -> StoreFuture<'a, PutOutcome> {
        Box::pin(self.0.put(put))
    }

    fn remove<'a>(&'a self, key: &'a str) -> StoreFuture<'a, bool> {
        Box::pin(self.0.remove(key))
    }

    fn keys<'a>(&'a self, group: &'a str, most: usize) -> StoreFuture<'a, Vec<String>> {
        Box::pin(self.0.keys(group, most))
    }
}

impl EventStore for Redis {
    fn open<'a>(
        &'a self,
        stream: StreamKey<'a>,
        about: &'a [u8],
        kept: Duration,
    ) -> StoreFuture<'a, ()> {
        Box::pin(self.0.open(stream, about, kept))
    }

    fn about<'a>(&'a self, stream: StreamKey<'a>) -> StoreFuture<'a, Option<Vec<u8>>> {
        Box::pin(self.0.about(stream))
    }

    fn append<'a>(
        &'a self,
        stream: StreamKey<'a>,
        number: u64,
        message: Option<Bytes>,
        kept: Duration,
    ) -> StoreFuture<'a, ()> {
        Box::pin(self.0.append(stream, number, message, kept))
    }

    fn read<'a>(&'a self, stream: StreamKey<'a>, after: u64) -> StoreFuture<'a, Option<EventPage>> {
        Box::pin(self.0.read(stream, after))
    }

    fn remove_session<'a>(&'a self, session: &'a str) -> StoreFuture<'a, ()> {
        Box::pin(self.0.remove_session(session))
    }
}

impl Bus for Redis {
    fn publish<'a>(&'a self, message: &'a [u8]) -> StoreFuture<'a, ()> {
        Box::pin(self.0.publish(message))
    }

    fn receive<'a>(&'a self, after: Option<&'a str>) -> StoreFuture<'a, BusPage> {
        Box::pin(self.0.receive(after))
    }
}
