//! [`TokenSession`]: authorizes the requests to one server. New tokens are fetched by one task at a time.

use std::sync::{Arc, Mutex, PoisonError};

use http::{HeaderMap, StatusCode};
use mcp_oauth::Secret;
use tokio::sync::{OnceCell, watch};
use tokio::task::JoinHandle;

use super::config::Config;
use super::error::{OAuthError, OAuthFault, OAuthStep};
use super::renewal::Renewal;
use super::tokens::{Tokens, now};
use crate::discovery::challenge::ChallengeInfo;
use crate::renewal::purpose::Purpose;
use crate::tokens::dpop::Nonces;

pub(super) struct TokenSession {
    pub(super) renewal: Arc<Renewal>,
    loaded: OnceCell<()>,
    flow: Mutex<Option<Flow>>,
}

type LastRenewal = Option<Result<(), OAuthError>>;

/// A task that gets new tokens. Dropping this aborts it.
struct Flow {
    outcome: watch::Receiver<LastRenewal>,
    task: JoinHandle<()>,
}

impl Drop for Flow {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl TokenSession {
    pub(super) fn new(config: Arc<Config>, server: String) -> Self {
        Self {
            renewal: Arc::new(Renewal::new(config, server)),
            loaded: OnceCell::new(),
            flow: Mutex::new(None),
        }
    }

    /// Returns the tokens for a request: from the store at first, and refreshed if they are about
    /// to expire.
    pub(super) async fn current(&self) -> Result<Option<Arc<Tokens>>, OAuthError> {
        self.loaded.get_or_try_init(|| self.renewal.load()).await?;
        let Some(tokens) = self.renewal.tokens() else {
            return Ok(None);
        };
        let can_renew = tokens.refresh.is_some() || !self.renewal.config.is_interactive();
        if tokens.is_due(now()) && can_renew && !self.renewal.is_paused() {
            let refreshed = self.run(Purpose::Refresh(tokens.access.clone())).await;
            if let Err(error) = refreshed {
                // If the token has expired, the server rejects it, and its challenge starts a
                // login.
                tracing::warn!(%error, "the token is used although it expires soon");
            }
        }
        Ok(self.renewal.tokens())
    }

    /// Handles a rejection; `true` if the request is sent again.
    pub(super) async fn rejected(
        &self,
        status: StatusCode,
        headers: &HeaderMap,
        used: Option<Secret>,
    ) -> Result<bool, OAuthError> {
        let challenge = ChallengeInfo::parse(headers);
        if challenge.demands_nonce() && used.is_some() {
            // The nonce of the response has been stored. The number of attempts is limited.
            return Ok(Nonces::is_offered(headers));
        }
        let current = self.renewal.tokens();
        // Meanwhile there are other tokens than the request had.
        let is_outdated = current.is_some_and(|tokens| Some(&tokens.access) != used.as_ref());
        if is_outdated {
            return Ok(true);
        }
        let purpose = match used {
            Some(used) if status == StatusCode::FORBIDDEN && challenge.demands_scopes() => {
                Purpose::StepUp { challenge, used }
            }
            used if status == StatusCode::UNAUTHORIZED => Purpose::Rejected { challenge, used },
            _ => return Ok(false),
        };
        self.run(purpose).await.map(|()| true)
    }

    /// Starts a task for new tokens, or waits for the one that is running. The task goes on if this
    /// future is dropped, because a user may be about to log in; it ends with the session.
    pub(super) async fn run(&self, purpose: Purpose) -> Result<(), OAuthError> {
        let mut outcome = self.join_or_start(purpose);
        let ended = outcome.wait_for(Option::is_some).await;
        let ended = ended.ok().and_then(|ended| ended.clone());
        ended.unwrap_or_else(|| {
            let fault = OAuthFault::Cancelled;
            Err(OAuthError::new(OAuthStep::Token, fault))
        })
    }

    /// Ends the task that gets new tokens, such as one that waits for a login.
    pub(super) fn cancel(&self) {
        let mut flow = self.flow.lock().unwrap_or_else(PoisonError::into_inner);
        *flow = None;
    }

    fn join_or_start(&self, purpose: Purpose) -> watch::Receiver<LastRenewal> {
        let mut flow = self.flow.lock().unwrap_or_else(PoisonError::into_inner);
        // A flow whose task was aborted with its runtime has no outcome, but is finished.
        let running = flow.as_ref().filter(|flow| !flow.task.is_finished());
        if let Some(running) = running.filter(|flow| flow.outcome.borrow().is_none()) {
            return running.outcome.clone();
        }
        let (sender, outcome) = watch::channel(None);
        let renewal = Arc::clone(&self.renewal);
        let task = tokio::spawn(async move {
            let result = renewal.perform(purpose).await;
            sender.send_replace(Some(result));
        });
        *flow = Some(Flow {
            outcome: outcome.clone(),
            task,
        });
        outcome
    }
}
