//! Scopes, and the metadata of protected resources.

use mcp_oauth::protected_resource::ProtectedResource;
use mcp_oauth::scopes::{SCOPE_BYTES, ScopeError, Scopes};
use serde_json::{Value, json};

#[test]
fn scopes_keep_their_order_and_appear_once() {
    let scopes = Scopes::parse(" b a  b c ").expect("valid");
    assert_eq!(scopes.to_string(), "b a c");
    assert_eq!(scopes.len(), 3);
    let other = Scopes::parse("c d").expect("valid");
    assert_eq!(scopes.union(&other).to_string(), "b a c d");
    assert_eq!(scopes.missing(&other).to_string(), "d");
    assert!(!scopes.without("a").contains("a"));
}

#[test]
fn invalid_scopes_are_rejected() {
    for scope in ["a\"b", "a\\b", "é", "a\tb", "\u{7f}"] {
        assert_eq!(
            Scopes::parse(scope),
            Err(ScopeError::Characters),
            "{scope:?}"
        );
    }
    assert_eq!(Scopes::from_names(["a", ""]), Err(ScopeError::Characters));
    assert_eq!(Scopes::from_names(["a b"]), Err(ScopeError::Characters));
    assert_eq!(
        Scopes::parse(&"x ".repeat(SCOPE_BYTES)),
        Err(ScopeError::TooLong)
    );
}

#[test]
fn metadata_keeps_unknown_members_and_the_text_of_the_resource() {
    let document = json!({
        "resource": "https://example.com",
        "authorization_servers": ["https://auth.example.com/"],
        "scopes_supported": [],
        "tls_client_certificate_bound_access_tokens": true,
        "x": {"y": [1, null]},
    });
    let read: ProtectedResource = serde_json::from_value(document.clone()).expect("valid");
    assert_eq!(read.resource, "https://example.com");
    assert_eq!(read.scopes_supported.as_deref(), Some(&[] as &[String]));
    assert_eq!(read.extra.get("x"), Some(&json!({"y": [1, null]})));
    assert_eq!(serde_json::to_value(&read).expect("written"), document);
}

#[test]
fn metadata_without_a_resource_is_rejected() {
    let read: Result<ProtectedResource, _> = serde_json::from_value(json!({"a": 1}));
    assert!(read.is_err());
    let written = ProtectedResource::new("r", ["i".to_owned()]);
    let written: Value = serde_json::to_value(written).expect("written");
    assert_eq!(
        written,
        json!({"resource": "r", "authorization_servers": ["i"]})
    );
}
