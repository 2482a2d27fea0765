//! [`OAuthBuilder`]: the settings of an [`OAuth`].

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use mcp_oauth::dpop::algorithm_names;
use mcp_oauth::protected_resource::{ProtectedResource, WELL_KNOWN};
use mcp_oauth::scopes::Scopes;

use crate::config::{Implication, OAuth, ResourceServer, comparable};
use crate::dpop::{self, ProofVerifier};
use crate::fetch::https_client::HttpsClient;
use crate::fetch::{Fetcher, HttpFetch};
use crate::issuer::Issuer;
use crate::issuer::verifiers::{check_introspection, identifier, issuer_verifiers};
use crate::oauth_error::OAuthError;
use crate::verifier::{AnyVerifier, TokenVerifier};

/// The default for [`OAuthBuilder::stream_time`].
const STREAM_TIME: Duration = Duration::from_secs(60 * 60);

/// The settings of an [`OAuth`]. Created by [`OAuth::builder`].
#[must_use = "nothing is configured until `build` is called"]
pub struct OAuthBuilder {
    resource: String,
    issuers: Vec<Issuer>,
    verifiers: Vec<Box<dyn AnyVerifier>>,
    audiences: Vec<String>,
    required: Vec<String>,
    supported: Option<Vec<String>>,
    implies: Option<Arc<Implication>>,
    name: Option<String>,
    documentation: Option<String>,
    proofs: Proofs,
    stream_time: Duration,
    fetcher: Option<Fetcher>,
}

/// The settings of proofs of possession.
#[derive(Clone, Copy, Default)]
struct Proofs {
    offered: bool,
    required: bool,
    nonces: bool,
    rate: Option<u32>,
}

impl OAuth {
    /// Returns a builder for the server with this identifier: the URL that clients use for the
    /// endpoint, such as `https://mcp.example.com/mcp`. Issuers write it into `aud` of the tokens.
    pub fn builder(resource: impl Into<String>) -> OAuthBuilder {
        OAuthBuilder {
            resource: resource.into(),
            issuers: Vec::new(),
            verifiers: Vec::new(),
            audiences: Vec::new(),
            required: Vec::new(),
            supported: None,
            implies: None,
            name: None,
            documentation: None,
            proofs: Proofs::default(),
            stream_time: STREAM_TIME,
            fetcher: None,
        }
    }
}

impl OAuthBuilder {
    /// Accepts the tokens of an authorization server: its identifier, or an [`Issuer`] with more
    /// settings. Several can be added; the first one is the one that most clients use.
    pub fn issuer(mut self, issuer: impl Into<Issuer>) -> Self {
        self.issuers.push(issuer.into());
        self
    }

    /// Accepts tokens that a [`TokenVerifier`] of the program verifies, before those of the
    /// issuers.
    pub fn verifier(mut self, verifier: impl TokenVerifier) -> Self {
        self.verifiers.push(Box::new(verifier));
        self
    }

    /// Also accepts tokens whose audience (`aud`) is this text instead of the URL of the server.
    /// Some issuers do not support resource indicators (RFC 8707) and write an identifier of their
    /// own into tokens. It must be one that they use for tokens of this server only.
    pub fn audience(mut self, audience: impl Into<String>) -> Self {
        self.audiences.push(audience.into());
        self
    }

    /// Sets the scopes that every request requires. Clients that have no token yet are told to ask
    /// for them. Default: none.
    pub fn required_scopes<T: Into<String>>(mut self, scopes: impl IntoIterator<Item = T>) -> Self {
        self.required = scopes.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the scopes in the metadata: those that basic use of the server needs. Default: the
    /// [required](Self::required_scopes) ones. Further scopes, such as those of single tools, are
    /// better left out: clients learn of them when a request needs them.
    pub fn scopes_supported<T: Into<String>>(
        mut self,
        scopes: impl IntoIterator<Item = T>,
    ) -> Self {
        self.supported = Some(scopes.into_iter().map(Into::into).collect());
        self
    }

    /// Sets the function that decides which scopes imply others: it gets a scope of the token and a
    /// scope that is required, and returns `true` if the first one permits everything that the
    /// second one permits. Equal scopes always do.
    ///
    /// ```
    /// use mcp_server_oauth::OAuth;
    ///
    /// let oauth = OAuth::builder("https://mcp.example.com/mcp")
    ///     .issuer("https://auth.example.com")
    ///     .implied_scopes(|granted, required| {
    ///         granted == "admin" || granted == "files:write" && required == "files:read"
    ///     })
    ///     .build()?;
    /// # drop(oauth);
    /// # Ok::<(), mcp_server_oauth::OAuthError>(())
    /// ```
    pub fn implied_scopes(
        mut self,
        implies: impl Fn(&str, &str) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.implies = Some(Arc::new(implies));
        self
    }

    /// Sets the name of the server in its metadata, for users.
    pub fn resource_name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Sets the URL of documentation for developers in the metadata.
    pub fn resource_documentation(mut self, url: impl Into<String>) -> Self {
        self.documentation = Some(url.into());
        self
    }

    /// Tells clients that tokens may be bound to a key of the client (DPoP, RFC 9449). Such tokens
    /// are always verified, with or without this: they are useless to a thief.
    pub fn offer_dpop(mut self) -> Self {
        self.proofs.offered = true;
        self
    }

    /// Accepts only tokens that are bound to a key of the client (DPoP, RFC 9449).
    pub fn require_dpop(mut self) -> Self {
        self.proofs.offered = true;
        self.proofs.required = true;
        self
    }

    /// Requires that proofs of possession contain a nonce of the server, so that no proofs can be
    /// made in advance. Processes that serve one endpoint need the same
    /// [keys](mcp_server::ServerBuilder::keys).
    pub fn dpop_nonces(mut self) -> Self {
        self.proofs.offered = true;
        self.proofs.nonces = true;
        self
    }

    /// Sets the number of requests with proofs of possession per second that the server accepts
    /// continuously. Default: 1,000. The server remembers each proof until it expires, normally
    /// after 5 minutes, so that it is used only once. This takes some 36 KB for each request per
    /// second. Further requests are rejected with 429, and those of one principal beyond a
    /// sixteenth.
    pub fn dpop_rate(mut self, requests: u32) -> Self {
        self.proofs.rate = Some(requests);
        self
    }

    /// Sets the maximum time of a response to a request whose token does not say when it expires.
    /// Default: 1 hour. Then streams end, and the client resumes them or sends its request again,
    /// so that the token is verified again. Other streams end when the token expires.
    pub fn stream_time(mut self, time: Duration) -> Self {
        self.stream_time = time;
        self
    }

    /// Sets the client for requests to issuers, instead of one that trusts the certificates of the
    /// system.
    pub fn http_fetch(mut self, fetch: impl HttpFetch) -> Self {
        self.fetcher = Some(Fetcher::new(fetch));
        self
    }

    /// Checks the settings.
    ///
    /// # Errors
    ///
    /// See [`OAuthError`].
    pub fn build(self) -> Result<OAuth, OAuthError> {
        let resource = identifier("resource", &self.resource)?;
        let mut verifiers = self.verifiers;
        for verifier in &verifiers {
            identifier("issuer", verifier.issuer())?;
        }
        let fetcher = match self.fetcher {
            Some(fetcher) => Some(fetcher),
            // Reading the certificates of the system takes a while.
            None if self.issuers.is_empty() => None,
            None => Some(Fetcher::new(
                HttpsClient::new().map_err(OAuthError::Client)?,
            )),
        };
        check_introspection(&self.issuers)?;
        for issuer in &self.issuers {
            if let Some(fetcher) = &fetcher {
                verifiers.extend(issuer_verifiers(issuer, fetcher)?);
            }
        }
        if verifiers.is_empty() {
            return Err(OAuthError::NoIssuer);
        }
        let supported = self.supported.as_ref().unwrap_or(&self.required);
        for scopes in [&self.required, supported] {
            Scopes::from_names(scopes).map_err(|error| OAuthError::Scope(error.to_string()))?;
            if scopes.iter().any(|scope| scope == "offline_access") {
                return Err(OAuthError::OfflineAccess);
            }
        }
        let mut issuers: Vec<String> = Vec::new();
        for verifier in &verifiers {
            if !issuers.iter().any(|known| known == verifier.issuer()) {
                issuers.push(verifier.issuer().to_owned());
            }
        }
        let mut metadata = ProtectedResource::new(resource.as_str(), issuers);
        metadata.scopes_supported = (!supported.is_empty()).then(|| supported.clone());
        metadata.bearer_methods_supported = Some(vec!["header".to_owned()]);
        metadata.resource_name = self.name;
        metadata.resource_documentation = self.documentation;
        if self.proofs.offered {
            let names = algorithm_names().map(str::to_owned);
            metadata.dpop_signing_alg_values_supported = Some(names.into());
            metadata.dpop_bound_access_tokens_required = Some(self.proofs.required);
        }
        let metadata_url = format!("{}{WELL_KNOWN}{}", resource.origin(), resource.path());
        let own = resource.as_str();
        let audiences = self.audiences.iter().map(String::as_str).chain([own]);
        let audiences = audiences.map(comparable).collect();
        Ok(OAuth(Arc::new(ResourceServer {
            resource,
            audiences,
            verifiers,
            required: self.required,
            implies: self.implies,
            stream_time: self.stream_time,
            requires_proofs: self.proofs.required,
            offers_proofs: self.proofs.offered,
            proofs: ProofVerifier::new(self.proofs.nonces, self.proofs.rate.unwrap_or(dpop::RATE)),
            // All members are strings and lists of strings, so this does not fail.
            metadata: Bytes::from(serde_json::to_vec(&metadata).unwrap_or_default()),
            metadata_url,
        })))
    }
}

impl std::fmt::Debug for OAuthBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OAuthBuilder")
            .field("resource", &self.resource)
            .field("issuers", &self.issuers)
            .finish_non_exhaustive()
    }
}
