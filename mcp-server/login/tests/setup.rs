//! Servers behind a login, and requests with access tokens.

use std::net::SocketAddr;

use mcp_login::{Login, LoginBuilder, Provider, ProviderToken, User};
use mcp_server::{AccessToken, Http, HttpConfig, Keys, Server, ServerBuilder};
use mcp_testkit::http::raw::{Raw, call, call_headers, with_header};
use serde_json::Value;

pub(crate) use super::browser::Browser;
pub(crate) use super::client::Client;
pub(crate) use super::provider::TestProvider;

/// The public URL of servers. The test browser knows where they really are.
pub(crate) const PUBLIC: &str = "https://mcp.example.com";

/// Returns a builder that lets everybody in.
pub(crate) fn builder(provider: Provider) -> LoginBuilder {
    Login::builder(provider, PUBLIC).allow(|_| true)
}

pub(crate) fn built(builder: LoginBuilder) -> Login {
    builder.build().expect("the settings are valid")
}

async fn whoami(token: AccessToken) -> String {
    let email = token.claims.get("email").and_then(|email| email.as_str());
    format!(
        "{} {} [{}]",
        token.subject.unwrap_or_default(),
        email.unwrap_or("-"),
        token.scopes.join(" ")
    )
}

async fn provider(token: ProviderToken) -> String {
    token.expose().to_owned()
}

/// Returns a server with the same keys as all others of the tests.
pub(crate) fn server(login: &Login, change: impl FnOnce(ServerBuilder) -> ServerBuilder) -> Server {
    let builder = Server::builder("tested", "1")
        .keys(Keys::from_bytes([7; 32]))
        .state(login.clone())
        .tool("whoami", "", whoami)
        .tool("provider", "", provider);
    change(builder).build().expect("valid")
}

/// Serves on a free port until the test ends.
pub(crate) fn serve(server: &Server, login: &Login) -> SocketAddr {
    let config = HttpConfig::new().authenticate(login.clone());
    let http = server.serve_http(Http::at("127.0.0.1:0").config(config));
    let http = http.expect("bound");
    let address = http.local_addr();
    tokio::spawn(http);
    address
}

/// Serves a login.
pub(crate) fn start(login: &Login) -> SocketAddr {
    serve(&server(login, |builder| builder), login)
}

/// A server with OpenID, and its provider.
pub(crate) struct Setup {
    pub(crate) provider: TestProvider,
    pub(crate) address: SocketAddr,
}

impl Setup {
    pub(crate) async fn new() -> Self {
        Self::with(|builder| builder).await
    }

    pub(crate) async fn with(change: impl FnOnce(LoginBuilder) -> LoginBuilder) -> Self {
        let provider = TestProvider::start().await;
        let login = built(change(builder(provider.openid())));
        let address = start(&login);
        Self { provider, address }
    }

    pub(crate) fn browser(&self) -> Browser {
        Browser::new(self.address, &self.provider.url)
    }

    pub(crate) async fn client(&self) -> Client {
        Client::register(self.address).await
    }
}

/// Calls a tool with an access token. Returns the status and the body.
pub(crate) async fn call_tool(address: SocketAddr, tool: &str, token: &str) -> (u16, String) {
    let authorization = format!("Bearer {token}");
    let headers = with_header(call_headers(tool), "Authorization", &authorization);
    let (head, body) = Raw::post(address, &headers, &call(1, tool)).await;
    (head.status, body)
}

/// Calls the tool `whoami`, and returns what it says.
pub(crate) async fn whoami_of(address: SocketAddr, token: &str) -> String {
    let (status, body) = call_tool(address, "whoami", token).await;
    assert_eq!(status, 200, "{body}");
    said(&body)
}

/// Returns the text in the result of a tool.
pub(crate) fn said(body: &str) -> String {
    let body: Value = serde_json::from_str(body).expect("JSON");
    let text = body["result"]["content"][0]["text"].as_str();
    text.expect("a text").to_owned()
}

/// Two users for a provider without a network.
pub(crate) fn local_users() -> Provider {
    let ada = User::new("ada")
        .name("Ada Lovelace")
        .email("ada@example.com", true);
    Provider::local([ada, User::new("bob").groups(["staff"])])
}
