//! Decides whether a request may pass, by its head.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use http::request::Parts;
use http::{HeaderMap, HeaderValue, Response, StatusCode};
use mcp_internal::peer_text::Chain;
use tokio::time::Instant;

use crate::protocol::caller::extensions::Principal;
use crate::protocol::core::Core;
use crate::protocol::error::challenge::Challenge;
use crate::protocol::handler::access_token::AccessToken;
use crate::protocol::handler::scopes::{ScopePolicy, joined};
use crate::protocol::seal::Keys;
use crate::transport::http::oauth::config::{OAuth, ResourceServer, comparable};
use crate::transport::http::oauth::credentials::{Credentials, TokenScheme, credentials};
use crate::transport::http::oauth::dpop::{
    ProofError, ProvenRequest, VerifiedProof, algorithm_names, record_for_all,
};
use crate::transport::http::oauth::verifier::claims::{LEEWAY, unverified_issuer};
use crate::transport::http::oauth::verifier::{PresentedToken, TokenError};
use crate::transport::http::refusal::token_refusal::{DPOP_NONCE, TokenRefusal};
use crate::transport::http::response::body::HttpBody;

/// The longest time until a stream ends, so that its timer does not overflow.
const LONGEST: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// What the access token of a request means for its response.
#[derive(Default)]
pub(crate) struct Authorized {
    /// When streams end.
    pub(crate) until: Option<Instant>,
    /// The nonce for the next proof of possession.
    pub(crate) nonce: Option<HeaderValue>,
}

impl Authorized {
    /// Ends the response with the token, and adds the nonce to it.
    pub(crate) fn apply(self, mut response: Response<HttpBody>) -> Response<HttpBody> {
        if let Some(until) = self.until {
            response.body_mut().end_at(until);
        }
        self.add_headers(response.headers_mut());
        response
    }

    /// Adds the nonce to the headers of the response.
    pub(crate) fn add_headers(self, headers: &mut HeaderMap) {
        if let Some(nonce) = self.nonce {
            headers.insert(DPOP_NONCE, nonce);
        }
    }
}

impl OAuth {
    /// Verifies the access token of a request, and attaches it, its principal and the policy for
    /// scopes to the head of the request. The token needs the scopes of the operation as well as those
    /// of all requests.
    pub(crate) async fn authorize(
        &self,
        core: &Core,
        parts: &mut Arc<Parts>,
        operation: &[String],
    ) -> Result<Authorized, Box<TokenRefusal>> {
        let server = &*self.0;
        let presented = credentials(parts).map_err(|malformed| {
            server.challenge(
                StatusCode::BAD_REQUEST,
                "invalid_request",
                malformed.to_string(),
            )
        })?;
        let Some(presented) = presented else {
            return Err(server.without_token(core).into());
        };
        if server.requires_proofs && presented.scheme == TokenScheme::Bearer {
            let reason = "the server accepts only tokens with a proof of possession (DPoP)";
            return Err(server.invalid_token(reason).into());
        }
        let token = server.verify(presented, parts).await?;
        let principal = token.principal();
        let principal = principal
            .ok_or_else(|| server.invalid_token("the token does not name its user or client"))?;
        let keys = core.keys.get();
        let proof = server.check_possession(presented, &token, &principal, &keys, parts)?;
        if let Some(proof) = &proof {
            server.record_proof(proof, core, &keys).await?;
        }
        let nonce = proof.and_then(|proof| proof.next_nonce);
        let policy = &server.policy;
        let mut required = policy.required.iter().chain(operation);
        if !required.all(|scope| policy.permits(&token, scope)) {
            return Err(insufficient_scope(policy, &token, operation).into());
        }
        let left = token.expires_at.map(|end| {
            let left = end.duration_since(SystemTime::now());
            left.map_or_else(
                |past| LEEWAY.saturating_sub(past.duration()),
                |left| left.saturating_add(LEEWAY),
            )
        });
        let left = left.unwrap_or(server.stream_time).min(LONGEST);
        let until = Some(Instant::now() + left);
        let extensions = &mut Arc::make_mut(parts).extensions;
        extensions.insert(principal);
        extensions.insert(token);
        extensions.insert(Arc::clone(policy));
        Ok(Authorized { until, nonce })
    }
}

impl ResourceServer {
    /// Asks the verifiers for the meaning of a token, one after the other, and checks it.
    async fn verify(
        &self,
        presented: Credentials<'_>,
        parts: &Parts,
    ) -> Result<AccessToken, Box<TokenRefusal>> {
        let text = presented.token;
        let issuer = unverified_issuer(text);
        let token = PresentedToken::new(text, issuer.as_deref(), self.resource.as_str(), parts);
        let mut is_unavailable = false;
        for verifier in &self.verifiers {
            match verifier.verify(token).await {
                Ok(token) => {
                    return match self.fault(&token, verifier.issuer()) {
                        Some(fault) => Err(self.invalid_token(fault).into()),
                        None => Ok(token),
                    };
                }
                Err(TokenError::Foreign) => {}
                Err(error @ TokenError::Invalid(_)) => {
                    return Err(self.invalid_token(error.to_string()).into());
                }
                Err(error @ TokenError::Unavailable(_)) => {
                    let issuer = verifier.issuer();
                    tracing::warn!(%issuer, error = %Chain(&error), "cannot verify a token");
                    is_unavailable = true;
                }
            }
        }
        if is_unavailable {
            let reason = "the access token cannot be verified at the moment";
            return Err(TokenRefusal::unavailable(reason).into());
        }
        Err(self.invalid_token(TokenError::Foreign.to_string()).into())
    }

    /// Returns what is wrong with a verified token. Applies to every verifier.
    fn fault(&self, token: &AccessToken, issuer: &str) -> Option<&'static str> {
        if token.issuer != issuer {
            return Some("the access token is that of another issuer");
        }
        // Compared without a sum, which could overflow for a verifier of the program.
        let since_end = |end: SystemTime| SystemTime::now().duration_since(end);
        if token
            .expires_at
            .is_some_and(|end| since_end(end).is_ok_and(|since| since >= LEEWAY))
        {
            return Some("the access token has expired");
        }
        let mut audience = token.audience.iter();
        if !audience.any(|audience| self.audiences.contains(&comparable(audience))) {
            return Some("the access token was issued for another audience");
        }
        None
    }

    /// Checks that the client has the key to which a token is bound.
    fn check_possession(
        &self,
        presented: Credentials<'_>,
        token: &AccessToken,
        principal: &Principal,
        keys: &Keys,
        parts: &Parts,
    ) -> Result<Option<VerifiedProof>, Box<TokenRefusal>> {
        let thumbprint = match (presented.scheme, &token.key_thumbprint) {
            (TokenScheme::Bearer, None) => return Ok(None),
            (TokenScheme::Bearer, Some(_)) => {
                let reason = "the access token is bound to a key: send it with the scheme `DPoP`";
                return Err(self.invalid_token(reason).into());
            }
            (TokenScheme::Dpop, None) => {
                let reason = "the access token is not bound to a key";
                return Err(self.invalid_token(reason).into());
            }
            (TokenScheme::Dpop, Some(thumbprint)) => thumbprint,
        };
        let request = ProvenRequest {
            parts,
            token: presented.token,
            resource: &self.resource,
            thumbprint,
            principal: &principal.0,
        };
        let verified = self.proofs.verify(&request, keys);
        Ok(Some(verified.map_err(|error| self.bad_proof(error, keys))?))
    }

    /// Makes sure that no other process has accepted or will accept a proof.
    async fn record_proof(
        &self,
        proof: &VerifiedProof,
        core: &Core,
        keys: &Keys,
    ) -> Result<(), Box<TokenRefusal>> {
        match record_for_all(proof, &core.stores).await {
            Ok(true) => Ok(()),
            Ok(false) => Err(self.bad_proof(ProofError::Replayed, keys).into()),
            Err(error) => {
                tracing::error!(error = %Chain(&error), "cannot record a proof of possession");
                let reason = "the store of the server cannot be reached: retry later";
                Err(TokenRefusal::unavailable(reason).into())
            }
        }
    }

    /// Creates the refusal of a request whose proof of possession is not accepted.
    fn bad_proof(&self, error: ProofError, keys: &Keys) -> TokenRefusal {
        let kind = match error {
            ProofError::Nonce => "use_dpop_nonce",
            ProofError::Full => {
                let status = StatusCode::TOO_MANY_REQUESTS;
                return TokenRefusal::new(status, error.to_string(), Vec::new());
            }
            _ => "invalid_dpop_proof",
        };
        let challenge = possession()
            .with("error", kind)
            .with("error_description", &error.to_string());
        let challenges = vec![self.located(challenge)];
        let refusal = TokenRefusal::new(StatusCode::UNAUTHORIZED, error.to_string(), challenges);
        refusal.with_nonce(self.proofs.nonce(keys))
    }

    /// Creates the refusal of a request without a token. It has no `error`, because the client did
    /// nothing wrong (RFC 6750, section 3.1).
    fn without_token(&self, core: &Core) -> TokenRefusal {
        let challenges = self.schemes().map(|challenge| self.located(challenge));
        let reason = "an access token is required: send it in the header `Authorization`";
        let refusal = TokenRefusal::new(StatusCode::UNAUTHORIZED, reason, challenges.collect());
        let nonce = self.proofs.nonce(&core.keys.get());
        refusal.with_nonce(nonce)
    }

    fn invalid_token(&self, reason: impl Into<String>) -> TokenRefusal {
        self.challenge(StatusCode::UNAUTHORIZED, "invalid_token", reason.into())
    }

    fn challenge(&self, status: StatusCode, error: &'static str, reason: String) -> TokenRefusal {
        let challenges = self.schemes().map(|challenge| {
            let challenge = challenge.with("error", error);
            self.located(challenge.with("error_description", &reason))
        });
        let challenges = challenges.collect();
        TokenRefusal::new(status, reason, challenges)
    }

    /// Returns a challenge for each way to present a token.
    fn schemes(&self) -> impl Iterator<Item = Challenge> {
        let bearer = (!self.requires_proofs).then(Challenge::bearer);
        let possession = self.offers_proofs.then(possession);
        bearer.into_iter().chain(possession)
    }

    /// Adds where the client finds the authorization server, and the scopes to ask it for.
    fn located(&self, challenge: Challenge) -> Challenge {
        let challenge = challenge.with("resource_metadata", &self.policy.resource_metadata);
        match self.policy.required.as_slice() {
            [] => challenge,
            scopes => challenge.with_scope(&scopes.join(" ")),
        }
    }
}

/// Creates the refusal of a request whose token lacks a scope of all requests or of the operation. It
/// names all of them.
pub(crate) fn insufficient_scope(
    policy: &ScopePolicy,
    token: &AccessToken,
    operation: &[String],
) -> TokenRefusal {
    let scopes = joined(policy.required.iter().chain(operation));
    let mut challenge =
        Challenge::insufficient_scope(&scopes).with("resource_metadata", &policy.resource_metadata);
    if token.key_thumbprint.is_some() {
        challenge = challenge.with_proof_of_possession();
    }
    let reason = format!("the access token lacks a scope: this needs `{scopes}`");
    TokenRefusal::new(StatusCode::FORBIDDEN, reason, vec![challenge])
}

/// Asks for a token that is bound to a key.
fn possession() -> Challenge {
    let algorithms: Vec<&str> = algorithm_names().collect();
    Challenge::bearer()
        .with_proof_of_possession()
        .with("algs", &algorithms.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::http::oauth::verifier::static_tokens::StaticTokens;

    #[test]
    fn full_record_of_proofs_asks_the_client_to_wait() {
        let tokens = StaticTokens::new("https://auth.example");
        let oauth = OAuth::builder("https://mcp.example.com").verifier(tokens);
        let oauth = oauth.dpop_nonces().build().expect("the settings are valid");
        let keys = Keys::from_bytes([1; 32]);
        let headers = |refusal: &TokenRefusal| {
            let mut headers = HeaderMap::new();
            refusal.add_headers(&mut headers);
            headers
        };
        let refusal = oauth.0.bad_proof(ProofError::Full, &keys);
        assert_eq!(refusal.status(), StatusCode::TOO_MANY_REQUESTS);
        let full = headers(&refusal);
        assert_eq!(full["retry-after"], "1");
        // Another token or proof would not help, so nothing is asked for.
        assert_eq!(full.len(), 1, "{full:?}");
        let refusal = oauth.0.bad_proof(ProofError::Time, &keys);
        assert_eq!(refusal.status(), StatusCode::UNAUTHORIZED);
        let late = headers(&refusal);
        assert!(late.contains_key("www-authenticate") && late.contains_key(DPOP_NONCE));
    }

    #[test]
    fn accepted_request_gets_the_nonce_for_the_next_one() {
        let authorized = Authorized {
            until: None,
            nonce: Some(HeaderValue::from_static("next")),
        };
        let response = authorized.apply(Response::new(HttpBody::none()));
        assert_eq!(response.headers()[DPOP_NONCE], "next");
        let response = Authorized::default().apply(Response::new(HttpBody::none()));
        assert!(response.headers().is_empty());
    }
}
