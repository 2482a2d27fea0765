//! Where tokens are kept.

use std::fs;
use std::time::Duration;

use mcp_client::oauth::{FileStore, OAuth, Secret, StoreKey, TokenStore};

use crate::world::*;

fn folder(name: &str) -> std::path::PathBuf {
    std::env::temp_dir().join(format!("mcp-oauth-{name}-{}", std::process::id()))
}

#[tokio::test]
async fn stored_tokens_are_used_by_the_next_program() {
    let folder = folder("stored");
    let world = World::start().await;
    let first = oauth()
        .store(FileStore::new(&folder))
        .build()
        .expect("valid");
    connect(&world, &first).await.expect("connected");
    let second = OAuth::stored_tokens()
        .store(FileStore::new(&folder))
        .build()
        .expect("valid");
    connect(&world, &second).await.expect("connected");
    let other = OAuth::stored_tokens()
        .store(FileStore::new(&folder))
        .user("eve")
        .build()
        .expect("valid");
    refused(&world, &other).await;
    assert_eq!(world.count("/authorize"), 1);

    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = |path: &std::path::Path| fs::metadata(path).expect("there").permissions().mode();
        assert_eq!(mode(&folder) & 0o777, 0o700);
        for file in fs::read_dir(&folder).expect("a folder") {
            assert_eq!(mode(&file.expect("a file").path()) & 0o777, 0o600);
        }
    }
    fs::remove_dir_all(&folder).expect("removed");
}

#[tokio::test]
async fn lock_is_held_until_it_is_dropped() {
    let folder = folder("lock");
    let (one, two) = (FileStore::new(&folder), FileStore::new(&folder));
    let key: StoreKey =
        serde_json::from_str(r#"{"Client":{"issuer":"https://a.example"}}"#).expect("a key");
    let lock = one.lock(&key).await.expect("locked");
    let waiting = tokio::spawn({
        let key = key.clone();
        async move { two.lock(&key).await.map(drop) }
    });
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(!waiting.is_finished());
    drop(lock);
    waiting.await.expect("no panic").expect("locked");
    fs::remove_dir_all(&folder).expect("removed");
}

#[tokio::test]
async fn damaged_file_is_an_error_that_names_it_and_shows_nothing_of_it() {
    let folder = folder("damaged");
    let store = FileStore::new(&folder);
    let key: StoreKey =
        serde_json::from_str(r#"{"Client":{"issuer":"https://a.example"}}"#).expect("a key");
    store.save(&key, &Secret::new("one")).await.expect("saved");
    store.save(&key, &Secret::new("two")).await.expect("saved");
    assert_eq!(
        store.load(&key).await.expect("loaded"),
        Some(Secret::new("two"))
    );
    assert_eq!(
        store.keys().await.expect("read"),
        std::slice::from_ref(&key)
    );
    let file = fs::read_dir(&folder)
        .expect("a folder")
        .next()
        .expect("a file")
        .expect("a file")
        .path();
    fs::write(&file, "{\"key\": \"secret-text\"").expect("written");
    let error = store.load(&key).await.expect_err("damaged").to_string();
    assert!(
        error.contains(&*file.to_string_lossy()) && !error.contains("secret-text"),
        "{error}"
    );
    fs::write(&file, "x".repeat(2 << 20)).expect("written");
    store.load(&key).await.expect_err("too large");
    store.remove(&key).await.expect("removed");
    assert_eq!(store.load(&key).await.expect("nothing"), None);
    store.remove(&key).await.expect("nothing to do");
    fs::remove_dir_all(&folder).expect("removed");
}
