//! A URL gives access only to the resource for which it was issued.

use std::net::SocketAddr;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use mcp_server::{Proposal, UrlKeys};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::client::*;
use super::subject::*;

fn token(path: &str) -> &str {
    path.strip_prefix("/r/").expect("below the base")
}

fn bytes(path: &str) -> Vec<u8> {
    URL_SAFE_NO_PAD.decode(token(path)).expect("base64url")
}

fn path_with(bytes: &[u8]) -> String {
    format!("/r/{}", URL_SAFE_NO_PAD.encode(bytes))
}

/// Returns the status of a GET with arbitrary bytes as the path.
async fn raw(address: SocketAddr, path: &[u8]) -> String {
    let mut stream = soon(TcpStream::connect(address)).await.expect("connected");
    let request = [
        b"GET ",
        path,
        b" HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
    ]
    .concat();
    soon(stream.write_all(&request)).await.expect("written");
    let mut read = Vec::new();
    let _ = soon(stream.read_to_end(&mut read)).await;
    let status = read.get(9..12).unwrap_or_default();
    String::from_utf8_lossy(status).into_owned()
}

/// RFC 3986, 6.2.2.2: programs may percent-encode letters, digits, `-` and `_`, and equivalent URLs
/// open the same resource.
#[tokio::test]
async fn every_spelling_of_a_url_is_served() {
    let (address, ..) = served(|builder| builder);
    let path = path_of(address, "demo://motto").await;
    let (first, rest) = token(&path).split_at(1);
    let byte = first.as_bytes()[0];
    let escaped: String = token(&path)
        .bytes()
        .map(|byte| format!("%{byte:02x}"))
        .collect();
    for spelling in [
        path.clone(),
        format!("/r/%{byte:02X}{rest}"),
        format!("/r/{escaped}"),
        format!("/%72/{}", token(&path)),
    ] {
        assert_eq!(raw(address, spelling.as_bytes()).await, "200", "{spelling}");
    }
    for other in [format!("/r/%25{byte:02X}{rest}"), format!("/r/%{rest}")] {
        assert_eq!(raw(address, other.as_bytes()).await, "403", "{other}");
    }
}

#[tokio::test]
async fn token_with_a_flipped_bit_is_rejected() {
    let (address, ..) = served(|builder| builder);
    let path = path_of(address, "demo://motto").await;
    assert_eq!(raw(address, path.as_bytes()).await, "200");
    let mut forbidden = 0;
    for at in 3..path.len() {
        for bit in 0..8 {
            let mut changed = path.clone().into_bytes();
            changed[at] ^= 1 << bit;
            let status = raw(address, &changed).await;
            forbidden += usize::from(status == "403");
            // Some of them are not valid paths, and some become a longer path or a query.
            let known = ["400", "403", "404"].contains(&&*status);
            assert!(known, "{status} at {at}, bit {bit}");
        }
    }
    assert!(forbidden > path.len(), "{forbidden}");
    assert_eq!(raw(address, path.as_bytes()).await, "200");
}

#[tokio::test]
async fn token_with_a_flipped_signed_bit_is_rejected() {
    let (address, ..) = served(|builder| builder);
    let whole = bytes(&path_of(address, "demo://motto").await);
    for at in 0..whole.len() {
        for bit in 0..8 {
            let mut changed = whole.clone();
            changed[at] ^= 1 << bit;
            let status = get(address, &path_with(&changed), &[]).await.status;
            assert_eq!(status, 403, "byte {at}, bit {bit}");
        }
    }
}

#[tokio::test]
async fn truncated_and_extended_tokens_are_rejected() {
    let (address, ..) = served(|builder| builder);
    let path = path_of(address, "demo://motto").await;
    for end in 3..path.len() {
        assert_eq!(get(address, &path[..end], &[]).await.status, 403, "{end}");
    }
    let token = token(&path);
    for other in [
        format!("{path}A"),
        format!("{path}="),
        format!("{path}=="),
        format!("{path}/"),
        format!("/r/{token}{token}"),
        format!("/r/%41{token}"),
        format!("/r/{}", "A".repeat(20_000)),
        format!("/r/?{token}"),
        "/r/".to_owned(),
    ] {
        assert_eq!(get(address, &other, &[]).await.status, 403, "{other}");
    }
    // A query is not part of it.
    assert_eq!(get(address, &format!("{path}?a=b"), &[]).await.status, 200);
}

#[tokio::test]
async fn token_of_one_resource_does_not_open_another() {
    let (address, ..) = served(|builder| builder);
    let one = bytes(&path_of(address, "demo://motto").await);
    let other = bytes(&path_of(address, "demo://logo").await);
    let (one_said, one_tag) = one.split_at(one.len() - 32);
    let (other_said, other_tag) = other.split_at(other.len() - 32);
    for forged in [
        [one_said, other_tag].concat(),
        [other_said, one_tag].concat(),
        [one_said, &[0; 32]].concat(),
        [one_said, &one_tag[..31]].concat(),
    ] {
        assert_eq!(get(address, &path_with(&forged), &[]).await.status, 403);
    }
    let secret = String::from_utf8_lossy(one_said).into_owned();
    assert!(secret.ends_with("demo://motto"), "{secret}");
}

/// Returns the offsets of the parts of a token, see `token.rs`.
const KEY_ID: usize = 1;
const ISSUED: usize = 5;
const EXPIRES: usize = 13;
const SCOPE: usize = 21;
const PRINCIPAL: usize = 22;

#[tokio::test]
async fn edited_tokens_are_rejected() {
    let (address, _, clock) = served(|builder| builder);
    let whole = bytes(&path_of(address, "demo://motto").await);
    assert_eq!(whole[ISSUED..EXPIRES], NOON.to_be_bytes());
    let expires = NOON + 15 * 60_000;
    assert_eq!(whole[EXPIRES..SCOPE], expires.to_be_bytes());
    assert_eq!(whole[SCOPE], b'G');
    let edited = |at: usize, new: &[u8]| {
        let mut edited = whole.clone();
        edited[at..at + new.len()].copy_from_slice(new);
        path_with(&edited)
    };
    let later = edited(EXPIRES, &(expires + 60_000).to_be_bytes());
    for path in [
        edited(0, &[1]),
        edited(KEY_ID, &[0; 4]),
        edited(ISSUED, &(NOON + 1).to_be_bytes()),
        later.clone(),
        edited(SCOPE, b"P"),
        edited(PRINCIPAL, &[0, 1]),
        edited(PRINCIPAL, &[0, 6]),
        edited(PRINCIPAL, &[255, 255]),
    ] {
        assert_eq!(get(address, &path, &[]).await.status, 403, "{path}");
    }
    clock.set(expires);
    assert_eq!(get(address, &later, &[]).await.status, 403);
}

#[tokio::test]
async fn expired_url_is_rejected() {
    let (address, _, clock) = served(|builder| builder);
    clock.set(NOON + 999);
    let path = path_of(address, "demo://motto").await;
    let expires = NOON + 15 * 60_000;
    for (now, status) in [
        (NOON + 999, 200),
        (expires - 1, 200),
        (expires, 410),
        (expires + 1, 410),
        // The end of the year 9999.
        (253_402_300_799_000, 410),
        // A clock slightly behind the issuer's, and one that is far behind: in that case the expiry
        // cannot be determined.
        (NOON - 120_000, 200),
        (NOON - 300_000, 403),
        (0, 403),
    ] {
        clock.set(now);
        assert_eq!(get(address, &path, &[]).await.status, status, "at {now}");
    }
}

#[tokio::test]
async fn lifetime_of_urls_can_be_set() {
    let clock = Clock::at(NOON);
    let urls = clock.urls().lifetime(Duration::from_secs(90));
    let server = offers()
        .proposals([Proposal::HttpsUrl])
        .http_urls(urls)
        .build()
        .expect("sound");
    let address = serve(&server);
    let motto = listed(address, "demo://motto").await;
    assert_eq!(motto["httpUrlExpiresAt"], "2026-11-21T12:01:30Z");
    let expires = NOON + 90_000;
    for (now, status) in [(expires - 1, 200), (expires, 410)] {
        clock.set(now);
        assert_eq!(get(address, &path(&motto), &[]).await.status, status);
    }
}

#[tokio::test]
async fn url_accepts_only_get_and_head() {
    let (address, ..) = served(|builder| builder);
    let path = path_of(address, "demo://motto").await;
    for method in ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW"] {
        for path in [&*path, "/r/nothing"] {
            let reply = send(address, method, path, &[], String::new()).await;
            assert_eq!(reply.status, 405, "{method}");
            assert_eq!(reply.get("allow"), "GET, HEAD");
            assert!(!reply.text().contains(MOTTO));
        }
    }
}

#[tokio::test]
async fn removed_keys_open_nothing() {
    let (address, server, _) = served(|builder| builder);
    let path = path_of(address, "demo://motto").await;
    server.rotate_url_keys(UrlKeys::new([8; 32]).and_older([7; 32]));
    let newer = path_of(address, "demo://motto").await;
    assert_ne!(path, newer);
    assert_eq!(get(address, &path, &[]).await.status, 200);
    server.rotate_url_keys(UrlKeys::new([8; 32]));
    assert_eq!(get(address, &path, &[]).await.status, 403);
    assert_eq!(get(address, &newer, &[]).await.status, 200);
    server.rotate_url_keys(UrlKeys::generate().expect("random numbers"));
    assert_eq!(get(address, &newer, &[]).await.status, 403);
}

#[tokio::test]
async fn token_of_another_server_with_the_same_keys_is_rejected() {
    let (address, ..) = served(|builder| builder);
    let clock = Clock::at(NOON);
    let urls = clock.urls_below("https://files.example.com/r/s/");
    let (elsewhere, ..) = served(|builder| builder.http_urls(urls));
    let path = path_of(elsewhere, "demo://motto").await;
    assert_eq!(get(elsewhere, &path, &[]).await.status, 200);
    assert_eq!(
        get(address, &path.replace("/s/", "/"), &[]).await.status,
        403
    );
}
