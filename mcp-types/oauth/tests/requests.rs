//! What a request has to say: the access token, and the proof for it.

use std::time::Duration;

use mcp_oauth::credentials::{Credentials, MalformedCredentials, TokenScheme, credentials};
use mcp_oauth::dpop::{PROOF_ALGORITHMS, Proof, ProofClaims, ProofFault, ProvenRequest, ath};
use mcp_oauth::jwt::{Algorithm, Jwk, SigningKey, find_key};
use mcp_oauth::{Secret, basic, form_encoded};

const URL: &str = "https://mcp.example.com/mcp";
const NOW: u64 = 1_800_000_000;

/// Checks a proof whose claims were changed.
fn check(change: impl Fn(&mut ProofClaims)) -> Result<Duration, ProofFault> {
    let mut claims = ProofClaims::new("id".to_owned(), "POST", URL, NOW);
    claims.ath = Some(ath("token"));
    change(&mut claims);
    let key = SigningKey::generate().expect("a key");
    let proof = claims.sign(&key).expect("signed");
    let proof = Proof::verify(&proof, &PROOF_ALGORITHMS).expect("valid");
    proof.check(ProvenRequest {
        method: "POST",
        urls: &["https://mcp.example.com/", URL],
        token: Some("token"),
        now: NOW,
    })
}

#[test]
fn proof_fits_one_request_and_token() {
    let fault = |change: fn(&mut ProofClaims)| check(change).err();
    assert_eq!(fault(|_| {}), None);
    assert_eq!(fault(|claims| claims.htu = format!("{URL}?x")), None);
    assert_eq!(fault(|claims| claims.ath = None), Some(ProofFault::Token));
    assert_eq!(
        fault(|claims| claims.ath = Some(ath("other"))),
        Some(ProofFault::Token)
    );
    assert_eq!(
        fault(|claims| claims.htm = "post".to_owned()),
        Some(ProofFault::Method)
    );
    for url in [
        "https://mcp.example.com/other",
        "http://mcp.example.com/mcp",
        "",
    ] {
        let found = check(|claims| claims.htu = url.to_owned());
        assert_eq!(found, Err(ProofFault::Url), "{url}");
    }
    for (id, is_valid) in [(0, false), (1, true), (256, true), (257, false)] {
        let found = check(|claims| claims.jti = "x".repeat(id));
        assert_eq!(found.is_ok(), is_valid, "{id}");
    }
}

#[test]
fn proof_is_remembered_until_its_time_is_over() {
    for (time, expected) in [
        (NOW - 301, Err(ProofFault::Time)),
        (NOW - 300, Ok(1)),
        (NOW, Ok(301)),
        (NOW + 60, Ok(361)),
        (NOW + 61, Err(ProofFault::Time)),
        (u64::MAX, Err(ProofFault::Time)),
        (0, Err(ProofFault::Time)),
    ] {
        let found = check(|claims| claims.iat = time);
        assert_eq!(found, expected.map(Duration::from_secs), "{time}");
    }
}

#[test]
fn token_is_read_from_one_header_only() {
    let read = |query: Option<&str>, headers: &[&'static str]| {
        let headers = headers.iter().map(|header| header.as_bytes());
        let found = credentials(query, headers)?;
        Ok(found.map(|Credentials { scheme, token }| (scheme.name(), token.to_owned())))
    };
    let some = |scheme: TokenScheme, token: &str| Ok(Some((scheme.name(), token.to_owned())));
    assert_eq!(read(Some("a=access_token"), &[]), Ok(None));
    assert_eq!(read(None, &["Basic x"]), Ok(None));
    assert_eq!(
        read(None, &["bearer a.b"]),
        some(TokenScheme::Bearer, "a.b")
    );
    assert_eq!(read(None, &["DPoP  a=="]), some(TokenScheme::Dpop, "a=="));
    for query in ["access_token", "a&access_token=x"] {
        let found = read(Some(query), &["Bearer x"]);
        assert_eq!(found, Err(MalformedCredentials::InQuery), "{query}");
    }
    let repeated = read(None, &["Bearer x", "Basic y"]);
    assert_eq!(repeated, Err(MalformedCredentials::Repeated));
    for header in [
        "Bearer",
        "Bearer ",
        "Bearer a b",
        "Bearer =",
        "Bearer é",
        "Bearer a,b",
    ] {
        let found = read(None, &[header]);
        assert_eq!(found, Err(MalformedCredentials::Syntax), "{header}");
    }
}

#[test]
fn key_without_an_id_is_clear_or_not_found() {
    let key = |id: Option<&str>| -> Jwk {
        let mut key = SigningKey::generate()
            .expect("a key")
            .public()
            .expect("a key");
        key.common.key_id = id.map(str::to_owned);
        key
    };
    let keys = [key(Some("a")), key(Some("b"))];
    assert_eq!(find_key(&keys, Some("b"), Algorithm::ES256), keys.last());
    assert_eq!(find_key(&keys, Some("c"), Algorithm::ES256), None);
    assert_eq!(find_key(&keys, None, Algorithm::ES256), None);
    assert_eq!(find_key(&keys[..1], None, Algorithm::ES256), keys.first());
    assert_eq!(find_key(&keys[..1], None, Algorithm::RS256), None);
}

#[test]
fn credentials_are_encoded_as_in_forms() {
    // The example of RFC 6749, appendix B.
    let encoded = form_encoded(" %&+£€");
    assert_eq!(encoded.as_str(), "+%25%26%2B%C2%A3%E2%82%AC");
    assert_eq!(form_encoded("aZ9*-._~:").as_str(), "aZ9*-._~%3A");
    // The Base64 of `client%3A1:p%40ss`.
    assert_eq!(
        basic("client:1", "p@ss").as_str(),
        "Basic Y2xpZW50JTNBMTpwJTQwc3M="
    );
    assert_eq!(format!("{:?}", Secret::new("x")), "Secret(..)");
}
