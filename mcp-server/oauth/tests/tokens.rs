//! Which tokens are accepted.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use mcp_oauth::jwt::SigningKey;
use mcp_server_oauth::{Issuer, OAuth};
use mcp_testkit::http::subject::*;
use serde_json::{Value, json};

use super::setup::*;

/// Puts a token together from its parts, which need not fit.
fn assemble(header: &Value, claims: &Value, sign: impl FnOnce(&[u8]) -> Vec<u8>) -> String {
    let encode = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let message = format!("{}.{}", encode(header), encode(claims));
    let signature = URL_SAFE_NO_PAD.encode(sign(message.as_bytes()));
    format!("{message}.{signature}")
}

#[tokio::test]
async fn valid_token_is_accepted_in_all_its_forms() {
    let issuer = TestIssuer::start().await;
    let (server, _probe) = server(|builder| builder);
    let address = protect(&server, trusting(&issuer));
    let fraction: Value = format!("{}.5", now() + 600).parse().expect("a number");
    for changes in [
        json!({}),
        json!({"aud": ["https://other.example", RESOURCE]}),
        json!({"sub": null}),
        // Some issuers have another name for the client.
        json!({"sub": null, "client_id": null, "azp": "c1"}),
        json!({"nbf": now() - 10, "iat": now()}),
        json!({"exp": fraction}),
        // Within the leeway for clocks.
        json!({"exp": now() - 30}),
        json!({"nbf": now() + 30}),
        json!({"scope": null}),
        json!({"scope": ["a", "b"]}),
    ] {
        let (head, body) = echo(address, &issuer.token(changes.clone())).await;
        assert_eq!(head.status, 200, "{changes}: {body}");
        assert!(body.contains("\"echo\""), "{body}");
    }
    assert_eq!(issuer.loads(), 1, "the keys are cached");
    // The name of the scheme is not case-sensitive.
    let headers = with_header(
        call_headers("echo"),
        "Authorization",
        &format!("bearer  {}", issuer.token(json!({}))),
    );
    let (head, _) = Raw::post(address, &headers, &call(1, "echo")).await;
    assert_eq!(head.status, 200);
}

#[tokio::test]
async fn wrong_claims_are_rejected() {
    let issuer = TestIssuer::start().await;
    let (server, _probe) = server(|builder| builder);
    let address = protect(&server, trusting(&issuer));
    let foreign = "the access token is not one of an issuer that the server trusts";
    let audience = "the access token was issued for another audience";
    let slash = format!("{}/", issuer.url);
    for (changes, expected) in [
        (json!({"iss": "https://evil.example"}), foreign.to_owned()),
        (json!({"iss": slash}), foreign.to_owned()),
        (json!({"iss": null}), foreign.to_owned()),
        (json!({"iss": [issuer.url]}), foreign.to_owned()),
        (
            json!({"aud": "https://mcp.example.com/"}),
            audience.to_owned(),
        ),
        (
            json!({"aud": "https://mcp.example.com/mcp/"}),
            audience.to_owned(),
        ),
        (
            json!({"aud": "https://mcp.example.com/mcp?x"}),
            audience.to_owned(),
        ),
        (json!({"aud": []}), audience.to_owned()),
        (json!({"aud": null}), audience.to_owned()),
        (
            json!({"exp": now() - 61}),
            "the access token has expired".to_owned(),
        ),
        (json!({"exp": 0}), "the access token has expired".to_owned()),
    ] {
        let description = rejected(address, &issuer.token(changes.clone())).await;
        assert_eq!(description, expected, "{changes}");
    }
    for changes in [
        json!({"exp": null}),
        json!({"exp": "9999999999"}),
        json!({"exp": -1}),
        json!({"exp": 1e300}),
        json!({"nbf": now() + 120}),
        json!({"nbf": "0"}),
        json!({"aud": {"x": RESOURCE}}),
        json!({"aud": [1]}),
        json!({"sub": 1}),
        json!({"sub": null, "client_id": null}),
        json!({"scope": 1}),
        // Bound to a certificate, which the server does not see.
        json!({"cnf": {"x5t#S256": "abc"}}),
    ] {
        rejected(address, &issuer.token(changes.clone())).await;
    }
    for (changes, expected) in [
        (
            json!({"exp": null}),
            "the time of its expiry (`exp`) is missing",
        ),
        // An entry of another type invalidates the list.
        (
            json!({"aud": [RESOURCE, 1]}),
            "`aud` is not a list of strings",
        ),
    ] {
        let description = rejected(address, &issuer.token(changes)).await;
        let expected = format!("the access token is not valid: {expected}");
        assert_eq!(description, expected);
    }
}

#[tokio::test]
async fn token_without_a_signature_is_rejected() {
    let issuer = TestIssuer::start().await;
    let (server, _probe) = server(|builder| builder);
    let address = protect(&server, trusting(&issuer));
    for algorithm in ["none", "None", "NONE", "nOnE", ""] {
        let header = json!({"alg": algorithm, "typ": "at+jwt", "kid": "k1"});
        rejected(
            address,
            &assemble(&header, &issuer.claims(), |_| Vec::new()),
        )
        .await;
    }
    // A valid token without its signature, and with that of another token.
    let token = issuer.token(json!({}));
    let (message, _) = token.rsplit_once('.').expect("a signature");
    let other = issuer.token(json!({"sub": "bob"}));
    let (_, signature) = other.rsplit_once('.').expect("a signature");
    rejected(address, &format!("{message}.")).await;
    rejected(address, message).await;
    rejected(address, &format!("{message}.{signature}")).await;
}

#[tokio::test]
async fn public_key_is_not_accepted_as_a_shared_secret() {
    let issuer = TestIssuer::start().await;
    let (server, _probe) = server(|builder| builder);
    let address = protect(&server, trusting(&issuer));
    let published = public(&issuer.key, "k1");
    let coordinate = |name: &str| {
        let text = published[name].as_str().expect("a coordinate");
        URL_SAFE_NO_PAD.decode(text).expect("base64url")
    };
    let point = [vec![4], coordinate("x"), coordinate("y")].concat();
    for secret in [
        point,
        published.to_string().into_bytes(),
        published["x"].to_string().into_bytes(),
        Vec::new(),
    ] {
        let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, &secret);
        let header = json!({"alg": "HS256", "typ": "at+jwt", "kid": "k1"});
        let token = assemble(&header, &issuer.claims(), |message| {
            ring::hmac::sign(&key, message).as_ref().to_vec()
        });
        rejected(address, &token).await;
    }
}

#[tokio::test]
async fn symmetric_key_in_the_set_of_an_issuer_is_ignored() {
    let issuer = TestIssuer::start().await;
    let (server, _probe) = server(|builder| builder);
    let address = protect(&server, trusting(&issuer));
    let secret = URL_SAFE_NO_PAD.encode("secret");
    let symmetric = json!({"kty": "oct", "kid": "s1", "alg": "HS256", "k": secret});
    issuer.publish([symmetric, public(&issuer.key, "k1")]);
    let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, b"secret");
    for id in ["s1", "k1"] {
        let header = json!({"alg": "HS256", "typ": "at+jwt", "kid": id});
        let token = assemble(&header, &issuer.claims(), |message| {
            ring::hmac::sign(&key, message).as_ref().to_vec()
        });
        rejected(address, &token).await;
    }
    assert_eq!(echo(address, &issuer.token(json!({}))).await.0.status, 200);
}

#[tokio::test]
async fn key_that_a_token_brings_along_is_not_used() {
    let issuer = TestIssuer::start().await;
    let other = TestIssuer::start().await;
    let (server, _probe) = server(|builder| builder);
    let address = protect(&server, trusting(&issuer));
    let key = SigningKey::generate().expect("a key");
    other.publish([public(&key, "k1"), public(&key, "k2")]);
    let mut header = key.header("at+jwt");
    header.jwk = Some(key.public().expect("a public key"));
    header.jku = Some(format!("{}/jwks", other.url));
    header.x5u = Some(format!("{}/jwks", other.url));
    for id in [Some("k1"), Some("k2"), None] {
        header.kid = id.map(str::to_owned);
        let token = key.sign(header.clone(), &issuer.claims()).expect("signed");
        rejected(address, &token).await;
    }
    assert_eq!(other.loads(), 0);
}

#[tokio::test]
async fn tokens_of_other_types_are_rejected() {
    let issuer = TestIssuer::start().await;
    let (server, _probe) = server(|builder| builder);
    let address = protect(&server, trusting(&issuer));
    let token = |kind: Option<&str>| {
        let mut header = issuer.key.header("");
        header.typ = kind.map(str::to_owned);
        header.kid = Some("k1".to_owned());
        issuer.key.sign(header, &issuer.claims()).expect("signed")
    };
    for kind in [
        Some("at+jwt"),
        Some("AT+JWT"),
        Some("JWT"),
        Some("application/at+jwt"),
        None,
    ] {
        let (head, _) = echo(address, &token(kind)).await;
        assert_eq!(head.status, 200, "{kind:?}");
    }
    for kind in [
        "dpop+jwt",
        "logout+jwt",
        "oauth-id-jag+jwt",
        "secevent+jwt",
        "",
    ] {
        rejected(address, &token(Some(kind))).await;
    }
    let mut header = issuer.key.header("at+jwt");
    header.kid = Some("k1".to_owned());
    header.crit = Some(vec!["exp".to_owned()]);
    let token = issuer.key.sign(header, &issuer.claims()).expect("signed");
    rejected(address, &token).await;
}

#[tokio::test]
async fn only_the_configured_algorithms_are_accepted() {
    let issuer = TestIssuer::start().await;
    let (server, _probe) = server(|builder| builder);
    let only_rsa = Issuer::new(&issuer.url).algorithms(["RS256", "PS256"]);
    let address = protect(&server, OAuth::builder(RESOURCE).issuer(only_rsa));
    rejected(address, &issuer.token(json!({}))).await;
    assert_eq!(issuer.loads(), 0, "the algorithm is checked first");
    let only_ec = Issuer::new(&issuer.url).algorithms(["ES256"]);
    let address = protect(&server, OAuth::builder(RESOURCE).issuer(only_ec));
    assert_eq!(echo(address, &issuer.token(json!({}))).await.0.status, 200);
}

#[tokio::test]
async fn each_of_several_issuers_signs_with_its_own_keys() {
    let (one, two) = (TestIssuer::start().await, TestIssuer::start().await);
    let (server, _probe) = server(|builder| builder);
    let oauth = trusting(&one).issuer(Issuer::new(&two.url).key_interval(Duration::ZERO));
    let address = protect(&server, oauth);
    for issuer in [&one, &two] {
        assert_eq!(echo(address, &issuer.token(json!({}))).await.0.status, 200);
    }
    rejected(address, &sign(&two.key, "k1", &one.claims())).await;
    rejected(address, &sign(&one.key, "k1", &two.claims())).await;
}

#[tokio::test]
async fn tokens_that_are_no_jwt_are_rejected_without_a_request_to_the_issuer() {
    let issuer = TestIssuer::start().await;
    let (server, _probe) = server(|builder| builder);
    let address = protect(&server, trusting(&issuer));
    for token in [
        "x",
        "a.b",
        "a.b.c",
        "a.b.c.d",
        "....",
        "eyJhbGciOiJub25lIn0.e30.",
    ] {
        rejected(address, token).await;
    }
    let invented = TestIssuer::start().await;
    rejected(address, &invented.token(json!({}))).await;
    assert_eq!((issuer.loads(), invented.loads()), (0, 0));
}

#[tokio::test]
async fn another_audience_is_accepted_if_the_program_says_so() {
    let issuer = TestIssuer::start().await;
    let (server, _probe) = server(|builder| builder);
    let address = protect(&server, trusting(&issuer).audience("api://mcp"));
    for audience in ["api://mcp", RESOURCE] {
        let token = issuer.token(json!({"aud": audience}));
        assert_eq!(echo(address, &token).await.0.status, 200);
    }
    rejected(address, &issuer.token(json!({"aud": "api://other"}))).await;
}

#[tokio::test]
async fn equivalent_spellings_of_the_audience_are_accepted() {
    let issuer = TestIssuer::start().await;
    let (server, _probe) = server(|builder| builder);
    let trusting = |resource: &str| OAuth::builder(resource).issuer(Issuer::new(&issuer.url));
    let address = protect(&server, trusting("https://mcp.example.com"));
    for audience in [
        "https://mcp.example.com",
        "https://mcp.example.com/",
        "https://MCP.example.com:443/",
        "HTTPS://mcp.example.com",
    ] {
        let token = issuer.token(json!({"aud": audience}));
        let (head, body) = echo(address, &token).await;
        assert_eq!(head.status, 200, "{audience}: {body}");
    }
    let oauth = trusting("https://MCP.example.com/mcp").audience("https://old.example.com/");
    let address = protect(&server, oauth);
    for (audience, status) in [
        (RESOURCE, 200),
        ("https://old.example.com", 200),
        ("https://mcp.example.com/mcp/", 401),
        ("https://mcp.example.com/MCP", 401),
        ("https://mcp.example.com/mcp#x", 401),
        ("https://mcp.example.com:8443/mcp", 401),
        ("http://mcp.example.com/mcp", 401),
        ("https://mcp.example.com", 401),
    ] {
        let (head, body) = echo(address, &issuer.token(json!({"aud": audience}))).await;
        assert_eq!(head.status, status, "{audience}: {body}");
    }
}
