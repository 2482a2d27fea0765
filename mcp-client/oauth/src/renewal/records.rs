//! [`Records`]: the values of the store, decoded.

use std::io;

use mcp_client::types::peer_text::PeerDisplay;
use mcp_oauth::Secret;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::client::{ClientRecord, OAuthClient};
use crate::config::Config;
use crate::error::{OAuthError, OAuthFault, OAuthStep};
use crate::store::{StoreError, StoreKey, StoreLock};
use crate::tokens::Tokens;

/// Which authorization server a user uses for a server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ServerRecord {
    pub(crate) issuer: String,
    pub(crate) resource: String,
}

/// The store, with the keys of one user.
#[derive(Clone, Copy)]
pub(crate) struct Records<'a>(pub(crate) &'a Config);

impl Records<'_> {
    pub(crate) fn server_key(self, server: &str) -> StoreKey {
        StoreKey::Server {
            server: server.to_owned(),
            user: self.0.user.clone(),
        }
    }

    pub(crate) fn tokens_key(self, issuer: &str, resource: &str) -> StoreKey {
        StoreKey::Tokens {
            issuer: issuer.to_owned(),
            resource: resource.to_owned(),
            user: self.0.user.clone(),
        }
    }

    pub(crate) async fn tokens(
        self,
        issuer: &str,
        resource: &str,
    ) -> Result<Option<Tokens>, OAuthError> {
        self.load(&self.tokens_key(issuer, resource)).await
    }

    /// Returns all keys.
    pub(crate) async fn keys(self) -> Result<Vec<StoreKey>, OAuthError> {
        self.0.store.keys().await.map_err(failed)
    }

    /// Returns where the tokens of any user for a server are.
    pub(crate) async fn place(
        self,
        server: &str,
        user: &str,
    ) -> Result<Option<ServerRecord>, OAuthError> {
        self.load(&StoreKey::Server {
            server: server.to_owned(),
            user: user.to_owned(),
        })
        .await
    }

    /// Returns the tokens of any user for a server.
    pub(crate) async fn tokens_of(
        self,
        server: &str,
        user: &str,
    ) -> Result<Option<Tokens>, OAuthError> {
        let Some(record) = self.place(server, user).await? else {
            return Ok(None);
        };
        let key = StoreKey::Tokens {
            issuer: record.issuer,
            resource: record.resource,
            user: user.to_owned(),
        };
        self.load(&key).await
    }

    pub(crate) async fn client(self, issuer: &str) -> Result<Option<ClientRecord>, OAuthError> {
        let issuer = issuer.to_owned();
        self.load(&StoreKey::Client { issuer }).await
    }

    /// Returns the issuer to which a client of the configuration belongs.
    pub(crate) async fn issuer_of(
        self,
        client: &OAuthClient,
    ) -> Result<Option<String>, OAuthError> {
        match &client.issuer {
            Some(issuer) => Ok(Some(issuer.clone())),
            // If it is damaged, the client must not get another issuer.
            None => self.load_exact(&issuer_key(client)).await.map_err(failed),
        }
    }

    /// Binds a client of the configuration to an issuer, unless it belongs to one. Returns its
    /// issuer.
    pub(crate) async fn bind(
        self,
        client: &OAuthClient,
        issuer: &str,
    ) -> Result<String, OAuthError> {
        let key = issuer_key(client);
        let _lock = self.lock(&key).await?;
        if let Some(own) = self.issuer_of(client).await? {
            return Ok(own);
        }
        self.save(&key, &issuer).await?;
        Ok(issuer.to_owned())
    }

    /// Stores tokens, and that the server uses them.
    pub(crate) async fn save_tokens(self, server: &str, tokens: &Tokens) -> Result<(), OAuthError> {
        let key = self.tokens_key(&tokens.issuer, &tokens.resource);
        self.save(&key, tokens).await?;
        let record = ServerRecord {
            issuer: tokens.issuer.clone(),
            resource: tokens.resource.clone(),
        };
        self.save(&self.server_key(server), &record).await
    }

    pub(crate) async fn save_client(self, client: &ClientRecord) -> Result<(), OAuthError> {
        let issuer = client.issuer.clone();
        self.save(&StoreKey::Client { issuer }, client).await
    }

    /// Removes a registration, unless it has been replaced.
    pub(crate) async fn forget_client(self, client: &ClientRecord) -> Result<(), OAuthError> {
        let issuer = client.issuer.clone();
        let key = StoreKey::Client { issuer };
        let _lock = self.lock(&key).await?;
        if self.load(&key).await?.as_ref() == Some(client) {
            self.remove(&key).await?;
        }
        Ok(())
    }

    pub(crate) async fn lock(self, key: &StoreKey) -> Result<StoreLock, OAuthError> {
        self.0.store.lock(key).await.map_err(failed)
    }

    pub(crate) async fn remove(self, key: &StoreKey) -> Result<(), OAuthError> {
        self.0.store.remove(key).await.map_err(failed)
    }

    /// Returns a value, or an error if it is damaged.
    async fn load_exact<T: DeserializeOwned>(
        self,
        key: &StoreKey,
    ) -> Result<Option<T>, StoreError> {
        let Some(value) = self.0.store.load(key).await? else {
            return Ok(None);
        };
        // The error is not kept, because it may quote the value.
        let decoded = serde_json::from_str(value.expose());
        decoded.map(Some).map_err(|_| {
            let text = "a stored value is damaged, or from another version of the program";
            io::Error::new(io::ErrorKind::InvalidData, text).into()
        })
    }

    /// Returns a value. A damaged one counts as missing, so that a login or a logout can replace
    /// it.
    async fn load<T: DeserializeOwned>(self, key: &StoreKey) -> Result<Option<T>, OAuthError> {
        let is_damaged = |error: &StoreError| {
            let error = error.downcast_ref::<io::Error>();
            error.is_some_and(|error| error.kind() == io::ErrorKind::InvalidData)
        };
        match self.load_exact(key).await {
            Err(error) if is_damaged(&error) => {
                tracing::warn!(error = %PeerDisplay(&error), "a stored value is ignored");
                Ok(None)
            }
            loaded => loaded.map_err(failed),
        }
    }

    async fn save<T: Serialize>(self, key: &StoreKey, value: &T) -> Result<(), OAuthError> {
        let text = serde_json::to_string(value).map_err(|error| failed(error.into()))?;
        let saved = self.0.store.save(key, &Secret::new(text)).await;
        saved.map_err(failed)
    }
}

fn issuer_key(client: &OAuthClient) -> StoreKey {
    StoreKey::ClientIssuer {
        client: client.id.clone(),
    }
}

fn failed(error: StoreError) -> OAuthError {
    OAuthError::new(OAuthStep::Store, OAuthFault::Store(error.into()))
}
