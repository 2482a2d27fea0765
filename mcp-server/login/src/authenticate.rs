//! [`Login`] as an [`Authenticate`]: the resource server, and the routes of the authorization server.

use bytes::Bytes;
use http::header::AUTHORIZATION;
use http::{HeaderValue, StatusCode};
use mcp_oauth::credentials::{Credentials, TokenScheme, credentials};
use mcp_oauth::dpop::algorithm_names;
use mcp_server::{AuthRefusal, AuthRequest, Authenticate, Authenticated, Challenge, PublicRoute};

use crate::access_token;
use crate::dpop;
use crate::endpoints;
use crate::exchange::Exchange;
use crate::fault::Fault;
use crate::login::{Login, LoginServer};
use crate::metadata;
use crate::routes;
use crate::vault::Vault;

impl Authenticate for Login {
    async fn authenticate(&self, request: AuthRequest<'_>) -> Result<Authenticated, AuthRefusal> {
        let login = &*self.0;
        let parts = request.parts();
        let headers = parts.headers.get_all(AUTHORIZATION).into_iter();
        let presented = credentials(parts.uri.query(), headers.map(HeaderValue::as_bytes));
        let presented = presented.map_err(|malformed| {
            let (status, reason) = (StatusCode::BAD_REQUEST, malformed.to_string());
            login.challenge(status, TokenScheme::Bearer, "invalid_request", &reason)
        })?;
        let Some(Credentials { scheme, token }) = presented else {
            let reason = "an access token is required: send it in the header `Authorization`";
            let challenge = login.located(Challenge::new("Bearer"));
            return Err(AuthRefusal::unauthorized(reason).challenge(&challenge));
        };
        let unauthorized = |error: &str, reason: &str| {
            login.challenge(StatusCode::UNAUTHORIZED, scheme, error, reason)
        };
        let vault = Vault::new(request.shared(), &login.realm);
        let verified = access_token::verify(login, &vault, token).await?;
        let invalid = "the token is not valid, has expired, or was revoked";
        let verified = verified.ok_or_else(|| unauthorized("invalid_token", invalid))?;
        let is_bound = verified.key_thumbprint.is_some();
        if is_bound != (scheme == TokenScheme::Dpop) {
            let reason = "tokens that are bound to a key need the scheme `DPoP`, others `Bearer`";
            return Err(unauthorized("invalid_token", reason));
        }
        if let Some(thumbprint) = &verified.key_thumbprint {
            let failed = |reason: &str| unauthorized("invalid_dpop_proof", reason);
            let url = format!("{}{}", login.urls.origin(), parts.uri.path());
            let proof = dpop::verify(parts, &[&url, &login.urls.resource], Some(token));
            let proof = proof.ok().flatten();
            let proof = proof.filter(|proof| proof.thumbprint == *thumbprint);
            let missing = "a proof of possession for this request and token is required";
            let proof = proof.ok_or_else(|| failed(missing))?;
            let subject = verified.subject.as_deref().unwrap_or_default();
            if !proof.record(&vault, subject).await? {
                return Err(failed("the proof was used before, or there are too many"));
            }
        }
        Ok(Authenticated::new(verified))
    }

    fn required_scopes(&self) -> &[String] {
        &self.0.required
    }

    fn complete_challenge(&self, challenge: Challenge) -> Challenge {
        challenge.param("resource_metadata", &self.0.urls.resource_metadata())
    }

    fn public_routes(&self) -> Vec<PublicRoute> {
        let login = &*self.0;
        let urls = &login.urls;
        let path = urls.issuer_metadata_path();
        let mut routes = vec![PublicRoute::json(path, metadata::of_issuer(login))];
        for (at, path) in urls.resource_metadata_paths().into_iter().enumerate() {
            let route = PublicRoute::json(path, metadata::of_resource(login));
            // The second one is the root, which belongs to no endpoint.
            routes.push(if at == 0 { route } else { route.of_host() });
        }
        for (endpoint, body_limit, _) in endpoints::ALL {
            if endpoint != endpoints::LOCAL || login.net.is_none() {
                routes.push(PublicRoute::computed(urls.path(endpoint), body_limit));
            }
        }
        routes
    }

    async fn respond(&self, request: AuthRequest<'_>, body: Bytes) -> http::Response<Bytes> {
        let login = &*self.0;
        let exchange = Exchange {
            login,
            vault: Vault::new(request.shared(), &login.realm),
            parts: request.parts(),
            body,
            address: request.peer_address(),
        };
        // Boxed, because the requests to a provider have large states.
        Box::pin(routes::respond(&exchange)).await
    }
}

/// Refuses a request because the store cannot be reached.
impl From<Fault> for AuthRefusal {
    fn from(fault: Fault) -> Self {
        let reason = "the access token cannot be verified at the moment";
        Self::new(StatusCode::SERVICE_UNAVAILABLE, reason).cause(fault)
    }
}

impl LoginServer {
    fn challenge(
        &self,
        status: StatusCode,
        scheme: TokenScheme,
        error: &str,
        reason: &str,
    ) -> AuthRefusal {
        let mut challenge = Challenge::new(scheme.name());
        if scheme == TokenScheme::Dpop {
            challenge = challenge.param("algs", &algorithm_names().join(" "));
        }
        let challenge = challenge
            .param("error", error)
            .param("error_description", reason);
        AuthRefusal::new(status, reason.to_owned()).challenge(&self.located(challenge))
    }

    /// Adds where the client finds the authorization server, and the scopes to ask it for.
    fn located(&self, challenge: Challenge) -> Challenge {
        let challenge = challenge.param("resource_metadata", &self.urls.resource_metadata());
        match self.required.as_slice() {
            [] => challenge,
            scopes => challenge.scope(&scopes.join(" ")),
        }
    }
}
