//! [`PostgresError`]: why a store could not be connected.

use std::error::Error;
use std::time::Duration;

use deadpool_postgres::{HookError, PoolError};
use mcp_server::types::peer_text::PeerDisplay;
use tokio_postgres::error::{DbError, Severity, SqlState};

/// The error of [`Postgres::connect`](crate::Postgres::connect). It contains no password.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PostgresError {
    /// The connection string is malformed. It is not shown, because it may have a password.
    #[error("invalid connection string for PostgreSQL")]
    InvalidUrl,
    /// The name of the schema or the prefix is not allowed.
    #[error(
        "invalid {kind} {name:?}: expected ASCII letters, digits and underscores, no digit in \
         front, not `pg_` in front of a schema, and at most 40 characters of a schema or 16 of a prefix"
    )]
    InvalidName {
        /// What the name is for.
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// TLS cannot be configured.
    #[error("cannot configure TLS")]
    Tls(#[source] rustls::Error),
    /// The server rejects the user or the password.
    #[error("PostgreSQL rejects the user or the password")]
    Authentication(#[source] Box<dyn Error + Send + Sync>),
    /// The server cannot be reached, or refuses the connection.
    #[error("cannot connect to PostgreSQL")]
    Connect(#[source] Box<dyn Error + Send + Sync>),
    /// The tables cannot be created or updated, for example because the user may not do so.
    #[error("cannot create or update the tables of the store")]
    Migration(#[source] Box<dyn Error + Send + Sync>),
    /// The tables belong to a release of this crate that stores something else.
    #[error("the tables have version {found}, but this release needs version {supported}")]
    IncompatibleTables {
        /// The major version of the tables.
        found: i32,
        /// The major version that this release needs.
        supported: i32,
    },
    /// The server did not answer in time.
    #[error("PostgreSQL did not answer within {} s", .0.as_secs_f64())]
    TimedOut(Duration),
}

/// An error of the client, without values: not the details that a server adds.
#[derive(Debug, thiserror::Error)]
#[error("{text}")]
pub(crate) struct DatabaseError {
    text: String,
    code: Option<SqlState>,
    /// Whether the connection can be used after this error.
    is_connection_good: bool,
}

impl DatabaseError {
    /// Returns `true` if the connection was lost, so that another one may work.
    pub(crate) fn is_lost(&self) -> bool {
        !self.is_connection_good
    }

    pub(crate) fn timed_out() -> Self {
        Self {
            text: "no answer in time".to_owned(),
            code: None,
            is_connection_good: false,
        }
    }

    /// Converts the error of a first connection.
    pub(crate) fn of_connecting(self) -> PostgresError {
        match &self.code {
            Some(code) if code.code().starts_with("28") => {
                PostgresError::Authentication(self.into())
            }
            _ => PostgresError::Connect(self.into()),
        }
    }
}

impl From<tokio_postgres::Error> for DatabaseError {
    fn from(error: tokio_postgres::Error) -> Self {
        let text = match (error.as_db_error(), error.source()) {
            (Some(cause), _) => format!("{} ({})", cause.message(), cause.code().code()),
            (None, Some(cause)) => format!("{error}: {cause}"),
            (None, None) => error.to_string(),
        };
        let severity = error.as_db_error().and_then(DbError::parsed_severity);
        Self {
            // The message is a text of the database server.
            text: PeerDisplay(text).to_string(),
            is_connection_good: severity == Some(Severity::Error),
            code: error.code().cloned(),
        }
    }
}

impl From<PoolError> for DatabaseError {
    fn from(error: PoolError) -> Self {
        match error {
            PoolError::Backend(error) | PoolError::PostCreateHook(HookError::Backend(error)) => {
                // There is no connection.
                Self {
                    is_connection_good: false,
                    ..error.into()
                }
            }
            other => Self {
                text: other.to_string(),
                code: None,
                is_connection_good: false,
            },
        }
    }
}
