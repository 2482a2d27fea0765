//! [`TokenStore`]: stores tokens and registrations.

use std::error::Error;
use std::fmt::{self, Display, Formatter};
use std::future::Future;
use std::pin::Pin;

use mcp_oauth::Secret;
use serde::{Deserialize, Serialize};

use mcp_fetch::url::shown;

/// The error of a [`TokenStore`].
pub type StoreError = Box<dyn Error + Send + Sync>;

/// The future that a [`TokenStore`] method returns.
pub type StoreFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// A lock on a key. Dropping it releases the lock.
pub type StoreLock = Box<dyn Send>;

/// Stores tokens and registrations of clients.
///
/// The values are secrets. A store that several processes share locks keys between them: the client
/// refreshes a token only while it holds the lock, so that it is refreshed once.
pub trait TokenStore: Send + Sync {
    /// Returns the value of a key. An [`io::Error`](std::io::Error) of the kind `InvalidData` means
    /// that it is damaged: the client then goes on as if there were none.
    fn load<'a>(&'a self, key: &'a StoreKey) -> StoreFuture<'a, Option<Secret>>;

    /// Stores a value, as a whole or not at all.
    fn save<'a>(&'a self, key: &'a StoreKey, value: &'a Secret) -> StoreFuture<'a, ()>;

    /// Removes a value, if there is one.
    fn remove<'a>(&'a self, key: &'a StoreKey) -> StoreFuture<'a, ()>;

    /// Returns all keys, but not those of damaged values.
    fn keys(&self) -> StoreFuture<'_, Vec<StoreKey>>;

    /// Waits for the lock on a key, which need not have a value.
    fn lock<'a>(&'a self, key: &'a StoreKey) -> StoreFuture<'a, StoreLock>;
}

/// The key of a value: what it is, and for whom.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[non_exhaustive]
pub enum StoreKey {
    /// The authorization server that a user uses for a server.
    Server {
        /// The URL of the server.
        server: String,
        /// The name that the program gave to the user; empty by default.
        user: String,
    },
    /// The registration of the client at an authorization server.
    Client {
        /// The issuer.
        issuer: String,
    },
    /// The issuer to which a client belongs that the program registered in advance without naming
    /// one: that of its first use.
    ClientIssuer {
        /// The id of the client.
        client: String,
    },
    /// The tokens of a user for a resource.
    Tokens {
        /// The issuer.
        issuer: String,
        /// The identifier of the resource.
        resource: String,
        /// The name that the program gave to the user; empty by default.
        user: String,
    },
}

/// The queries of URLs may be secrets, so they are left out.
impl fmt::Debug for StoreKey {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Server { server, user } => f
                .debug_struct("Server")
                .field("server", &shown(server))
                .field("user", user)
                .finish(),
            Self::Client { issuer } => f
                .debug_struct("Client")
                .field("issuer", &shown(issuer))
                .finish(),
            Self::ClientIssuer { client } => f
                .debug_struct("ClientIssuer")
                .field("client", &shown(client))
                .finish(),
            Self::Tokens {
                issuer,
                resource,
                user,
            } => f
                .debug_struct("Tokens")
                .field("issuer", &shown(issuer))
                .field("resource", &shown(resource))
                .field("user", user)
                .finish(),
        }
    }
}

/// A unique text for the key. It contains the URL of a server as a whole, with its query.
impl Display for StoreKey {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        // JSON separates the parts unambiguously. Writing it cannot fail.
        let text = serde_json::to_string(self).unwrap_or_default();
        f.write_str(&text)
    }
}
