//! Stores of the program: what is written while which lock is held, and stores that fail.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_client_oauth::{
    Logout, MemoryStore, OAuth, OAuthFault, OAuthStep, Secret, StoreFuture, StoreKey, StoreLock,
    TokenStore,
};
use tokio::time::sleep;

use super::auth_servers::*;

/// A store that notes what is saved without its lock.
#[derive(Clone, Default)]
struct Watched {
    inner: MemoryStore,
    held: Arc<Mutex<BTreeSet<StoreKey>>>,
    /// What was saved, and whether its lock was held.
    saved: Arc<Mutex<Vec<(StoreKey, bool)>>>,
    /// Whether nothing can be saved.
    is_full: Arc<AtomicBool>,
}

struct Held {
    key: StoreKey,
    all: Arc<Mutex<BTreeSet<StoreKey>>>,
    _lock: StoreLock,
}

impl Drop for Held {
    fn drop(&mut self) {
        self.all.lock().expect("no panic").remove(&self.key);
    }
}

impl TokenStore for Watched {
    fn load<'a>(&'a self, key: &'a StoreKey) -> StoreFuture<'a, Option<Secret>> {
        self.inner.load(key)
    }

    fn save<'a>(&'a self, key: &'a StoreKey, value: &'a Secret) -> StoreFuture<'a, ()> {
        if self.is_full.load(Ordering::SeqCst) {
            return Box::pin(async { Err("the disk is full".into()) });
        }
        let held = self.held.lock().expect("no panic").contains(key);
        self.saved
            .lock()
            .expect("no panic")
            .push((key.clone(), held));
        self.inner.save(key, value)
    }

    fn remove<'a>(&'a self, key: &'a StoreKey) -> StoreFuture<'a, ()> {
        self.inner.remove(key)
    }

    fn keys(&self) -> StoreFuture<'_, Vec<StoreKey>> {
        self.inner.keys()
    }

    fn lock<'a>(&'a self, key: &'a StoreKey) -> StoreFuture<'a, StoreLock> {
        Box::pin(async move {
            let lock = self.inner.lock(key).await?;
            self.held.lock().expect("no panic").insert(key.clone());
            let held: StoreLock = Box::new(Held {
                key: key.clone(),
                all: Arc::clone(&self.held),
                _lock: lock,
            });
            Ok(held)
        })
    }
}

#[tokio::test]
async fn tokens_and_clients_are_saved_under_their_lock() {
    let servers = AuthServers::start().await;
    let store = Watched::default();
    let oauth = oauth().store(store.clone()).build().expect("valid");
    let client = connect(&servers, &oauth).await.expect("connected");
    let saved = || std::mem::take(&mut *store.saved.lock().expect("no panic"));
    let is_locked =
        |(key, held): &(StoreKey, bool)| *held || matches!(key, StoreKey::Server { .. });
    // The registration, the tokens, and where they are.
    let all = saved();
    assert_eq!(all.len(), 3);
    assert!(all.iter().all(is_locked), "{all:?}");
    servers.expire();
    client.tools().one_page().await.expect("listed");
    let all = saved();
    assert_eq!((all.len(), servers.count("/authorize")), (2, 1));
    assert!(all.iter().all(is_locked), "{all:?}");
    assert!(store.held.lock().expect("no panic").is_empty());
}

#[tokio::test]
async fn tokens_that_cannot_be_saved_are_used_until_the_program_ends() {
    let servers = AuthServers::start().await;
    let store = Watched::default();
    let oauth = oauth().store(store.clone()).build().expect("valid");
    // The registration is saved.
    oauth
        .begin(&servers.server(), REDIRECT)
        .await
        .expect("begun");
    store.is_full.store(true, Ordering::SeqCst);
    let error = refused(&servers, &oauth).await;
    assert_eq!(error.step, OAuthStep::Store);
    assert!(matches!(error.fault, OAuthFault::Store(_)));
    assert!(error.to_string().contains("the disk is full"), "{error}");
    connect(&servers, &oauth).await.expect("connected");
    assert_eq!(
        (servers.count("/authorize"), servers.count("/token")),
        (1, 1)
    );
}

#[tokio::test]
async fn nothing_of_a_login_is_left_after_the_logout() {
    let servers = AuthServers::start().await;
    let store = Watched::default();
    let oauth = oauth().store(store.clone()).build().expect("valid");
    oauth.login(&servers.server()).await.expect("logged in");
    // The tokens are forgotten also if the server cannot revoke them.
    servers.script(|asked, _| (asked.path == "/revoke").then(|| answer(503, "")));
    let outcome = oauth.logout(&servers.server()).await.expect("logged out");
    let Logout::Forgotten { error: Some(error) } = &outcome else {
        panic!("{outcome:?}");
    };
    assert_eq!(error.step, OAuthStep::Revocation);
    assert!(matches!(error.fault, OAuthFault::Status(_)), "{error}");
    let keys = store.keys().await.expect("read");
    // The registration stays: it is not secret, and is used by the next login.
    assert!(
        matches!(keys.as_slice(), [StoreKey::Client { .. }]),
        "{keys:?}"
    );
    assert_eq!(servers.count("/revoke"), 1);
}

#[tokio::test]
async fn tokens_that_could_not_be_saved_are_not_replaced_by_older_ones() {
    let servers = AuthServers::start().await;
    let store = Watched::default();
    let oauth = oauth().store(store.clone()).build().expect("valid");
    let client = connect(&servers, &oauth).await.expect("connected");
    store.is_full.store(true, Ordering::SeqCst);
    servers.expire();
    let error = client.tools().one_page().await.expect_err("not saved");
    assert!(matches!(fault(&error).fault, OAuthFault::Store(_)));
    store.is_full.store(false, Ordering::SeqCst);
    client.tools().one_page().await.expect("listed");
    // The pause after the failure.
    sleep(Duration::from_millis(1100)).await;
    servers.expire();
    client.tools().one_page().await.expect("listed");
    let last = servers.asked("/token").pop().expect("a refresh");
    assert_eq!(
        last.form("refresh_token").as_deref(),
        Some("refresh-token-2")
    );
    assert_eq!(servers.count("/token"), 3);
}

#[tokio::test]
async fn logout_is_not_undone_by_a_running_refresh() {
    let servers = AuthServers::start().await;
    let store = MemoryStore::new();
    let user = oauth().store(store.clone()).build().expect("valid");
    user.login(&servers.server()).await.expect("logged in");
    let running = OAuth::stored_tokens().store(store.clone());
    let running = running.build().expect("valid");
    let client = connect(&servers, &running).await.expect("connected");
    servers.script(|asked, servers| {
        (asked.path == "/token").then(|| {
            let mut slow = answer(200, servers.token());
            slow.pause = Duration::from_millis(500);
            slow
        })
    });
    servers.expire();
    let before = servers.count("/token");
    let call = async {
        let _ = client.tools().one_page().await;
    };
    let logout = async {
        while servers.count("/token") == before {
            sleep(Duration::from_millis(5)).await;
        }
        running.logout(&servers.server()).await.expect("logged out")
    };
    let ((), outcome) = tokio::join!(call, logout);
    assert!(!matches!(outcome, Logout::Absent), "{outcome:?}");
    let error = client.tools().one_page().await.expect_err("logged out");
    let error = fault(&error);
    assert!(matches!(error.fault, OAuthFault::LoginRequired), "{error}");
    assert!(running.status().await.expect("read").is_empty());
}
