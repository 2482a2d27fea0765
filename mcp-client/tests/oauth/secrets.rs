//! Secrets appear in no log, error or `Debug`.

use std::io::Write;
use std::sync::{Arc, Mutex};

use mcp_client::oauth::{MemoryStore, OAuthClient, Secret};
use serde_json::json;
use tracing_subscriber::fmt::MakeWriter;

use crate::world::*;

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("no panic").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Log {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

#[tokio::test]
async fn secrets_are_neither_logged_nor_shown() {
    let log = Log::default();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_writer(log.clone())
        .finish();
    let _guard = tracing::subscriber::set_default(subscriber);
    let world = World::start().await;
    world.script(|asked, _| {
        (asked.path == "/register").then(|| {
            answer(
                201,
                json!({"client_id": "c", "client_secret": "client-secret-1"}),
            )
        })
    });
    let store = MemoryStore::new();
    let oauth = oauth().store(store.clone()).build().expect("valid");
    let client = connect(&world, &oauth).await.expect("connected");
    world.expire();
    client.tools().one_page().await.expect("listed");
    let login = oauth.begin(&world.server(), REDIRECT).await.expect("begun");
    let mut shown = format!("{oauth:?} {store:?} {login:?} {client:?}");
    let begun = login.url().as_str().to_owned();
    let begun = begun.split(['?', '&', '=']).map(str::to_owned);
    // The state and the challenge of the login that has begun.
    let begun: Vec<String> = begun.filter(|part| part.len() == 43).collect();
    assert_eq!(begun.len(), 2);

    // Errors quote neither the token nor what the server sends with it.
    world.expire();
    world.script(|asked, _| {
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

    shown += &String::from_utf8_lossy(&log.0.lock().expect("no panic"));
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
    let verifier = world.asked("/token")[0]
        .form("code_verifier")
        .expect("a verifier");
    let state = world.asked("/authorize")[0].query["state"].clone();
    assert!(
        !shown.contains(&verifier) && !shown.contains(&state),
        "{shown}"
    );
}
