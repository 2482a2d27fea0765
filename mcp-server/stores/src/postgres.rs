//! [`Postgres`]: a store in PostgreSQL.
//!
//! The client is `tokio-postgres` with the pool `deadpool-postgres`: it adds fewer crates than
//! `sqlx`, whose current version also needs a newer Rust than this workspace. Because it pipelines
//! statements and hands out notifications, one connection can listen for all readers.

mod bus;
mod connections;
pub(crate) mod error;
mod events;
mod expiry;
mod listener;
mod names;
mod schema;
mod values;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use mcp_server::{
    Bus, BusPage, EventPage, EventStore, Put, PutOutcome, StoreFuture, StreamKey, ValueStore,
    VersionedValue,
};
use tokio::task::JoinSet;
use tokio::time::timeout;

use self::bus::PostgresBus;
use self::connections::{Connections, STATEMENT_TIME, Target};
use self::error::{DatabaseError, PostgresError};
use self::events::PostgresEvents;
use self::listener::ChangeListener;
use self::names::Names;
use self::values::PostgresValues;

/// The time in which the tables have to be created or updated.
const MIGRATION_TIME: Duration = Duration::from_secs(60);

/// A [`Store`](mcp_server::Store) in PostgreSQL 13 or newer. Clones share their connections.
///
/// ```no_run
/// use mcp_server::Server;
/// use mcp_stores::Postgres;
///
/// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
/// let store = Postgres::connect("postgres://mcp@db.example.com/mcp?sslmode=require").await?;
/// let server = Server::builder("shared", "1.0.0").store(store).build()?;
/// # Ok(())
/// # }
/// ```
///
/// # Connections
///
/// A store has at most 8 connections for statements
/// ([`connections`](PostgresBuilder::connections)), and one that listens. They are made again when
/// they are lost. Every statement has to finish within 5 seconds, including the time to get a
/// connection. The tasks of a store run in the runtime in which it was connected, and end when its
/// last clone is dropped.
///
/// The connection string is that of `tokio-postgres`: a URL, or `key=value` pairs, with several
/// hosts if necessary; the one that accepts writes is used. If TLS is used, the certificate of the
/// server is verified: with `sslmode=prefer`, the default, as well as with `require`. With `prefer`,
/// somebody between the two can make the connection go on without TLS: use `require` beyond one
/// machine.
///
/// `LISTEN` needs a connection that stays the same. So a pooler between the store and the server
/// must not assign connections to transactions or statements, as `PgBouncer` does with
/// `pool_mode=transaction`.
///
/// # Tables
///
/// [`connect`](Self::connect) creates the tables, and later releases update them; processes that
/// start at the same time wait for each other. All are in one schema, `mcp` unless
/// [`schema`](PostgresBuilder::schema) sets another one. Releases that need the same major version
/// of the tables can run side by side.
///
/// To create the tables, the user needs the privilege `CREATE` on the database, or on the schema if
/// it exists. A user who does not own the tables needs `USAGE` on the schema, `SELECT`, `INSERT`,
/// `UPDATE` and `DELETE` on its tables, `USAGE` on its sequences, and `EXECUTE` on its functions.
///
/// # Guarantees
///
/// Every method is one statement and one transaction, so it is atomic, also for groups: their new
/// keys are written one after the other. The first use of a method on a connection prepares its
/// statement. `read` and `receive` run their statement again whenever they are woken, and hold no
/// connection while they wait. If a connection is lost, methods whose effect is the same if they run
/// twice are tried again once: all but `put`, `remove` and `publish`.
///
/// What was acknowledged survives a crash of the server, unless `synchronous_commit` is off or a
/// standby takes over that did not have it. Versions and positions then are not used again for
/// something else, unless the database was restored from a backup: a process whose position is newer
/// than the log, or belongs to another one, receives [`missed`](BusPage::missed).
///
/// What has expired is treated as absent at once, by the clock of the server, and removed by any
/// process within some minutes. A stream has at most 256 events of together 1 MiB, and a session 64
/// streams; the newest event is kept whatever its size. Messages are kept for 2 minutes, but at most
/// 100,000 of together 64 MiB.
#[derive(Clone)]
pub struct Postgres(Arc<PostgresParts>);

struct PostgresParts {
    values: PostgresValues,
    events: PostgresEvents,
    bus: PostgresBus,
    /// Aborted when the store is dropped.
    _tasks: JoinSet<()>,
}

/// Settings of a [`Postgres`].
#[derive(Clone)]
pub struct PostgresBuilder {
    schema: String,
    prefix: String,
    connections: usize,
    tls: Option<rustls::ClientConfig>,
}

impl fmt::Debug for Postgres {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Postgres").finish_non_exhaustive()
    }
}

impl fmt::Debug for PostgresBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresBuilder")
            .field("schema", &self.schema)
            .field("prefix", &self.prefix)
            .field("connections", &self.connections)
            .finish_non_exhaustive()
    }
}

impl Postgres {
    /// Connects to a server, and creates or updates the tables.
    ///
    /// # Errors
    ///
    /// If the connection string is invalid, the server cannot be reached or rejects the user, or the
    /// tables cannot be used.
    pub async fn connect(url: &str) -> Result<Self, PostgresError> {
        Self::builder().connect(url).await
    }

    /// Returns the settings, to change them before [`connect`](PostgresBuilder::connect).
    #[must_use]
    pub fn builder() -> PostgresBuilder {
        PostgresBuilder {
            schema: "mcp".to_owned(),
            prefix: String::new(),
            connections: 8,
            tls: None,
        }
    }
}

impl PostgresBuilder {
    /// Sets the schema of the tables. It is created unless it exists. Default: `mcp`.
    #[must_use]
    pub fn schema(mut self, name: impl Into<String>) -> Self {
        self.schema = name.into();
        self
    }

    /// Sets what the names of the tables start with. Default: nothing.
    #[must_use]
    pub fn table_prefix(mut self, prefix: impl Into<String>) -> Self {
        self.prefix = prefix.into();
        self
    }

    /// Sets the maximum number of connections for statements. Default: 8.
    #[must_use]
    pub fn connections(mut self, most: usize) -> Self {
        self.connections = most;
        self
    }

    /// Sets how TLS is used, for example with the certificate of an own authority. By default, the
    /// certificates of the system are trusted.
    #[must_use]
    pub fn tls(mut self, config: rustls::ClientConfig) -> Self {
        self.tls = Some(config);
        self
    }

    /// Connects to a server, and creates or updates the tables.
    ///
    /// # Errors
    ///
    /// If a name or the connection string is invalid, the server cannot be reached or rejects the
    /// user, or the tables cannot be used.
    pub async fn connect(self, url: &str) -> Result<Postgres, PostgresError> {
        let names = Names::new(&self.schema, &self.prefix).map_err(|kind| {
            let name = match kind {
                "schema" => self.schema.clone(),
                _ => self.prefix.clone(),
            };
            PostgresError::InvalidName { kind, name }
        })?;
        let target = Target::new(url, self.tls)?;
        let connections = Connections::new(&target, self.connections)?;
        let mut client = timeout(STATEMENT_TIME, connections.separate())
            .await
            .map_err(|_| PostgresError::TimedOut(STATEMENT_TIME))?
            .map_err(DatabaseError::of_connecting)?;
        timeout(MIGRATION_TIME, schema::migrate(&mut client, &names))
            .await
            .map_err(|_| PostgresError::TimedOut(MIGRATION_TIME))??;

        let listener = Arc::new(ChangeListener::default());
        let mut tasks = JoinSet::new();
        tasks.spawn(Arc::clone(&listener).run(target, names.clone()));
        tasks.spawn(expiry::run(connections.clone(), names.clone()));
        Ok(Postgres(Arc::new(PostgresParts {
            values: PostgresValues::new(connections.clone(), &names),
            events: PostgresEvents::new(connections.clone(), Arc::clone(&listener), &names),
            bus: PostgresBus::new(connections, listener, &names),
            _tasks: tasks,
        })))
    }
}

impl ValueStore for Postgres {
    fn get<'a>(&'a self, key: &'a str) -> StoreFuture<'a, Option<VersionedValue>> {
        Box::pin(self.0.values.get(key))
    }

    fn put<'a>(&'a self, put: Put<'a>) -> StoreFuture<'a, PutOutcome> {
        Box::pin(self.0.values.put(put))
    }

    fn remove<'a>(&'a self, key: &'a str) -> StoreFuture<'a, bool> {
        Box::pin(self.0.values.remove(key))
    }

    fn keys<'a>(&'a self, group: &'a str, most: usize) -> StoreFuture<'a, Vec<String>> {
        Box::pin(self.0.values.keys(group, most))
    }
}

impl EventStore for Postgres {
    fn open<'a>(
        &'a self,
        stream: StreamKey<'a>,
        about: &'a [u8],
        kept: Duration,
    ) -> StoreFuture<'a, ()> {
        Box::pin(self.0.events.open(stream, about, kept))
    }

    fn about<'a>(&'a self, stream: StreamKey<'a>) -> StoreFuture<'a, Option<Vec<u8>>> {
        Box::pin(self.0.events.about(stream))
    }

    fn append<'a>(
        &'a self,
        stream: StreamKey<'a>,
        number: u64,
        message: Option<Bytes>,
        kept: Duration,
    ) -> StoreFuture<'a, ()> {
        Box::pin(self.0.events.append(stream, number, message, kept))
    }

    fn read<'a>(&'a self, stream: StreamKey<'a>, after: u64) -> StoreFuture<'a, Option<EventPage>> {
        Box::pin(self.0.events.read(stream, after))
    }

    fn remove_session<'a>(&'a self, session: &'a str) -> StoreFuture<'a, ()> {
        Box::pin(self.0.events.remove_session(session))
    }
}

impl Bus for Postgres {
    fn publish<'a>(&'a self, message: &'a [u8]) -> StoreFuture<'a, ()> {
        Box::pin(self.0.bus.publish(message))
    }

    fn receive<'a>(&'a self, after: Option<&'a str>) -> StoreFuture<'a, BusPage> {
        Box::pin(self.0.bus.receive(after))
    }
}
