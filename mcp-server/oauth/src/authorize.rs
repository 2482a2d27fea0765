//! Decides whether a request may pass, by its head.

use std::time::{Duration, SystemTime};

use http::header::AUTHORIZATION;
use http::request::Parts;
use http::{HeaderName, HeaderValue, StatusCode};
use mcp_oauth::credentials::{Credentials, TokenScheme, credentials};
use mcp_oauth::dpop::algorithm_names;
use mcp_server::{
    AccessToken, AuthRefusal, AuthRequest, Authenticate, Authenticated, Challenge, Principal,
    PublicRoute,
};
use mcp_types::peer_text::Chain;

use crate::config::{OAuth, ResourceServer, comparable};
use crate::dpop::{BoundRequest, ProofError, VerifiedProof, new_nonce, unseal_nonce};
use crate::verifier::claims::{LEEWAY, unverified_issuer};
use crate::verifier::{PresentedToken, TokenError};

/// The header with the nonce for the next proof of possession (RFC 9449, section 8.2).
const DPOP_NONCE: HeaderName = HeaderName::from_static("dpop-nonce");

impl Authenticate for OAuth {
    /// Verifies the access token of a request.
    async fn authenticate(&self, request: AuthRequest<'_>) -> Result<Authenticated, AuthRefusal> {
        let server = &*self.0;
        let parts = request.parts();
        let headers = parts.headers.get_all(AUTHORIZATION).into_iter();
        let presented = credentials(parts.uri.query(), headers.map(HeaderValue::as_bytes));
        let presented = presented.map_err(|malformed| {
            let status = StatusCode::BAD_REQUEST;
            server.challenge(status, "invalid_request", &malformed.to_string())
        })?;
        let Some(presented) = presented else {
            return Err(server.without_token(request));
        };
        if server.requires_proofs && presented.scheme == TokenScheme::Bearer {
            let reason = "the server accepts only tokens with a proof of possession (DPoP)";
            return Err(server.invalid_token(reason));
        }
        let token = server.verify(presented, parts).await?;
        let caller = Authenticated::new(token);
        let principal = caller
            .principal()
            .ok_or_else(|| server.invalid_token("the token does not name its user or client"))?;
        let proof = server.check_possession(presented, caller.token(), principal, request)?;
        let nonce = match proof {
            Some(proof) => server.record_proof(&proof, request).await?,
            None => None,
        };
        let left = time_left(caller.token()).unwrap_or(server.stream_time);
        let caller = caller.stream_time(left);
        Ok(match nonce {
            Some(nonce) => caller.header(DPOP_NONCE, nonce),
            None => caller,
        })
    }

    fn required_scopes(&self) -> &[String] {
        &self.0.required
    }

    fn permits(&self, token: &AccessToken, scope: &str) -> bool {
        let implies = self.0.implies.as_deref();
        let mut granted = token.scopes.iter();
        granted.any(|granted| {
            granted == scope || implies.is_some_and(|implies| implies(granted, scope))
        })
    }

    fn complete_challenge(&self, challenge: Challenge) -> Challenge {
        challenge.param("resource_metadata", &self.0.metadata_url)
    }

    fn public_routes(&self) -> Vec<PublicRoute> {
        let routes = self.metadata_paths().into_iter().enumerate();
        let routes = routes.map(|(at, path)| {
            let route = PublicRoute::json(path, self.0.metadata.clone());
            // The second one is the root, which belongs to no endpoint.
            if at == 0 { route } else { route.of_host() }
        });
        routes.collect()
    }
}

/// Returns the time for which a token is still accepted. `None` if the token does not say it.
fn time_left(token: &AccessToken) -> Option<Duration> {
    let left = token.expires_at?.duration_since(SystemTime::now());
    Some(left.map_or_else(
        |past| LEEWAY.saturating_sub(past.duration()),
        |left| left.saturating_add(LEEWAY),
    ))
}

impl ResourceServer {
    /// Asks the verifiers for the meaning of a token, one after the other, and checks it.
    async fn verify(
        &self,
        presented: Credentials<'_>,
        parts: &Parts,
    ) -> Result<AccessToken, AuthRefusal> {
        let text = presented.token;
        let issuer = unverified_issuer(text);
        let token = PresentedToken::new(text, issuer.as_deref(), self.resource.as_str(), parts);
        let mut is_unavailable = false;
        for verifier in &self.verifiers {
            match verifier.verify(token).await {
                Ok(token) => {
                    return match self.fault(&token, verifier.issuer()) {
                        Some(fault) => Err(self.invalid_token(fault)),
                        None => Ok(token),
                    };
                }
                Err(TokenError::Foreign) => {}
                Err(error @ TokenError::Invalid(_)) => {
                    return Err(self.invalid_token(&error.to_string()));
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
            return Err(AuthRefusal::new(StatusCode::SERVICE_UNAVAILABLE, reason));
        }
        Err(self.invalid_token(&TokenError::Foreign.to_string()))
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
        request: AuthRequest<'_>,
    ) -> Result<Option<VerifiedProof>, AuthRefusal> {
        let thumbprint = match (presented.scheme, &token.key_thumbprint) {
            (TokenScheme::Bearer, None) => return Ok(None),
            (TokenScheme::Bearer, Some(_)) => {
                let reason = "the access token is bound to a key: send it with the scheme `DPoP`";
                return Err(self.invalid_token(reason));
            }
            (TokenScheme::Dpop, None) => {
                let reason = "the access token is not bound to a key";
                return Err(self.invalid_token(reason));
            }
            (TokenScheme::Dpop, Some(thumbprint)) => thumbprint,
        };
        let proven = BoundRequest {
            parts: request.parts(),
            token: presented.token,
            resource: &self.resource,
            thumbprint,
            principal: &principal.0,
        };
        let unseal = |nonce: &str| unseal_nonce(request, nonce);
        let verified = self.proofs.verify(&proven, unseal);
        Ok(Some(verified.map_err(|error| {
            self.bad_proof(error, self.nonce(request))
        })?))
    }

    /// Makes sure that no other process has accepted or will accept a proof. Returns the nonce for the
    /// next one, if it is time for another.
    async fn record_proof(
        &self,
        proof: &VerifiedProof,
        request: AuthRequest<'_>,
    ) -> Result<Option<HeaderValue>, AuthRefusal> {
        let shared = request.shared();
        let recorded = shared.record_for_other_processes(&proof.name, proof.valid_for);
        if !recorded.await? {
            return Err(self.bad_proof(ProofError::Replayed, self.nonce(request)));
        }
        Ok(proof.needs_nonce.then(|| new_nonce(request)).flatten())
    }

    /// Returns a nonce for the next proof, if proofs need one.
    fn nonce(&self, request: AuthRequest<'_>) -> Option<HeaderValue> {
        let uses_nonces = self.proofs.uses_nonces;
        uses_nonces.then(|| new_nonce(request)).flatten()
    }

    /// Creates the refusal of a request whose proof of possession is not accepted.
    fn bad_proof(&self, error: ProofError, nonce: Option<HeaderValue>) -> AuthRefusal {
        let kind = match error {
            ProofError::Nonce => "use_dpop_nonce",
            ProofError::Full => {
                return AuthRefusal::new(StatusCode::TOO_MANY_REQUESTS, error.to_string());
            }
            _ => "invalid_dpop_proof",
        };
        let challenge = possession()
            .param("error", kind)
            .param("error_description", &error.to_string());
        let refusal = AuthRefusal::unauthorized(error.to_string());
        with_nonce(refusal.challenge(&self.located(challenge)), nonce)
    }

    /// Creates the refusal of a request without a token. It has no `error`, because the client did
    /// nothing wrong (RFC 6750, section 3.1).
    fn without_token(&self, request: AuthRequest<'_>) -> AuthRefusal {
        let reason = "an access token is required: send it in the header `Authorization`";
        let challenges = self.schemes().map(|challenge| self.located(challenge));
        let refusal = challenged(AuthRefusal::unauthorized(reason), challenges);
        with_nonce(refusal, self.nonce(request))
    }

    fn invalid_token(&self, reason: &str) -> AuthRefusal {
        self.challenge(StatusCode::UNAUTHORIZED, "invalid_token", reason)
    }

    fn challenge(&self, status: StatusCode, error: &str, reason: &str) -> AuthRefusal {
        let challenges = self.schemes().map(|challenge| {
            let challenge = challenge.param("error", error);
            self.located(challenge.param("error_description", reason))
        });
        challenged(AuthRefusal::new(status, reason.to_owned()), challenges)
    }

    /// Returns a challenge for each way to present a token.
    fn schemes(&self) -> impl Iterator<Item = Challenge> {
        let bearer = (!self.requires_proofs).then(|| Challenge::new("Bearer"));
        let possession = self.offers_proofs.then(possession);
        bearer.into_iter().chain(possession)
    }

    /// Adds where the client finds the authorization server, and the scopes to ask it for.
    fn located(&self, challenge: Challenge) -> Challenge {
        let challenge = challenge.param("resource_metadata", &self.metadata_url);
        match self.required.as_slice() {
            [] => challenge,
            scopes => challenge.scope(&scopes.join(" ")),
        }
    }
}

/// Asks for a token that is bound to a key.
fn possession() -> Challenge {
    Challenge::new("DPoP").param("algs", &algorithm_names().join(" "))
}

fn challenged(refusal: AuthRefusal, challenges: impl Iterator<Item = Challenge>) -> AuthRefusal {
    challenges.fold(refusal, |refusal, challenge| refusal.challenge(&challenge))
}

/// Sends a nonce for the next proof of possession.
fn with_nonce(refusal: AuthRefusal, nonce: Option<HeaderValue>) -> AuthRefusal {
    match nonce {
        Some(nonce) => refusal.header(DPOP_NONCE, nonce),
        None => refusal,
    }
}

#[cfg(test)]
mod tests {
    use mcp_oauth::dpop::ProofFault;

    use super::*;
    use crate::verifier::static_tokens::StaticTokens;

    #[test]
    fn full_record_of_proofs_asks_the_client_to_wait() {
        let tokens = StaticTokens::new("https://auth.example");
        let oauth = OAuth::builder("https://mcp.example.com").verifier(tokens);
        let oauth = oauth.dpop_nonces().build().expect("the settings are valid");
        let nonce = Some(HeaderValue::from_static("next"));
        let refusal = oauth.0.bad_proof(ProofError::Full, nonce.clone());
        assert_eq!(refusal.status(), StatusCode::TOO_MANY_REQUESTS);
        // Another token or proof would not help, so nothing is asked for.
        assert!(refusal.headers().is_empty(), "{refusal:?}");
        let refusal = oauth.0.bad_proof(ProofFault::Time.into(), nonce);
        assert_eq!(refusal.status(), StatusCode::UNAUTHORIZED);
        let late = refusal.headers();
        assert!(late.contains_key("www-authenticate") && late.contains_key(DPOP_NONCE));
    }
}
