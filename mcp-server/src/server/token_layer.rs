//! [`Server::token_layer`]: access tokens for the own routes of an application.

use std::sync::Arc;

use crate::server::handle::Server;
use crate::transport::http::authenticate::Authenticate;
use crate::transport::http::authenticate::authenticator::Authenticator;
use crate::transport::http::config::HttpConfig;
use crate::transport::http::own_routes::token_layer::TokenLayer;

impl Server {
    /// Returns a layer of axum that requires access tokens for the own routes of an application,
    /// with the responses of the endpoint: 401 without a valid token, 403 without the scopes.
    ///
    /// The handlers of the routes can extract the [`AccessToken`](crate::AccessToken), the
    /// [`Principal`](crate::Principal) and the [`TokenScopes`](crate::TokenScopes). Of the
    /// configuration, the layer uses the [trusted proxies](HttpConfig::trusted_proxies): requests
    /// count towards the [limit](field@crate::Limits::verifications_per_peer) of their client.
    ///
    /// ```
    /// use axum::Router;
    /// use axum::routing::get;
    /// use mcp_server::{AccessToken, HttpConfig, Principal, Server};
    /// use mcp_server_oauth::OAuth;
    ///
    /// async fn tickets(Principal(user): Principal) -> String {
    ///     format!("The tickets of {user}")
    /// }
    ///
    /// async fn close(token: AccessToken) -> String {
    ///     format!("Closed for {}", token.subject.unwrap_or_default())
    /// }
    ///
    /// fn app(server: Server, oauth: OAuth) -> Router {
    ///     let config = HttpConfig::new().any_host().authenticate(oauth.clone());
    ///     let tokens = server.token_layer(oauth, &config);
    ///     let close = get(close).layer(tokens.clone().scopes(["tickets:write"]));
    ///     Router::new()
    ///         .route("/tickets", get(tickets).layer(tokens))
    ///         .route("/close", close)
    ///         .merge(server.into_router("/mcp", config))
    /// }
    /// # let _ = app;
    /// ```
    ///
    /// The layer refuses preflight requests of browsers (CORS), which have no token: add a layer that
    /// answers them around it. It ends no stream of a route when the token expires; handlers see in
    /// the token when that is.
    #[must_use]
    pub fn token_layer(&self, authenticate: impl Authenticate, config: &HttpConfig) -> TokenLayer {
        let authenticator = Authenticator::new(authenticate);
        TokenLayer::new(Arc::clone(&self.core), authenticator, config.clone())
    }
}
