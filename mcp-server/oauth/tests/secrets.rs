//! What `Debug` shows of values that contain secrets.

use std::sync::{Arc, Mutex};

use mcp_server::{AccessToken, Context, HttpConfig, HttpParts, Keys, Server};
use mcp_server_oauth::{Issuer, OAuth, PresentedToken, StaticTokens, TokenError, TokenVerifier};
use mcp_testkit::http::subject::*;

use super::setup::*;

const TOKEN: &str = "secret-token-of-ada";

/// Accepts one token, and records what `Debug` shows of it.
#[derive(Clone, Default)]
struct Recording(Arc<Mutex<String>>);

impl TokenVerifier for Recording {
    fn issuer(&self) -> &'static str {
        "https://auth.example"
    }

    async fn verify(&self, token: PresentedToken<'_>) -> Result<AccessToken, TokenError> {
        let shown = format!("{token:?} {:?}", token.request());
        self.0.lock().expect("unpoisoned").push_str(&shown);
        let ada = AccessToken::new(self.issuer()).subject("ada");
        Ok(ada.audience([token.resource()]))
    }
}

#[tokio::test]
async fn credentials_of_a_request_are_not_shown() {
    let shown = async |parts: HttpParts, token: AccessToken, cx: Context| {
        format!("{parts:?} {:?} {token:?} {cx:?}", *parts)
    };
    let server = Server::builder("secrets", "1").tool("echo", "", shown);
    let server = server.build().expect("valid");
    let recording = Recording::default();
    let oauth = OAuth::builder(RESOURCE).verifier(recording.clone());
    let headers = with_token(call_headers("echo"), TOKEN);
    let headers = with_header(headers, "Cookie", "id=secret-cookie");
    let (head, body) = Raw::post(protect(&server, oauth), &headers, &call(1, "echo")).await;
    assert_eq!(head.status, 200, "{body}");
    let recorded = recording.0.lock().expect("unpoisoned").clone();
    for text in [body, recorded] {
        assert!(text.contains("authorization"), "{text}");
        assert!(!text.contains("secret-"), "{text}");
    }
}

#[tokio::test]
async fn secrets_of_settings_are_not_shown() {
    let issuer = Issuer::new("https://auth.example").introspection("client", "secret-of-client");
    let tokens = StaticTokens::new("https://auth.example");
    let ada = AccessToken::new("https://auth.example").subject("ada");
    let tokens = tokens.token(TOKEN, ada);
    let mut shown = format!("{issuer:?} {tokens:?}");
    let keys = Keys::from_bytes([173; 32]).with_previous([174; 32]);
    shown.push_str(&format!("{keys:?}"));
    let builder = OAuth::builder(RESOURCE).verifier(tokens).issuer(issuer);
    shown.push_str(&format!("{builder:?}"));
    let oauth = builder.build().expect("valid");
    let config = HttpConfig::new().authenticate(oauth.clone());
    shown.push_str(&format!("{oauth:?} {config:?}"));
    let server = Server::builder("secrets", "1").keys(keys).build();
    let server = server.expect("valid");
    let service = server.clone().into_service(config);
    shown.push_str(&format!("{server:?} {service:?}"));
    let digest = mcp_oauth::sha256(TOKEN.as_bytes());
    for secret in ["secret-", "173", "174", &digest] {
        assert!(!shown.contains(secret), "{secret}: {shown}");
    }
}
