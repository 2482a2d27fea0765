//! [`Connections`]: the pool of connections.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use deadpool_postgres::{Client, Hook, HookError, Manager, ManagerConfig, Object, Pool};
use deadpool_postgres::{ClientWrapper, RecyclingMethod};
use mcp_server::StoreError;
use tokio::time::timeout;
use tokio_postgres::config::TargetSessionAttrs;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Config, Row};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::error::{DatabaseError, PostgresError};

/// The time in which a statement has to finish, including the time to get a connection.
pub(crate) const STATEMENT_TIME: Duration = Duration::from_secs(5);

/// Settings of every connection. The statements depend on the isolation level. The server ends a
/// statement that nobody waits for any more.
const SETTINGS: &str = "\
    SET default_transaction_isolation = 'read committed'; \
    SET default_transaction_read_only = off; \
    SET statement_timeout = '6s'; \
    SET idle_in_transaction_session_timeout = '60s'";

/// Parameters of a statement.
pub(crate) type Parameters<'a> = &'a [&'a (dyn ToSql + Sync)];

/// Where to connect to, and how.
#[derive(Clone)]
pub(crate) struct Target {
    pub(crate) config: Config,
    pub(crate) tls: MakeRustlsConnect,
}

impl Target {
    /// Parses a connection string. Without a configuration of TLS, the certificates of the system
    /// are trusted.
    pub(crate) fn new(url: &str, tls: Option<rustls::ClientConfig>) -> Result<Self, PostgresError> {
        // The cause may contain a part of the password, if it has characters that are not escaped.
        let mut config: Config = url.parse().map_err(|_| PostgresError::InvalidUrl)?;
        if config.get_connect_timeout().is_none() {
            // Hosts are tried one after the other, within the time of a statement.
            let hosts = config.get_hosts().len().max(config.get_hostaddrs().len());
            let parts = u32::try_from(hosts).unwrap_or(u32::MAX).saturating_add(1);
            config.connect_timeout(STATEMENT_TIME / parts);
        }
        if config.get_application_name().is_none() {
            config.application_name("mcp-server");
        }
        if config.get_target_session_attrs() == TargetSessionAttrs::Any {
            config.target_session_attrs(TargetSessionAttrs::ReadWrite);
        }
        let tls = match tls {
            Some(tls) => tls,
            None => trusts_system().map_err(PostgresError::Tls)?,
        };
        let tls = MakeRustlsConnect::new(tls);
        Ok(Self { config, tls })
    }
}

fn trusts_system() -> Result<rustls::ClientConfig, rustls::Error> {
    let mut roots = rustls::RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(config)
}

/// The pool of connections. Clones share it.
#[derive(Clone)]
pub(crate) struct Connections(Pool);

impl Connections {
    /// Creates a pool without connections.
    pub(crate) fn new(target: &Target, most: usize) -> Result<Self, PostgresError> {
        let recycling = ManagerConfig {
            recycling_method: RecyclingMethod::Fast,
        };
        let Target { config, tls } = target.clone();
        let pool = Pool::builder(Manager::from_config(config, tls, recycling))
            .max_size(most.max(1))
            .post_create(Hook::async_fn(|client: &mut ClientWrapper, _| {
                Box::pin(async move {
                    let set = client.batch_execute(SETTINGS).await;
                    set.map_err(HookError::Backend)
                })
            }))
            .build();
        // Fails only for timeouts of the pool without a runtime.
        pool.map(Self)
            .map_err(|error| PostgresError::Connect(error.into()))
    }

    /// Returns a connection that does not return to the pool.
    pub(crate) async fn separate(&self) -> Result<ClientWrapper, DatabaseError> {
        Ok(Object::take(self.0.get().await?))
    }

    /// Runs a statement once. Whether it was run is unknown after an error.
    pub(crate) async fn run_once(
        &self,
        sql: &str,
        parameters: Parameters<'_>,
    ) -> Result<Vec<Row>, StoreError> {
        limited(self.run(sql, parameters)).await
    }

    /// Runs a statement that has the same effect if it is run twice: again, if the connection was
    /// lost.
    pub(crate) async fn run_repeatable(
        &self,
        sql: &str,
        parameters: Parameters<'_>,
    ) -> Result<Vec<Row>, StoreError> {
        let twice = async {
            match self.run(sql, parameters).await {
                Err(error) if error.is_lost() => self.run(sql, parameters).await,
                done => done,
            }
        };
        limited(twice).await
    }

    async fn run(&self, sql: &str, parameters: Parameters<'_>) -> Result<Vec<Row>, DatabaseError> {
        let lease = Lease(Some(self.0.get().await?));
        let done = lease.query(sql, parameters).await;
        let done = done.map_err(DatabaseError::from);
        match &done {
            Err(error) if error.is_lost() => {
                // The others are lost as well, if the server was restarted.
                self.0.retain(|_, _| false);
            }
            _ => lease.give_back(),
        }
        done
    }
}

/// Limits the time of a statement.
async fn limited<T>(
    statement: impl Future<Output = Result<T, DatabaseError>>,
) -> Result<T, StoreError> {
    match timeout(STATEMENT_TIME, statement).await {
        Ok(done) => done.map_err(StoreError::failed),
        Err(_) => Err(StoreError::TimedOut(STATEMENT_TIME)),
    }
}

/// A connection of the pool. It is closed when this is dropped, because its statement may still
/// run, unless it was given back.
struct Lease(Option<Client>);

impl Lease {
    async fn query(
        &self,
        sql: &str,
        parameters: Parameters<'_>,
    ) -> Result<Vec<Row>, tokio_postgres::Error> {
        let Some(client) = &self.0 else {
            return Ok(Vec::new());
        };
        let statement = client.prepare_cached(sql).await?;
        client.query(&statement, parameters).await
    }

    fn give_back(mut self) {
        drop(self.0.take());
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if let Some(client) = self.0.take() {
            drop(Object::take(client));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_of_several_hosts_is_tried_within_the_time_of_a_statement() {
        for (hosts, count) in [("a", 1), ("a,b", 2), ("a,b,c", 3)] {
            let target = Target::new(&format!("postgres://{hosts}/x"), None).expect("valid");
            let each = target.config.get_connect_timeout().expect("set");
            assert!(*each * count < STATEMENT_TIME, "{hosts}");
        }
    }
}
