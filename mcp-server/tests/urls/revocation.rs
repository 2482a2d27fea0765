//! Revoked URLs.

use std::sync::Arc;

use mcp_server::Memory;

use super::client::*;
use super::subject::*;

#[tokio::test]
async fn revoked_urls_stay_revoked_and_later_urls_work() {
    let (address, server, clock) = served(|builder| builder);
    let first = path_of(address, "demo://motto").await;
    let other = path_of(address, "demo://logo").await;
    server.revoke_url("demo://motto").await.expect("revoked");
    assert_eq!(get(address, &first, &[]).await.status, 403);
    assert_eq!(get(address, &other, &[]).await.status, 200);
    // In the same millisecond.
    let second = path_of(address, "demo://motto").await;
    assert_eq!(get(address, &second, &[]).await.status, 200);
    assert_eq!(get(address, &first, &[]).await.status, 403);
    server.revoke_url("demo://motto").await.expect("revoked");
    assert_eq!(get(address, &second, &[]).await.status, 403);
    let third = path_of(address, "demo://motto").await;
    assert_eq!(get(address, &third, &[]).await.status, 200);
    clock.set(NOON + 15 * 60_000 - 1);
    assert_eq!(get(address, &first, &[]).await.status, 403);
    assert_eq!(get(address, &third, &[]).await.status, 200);
    clock.set(NOON + 15 * 60_000);
    assert_eq!(get(address, &first, &[]).await.status, 410);
    // URLs that were never issued are rejected, too.
    server.revoke_url("demo://never").await.expect("revoked");
    server
        .revoke_url(&"x".repeat(100_000))
        .await
        .expect("revoked");
}

#[tokio::test]
async fn url_is_revoked_in_this_process_even_if_nobody_awaits_it() {
    let (address, server, _) = served(|builder| builder);
    let path = path_of(address, "demo://motto").await;
    assert_eq!(get(address, &path, &[]).await.status, 200);
    drop(server.revoke_url("demo://motto"));
    assert_eq!(get(address, &path, &[]).await.status, 403);
}

#[tokio::test]
async fn every_spelling_of_a_uri_is_revoked() {
    let (address, server, _) = served(|builder| builder);
    let all = ["echo://abc", "echo://%61bc", "ECHO://ab%63"];
    for revoked in all {
        let mut paths = Vec::new();
        for uri in all {
            let path = path_to(address, uri).await;
            assert_eq!(get(address, &path, &[]).await.status, 200);
            paths.push(path);
        }
        server.revoke_url(revoked).await.expect("revoked");
        for path in paths {
            assert_eq!(get(address, &path, &[]).await.status, 403, "{revoked}");
        }
    }
}

#[tokio::test]
async fn revocation_applies_to_all_processes() {
    let store = Memory::new();
    let (one, server, _) = served(|builder| builder.store(store.clone()));
    let (two, _other, ahead) = served(|builder| builder.store(store.clone()));
    ahead.set(NOON + 30_000);
    let of_one = path_of(one, "demo://motto").await;
    let of_two = path_of(two, "demo://motto").await;
    for (address, path) in [(one, &of_two), (two, &of_one)] {
        assert_eq!(get(address, path, &[]).await.status, 200);
    }
    // The process whose clock is behind revokes the URLs of both.
    server.revoke_url("demo://motto").await.expect("revoked");
    for address in [one, two] {
        for path in [&of_one, &of_two] {
            assert_eq!(get(address, path, &[]).await.status, 403);
        }
    }
    let of_one = path_of(one, "demo://motto").await;
    let of_two = path_of(two, "demo://motto").await;
    for address in [one, two] {
        for path in [&of_one, &of_two] {
            assert_eq!(get(address, path, &[]).await.status, 200);
        }
    }
}

#[tokio::test]
async fn revocation_without_urls_does_nothing() {
    let server = offers().build().expect("sound");
    server.revoke_url("demo://motto").await.expect("revoked");
    server.rotate_url_keys(mcp_server::UrlKeys::new([1; 32]));
}

/// Only the values are shared, so a process learns of revocations when it needs to know.
#[tokio::test]
async fn revocation_covers_urls_issued_after_one_that_is_not_known_yet() {
    let store = Arc::new(Memory::new());
    let (_, behind, _) = served(|builder| builder.value_store(store.clone()));
    let (address, ahead, clock) = served(|builder| builder.value_store(store.clone()));
    clock.set(NOON + 50_000);
    ahead.revoke_url("demo://motto").await.expect("revoked");
    let path = path_of(address, "demo://motto").await;
    assert_eq!(get(address, &path, &[]).await.status, 200);
    behind.revoke_url("demo://motto").await.expect("revoked");
    assert_eq!(get(address, &path, &[]).await.status, 403);
}
