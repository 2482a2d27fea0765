//! [`Renewal`]: gets new tokens for one server, for whatever reason.

mod acquire;
mod clients;
pub(super) mod login;
mod pace;
pub(super) mod purpose;
pub(super) mod records;
pub(super) mod target;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mcp_oauth::Secret;
use mcp_oauth::scopes::Scopes;

use super::config::{Config, Grant, StepUp};
use super::error::{OAuthError, OAuthFault, OAuthStep};
use super::net::Net;
use super::tokens::{Tokens, now};
use crate::discovery::challenge::ChallengeInfo;
use crate::tokens::dpop::Nonces;
use acquire::Acquire;
use pace::Pace;
use purpose::Purpose;
use records::Records;
use target::Target;

/// After this many new tokens in a row that the server rejected, no further ones are fetched.
const ROUNDS: u32 = 3;

/// The tokens for a server. It is shared by requests and by the task that renews the tokens.
pub(super) struct Renewal {
    pub(super) config: Arc<Config>,
    /// The URL of the server.
    pub(super) server: String,
    pub(super) nonces: Nonces,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    tokens: Option<Arc<Tokens>>,
    /// Whether the tokens are in the store, unless somebody has logged out.
    is_stored: bool,
    /// The access token in the store, if the tokens that replaced it could not be stored.
    outdated: Option<Secret>,
    pace: Pace,
    /// Whether the server has not accepted the tokens yet.
    is_new: bool,
    /// How many new tokens in a row the server has rejected, and the last of them.
    rejected: u32,
    last_rejected: Option<Secret>,
}

impl Renewal {
    pub(super) fn new(config: Arc<Config>, server: String) -> Self {
        Self {
            config,
            server,
            nonces: Nonces::default(),
            state: Mutex::default(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the current tokens.
    pub(super) fn tokens(&self) -> Option<Arc<Tokens>> {
        self.state().tokens.clone()
    }

    /// Uses tokens of the store; `None` after a logout.
    fn set_tokens(&self, tokens: Option<Arc<Tokens>>) {
        let mut state = self.state();
        state.tokens = tokens;
        state.is_stored = true;
        state.outdated = None;
        state.is_new = false;
        state.pace.succeeded();
    }

    fn set_new_tokens(&self, tokens: Tokens, is_stored: bool) {
        let mut state = self.state();
        let replaced = state.tokens.replace(Arc::new(tokens));
        if is_stored {
            state.outdated = None;
        } else if state.is_stored {
            state.outdated = replaced.map(|replaced| replaced.access.clone());
        }
        state.is_stored = is_stored;
        state.is_new = true;
        state.pace.succeeded();
    }

    /// Returns `true` during the pause after a failure.
    pub(super) fn is_paused(&self) -> bool {
        self.state().pace.check().is_err()
    }

    /// Makes an attempt to get tokens, unless an earlier one has just failed.
    async fn paced<T>(
        &self,
        attempt: impl Future<Output = Result<T, OAuthError>>,
    ) -> Result<T, OAuthError> {
        self.state().pace.check()?;
        let done = attempt.await;
        match &done {
            // No other request would help, and these cost none.
            Err(error) if matches!(error.fault, OAuthFault::Rounds(_) | OAuthFault::Logins(_)) => {}
            Err(error) => self.state().pace.failed(error),
            Ok(_) => {}
        }
        done
    }

    /// Notes that the server accepted the tokens.
    pub(super) fn accepted(&self) {
        let mut state = self.state();
        state.is_new = false;
        state.rejected = 0;
        state.last_rejected = None;
    }

    pub(super) fn acquire(&self) -> Acquire<'_> {
        Acquire {
            config: &self.config,
            nonces: &self.nonces,
            server: &self.server,
        }
    }

    /// Reads the tokens from the store.
    pub(super) async fn load(&self) -> Result<(), OAuthError> {
        let records = Records(&self.config);
        let tokens = records.tokens_of(&self.server, &self.config.user).await?;
        let current = self.tokens();
        let is_other = |tokens: &Tokens| {
            let current = current.as_ref();
            current.is_none_or(|current| current.access != tokens.access)
        };
        if let Some(tokens) = tokens.filter(|tokens| is_other(tokens) && self.is_usable(tokens)) {
            self.set_tokens(Some(Arc::new(tokens)));
        }
        Ok(())
    }

    /// Returns `true` if tokens of the store belong to the configuration, and are not older than
    /// those here.
    fn is_usable(&self, stored: &Tokens) -> bool {
        self.config.fits(stored) && self.state().outdated.as_ref() != Some(&stored.access)
    }

    /// Gets new tokens.
    pub(super) async fn perform(&self, purpose: Purpose) -> Result<(), OAuthError> {
        match purpose {
            // Without boxes, the futures are large.
            Purpose::Refresh(used) => self.paced(Box::pin(self.refresh(&used))).await.map(drop),
            Purpose::Rejected { challenge, used } => {
                if self.adopt_newer(used.as_ref()).await? {
                    return Ok(());
                }
                let attempt = self.replace(&challenge, used.as_ref());
                self.paced(Box::pin(attempt)).await
            }
            Purpose::StepUp { challenge, used } => {
                if self.adopt_newer(Some(&used)).await? {
                    return Ok(());
                }
                // Without a pause, so that other operations can still refresh the token.
                self.step_up(&challenge, &used).await
            }
            Purpose::Login(challenge) => {
                self.accepted();
                self.state().pace.reset();
                let target = self.discover(&challenge).await?;
                let scopes = target.scopes(&self.config, &challenge, None);
                self.authorize(&target, &scopes).await
            }
        }
    }

    async fn discover(&self, challenge: &ChallengeInfo) -> Result<Target, OAuthError> {
        let previous = self.tokens();
        let previous = previous.as_ref().map(|tokens| tokens.issuer.as_str());
        Target::discover(&self.config, &self.server, challenge, previous).await
    }

    /// Gets tokens after the server rejected a request.
    async fn replace(
        &self,
        challenge: &ChallengeInfo,
        used: Option<&Secret>,
    ) -> Result<(), OAuthError> {
        let was_accepted = self.count_rejection(used)?;
        // The server may have moved to another authorization server, so its metadata come first.
        let target = self.discover(challenge).await?;
        let current = self.tokens().filter(|tokens| {
            tokens.issuer == target.server.issuer && tokens.resource == target.resource
        });
        if let (Some(tokens), Some(used)) = (&current, used)
            && tokens.refresh.is_some()
            && was_accepted
            && self.refresh_or_give_up(used).await?
        {
            return Ok(());
        }
        if !matches!(self.config.grant, Grant::Code(None)) {
            self.begin_login()?;
        }
        let before = current.and_then(|tokens| Scopes::parse(&tokens.requested).ok());
        let scopes = target.scopes(&self.config, challenge, before.as_ref());
        self.authorize(&target, &scopes).await
    }

    /// Gets tokens with further scopes. A refresh would not add any.
    async fn step_up(&self, challenge: &ChallengeInfo, used: &Secret) -> Result<(), OAuthError> {
        let before = self.tokens();
        let before = before.and_then(|tokens| Scopes::parse(&tokens.requested).ok());
        let before = before.unwrap_or_default();
        let needed = challenge.scopes.clone().unwrap_or_default();
        let failed = |fault: OAuthFault| OAuthError::new(OAuthStep::Use, fault).at(&self.server);
        let missing = before.missing(&needed);
        if missing.is_empty() {
            // Another round would request the same.
            return Err(failed(OAuthFault::Scopes(needed.to_string())));
        }
        self.count_rejection(Some(used))?;
        let is_permitted = match (&self.config.grant, &self.config.confirm) {
            (Grant::Code(None), _) => false,
            (Grant::Code(Some(_)), Some(confirm)) => {
                self.begin_login()?;
                let server = self.server.clone();
                let scopes = missing.iter().map(str::to_owned).collect();
                confirm(StepUp { server, scopes }).await
            }
            _ => {
                self.begin_login()?;
                true
            }
        };
        if !is_permitted {
            let all = before.union(&needed).to_string();
            return Err(failed(OAuthFault::MissingScopes(all)));
        }
        let target = self.discover(challenge).await?;
        let scopes = target.scopes(&self.config, challenge, Some(&before));
        self.authorize(&target, &scopes).await
    }

    /// Counts a login that the server causes.
    fn begin_login(&self) -> Result<(), OAuthError> {
        let begun = self.state().pace.begin_login(self.config.is_interactive());
        begun.map_err(|error| error.at(&self.server))
    }

    /// Counts new tokens that the server rejects. Returns `true` if it had accepted these before.
    ///
    /// # Errors
    ///
    /// Fails if the server has rejected several new tokens in a row.
    fn count_rejection(&self, used: Option<&Secret>) -> Result<bool, OAuthError> {
        let mut state = self.state();
        if !state.is_new {
            return Ok(true);
        }
        // If no other tokens could be fetched since, these are counted already.
        if state.last_rejected.as_ref() != used {
            state.last_rejected = used.cloned();
            state.rejected += 1;
        }
        if state.rejected >= ROUNDS {
            let fault = OAuthFault::Rounds(state.rejected);
            return Err(OAuthError::new(OAuthStep::Use, fault).at(&self.server));
        }
        Ok(false)
    }

    async fn authorize(&self, target: &Target, scopes: &Scopes) -> Result<(), OAuthError> {
        let tokens = self.acquire().tokens(target, scopes).await?;
        self.keep(tokens).await
    }

    /// Stores new tokens, and uses them.
    pub(super) async fn keep(&self, tokens: Tokens) -> Result<(), OAuthError> {
        let records = Records(&self.config);
        let key = records.tokens_key(&tokens.issuer, &tokens.resource);
        let _lock = records.lock(&key).await?;
        let saved = records.save_tokens(&self.server, &tokens).await;
        // They are usable even if they cannot be stored.
        self.set_new_tokens(tokens, saved.is_ok());
        saved
    }

    /// Uses the tokens of the store if another process has replaced the ones that were used.
    async fn adopt_newer(&self, used: Option<&Secret>) -> Result<bool, OAuthError> {
        self.load().await?;
        let tokens = self.tokens();
        Ok(tokens.is_some_and(|tokens| Some(&tokens.access) != used && !tokens.is_expired(now())))
    }

    /// Refreshes the tokens; `false` if the refresh token is not valid any more.
    async fn refresh_or_give_up(&self, used: &Secret) -> Result<bool, OAuthError> {
        let refreshed = self.refresh(used).await;
        if let Err(error) = &refreshed
            && let OAuthFault::Refused { .. } | OAuthFault::NoClient(_) = error.fault
        {
            tracing::debug!(%error, "the refresh token is not valid any more");
            return Ok(false);
        }
        refreshed
    }

    /// Refreshes the tokens, unless another process has done it; `false` if there is no refresh
    /// token (any more). The lock is held in all processes, so that a refresh token is used once.
    async fn refresh(&self, used: &Secret) -> Result<bool, OAuthError> {
        let Some(tokens) = self.tokens() else {
            return Ok(false);
        };
        if tokens.refresh.is_none() {
            return self.renew_without_user(&tokens).await;
        }
        let records = Records(&self.config);
        let key = records.tokens_key(&tokens.issuer, &tokens.resource);
        let _lock = records.lock(&key).await?;
        let stored = records.tokens(&tokens.issuer, &tokens.resource).await?;
        let tokens = match stored {
            Some(stored) if !self.is_usable(&stored) => tokens,
            Some(stored) if stored.access != *used => {
                self.set_tokens(Some(Arc::new(stored)));
                return Ok(true);
            }
            Some(stored) => Arc::new(stored),
            None if self.state().is_stored => {
                // Another process has logged out.
                self.set_tokens(None);
                return Ok(false);
            }
            None => tokens,
        };
        let net = Net::of_server(&self.config.policy, &self.server)?;
        match self.acquire().refresh(&net, &tokens).await {
            Ok(renewed) => {
                let saved = records.save_tokens(&self.server, &renewed).await;
                self.set_new_tokens(renewed, saved.is_ok());
                saved.map(|()| true)
            }
            Err(error) if error.fault.is_final() => {
                tracing::debug!(%error, "the refresh token is not valid any more");
                if error.fault.is_refusal("invalid_client") {
                    records.forget_client(&tokens.client).await?;
                }
                // Still under the lock: the tokens in the store are the ones that were refused.
                let mut rest = Tokens::clone(&tokens);
                rest.refresh = None;
                records.save_tokens(&self.server, &rest).await?;
                self.set_tokens(Some(Arc::new(rest)));
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }

    /// Gets new tokens with the same scopes if no user is needed for it.
    async fn renew_without_user(&self, tokens: &Tokens) -> Result<bool, OAuthError> {
        if self.config.is_interactive() {
            return Ok(false);
        }
        let target = self.discover(&ChallengeInfo::default()).await?;
        let before = Scopes::parse(&tokens.requested).unwrap_or_default();
        self.authorize(&target, &before).await.map(|()| true)
    }

    /// Forgets the tokens, here and in the store.
    pub(super) async fn forget(&self) -> Result<Option<Arc<Tokens>>, OAuthError> {
        let records = Records(&self.config);
        let place = records.place(&self.server, &self.config.user).await?;
        let tokens = if let Some(place) = place {
            let key = records.tokens_key(&place.issuer, &place.resource);
            // A refresh that is running ends first, here or in another process.
            let _lock = records.lock(&key).await?;
            let stored = records.tokens(&place.issuer, &place.resource).await?;
            let tokens = stored.map(Arc::new).or_else(|| self.tokens());
            self.set_tokens(None);
            records.remove(&key).await?;
            tokens
        } else {
            let tokens = self.tokens();
            self.set_tokens(None);
            tokens
        };
        records.remove(&records.server_key(&self.server)).await?;
        Ok(tokens)
    }
}
