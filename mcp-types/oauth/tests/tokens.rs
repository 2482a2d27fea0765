//! Signed tokens and proofs of possession. The examples are those of the RFCs.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use mcp_oauth::dpop::{Proof, ProofClaims, ath, normalize_htu};
use mcp_oauth::jwk::thumbprint;
use mcp_oauth::jwt::{Algorithm, Jwk, JwtError, SigningKey, TOKEN_BYTES, verify};
use serde_json::{Value, json};

fn key(members: Value) -> Jwk {
    serde_json::from_value(members).expect("a key")
}

/// RFC 7515, appendix A.3.
const ES256_TOKEN: &str = "eyJhbGciOiJFUzI1NiJ9.\
    eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.\
    DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q";

fn es256_key() -> Value {
    json!({
        "kty": "EC",
        "crv": "P-256",
        "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
        "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
    })
}

#[test]
fn signature_of_the_rfc_is_valid() {
    let verified = verify::<Value>(ES256_TOKEN, &key(es256_key()), &[Algorithm::ES256]);
    assert_eq!(verified.expect("valid").claims["iss"], "joe");
}

#[test]
fn changed_token_is_rejected() {
    let key = key(es256_key());
    let (signed, signature) = ES256_TOKEN.rsplit_once('.').expect("a signature");
    let (head, claims) = signed.split_once('.').expect("claims");
    let forged = claims.replacen("eyJpc3MiOiJqb2Ui", "eyJpc3MiOiJqb2Ej", 1);
    let fault = |token: &str| {
        verify::<Value>(token, &key, &[Algorithm::ES256])
            .map(|_| ())
            .unwrap_err()
    };
    assert_ne!(forged, claims);
    assert_eq!(
        fault(&format!("{head}.{forged}.{signature}")),
        JwtError::Signature
    );
    assert_eq!(fault(&format!("{signed}.AAAA")), JwtError::Signature);
    assert_eq!(
        fault(&format!("{signed}.!")),
        JwtError::Malformed("signature")
    );
    assert_eq!(fault("a.b"), JwtError::Malformed("header"));
    assert_eq!(fault(""), JwtError::Malformed("header"));
    assert_eq!(fault(&"x".repeat(TOKEN_BYTES + 1)), JwtError::TooLong);
}

#[test]
fn key_must_be_meant_for_signatures_of_the_algorithm() {
    for (name, value) in [
        ("use", json!("enc")),
        ("key_ops", json!(["sign"])),
        ("alg", json!("ES384")),
        ("alg", json!("unheard-of")),
        ("crv", json!("P-384")),
        ("x", json!("AAAA")),
    ] {
        let mut members = es256_key();
        members[name] = value;
        let fault = verify::<Value>(ES256_TOKEN, &key(members), &[Algorithm::ES256]);
        assert_eq!(
            fault.map(|_| ()).unwrap_err(),
            JwtError::Key("ES256"),
            "{name}"
        );
    }
    let secret = key(json!({"kty": "oct", "k": "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ"}));
    let fault = verify::<Value>(ES256_TOKEN, &secret, &[Algorithm::ES256]);
    assert_eq!(fault.map(|_| ()).unwrap_err(), JwtError::Key("ES256"));
}

#[test]
fn algorithm_must_be_allowed() {
    let fault = verify::<Value>(ES256_TOKEN, &key(es256_key()), &[Algorithm::RS256]);
    assert_eq!(fault.map(|_| ()).unwrap_err(), JwtError::Algorithm("ES256"));
}

#[test]
fn symmetric_algorithm_is_rejected_even_if_it_is_allowed() {
    // {"alg":"HS256"}, signed with the secret of RFC 7515, appendix A.1, or with anything else.
    let token = "eyJhbGciOiJIUzI1NiJ9.e30.AAAA";
    let secret = key(json!({"kty": "oct", "k": "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ"}));
    for key in [secret, key(es256_key())] {
        let fault = verify::<Value>(token, &key, &[Algorithm::HS256]);
        assert_eq!(fault.map(|_| ()).unwrap_err(), JwtError::Key("HS256"));
    }
}

#[test]
fn own_signatures_are_valid_and_extensions_are_rejected() {
    let own = SigningKey::generate().expect("random bytes");
    let claims = json!({"sub": "me", "n": 1});
    let token = own.sign(own.header("JWT"), &claims).expect("signed");
    let public = own.public().expect("public");
    let verified = verify::<Value>(&token, &public, &[Algorithm::ES256]).expect("valid");
    assert_eq!(verified.claims, claims);
    assert_eq!(verified.header.typ.as_deref(), Some("JWT"));

    let mut head = own.header("JWT");
    head.crit = Some(vec!["exp".to_owned()]);
    let token = own.sign(head, &claims).expect("signed");
    let fault = verify::<Value>(&token, &public, &[Algorithm::ES256]);
    assert_eq!(fault.map(|_| ()).unwrap_err(), JwtError::Critical);
}

/// What `openssl dgst -sha256 -sign` and `openssl pkeyutl -sign -rawin` return for the header
/// `{"typ":"JWT","alg":…}` and the claims `{"n":1}`.
const RS256_SIGNATURE: &str = "L4fWyi-GnitiBVoPbX6AFXKIz9-hmKSMxjab-hKrdUJ0dGAvRO24IioE_ysGdMmX53eu6Qutw8wUqEx6OPTw8Ks4gh\
    Ur-kvbZWh8VO6ownboHWjQrmjH9scCF-nn-dABZi7RqQNTebFP03jZWWvuidBH03mnGVkeVKn8g9oxbu5jmONzbjAb\
    IlVOaqfHH7gYJ4Dt2L-dvG2OFfmkX--flSeWqBA6_-xROTVWOxHcLj1Vw0oRqZDZcc0FYZHVLvUrW1aPbe8Jcj6O9Q\
    ET6ItInKweqjVGePn0KHKUfGjqKU0KhThuFh8JMFKut7HvnsWtV6S1xNVPGAdTZD4WcUqs4Q";
const EDDSA_SIGNATURE: &str =
    "NTRapNd9hpGHUvRbSLMtdnL9WNiS4W0sko87zRCDA8OhHy-zFIGjnc8S4vKFw-2OXz60afrmRUdhCcn0nCWbCA";

/// Reads a private key for tests.
fn stored(base64: &str) -> Vec<u8> {
    let text: String = base64.split_whitespace().collect();
    BASE64_STANDARD.decode(text).expect("base64")
}

#[test]
fn keys_of_each_kind_sign_with_their_algorithms() {
    let rsa = [
        Algorithm::RS256,
        Algorithm::RS384,
        Algorithm::RS512,
        Algorithm::PS256,
        Algorithm::PS384,
        Algorithm::PS512,
    ];
    let kinds: [(&str, &[Algorithm]); 3] = [
        (include_str!("keys/rsa2048.b64"), &rsa),
        (include_str!("keys/p384.b64"), &[Algorithm::ES384]),
        (include_str!("keys/ed25519.b64"), &[Algorithm::EdDSA]),
    ];
    for (base64, algorithms) in kinds {
        for algorithm in algorithms {
            let key = SigningKey::from_pkcs8(&stored(base64)).expect("readable");
            assert_eq!(key.algorithm(), algorithms[0]);
            let key = key.with_algorithm(*algorithm).expect("fitting");
            let token = key.sign(key.header("JWT"), &json!({"n": 1}));
            let token = token.expect("signed");
            let public = key.public().expect("public");
            let verified = verify::<Value>(&token, &public, &[*algorithm]).expect("valid");
            assert_eq!(verified.header.alg, *algorithm);
            assert_eq!(verified.claims, json!({"n": 1}));
            let other = token.replace("eyJuIjoxfQ", "eyJuIjoyfQ");
            let fault = verify::<Value>(&other, &public, &[*algorithm]);
            assert_eq!(fault.map(|_| ()).unwrap_err(), JwtError::Signature);
        }
    }
}

#[test]
fn signatures_are_those_of_openssl() {
    let kinds = [
        (include_str!("keys/rsa2048.b64"), RS256_SIGNATURE),
        (include_str!("keys/ed25519.b64"), EDDSA_SIGNATURE),
    ];
    for (base64, expected) in kinds {
        let key = SigningKey::from_pkcs8(&stored(base64)).expect("readable");
        let token = key.sign(key.header("JWT"), &json!({"n": 1}));
        let token = token.expect("signed");
        assert_eq!(token.rsplit('.').next(), Some(expected), "{token}");
    }
}

#[test]
fn short_rsa_key_is_rejected() {
    let short = stored(include_str!("keys/rsa1024.b64"));
    assert_eq!(
        SigningKey::from_pkcs8(&short).unwrap_err(),
        JwtError::PrivateKey
    );
}

#[test]
fn stored_key_signs_as_before_and_is_not_shown() {
    let own = SigningKey::generate().expect("random bytes");
    let stored = SigningKey::from_pkcs8(own.pkcs8()).expect("readable");
    assert_eq!(stored.public(), own.public());
    assert_eq!(format!("{own:?}"), "SigningKey { algorithm: ES256, .. }");
    assert_eq!(
        SigningKey::from_pkcs8(b"no key").unwrap_err(),
        JwtError::PrivateKey
    );
    assert_eq!(
        own.with_algorithm(Algorithm::ES384).unwrap_err(),
        JwtError::Key("ES384")
    );
}

#[test]
fn thumbprints_are_those_of_the_rfcs() {
    // RFC 7638, section 3.1.
    let rsa = json!({
        "kty": "RSA",
        "n": "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw",
        "e": "AQAB",
        "alg": "RS256",
        "kid": "2011-04-29",
    });
    let found = thumbprint(&key(rsa));
    assert_eq!(
        found.as_deref(),
        Some("NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs")
    );
    // RFC 8037, appendix A.3.
    let ed =
        json!({"kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"});
    let found = thumbprint(&key(ed));
    assert_eq!(
        found.as_deref(),
        Some("kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k")
    );
    assert_eq!(thumbprint(&key(json!({"kty": "oct", "k": "AAAA"}))), None);
}

/// RFC 9449, section 4.1.
const PROOF: &str = "eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwieCI6Imw4dEZyaHgtMzR0VjNoUklDUkRZOXpDa0RscEJoRjQyVVFVZldWQVdCRnMiLCJ5IjoiOVZFNGpmX09rX282NHpiVFRsY3VOSmFqSG10NnY5VERWclUwQ2R2R1JEQSIsImNydiI6IlAtMjU2In19.\
    eyJqdGkiOiItQndDM0VTYzZhY2MybFRjIiwiaHRtIjoiUE9TVCIsImh0dSI6Imh0dHBzOi8vc2VydmVyLmV4YW1wbGUuY29tL3Rva2VuIiwiaWF0IjoxNTYyMjYyNjE2fQ.\
    2-GxA6T8lP4vfrg8v-FdWP0A0zdrj8igiMLvqRMUvwnQg4PtFLbdLXiOSsX0x7NVY-FNyJK70nfbV37xRZT3Lg";

#[test]
fn proof_of_the_rfc_is_valid() {
    let proof = Proof::verify(PROOF, &[Algorithm::ES256]).expect("valid");
    assert_eq!(
        proof.thumbprint,
        "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"
    );
    assert_eq!(proof.claims.htu, "https://server.example.com/token");
    let digest = ath("Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU");
    assert_eq!(digest, "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo");
}

#[test]
fn proofs_with_private_keys_or_another_type_are_rejected() {
    let own = SigningKey::generate().expect("random bytes");
    let claims = ProofClaims::new("1".to_owned(), "GET", "https://example.com/", 1);
    let proof = claims.sign(&own).expect("signed");
    let verified = Proof::verify(&proof, &[Algorithm::ES256]).expect("valid");
    assert_eq!(verified.claims, claims);

    let mut head = own.header("JWT");
    head.jwk = own.public().ok();
    let token = own.sign(head, &claims).expect("signed");
    let fault = Proof::verify(&token, &[Algorithm::ES256]).unwrap_err();
    assert_eq!(fault, JwtError::Malformed("header"));

    let mut head = own.header("dpop+jwt");
    let mut public = serde_json::to_value(own.public().expect("public")).expect("written");
    public["d"] = json!("AAAA");
    head.extras.insert("jwk", public);
    let token = own.sign(head, &claims).expect("signed");
    let fault = Proof::verify(&token, &[Algorithm::ES256]).unwrap_err();
    assert_eq!(fault, JwtError::Malformed("header"));
}

#[test]
fn urls_of_proofs_are_normalized() {
    for (url, normalized) in [
        ("http://example.com", "http://example.com/"),
        ("http://example.com:80/", "http://example.com/"),
        ("https://example.com:80/", "https://example.com:80/"),
        (
            "https://EXAMPLE.com:00443/A/../b/./c/..?q#f",
            "https://example.com/b/",
        ),
        (
            "https://ex%41mple.com/%61%2f%3a",
            "https://example.com/a%2F%3A",
        ),
        (
            "http://[2001:DB8:0::1]:8080/x",
            "http://[2001:db8::1]:8080/x",
        ),
        ("http://a/..//b", "http://a//b"),
    ] {
        assert_eq!(normalize_htu(url).as_deref(), Ok(normalized), "{url}");
    }
    for url in [
        "",
        "/a",
        "ftp://a/",
        "http:///a",
        "http://a b/",
        "http://u@a/",
        "http://a:x/",
        "http://a/%2",
        "http://a/%zz",
        "http://[::1",
        "http://[::1]x/",
    ] {
        assert!(normalize_htu(url).is_err(), "{url}");
    }
}
