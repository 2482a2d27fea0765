//! Clients that nobody knows: registrations and documents.

use std::future::ready;
use std::net::SocketAddr;

use mcp_fetch::{FetchPolicy, Proxy};
use mcp_login::Login;
use mcp_testkit::web::{Reply, Web};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::client::{Client, Tokens, register};
use super::setup::*;

const DOCUMENT: &str = "https://files.example/client.json";
const CALLBACK: &str = "https://files.example/cb";

#[tokio::test]
async fn flood_of_registrations_stores_nothing() {
    let provider = TestProvider::start().await;
    let login = built(builder(provider.openid()));
    let server = server(&login, |builder| builder);
    let address = serve(&server, &login);
    let before = server.metrics().store.operations;
    let mut ids = Vec::new();
    for _ in 0..300 {
        ids.push(Client::register(address).await.id);
    }
    let mut browser = Browser::new(address, &provider.url);
    for id in ids.iter().take(50) {
        let client = Client::new(address, id, super::client::REDIRECT);
        // A login that is not finished stores nothing, either.
        let page = browser.open(&client.url()).await;
        assert_eq!(page.status, 200, "{}", page.body);
    }
    assert_eq!(server.metrics().store.operations, before);
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 300);
}

#[tokio::test]
async fn malformed_registration_is_rejected() {
    let setup = Setup::new().await;
    let uri = "https://a.example/cb";
    let long = format!("https://a.example/{}", "x".repeat(900));
    for (metadata, error) in [
        (json!({}), "invalid_redirect_uri"),
        (json!([]), "invalid_client_metadata"),
        (json!({ "redirect_uris": [] }), "invalid_redirect_uri"),
        (json!({ "redirect_uris": "x" }), "invalid_client_metadata"),
        (
            json!({ "redirect_uris": vec![uri; 17] }),
            "invalid_redirect_uri",
        ),
        (
            json!({ "redirect_uris": vec![&long; 10] }),
            "invalid_client_metadata",
        ),
        (
            json!({ "redirect_uris": [uri], "token_endpoint_auth_method": "private_key_jwt" }),
            "invalid_client_metadata",
        ),
        (
            json!({ "redirect_uris": [uri], "grant_types": ["client_credentials"] }),
            "invalid_client_metadata",
        ),
        (
            json!({ "redirect_uris": [uri], "response_types": ["token"] }),
            "invalid_client_metadata",
        ),
    ] {
        let (status, body) = register(setup.address, &metadata.to_string()).await;
        assert_eq!((status, &body["error"]), (400, &json!(error)), "{metadata}");
    }
    let (status, _) = register(setup.address, &" ".repeat(20 << 10)).await;
    assert_eq!(status, 413);
    // Whatever else is in it is ignored.
    let metadata = json!({
        "redirect_uris": [uri], "client_name": "x".repeat(5_000), "application_type": "other",
        "logo_uri": "javascript:alert(1)", "jwks": {}, "scope": "admin", "software_id": 1,
    });
    let (status, body) = register(setup.address, &metadata.to_string()).await;
    assert_eq!(status, 201, "{body}");
    assert_eq!(body["client_name"].as_str().map(str::len), Some(80));
    assert!(body.get("logo_uri").is_none() && body.get("client_secret").is_none());
}

#[tokio::test]
async fn unknown_client_gets_a_page() {
    let setup = Setup::new().await;
    for id in ["", "unknown", &"x".repeat(5_000)] {
        let client = Client::new(setup.address, id, "https://evil.example/cb");
        let page = setup.browser().open(&client.url()).await;
        assert_eq!((page.status, page.header("location")), (400, None));
    }
}

/// Serves a login that loads the documents of clients with a policy.
async fn with_policy(policy: FetchPolicy) -> (TestProvider, SocketAddr) {
    let provider = TestProvider::start().await;
    let login: Login = built(builder(provider.openid()).fetch_policy(policy));
    let address = start(&login);
    (provider, address)
}

/// Returns a policy for which every name has a public address, with a proxy that connects to the host of
/// a test instead.
async fn public(web: &Web) -> FetchPolicy {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("bound");
    let proxy = listener.local_addr().expect("an address");
    let target = web.address();
    tokio::spawn(async move {
        while let Ok((mut client, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut head = Vec::new();
                while !head.ends_with(b"\r\n\r\n") {
                    head.push(client.read_u8().await?);
                }
                client.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await?;
                let mut host = TcpStream::connect(target).await?;
                tokio::io::copy_bidirectional(&mut client, &mut host).await
            });
        }
    });
    let address = SocketAddr::from(([93, 184, 215, 14], 443));
    let policy = web.strict().resolver(move |_, _| ready(Ok(vec![address])));
    policy.proxy(Proxy::new(format!("http://{proxy}")))
}

fn document(changes: &Value) -> Vec<u8> {
    let mut document = json!({
        "client_id": DOCUMENT, "client_name": "Documented", "redirect_uris": [CALLBACK],
        "token_endpoint_auth_method": "none",
    });
    for (name, value) in changes.as_object().expect("an object") {
        document[name.as_str()] = value.clone();
    }
    document.to_string().into_bytes()
}

#[tokio::test]
async fn client_is_known_by_its_document() {
    let mut web = Web::start().await;
    let (provider, address) = with_policy(public(&web).await).await;
    let client = Client::new(address, DOCUMENT, CALLBACK);
    web.answer(Reply::ok("application/json", &document(&json!({}))));
    let mut browser = Browser::new(address, &provider.url);
    let page = browser.open(&client.url()).await;
    assert!(page.body.contains("Documented"), "{}", page.body);
    assert!(
        page.body
            .contains("described at <strong>files.example</strong>"),
        "{}",
        page.body
    );
    let head = web.head().await;
    assert!(head.starts_with("GET /client.json HTTP/1.1\r\n"), "{head}");
    let head = head.to_ascii_lowercase();
    assert!(head.contains("user-agent: mcp-login\r\n"), "{head}");
    assert!(!head.contains("cookie"), "{head}");
    let code = browser.allow(&page).await.param("code").expect("a code");
    let tokens = Tokens::of(client.exchange(&code).await);
    whoami_of(address, &tokens.access).await;
    assert_eq!(client.refresh(&tokens.refresh).await.0, 200);
    assert_eq!(web.connections(), 1);
}

#[tokio::test]
async fn document_that_has_changed_is_not_believed_any_more() {
    let web = Web::start().await;
    let (provider, address) = with_policy(public(&web).await).await;
    let client = Client::new(address, DOCUMENT, CALLBACK);
    let mut browser = Browser::new(address, &provider.url);
    web.answer(Reply::ok("application/json", &document(&json!({}))));
    assert_eq!(browser.open(&client.url()).await.status, 200);
    let other = json!({ "redirect_uris": ["https://files.example/other"] });
    web.answer(Reply::ok("application/json", &document(&other)));
    let page = browser.open(&client.url()).await;
    assert_eq!(
        (page.status, page.header("location")),
        (400, None),
        "{}",
        page.body
    );
}

#[tokio::test]
async fn document_at_a_private_address_is_not_loaded() {
    let web = Web::start().await;
    // The name resolves to this machine. What the provider may have does not matter.
    let policy = web.policy().allow_host("files.example");
    let (provider, address) = with_policy(policy.allow_host("127.0.0.1")).await;
    let port = web.address().port();
    for id in [
        DOCUMENT.to_owned(),
        format!("https://127.0.0.1:{port}/client.json"),
        format!("https://[::1]:{port}/client.json"),
        format!("https://localhost:{port}/client.json"),
        format!("{}/userinfo", provider.url),
        "https://169.254.169.254/latest/meta-data".to_owned(),
        "https://10.0.0.1/client.json".to_owned(),
        "file:///etc/passwd".to_owned(),
        "https://me:secret@files.example/client.json".to_owned(),
        "https://files.example/a/../client.json".to_owned(),
    ] {
        let client = Client::new(address, &id, CALLBACK);
        let page = Browser::new(address, &provider.url)
            .open(&client.url())
            .await;
        assert_eq!((page.status, page.header("location")), (400, None), "{id}");
        // The page says nothing of what is at the address.
        assert!(page.body.contains("cannot be verified"), "{}", page.body);
    }
    assert_eq!(web.connections(), 0);
}

#[tokio::test]
async fn document_that_is_not_one_of_the_client_is_rejected() {
    let web = Web::start().await;
    let (provider, address) = with_policy(public(&web).await).await;
    let json = |changes: Value| Reply::ok("application/json", &document(&changes));
    for reply in [
        json(json!({ "client_id": "https://files.example/other.json" })),
        json(json!({ "token_endpoint_auth_method": "client_secret_basic" })),
        json(json!({ "redirect_uris": [] })),
        json(json!({ "redirect_uris": [CALLBACK, "javascript:alert(1)"] })),
        json(json!({ "grant_types": ["client_credentials"] })),
        Reply::ok("application/json", b"<html>"),
        Reply::ok("text/html", &document(&json!({}))),
        Reply::ok("application/json", &vec![b' '; 20 << 10]),
        Reply::status("404 Not Found"),
        Reply::redirect("302 Found", "https://other.example/client.json"),
        Reply::nothing(),
    ] {
        web.answer(reply);
        let client = Client::new(address, DOCUMENT, CALLBACK);
        let page = Browser::new(address, &provider.url)
            .open(&client.url())
            .await;
        assert_eq!(
            (page.status, page.header("location")),
            (400, None),
            "{}",
            page.body
        );
    }
    // Not even the redirect was followed.
    assert_eq!(web.connections(), 11);
}
