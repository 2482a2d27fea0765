//! OAuth: challenges that are parsed can be written and parsed again; metadata are decoded without
//! a panic, and what is decoded is written and decoded as the same; tokens are rejected. The first
//! byte selects what the rest is.
#![no_main]

use fuzz::head;
use http::header::WWW_AUTHENTICATE;
use http::{HeaderMap, HeaderValue};
use libfuzzer_sys::fuzz_target;
use mcp_oauth::authorization_server::AuthorizationServer;
use mcp_oauth::dpop::{Proof, normalize_htu};
use mcp_oauth::jwt::{Algorithm, JwkSet, verify};
use mcp_oauth::protected_resource::ProtectedResource;
use mcp_oauth::scopes::Scopes;
use mcp_wire::challenge::{AuthChallenge, CHALLENGES, challenges};
use serde_json::Value;

fuzz_target!(|bytes: &[u8]| {
    let (kind, rest) = head(bytes, 1);
    match kind.first().map_or(0, |kind| kind % 4) {
        0 => fields(rest),
        1 => metadata(rest),
        2 => texts(rest),
        _ => tokens(rest),
    }
});

/// Each line is a field.
fn fields(bytes: &[u8]) {
    let mut headers = HeaderMap::new();
    for line in bytes.split(|byte| *byte == b'\n') {
        if let Ok(value) = HeaderValue::from_bytes(line) {
            headers.append(WWW_AUTHENTICATE, value);
        }
    }
    let all = challenges(&headers);
    assert!(all.found.len() <= CHALLENGES);
    for challenge in all.found {
        let Ok(written) = challenge.to_header_value() else {
            continue;
        };
        let again = AuthChallenge::parse(written.as_bytes()).expect("what is written is valid");
        assert_eq!(again, [challenge]);
    }
}

fn metadata(bytes: &[u8]) {
    if let Ok(read) = serde_json::from_slice::<ProtectedResource>(bytes) {
        let written = serde_json::to_vec(&read).expect("written");
        let again: ProtectedResource = serde_json::from_slice(&written).expect("valid");
        assert_eq!(again, read);
    }
    if let Ok(read) = serde_json::from_slice::<AuthorizationServer>(bytes) {
        let _ = (read.has_pkce(), read.supports_scope("offline_access"));
    }
    let _ = serde_json::from_slice::<JwkSet>(bytes);
}

fn texts(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    if let Ok(scopes) = Scopes::parse(text) {
        let again = Scopes::parse(&scopes.to_string()).expect("valid");
        assert_eq!(again, scopes);
        assert_eq!(scopes.union(&again), scopes);
        assert!(scopes.missing(&again).is_empty());
    }
    if let Ok(url) = normalize_htu(text) {
        assert_eq!(normalize_htu(&url).as_deref(), Ok(url.as_str()));
    }
}

/// The first line is a token, the second a set of keys.
fn tokens(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (token, keys) = text.split_once('\n').unwrap_or((&text, ""));
    let all = [
        Algorithm::ES256,
        Algorithm::ES384,
        Algorithm::RS256,
        Algorithm::PS512,
        Algorithm::EdDSA,
        Algorithm::HS256,
    ];
    let _ = Proof::verify(token, &all);
    if let Ok(keys) = serde_json::from_str::<JwkSet>(keys) {
        for key in keys.keys.iter().take(4) {
            let _ = verify::<Value>(token, key, &all);
        }
    }
}
