//! Secrets appear in no log, error or `Debug`, and texts of peers only escaped and cut off.

use std::sync::{Arc, Mutex};

use http::{HeaderMap, HeaderValue};
use mcp_client::{
    Authorize, AuthorizeFuture, AuthorizeRequest, AuthorizeResponse, ChildProcess, Client, Http,
};
use mcp_client_oauth::{
    FileStore, Logout, MemoryStore, OAuthClient, OAuthError, PrivateKey, Secret,
};
use serde_json::{Value, json};

use mcp_testkit::text_log::TextLog;

use super::auth_servers::*;

#[tokio::test]
async fn secrets_are_neither_logged_nor_shown() {
    let log = TextLog::begin();
    let servers = AuthServers::start().await;
    servers.script(|asked, _| {
        (asked.path == "/register").then(|| {
            answer(
                201,
                json!({"client_id": "c", "client_secret": "client-secret-1"}),
            )
        })
    });
    let store = MemoryStore::new();
    let oauth = oauth().store(store.clone()).build().expect("valid");
    let client = connect(&servers, &oauth).await.expect("connected");
    servers.expire();
    client.tools().one_page().await.expect("listed");
    let login = oauth
        .begin(&servers.server(), REDIRECT)
        .await
        .expect("begun");
    let url = login.url();
    let mut shown = format!("{oauth:?} {store:?} {login:?} {url:?} {client:?}");
    let begun = login.url().as_str().to_owned();
    let begun = begun.split(['?', '&', '=']).map(str::to_owned);
    // The state and the challenge of the login that has begun.
    let begun: Vec<String> = begun.filter(|part| part.len() == 43).collect();
    assert_eq!(begun.len(), 2);

    // Errors quote neither the token nor what the server sends with it.
    servers.expire();
    servers.script(|asked, _| {
        (asked.path == "/token").then(|| {
            answer(
                200,
                "{\"access_token\": \"access-token-9\", \"token_type\": 7}",
            )
        })
    });
    let error = client.tools().one_page().await.expect_err("malformed");
    shown += &format!("{error} {error:?} {} {:?}", fault(&error), fault(&error));
    let preregistered = OAuthClient::new("id").secret("client-secret-2");
    shown += &format!("{preregistered:?} {:?}", Secret::new("client-secret-3"));

    shown += &log.text();
    assert!(shown.len() > 500, "something was logged");
    for secret in [
        "access-token-",
        "refresh-token-",
        "client-secret-",
        "secret-code",
    ] {
        assert!(!shown.contains(secret), "{secret}: {shown}");
    }
    for secret in begun {
        assert!(!shown.contains(&secret), "{shown}");
    }
    let verifier = servers.asked("/token")[0]
        .form("code_verifier")
        .expect("a verifier");
    let state = servers.asked("/authorize")[0].query["state"].clone();
    assert!(
        !shown.contains(&verifier) && !shown.contains(&state),
        "{shown}"
    );
}

/// Notes what `Debug` shows of requests and responses.
#[derive(Clone, Default)]
struct Noting(Arc<Mutex<String>>);

impl Authorize for Noting {
    fn authorize<'a>(&'a self, request: AuthorizeRequest<'a>) -> AuthorizeFuture<'a, HeaderMap> {
        *self.0.lock().expect("no panic") += &format!("{request:?}");
        let token = HeaderValue::from_static("Bearer a-secret");
        let headers = HeaderMap::from_iter([(http::header::AUTHORIZATION, token)]);
        Box::pin(async { Ok(headers) })
    }

    fn rejected<'a>(&'a self, response: AuthorizeResponse<'a>) -> AuthorizeFuture<'a, bool> {
        *self.0.lock().expect("no panic") += &format!("{response:?}");
        Box::pin(async { Ok(false) })
    }
}

#[tokio::test]
async fn debug_of_types_with_secrets_does_not_show_them() {
    let servers = AuthServers::start().await;
    servers.script(|asked, _| {
        (asked.path == "/mcp").then(|| {
            let refused = answer(401, "").header("www-authenticate", "Other");
            refused.header("set-cookie", "session=a-secret")
        })
    });
    let noted = Noting::default();
    let url = format!("{}?key=a-secret", servers.server());
    let server = Http::new(&url).header("x-key", "a-secret");
    let server = server.auth(noted.clone());
    let mut shown = format!(
        "{server:?} {:?}",
        Http::new("http://u:a-secret@x/#a-secret")
    );
    let error = Client::builder("test", "1").connect(server).await;
    shown += &format!("{:?}", error.expect_err("refused"));
    let noted = std::mem::take(&mut *noted.0.lock().expect("no panic"));
    assert!(noted.contains("AuthorizeResponse"), "{noted}");
    shown += &noted;
    let pair = rcgen::KeyPair::generate().expect("a key");
    let pem = pair.serialize_pem();
    let key = PrivateKey::from_pem(&pem).expect("PKCS#8");
    shown += &format!("{key:?} {:?}", OAuthClient::new("id").secret("a-secret"));
    shown += &format!("{:?}", OAuthClient::new("id").key(key));
    shown += &format!("{:?} {:?}", Secret::new("a-secret"), FileStore::new("/x"));
    let process = ChildProcess::new("x").args(["--key=a-secret"]);
    shown += &format!("{:?}", process.env("KEY", "a-secret"));
    assert!(!shown.contains("a-secret"), "{shown}");
    for line in pem.lines() {
        assert!(!shown.contains(line), "{shown}");
    }
}

#[tokio::test]
async fn stored_login_does_not_contain_the_secret_of_the_client() {
    for is_registered in [false, true] {
        let servers = AuthServers::start().await;
        servers.script(|asked, _| {
            let client = json!({
                "client_id": "id", "client_secret": "client-secret",
                "token_endpoint_auth_method": "client_secret_post",
            });
            (asked.path == "/register").then(|| answer(201, client))
        });
        let store = MemoryStore::new();
        let program = || {
            let builder = oauth().store(store.clone());
            let known = OAuthClient::new("id").secret("client-secret");
            let known = known.method(mcp_client_oauth::ClientAuthMethod::SecretPost);
            let builder = if is_registered {
                builder
            } else {
                builder.client(known.issuer(servers.origin()))
            };
            builder.build().expect("valid")
        };
        let login = program().begin(&servers.server(), REDIRECT).await;
        let stored = login.expect("begun").to_secret();
        assert!(!stored.expose().contains("client-secret"));
        // Another process finishes the login.
        let login = mcp_client_oauth::PendingLogin::from_secret(&stored).expect("a login");
        let query = login.url().as_str().to_owned();
        let state = query.split("state=").nth(1).expect("a state");
        let state = state.split('&').next().expect("a state");
        let redirect = format!("code=c&state={state}&iss={}", encode(&servers.origin()));
        program().finish(login, &redirect).await.expect("finished");
        let token = &servers.asked("/token")[0];
        let sent = token.form("client_secret");
        assert_eq!(sent.as_deref(), Some("client-secret"));
    }
}

/// Returns copies of a document, in each of which one string is replaced.
fn forged(document: &Value, text: &str) -> Vec<Value> {
    let mut pointers = Vec::new();
    for (name, value) in document.as_object().expect("an object") {
        match value {
            Value::String(_) => pointers.push(format!("/{name}")),
            Value::Array(all) => {
                pointers.extend((0..all.len()).map(|at| format!("/{name}/{at}")));
            }
            _ => {}
        }
    }
    let replaced = |pointer: String| {
        let mut copy = document.clone();
        *copy.pointer_mut(&pointer).expect("a member") = json!(text);
        copy
    };
    pointers.into_iter().map(replaced).collect()
}

#[tokio::test]
async fn texts_of_documents_are_escaped_and_cut_off() {
    let log = TextLog::begin();
    let servers = AuthServers::start().await;
    let mut resource = servers.resource_metadata();
    resource["scopes_supported"] = json!(["read"]);
    let mut server = servers.server_metadata();
    server["scopes_supported"] = json!(["read"]);
    let client = json!({
        "client_id": "c", "client_secret": "s", "token_endpoint_auth_method": "none",
    });
    let mut token = servers.token();
    token["scope"] = json!("read");
    let refusal = json!({"error": "invalid_request", "error_description": "d"});
    let redirect = json!({"error": "e", "error_description": "d", "iss": servers.origin()});
    let text = format!("x\n\u{1b}[31mFORGED\u{202e}{}", "y".repeat(10_000));
    let mut failed = 0;
    for (path, status, document) in [
        ("/.well-known/oauth-protected-resource/mcp", 200, &resource),
        ("/.well-known/oauth-authorization-server", 200, &server),
        ("/register", 201, &client),
        ("/register", 400, &refusal),
        ("/authorize", 302, &redirect),
        ("/token", 200, &token),
        ("/token", 400, &refusal),
        ("/revoke", 400, &refusal),
    ] {
        for copy in forged(document, &text) {
            servers.script(move |asked, _| {
                if asked.path != path {
                    return None;
                }
                if status != 302 {
                    return Some(answer(status, copy.clone()));
                }
                let members = copy.as_object().expect("an object").iter();
                let pair = |(name, value): (&String, &Value)| {
                    format!("&{name}={}", encode(value.as_str().expect("text")))
                };
                let rest: String = members.map(pair).collect();
                Some(redirect_with(&format!(
                    "state={}{rest}",
                    asked.query["state"]
                )))
            });
            let oauth = oauth().build().expect("valid");
            let mut errors: Vec<OAuthError> = Vec::new();
            errors.extend(oauth.login(&servers.server()).await.err());
            match oauth.logout(&servers.server()).await {
                Err(error) | Ok(Logout::Forgotten { error: Some(error) }) => errors.push(error),
                Ok(_) => {}
            }
            for error in errors {
                failed += 1;
                let short = format!("{error}");
                assert!(short.chars().count() < 1_300, "{path}: {short:?}");
                for shown in [short, format!("{} {error:?}", error.fault)] {
                    let is_clean = !shown.contains(['\n', '\u{1b}', '\u{202e}']);
                    assert!(is_clean, "{path}: {shown:?}");
                }
            }
        }
    }
    assert!(failed > 15, "{failed}");
    let log = log.text();
    assert!(log.contains("FORGED") && !log.contains(['\u{1b}', '\u{202e}']));
    // Each line begins with its time.
    assert!(log.lines().all(|line| line.starts_with("20")), "{log}");
}
