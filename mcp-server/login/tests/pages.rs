//! What the pages say, for people who look at them: written to a folder that a variable names.

use super::client::Client;
use super::setup::*;

/// `MCP_LOGIN_PAGES=folder cargo test -p mcp-login pages` writes the pages there.
#[tokio::test]
async fn pages_are_complete_documents() {
    let login = mcp_login::Login::builder(local_users(), "http://127.0.0.1:1")
        .name("Notes")
        .scopes_supported(["files:read", "files:write"]);
    let address = start(&built(login));
    let mut browser = Browser::new(address, "");
    browser.knows("http://127.0.0.1:1", address);
    let client = Client::register_at(address, "https://app.example.com/cb").await;
    let url = client.url_with(&[("resource", ""), ("scope", "files:read files:write")]);
    let consent = browser
        .open(&url.replace(PUBLIC, "http://127.0.0.1:1"))
        .await;
    let users = browser.allow(&consent).await;
    let arrived = browser.press(&users, "user", "ada").await;
    let code = arrived.param("code").expect("a code");
    client.exchange_with(&code, &[("resource", "")]).await;
    let users = browser.open("http://127.0.0.1:1/sessions").await;
    let sessions = browser.press(&users, "user", "ada").await;
    let error = browser.open("http://127.0.0.1:1/callback").await;
    for (name, page) in [
        ("consent", consent),
        ("users", users),
        ("sessions", sessions),
        ("error", error),
    ] {
        assert!(
            page.body.starts_with("<!DOCTYPE html><html lang=\"en\">"),
            "{}",
            page.body
        );
        assert!(page.body.contains("name=\"viewport\""), "{}", page.body);
        if let Ok(folder) = std::env::var("MCP_LOGIN_PAGES") {
            std::fs::write(format!("{folder}/{name}.html"), &page.body).expect("written");
        }
    }
}
