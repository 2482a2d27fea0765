//! [`OAuth`]: an endpoint as a resource server of OAuth 2.1.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use mcp_oauth::dpop::normalize_htu;
use mcp_oauth::protected_resource::WELL_KNOWN;

use crate::dpop::ProofVerifier;
use crate::fetch::secure_url::SecureUrl;
use crate::verifier::AnyVerifier;

/// Makes an HTTP endpoint a resource server of OAuth 2.1, as the page "Authorization" of the
/// specification describes it: every request needs an access token that one of the trusted issuers
/// issued for this server.
///
/// The [documentation of the crate](crate) explains what is verified, and how scopes are required.
/// Clones share the keys of the issuers and the record of used proofs.
///
/// ```no_run
/// use mcp_server::{Http, HttpConfig, Server};
/// use mcp_server_oauth::OAuth;
///
/// # async fn run(server: Server) -> Result<(), Box<dyn std::error::Error>> {
/// let oauth = OAuth::builder("https://mcp.example.com/mcp")
///     .issuer("https://auth.example.com")
///     .build()?;
/// let config = HttpConfig::new().allow_hosts(["mcp.example.com"]);
/// server.serve(Http::at("0.0.0.0:8080").config(config).authenticate(oauth)).await?;
/// # Ok(())
/// # }
/// ```
///
/// The same service in axum, with the [paths](Self::metadata_paths) of the metadata:
///
/// ```
/// # fn run(server: mcp_server::Server) -> Result<(), Box<dyn std::error::Error>> {
/// use mcp_server::HttpConfig;
/// use mcp_server_oauth::OAuth;
///
/// let oauth = OAuth::builder("https://mcp.example.com/mcp")
///     .issuer("https://auth.example.com")
///     .build()?;
/// let paths = oauth.metadata_paths();
/// let config = HttpConfig::new().allow_hosts(["mcp.example.com"]).authenticate(oauth);
/// let service = server.into_service(config);
/// let mut app: axum::Router = axum::Router::new().route_service("/mcp", service.clone());
/// for path in &paths {
///     app = app.route_service(path, service.clone());
/// }
/// # drop(app);
/// # Ok(())
/// # }
/// # let _ = run;
/// ```
#[derive(Clone)]
pub struct OAuth(pub(crate) Arc<ResourceServer>);

/// What the clones of an [`OAuth`] share.
pub(crate) struct ResourceServer {
    pub(crate) resource: SecureUrl,
    /// The values of `aud` for which tokens are accepted, in [`comparable`] form.
    pub(crate) audiences: Vec<String>,
    pub(crate) verifiers: Vec<Box<dyn AnyVerifier>>,
    /// The scopes that all requests require.
    pub(crate) required: Vec<String>,
    pub(crate) implies: Option<Arc<Implication>>,
    /// The maximum time of a stream whose token does not say when it expires.
    pub(crate) stream_time: Duration,
    pub(crate) requires_proofs: bool,
    /// Whether challenges ask for proofs of possession.
    pub(crate) offers_proofs: bool,
    pub(crate) proofs: ProofVerifier,
    /// The text of the metadata.
    pub(crate) metadata: Bytes,
    /// The URL of the metadata, for challenges.
    pub(crate) metadata_url: String,
}

/// Returns `true` if the first scope, which was granted, permits everything that the second one
/// permits.
pub(crate) type Implication = dyn Fn(&str, &str) -> bool + Send + Sync;

/// Returns the form of an audience in which audiences are compared: a URL is normalized (RFC 3986,
/// sections 6.2.2 and 6.2.3), so that an empty path equals `/`. Some clients and issuers add the
/// slash to the identifier of a server. Other text stays as it is.
pub(crate) fn comparable(audience: &str) -> String {
    let url = if audience.contains(['?', '#']) {
        None
    } else {
        normalize_htu(audience).ok()
    };
    url.unwrap_or_else(|| audience.to_owned())
}

impl OAuth {
    /// Returns the paths at which the endpoint serves its metadata (RFC 9728): one that contains
    /// the path of the resource, and the root. They are public. A server of its own answers at
    /// both; in another stack, both have to be routed to the service. If a stack has several
    /// endpoints, route the first path of each, as `Server::into_router` does: the root belongs
    /// to none of them.
    #[must_use]
    pub fn metadata_paths(&self) -> Vec<String> {
        let path = self.0.resource.path();
        let root = (!path.is_empty()).then(|| WELL_KNOWN.to_owned());
        let own = format!("{WELL_KNOWN}{path}");
        [own].into_iter().chain(root).collect()
    }
}

impl fmt::Debug for OAuth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let issuers = self.0.verifiers.iter().map(|verifier| verifier.issuer());
        let issuers: Vec<&str> = issuers.collect();
        f.debug_struct("OAuth")
            .field("resource", &self.0.resource.as_str())
            .field("issuers", &issuers)
            .field("required_scopes", &self.0.required)
            .finish_non_exhaustive()
    }
}
