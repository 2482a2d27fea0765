//! Servers that require access tokens, and requests with tokens.

use std::net::SocketAddr;
use std::time::Duration;

use mcp_server::{Http, HttpConfig, Server};
use mcp_server_oauth::{Issuer, OAuth, OAuthBuilder};
use mcp_testkit::http::raw::*;

pub(crate) use super::issuer::*;

/// Where the server says its metadata is.
pub(crate) const METADATA: &str =
    "https://mcp.example.com/.well-known/oauth-protected-resource/mcp";

/// Returns a builder that trusts an issuer, and loads its keys again whenever that might help.
pub(crate) fn trusting(issuer: &TestIssuer) -> OAuthBuilder {
    OAuth::builder(RESOURCE).issuer(Issuer::new(&issuer.url).key_interval(Duration::ZERO))
}

/// Serves on a free port, behind OAuth.
pub(crate) fn protect(server: &Server, oauth: OAuthBuilder) -> SocketAddr {
    protect_with(server, oauth, HttpConfig::new())
}

pub(crate) fn protect_with(server: &Server, oauth: OAuthBuilder, config: HttpConfig) -> SocketAddr {
    let oauth = oauth.build().expect("the settings are sound");
    let http = Http::at("127.0.0.1:0").config(config.authenticate(oauth));
    let http = server.serve_http(http).expect("bound");
    let address = http.local_addr();
    tokio::spawn(http);
    address
}

pub(crate) type Headers = Vec<(&'static str, String)>;

/// Adds a token to headers.
pub(crate) fn with_token(headers: Headers, token: &str) -> Headers {
    with_header(headers, "Authorization", &format!("Bearer {token}"))
}

/// Calls the tool `echo` with a token, and returns the head and the body of the response.
pub(crate) async fn echo(address: SocketAddr, token: &str) -> (Head, String) {
    let headers = with_token(call_headers("echo"), token);
    Raw::post(address, &headers, &call(1, "echo")).await
}

/// Checks that a token is rejected as invalid, and returns the description.
pub(crate) async fn rejected(address: SocketAddr, token: &str) -> String {
    let (head, body) = echo(address, token).await;
    assert_eq!(head.status, 401, "{body}");
    let challenge = head.get("www-authenticate").expect("a challenge");
    let start = "Bearer error=\"invalid_token\", error_description=\"";
    let rest = challenge.strip_prefix(start).expect(challenge);
    let (description, rest) = rest.split_once('"').expect("quoted");
    assert_eq!(rest, format!(", resource_metadata=\"{METADATA}\""));
    assert_eq!(code(&body), -32600);
    description.to_owned()
}
