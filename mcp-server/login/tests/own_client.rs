//! The client of this workspace, unchanged: it finds everything, registers, proves possession of a key,
//! and asks for more scopes when a tool needs them.

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use mcp_client::{Client as McpClient, Http as McpHttp};
use mcp_client_oauth::{AuthorizationUrl, Manual, OAuth, Secret};
use mcp_login::Login;
use mcp_server::{Http, HttpConfig, Server, ToolDef};

use super::client::REDIRECT;
use super::setup::*;

type LoginResult = Result<Secret, Box<dyn Error + Send + Sync>>;

/// Does what the user does in a browser.
async fn log_in(public: String, url: AuthorizationUrl) -> LoginResult {
    let mut browser = Browser::new("127.0.0.1:1".parse()?, "");
    let address = public.strip_prefix("http://").unwrap_or_default();
    browser.knows(&public, address.parse()?);
    let page = browser.open(url.as_str()).await;
    let page = browser.allow(&page).await;
    let arrived = browser.press(&page, "user", "ada").await;
    Ok(Secret::new(arrived.url))
}

#[tokio::test]
async fn own_client_logs_in_and_asks_for_more_scopes() {
    // A port that is free now. The URL has to be known before the server listens.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("bound");
    let address = listener.local_addr().expect("an address");
    drop(listener);
    let public = format!("http://{address}");
    let login = Login::builder(local_users(), &public)
        .resource(format!("{public}/mcp"))
        .required_scopes(["read"])
        .scopes(|_| vec!["read".to_owned(), "write".to_owned()]);
    let login = built(login);
    let write = ToolDef::new("write").scopes(["write"]);
    let server: Server = server(&login, |builder| {
        builder.add_tool(write.handler(async || "written"))
    });
    let config = HttpConfig::new().authenticate(login);
    let http = server.serve_http(Http::at(address).config(config));
    tokio::spawn(http.expect("bound"));

    let logins = Arc::new(AtomicUsize::new(0));
    let (count, url) = (Arc::clone(&logins), public.clone());
    let agent = Manual::new(REDIRECT, move |authorization| {
        count.fetch_add(1, Ordering::SeqCst);
        log_in(url.clone(), authorization)
    });
    let oauth = OAuth::authorization_code(agent).client_name("Own client");
    let endpoint = McpHttp::new(format!("{public}/mcp")).auth(oauth.build().expect("valid"));
    let client = McpClient::builder("own", "1")
        .connect(endpoint)
        .await
        .expect("connected");
    let said = client.call_tool("whoami").await.expect("a result").text();
    assert_eq!(said, "local|ada ada@example.com [read]");
    assert_eq!(logins.load(Ordering::SeqCst), 1);
    assert_eq!(
        client.call_tool("write").await.expect("a result").text(),
        "written"
    );
    let said = client.call_tool("whoami").await.expect("a result").text();
    assert_eq!(said, "local|ada ada@example.com [read write]");
    assert_eq!(logins.load(Ordering::SeqCst), 2);
}
