//! [`verify`]: checks the signature of a token.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use jsonwebtoken::jwk::{AlgorithmParameters, EllipticCurve, Jwk, KeyOperations, PublicKeyUse};
use jsonwebtoken::{Algorithm, Header};
use ring::signature::{self, RsaParameters, UnparsedPublicKey, VerificationAlgorithm};
use serde::de::DeserializeOwned;

use super::{JwtError, TOKEN_BYTES};

/// A token whose signature is valid. Its claims are not checked.
#[derive(Clone, Debug)]
pub struct Verified<T> {
    /// The header.
    pub header: Header,
    /// The claims.
    pub claims: T,
}

/// Returns the header of a token, to choose a key by `kid`. Nothing is verified.
///
/// # Errors
///
/// Fails if the token is too long or malformed, or has an unknown algorithm.
pub fn header(token: &str) -> Result<Header, JwtError> {
    if token.len() > TOKEN_BYTES {
        return Err(JwtError::TooLong);
    }
    jsonwebtoken::decode_header(token).map_err(|_| JwtError::Malformed("header"))
}

/// Verifies the signature of a token with a key, and decodes its claims. The caller checks the
/// claims.
///
/// # Errors
///
/// Fails if the algorithm is not among `allowed`, if the key is not for it, if the header has
/// `crit`, or if the signature is invalid. Symmetric algorithms are never allowed.
pub fn verify<T: DeserializeOwned>(
    token: &str,
    key: &Jwk,
    allowed: &[Algorithm],
) -> Result<Verified<T>, JwtError> {
    let header = header(token)?;
    let name = algorithm_name(header.alg);
    if !allowed.contains(&header.alg) {
        return Err(JwtError::Algorithm(name));
    }
    if header.crit.is_some() {
        return Err(JwtError::Critical);
    }
    if !key_fits(key, header.alg) {
        return Err(JwtError::Key(name));
    }
    let (message, signature) = token
        .rsplit_once('.')
        .ok_or(JwtError::Malformed("signature"))?;
    let signature = decode(signature).ok_or(JwtError::Malformed("signature"))?;
    check(key, header.alg, message.as_bytes(), &signature)?;
    let (_, claims) = message
        .split_once('.')
        .ok_or(JwtError::Malformed("claims"))?;
    let claims = decode(claims).ok_or(JwtError::Malformed("claims"))?;
    let claims = serde_json::from_slice(&claims).map_err(|_| JwtError::Malformed("claims"))?;
    Ok(Verified { header, claims })
}

/// Returns the name of an algorithm in headers and metadata.
#[must_use]
pub fn algorithm_name(algorithm: Algorithm) -> &'static str {
    match algorithm {
        Algorithm::HS256 => "HS256",
        Algorithm::HS384 => "HS384",
        Algorithm::HS512 => "HS512",
        Algorithm::ES256 => "ES256",
        Algorithm::ES384 => "ES384",
        Algorithm::RS256 => "RS256",
        Algorithm::RS384 => "RS384",
        Algorithm::RS512 => "RS512",
        Algorithm::PS256 => "PS256",
        Algorithm::PS384 => "PS384",
        Algorithm::PS512 => "PS512",
        Algorithm::EdDSA => "EdDSA",
        _ => "unknown",
    }
}

/// Returns `true` if a key is of the kind that an algorithm needs, and its owner allows its use for
/// signatures of this algorithm.
#[must_use]
pub fn key_fits(key: &Jwk, algorithm: Algorithm) -> bool {
    let is_of_kind = match &key.algorithm {
        AlgorithmParameters::RSA(_) => rsa_params(algorithm).is_some(),
        AlgorithmParameters::EllipticCurve(ec) => matches!(
            (&ec.curve, algorithm),
            (EllipticCurve::P256, Algorithm::ES256) | (EllipticCurve::P384, Algorithm::ES384)
        ),
        AlgorithmParameters::OctetKeyPair(okp) => {
            okp.curve == EllipticCurve::Ed25519 && algorithm == Algorithm::EdDSA
        }
        _ => false,
    };
    is_of_kind && is_allowed(key, algorithm)
}

/// Returns `true` if the owner of a key allows its use for signatures of this algorithm.
fn is_allowed(key: &Jwk, algorithm: Algorithm) -> bool {
    let common = &key.common;
    let for_signatures = match &common.public_key_use {
        Some(usage) => *usage == PublicKeyUse::Signature,
        None => true,
    };
    let verifies = match &common.key_operations {
        Some(operations) => operations.contains(&KeyOperations::Verify),
        None => true,
    };
    let same_algorithm = match common.key_algorithm {
        Some(own) => own == algorithm.into(),
        None => true,
    };
    for_signatures && verifies && same_algorithm
}

fn check(
    key: &Jwk,
    algorithm: Algorithm,
    message: &[u8],
    signature: &[u8],
) -> Result<(), JwtError> {
    let unfit = || JwtError::Key(algorithm_name(algorithm));
    let part = |text: &str| decode(text).ok_or_else(unfit);
    match &key.algorithm {
        AlgorithmParameters::RSA(rsa) => {
            let params = rsa_params(algorithm).ok_or_else(unfit)?;
            let (n, e) = (part(&rsa.n)?, part(&rsa.e)?);
            let key = signature::RsaPublicKeyComponents { n: &n, e: &e };
            let verified = key.verify(params, message, signature);
            verified.map_err(|_| JwtError::Signature)
        }
        AlgorithmParameters::EllipticCurve(ec) => {
            let (params, bytes): (&dyn VerificationAlgorithm, usize) = match (&ec.curve, algorithm)
            {
                (EllipticCurve::P256, Algorithm::ES256) => {
                    (&signature::ECDSA_P256_SHA256_FIXED, 32)
                }
                (EllipticCurve::P384, Algorithm::ES384) => {
                    (&signature::ECDSA_P384_SHA384_FIXED, 48)
                }
                _ => return Err(unfit()),
            };
            let (x, y) = (part(&ec.x)?, part(&ec.y)?);
            if x.len() != bytes || y.len() != bytes {
                return Err(unfit());
            }
            let point = [&[4], x.as_slice(), y.as_slice()].concat();
            let key = UnparsedPublicKey::new(params, point);
            key.verify(message, signature)
                .map_err(|_| JwtError::Signature)
        }
        AlgorithmParameters::OctetKeyPair(okp)
            if okp.curve == EllipticCurve::Ed25519 && algorithm == Algorithm::EdDSA =>
        {
            let key = UnparsedPublicKey::new(&signature::ED25519, part(&okp.x)?);
            key.verify(message, signature)
                .map_err(|_| JwtError::Signature)
        }
        _ => Err(unfit()),
    }
}

fn rsa_params(algorithm: Algorithm) -> Option<&'static RsaParameters> {
    Some(match algorithm {
        Algorithm::RS256 => &signature::RSA_PKCS1_2048_8192_SHA256,
        Algorithm::RS384 => &signature::RSA_PKCS1_2048_8192_SHA384,
        Algorithm::RS512 => &signature::RSA_PKCS1_2048_8192_SHA512,
        Algorithm::PS256 => &signature::RSA_PSS_2048_8192_SHA256,
        Algorithm::PS384 => &signature::RSA_PSS_2048_8192_SHA384,
        Algorithm::PS512 => &signature::RSA_PSS_2048_8192_SHA512,
        _ => return None,
    })
}

fn decode(text: &str) -> Option<Vec<u8>> {
    BASE64_URL_SAFE_NO_PAD.decode(text).ok()
}
