//! [`ProviderToken`]: a token with which a handler calls the provider on behalf of the user.

use std::fmt;
use std::time::Duration;

use mcp_oauth::Secret;
use mcp_server::{
    AccessToken, Condition, Context, FromContext, HandlerError, PutOutcome, Requirements,
    SharedState, State,
};
use mcp_types::peer_text::Chain;
use tokio::time::{Instant, sleep};

use crate::access_token::SESSION_CLAIM;
use crate::fault::Fault;
use crate::login::{Login, LoginServer};
use crate::provider::tokens::ProviderTokens;
use crate::session;
use crate::vault::{Vault, Versioned};

/// A token that expires earlier than this is renewed.
const VALID_FOR: Duration = Duration::from_secs(60);
/// The time between two looks at a token that another request renews.
const INTERVAL: Duration = Duration::from_millis(100);

/// Extracts an access token of the provider for the user who sends the request, to call the provider on
/// the user's behalf. It is renewed if necessary. Never pass it on to the client.
///
/// The server needs the [`Login`] as a state:
///
/// ```
/// use mcp_login::{Login, Provider, ProviderToken};
/// use mcp_server::Server;
///
/// async fn repositories(token: ProviderToken) -> String {
///     // `GET https://api.github.com/user/repos` with the header `Authorization: Bearer ..`.
///     format!("a token of {} characters", token.expose().len())
/// }
///
/// let github = Provider::github("id", "secret").scope("repo");
/// let login = Login::builder(github, "https://mcp.example.com").allow(|_| true).build()?;
/// let server = Server::builder("demo", "1.0.0")
///     .state(login.clone())
///     .tool("repositories", "Lists your repositories", repositories)
///     .build()?;
/// # drop(server);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// If the provider says that the user has to log in again, the session ends: the client gets 401 for its
/// next request, and sends the user to the login.
pub struct ProviderToken(Secret);

impl ProviderToken {
    /// Returns the token. Do not log it.
    #[must_use]
    pub fn expose(&self) -> &str {
        self.0.expose()
    }
}

impl fmt::Debug for ProviderToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ProviderToken(..)")
    }
}

/// Requests whose token was not issued by the [`Login`] are refused.
impl FromContext for ProviderToken {
    fn requirements(requirements: &mut Requirements) {
        requirements.state::<Login>();
    }

    async fn from_context(cx: &Context) -> Result<Self, HandlerError> {
        let State(login) = State::<Login>::from_context(cx).await?;
        let token = cx.extension::<AccessToken>();
        let token = token.filter(|token| token.issuer == login.0.urls.issuer);
        let id = token.and_then(|token| token.claims.get(SESSION_CLAIM)?.as_str());
        let id = id.ok_or_else(refused)?;
        let renewal = Renewal {
            id: id.to_owned(),
            shared: cx.shared_state(),
            login,
        };
        Ok(Self(Box::pin(renewal.current()).await?.access))
    }
}

fn refused() -> HandlerError {
    HandlerError::forbidden("the request has no session with the provider")
}

/// The user has to log in again.
fn ended() -> HandlerError {
    HandlerError::forbidden("the login at the provider has ended: log in again")
}

/// The provider failed; the cause was logged.
fn unavailable() -> HandlerError {
    let text = "the provider cannot be reached at the moment: retry later";
    HandlerError::internal(text).temporary()
}

#[expect(clippy::needless_pass_by_value, reason = "the argument of `map_err`")]
fn failed(fault: Fault) -> HandlerError {
    tracing::error!(error = %Chain(&fault), "a token of the provider cannot be read");
    HandlerError::internal("the server has a problem: retry later").temporary()
}

/// The session whose tokens are needed.
#[derive(Clone)]
struct Renewal {
    login: Login,
    shared: SharedState,
    id: String,
}

impl Renewal {
    fn vault(&self) -> Vault<'_> {
        Vault::new(self.shared.clone(), &self.login.0.realm)
    }

    async fn tokens(&self, vault: &Vault<'_>) -> Result<ProviderTokens, HandlerError> {
        let found = session::find(vault, &self.login.0.provider, &self.id).await;
        let found = found.map_err(failed)?.ok_or_else(ended)?;
        found.value.provider.ok_or_else(refused)
    }

    /// Returns the tokens of the session, renewed if necessary. Providers replace refresh tokens, too, so
    /// only one request of all processes renews them, under a lock in the store; others wait for it.
    async fn current(self) -> Result<ProviderTokens, HandlerError> {
        let vault = self.vault();
        let key = format!("renewal:{}", self.id);
        // The lock ends by itself if its process has ended, later than the requests to the provider.
        let net = self.login.0.net.as_ref().ok_or_else(refused)?;
        let lock_time = net.time + Duration::from_secs(10);
        let start = Instant::now();
        loop {
            let tokens = self.tokens(&vault).await?;
            if tokens.is_valid_for(VALID_FOR) {
                return Ok(tokens);
            }
            if tokens.refresh.is_none() {
                // It may still work for some seconds.
                if tokens.is_valid_for(Duration::ZERO) {
                    return Ok(tokens);
                }
                session::end(&vault, &self.id).await.map_err(failed)?;
                return Err(ended());
            }
            let locked = vault.put(&key, &(), lock_time, Condition::Absent, None);
            if let PutOutcome::Written(version) = locked.await.map_err(failed)? {
                // In a task of its own: if the client cancels the request, the new tokens are stored
                // nevertheless. The old ones are of no use any more.
                let renewal = self.clone();
                let renewed = tokio::spawn(async move {
                    let (renewed, vault) = (renewal.renew().await, renewal.vault());
                    // The lock is left alone if it has expired and belongs to another process. If
                    // the store fails, it expires by itself.
                    let own = Condition::Version(version);
                    let held = vault.put(&key, &(), lock_time, own, None).await;
                    if let Ok(PutOutcome::Written(_)) = held {
                        drop(vault.remove(&key).await);
                    }
                    renewed
                });
                return renewed.await.unwrap_or_else(|_| Err(unavailable()));
            }
            if start.elapsed() > lock_time {
                return Err(unavailable());
            }
            sleep(INTERVAL).await;
        }
    }

    /// Renews the tokens. Called under the lock.
    async fn renew(&self) -> Result<ProviderTokens, HandlerError> {
        let vault = self.vault();
        // Another request may have renewed them before this one got the lock.
        let tokens = self.tokens(&vault).await?;
        if tokens.is_valid_for(VALID_FOR) {
            return Ok(tokens);
        }
        let LoginServer { provider, net, .. } = &*self.login.0;
        let net = net.as_ref().ok_or_else(refused)?;
        let renewed = match net.in_time(provider.refresh(net, &tokens)).await {
            Ok(renewed) => renewed,
            Err(error) if error.is_invalid_grant() => {
                tracing::info!(error = %Chain(&error), "the login of a user at the provider has ended");
                session::end(&vault, &self.id).await.map_err(failed)?;
                return Err(ended());
            }
            Err(error) => {
                tracing::warn!(error = %Chain(&error), "a token of the provider cannot be renewed");
                return Err(unavailable());
            }
        };
        for _ in 0..session::ATTEMPTS {
            let found = session::find(&vault, provider, &self.id).await;
            let found = found.map_err(failed)?.ok_or_else(ended)?;
            let Versioned { mut value, version } = found;
            value.provider = Some(renewed.clone());
            if value.replace(&vault, version).await.map_err(failed)? {
                return Ok(renewed);
            }
        }
        Err(failed(Fault::Contended))
    }
}
