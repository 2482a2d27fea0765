//! Thumbprints of public keys (RFC 7638, RFC 8037).

use jsonwebtoken::jwk::{AlgorithmParameters, EllipticCurve, Jwk};
use serde_json::{Value, json};

/// Returns the SHA-256 thumbprint of a public key; `None` for symmetric keys and unknown kinds.
#[must_use]
pub fn thumbprint(key: &Jwk) -> Option<String> {
    let members = match &key.algorithm {
        AlgorithmParameters::EllipticCurve(ec) => {
            json!({"crv": curve(&ec.curve)?, "kty": "EC", "x": ec.x, "y": ec.y})
        }
        AlgorithmParameters::RSA(rsa) => json!({"e": rsa.e, "kty": "RSA", "n": rsa.n}),
        AlgorithmParameters::OctetKeyPair(okp) => {
            json!({"crv": curve(&okp.curve)?, "kty": "OKP", "x": okp.x})
        }
        _ => return None,
    };
    Some(super::sha256(canonical(&members).as_bytes()))
}

fn curve(curve: &EllipticCurve) -> Option<&'static str> {
    Some(match curve {
        EllipticCurve::P256 => "P-256",
        EllipticCurve::P384 => "P-384",
        EllipticCurve::P521 => "P-521",
        EllipticCurve::Ed25519 => "Ed25519",
        _ => return None,
    })
}

/// Writes the members in the order of their names: a feature of `serde_json` may keep another one.
fn canonical(members: &Value) -> String {
    let mut members: Vec<_> = members.as_object().into_iter().flatten().collect();
    members.sort_by_key(|(name, _)| name.as_str());
    let members: Vec<String> = members
        .into_iter()
        .map(|(name, value)| format!("\"{name}\":{value}"))
        .collect();
    format!("{{{}}}", members.join(","))
}
