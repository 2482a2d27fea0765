//! [`OAuth`]: authorizes the requests of clients.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use http::header::{ACCEPT, AUTHORIZATION};
use http::{HeaderMap, HeaderValue, StatusCode};
use mcp_oauth::Secret;
use zeroize::Zeroizing;

use super::config::Config;
use super::discovery::find_server;
use super::error::{OAuthError, OAuthFault, OAuthStep};
use super::net::{Net, invalid_server};
use super::status::{TokenStatus, statuses};
use super::token_session::TokenSession;
use super::tokens::{TokenType, Tokens, read_key};
use crate::discovery::challenge::ChallengeInfo;
use crate::renewal::login::PendingLogin;
use crate::renewal::purpose::Purpose;
use crate::renewal::target::Target;
use crate::tokens::dpop::{DPOP, proof};
use mcp_client::{Authorize, AuthorizeFuture, AuthorizeRequest, AuthorizeResponse};
use mcp_fetch::Origin;

/// Authorizes requests with OAuth. Clones share the tokens.
///
/// ```no_run
/// use mcp_client_oauth::{Loopback, OAuth};
/// use mcp_client::{Client, Http};
///
/// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
/// let agent = Loopback::new(|url| {
///     eprintln!("Open {} to log in.", url.as_str());
///     Ok(())
/// });
/// let oauth = OAuth::authorization_code(agent).client_name("demo").build()?;
/// let server = Http::new("https://example.com/mcp").auth(oauth);
/// let client = Client::builder("demo", "1.0.0").connect(server).await?;
/// # drop(client);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct OAuth {
    config: Arc<Config>,
    /// By the URL of the server.
    sessions: Arc<Mutex<HashMap<String, Arc<TokenSession>>>>,
}

/// What [`OAuth::logout`] did with the tokens for a server.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Logout {
    /// There were no tokens.
    Absent,
    /// The tokens are revoked and forgotten.
    Revoked,
    /// The tokens are forgotten, but stay valid until they expire.
    Forgotten {
        /// Why they were not revoked. `None` if the authorization server does not revoke tokens.
        error: Option<OAuthError>,
    },
}

impl OAuth {
    pub(super) fn new(config: Config) -> Self {
        Self {
            config: Arc::new(config),
            sessions: Arc::default(),
        }
    }

    fn session(&self, server: &str) -> Arc<TokenSession> {
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(session) = sessions.get(server) {
            return Arc::clone(session);
        }
        let session = TokenSession::new(Arc::clone(&self.config), server.to_owned());
        let session = Arc::new(session);
        sessions.insert(server.to_owned(), Arc::clone(&session));
        session
    }

    /// Logs in to a server before a client connects to it, whether or not there is a token already.
    ///
    /// # Errors
    ///
    /// Fails if the server needs no authorization, and if a step of the authorization fails.
    pub async fn login(&self, server: &str) -> Result<(), OAuthError> {
        let server = server_url(server)?;
        check_encryption(&server)?;
        let challenge = self.probe(&server).await?;
        self.session(&server).run(Purpose::Login(challenge)).await
    }

    /// Revokes the tokens for a server at its authorization server, if that is supported, and
    /// forgets them. If the client has a secret, it has to be configured, because it is not stored.
    ///
    /// # Errors
    ///
    /// Fails if the store fails. A failed revocation is a part of the result.
    pub async fn logout(&self, server: &str) -> Result<Logout, OAuthError> {
        let server = server_url(server)?;
        let session = self.session(&server);
        let tokens = session.renewal.forget().await?;
        session.cancel();
        let Some(tokens) = tokens else {
            return Ok(Logout::Absent);
        };
        Ok(match self.revoke(&session, &tokens).await {
            Ok(true) => Logout::Revoked,
            Ok(false) => Logout::Forgotten { error: None },
            Err(error) => {
                tracing::warn!(%error, "the token is forgotten, but was not revoked");
                Logout::Forgotten { error: Some(error) }
            }
        })
    }

    /// Returns `false` if the authorization server does not revoke tokens.
    async fn revoke(&self, session: &TokenSession, tokens: &Tokens) -> Result<bool, OAuthError> {
        let net = self.net(&session.renewal.server)?;
        let found = find_server(&net, &tokens.issuer, false).await?;
        let Some(url) = found.revocation_endpoint else {
            return Ok(false);
        };
        let revoked = session.renewal.acquire().revoke(&net, &url, tokens);
        let step = OAuthStep::Revocation;
        let revoked = revoked.await.map_err(|error| OAuthError { step, ..error });
        revoked.map(|()| true)
    }

    /// Returns which servers the store has tokens for, of all users.
    ///
    /// # Errors
    ///
    /// Fails if the store fails.
    pub async fn status(&self) -> Result<Vec<TokenStatus>, OAuthError> {
        statuses(&self.config).await
    }

    /// Begins a login for a web program: send the browser to [`PendingLogin::url`], and pass the
    /// URL of the redirect to [`finish`](Self::finish).
    ///
    /// # Errors
    ///
    /// Fails if discovery or the registration of the client fails.
    pub async fn begin(
        &self,
        server: &str,
        redirect_uri: &str,
    ) -> Result<PendingLogin, OAuthError> {
        let server = server_url(server)?;
        check_encryption(&server)?;
        let challenge = self.probe(&server).await?;
        let session = self.session(&server);
        let target = Target::discover(&self.config, &server, &challenge, None).await?;
        let scopes = target.scopes(&self.config, &challenge, None);
        let acquire = session.renewal.acquire();
        let record = acquire.begin(&target, redirect_uri.to_owned(), &scopes);
        record.await.map(PendingLogin)
    }

    /// Finishes a login. `redirect` is the URL of the redirect, or its query.
    ///
    /// # Errors
    ///
    /// Fails if the redirect does not belong to the login, and if no token is granted.
    pub async fn finish(&self, login: PendingLogin, redirect: &str) -> Result<(), OAuthError> {
        let PendingLogin(login) = login;
        let session = self.session(&login.server);
        let net = self.net(&login.server)?;
        let tokens = session.renewal.acquire().finish(&net, login, redirect);
        session.renewal.keep(tokens.await?).await?;
        session.renewal.accepted();
        Ok(())
    }

    fn net(&self, server: &str) -> Result<Net, OAuthError> {
        Net::of_server(&self.config.policy, server)
    }

    /// Sends a request without a token, to get the challenge of a server.
    async fn probe(&self, server: &str) -> Result<ChallengeInfo, OAuthError> {
        let net = self.net(server)?;
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
        let challenge = match net.head(server, headers).await {
            Ok((StatusCode::UNAUTHORIZED, headers)) => ChallengeInfo::parse(&headers),
            // Some servers require authorization only for messages.
            Ok(_) => ChallengeInfo::default(),
            Err(error) => {
                return Err(OAuthError::new(OAuthStep::ResourceMetadata, error).at(server));
            }
        };
        Ok(challenge)
    }
}

/// Fails if tokens would be sent to another machine without encryption.
fn check_encryption(url: &str) -> Result<(), OAuthError> {
    match Origin::parse(url) {
        Ok(origin) if !origin.secure && !origin.is_loopback() => {
            Err(OAuthError::new(OAuthStep::Use, OAuthFault::PlainHttp).at(url))
        }
        // Other URLs are checked where they are used.
        _ => Ok(()),
    }
}

/// Returns the URL of a server in the form in which requests have it.
fn server_url(text: &str) -> Result<String, OAuthError> {
    let url = text.parse::<http::Uri>();
    url.map(|url| url.to_string()).map_err(invalid_server)
}

impl Authorize for OAuth {
    fn authorize<'a>(&'a self, request: AuthorizeRequest<'a>) -> AuthorizeFuture<'a, HeaderMap> {
        Box::pin(async move {
            let session = self.session(&request.server.to_string());
            let mut headers = HeaderMap::new();
            let Some(tokens) = session.current().await? else {
                return Ok(headers);
            };
            check_encryption(&request.url.to_string())?;
            let token = tokens.access.expose();
            let scheme = match tokens.token_type {
                TokenType::Bearer => "Bearer",
                TokenType::Dpop => {
                    let url = request.url.to_string();
                    let key = tokens.dpop_key.as_ref().and_then(read_key);
                    let key = key.ok_or_else(|| {
                        let text = "the key of the stored token cannot be read".to_owned();
                        OAuthError::new(OAuthStep::Use, OAuthFault::Configuration(text))
                    })?;
                    let nonces = &session.renewal.nonces;
                    let proof = proof(&key, nonces, request.method, &url, Some(token))?;
                    headers.insert(DPOP, proof);
                    "DPoP"
                }
            };
            let value = Zeroizing::new(format!("{scheme} {token}"));
            headers.insert(AUTHORIZATION, HeaderValue::from_str(&value)?);
            Ok(headers)
        })
    }

    fn rejected<'a>(&'a self, response: AuthorizeResponse<'a>) -> AuthorizeFuture<'a, bool> {
        Box::pin(async move {
            let server = response.request.server.to_string();
            if response.status == StatusCode::UNAUTHORIZED {
                check_encryption(&server)?;
            }
            let session = self.session(&server);
            let again =
                session.rejected(response.status, response.headers, token_of(response.sent));
            Ok(again.await?)
        })
    }

    fn received(&self, response: AuthorizeResponse<'_>) {
        let session = self.session(&response.request.server.to_string());
        let url = response.request.url.to_string();
        session.renewal.nonces.learn(&url, response.headers);
        let is_accepted = !matches!(response.status.as_u16(), 401 | 403);
        if is_accepted && token_of(response.sent).is_some() {
            session.renewal.accepted();
        }
    }
}

/// Returns the access token in the headers of a request.
fn token_of(headers: &HeaderMap) -> Option<Secret> {
    let value = headers.get(AUTHORIZATION)?.to_str().ok()?;
    value.split_once(' ').map(|(_, token)| Secret::new(token))
}

impl fmt::Debug for OAuth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OAuth").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_sent_over_plain_http_only_to_this_machine() {
        for url in [
            "https://a.example/mcp",
            "http://127.0.0.1:1/mcp",
            "http://[::1]/mcp",
            "http://localhost/mcp",
        ] {
            assert!(check_encryption(url).is_ok(), "{url}");
        }
        for url in [
            "http://a.example/mcp?key=x",
            "http://192.168.0.1/mcp",
            "HTTP://a.example",
        ] {
            let error = check_encryption(url).expect_err(url);
            assert!(matches!(error.fault, OAuthFault::PlainHttp), "{error}");
            assert!(!error.to_string().contains("key"), "{error}");
        }
    }
}
