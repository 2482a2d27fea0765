//! Signed tokens (RFC 7515, RFC 7519): [`verify`](fn@verify) and [`SigningKey`].

mod keys;
mod sign;
mod verify;

pub use jsonwebtoken::jwk::{Jwk, JwkSet};
pub use jsonwebtoken::{Algorithm, Header};
pub use keys::{PUBLIC_ALGORITHMS, find_key};
pub use sign::SigningKey;
pub use verify::{Verified, algorithm_name, header, key_fits, verify};

/// The maximum number of bytes of a token.
pub const TOKEN_BYTES: usize = 32 << 10;

/// Why a token cannot be verified or signed. The texts contain nothing of the token.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum JwtError {
    /// The token is longer than [`TOKEN_BYTES`].
    #[error("the token is longer than {TOKEN_BYTES} bytes")]
    TooLong,
    /// The token does not consist of a header, claims and a signature, or one of these parts cannot
    /// be decoded.
    #[error("the {0} of the token cannot be decoded")]
    Malformed(&'static str),
    /// The algorithm is not among those that are allowed.
    #[error("the algorithm `{0}` of the token is not allowed")]
    Algorithm(&'static str),
    /// The header requires extensions that are not supported.
    #[error("the token requires extensions that are not supported (`crit`)")]
    Critical,
    /// The key is of another kind, for another algorithm, or not for signatures.
    #[error("the key is not for signatures of the algorithm `{0}`")]
    Key(&'static str),
    /// The signature is invalid.
    #[error("the signature of the token is invalid")]
    Signature,
    /// A private key cannot be read.
    #[error(
        "the private key cannot be read: expected PKCS#8 with a key for ES256, ES384, EdDSA, or RSA \
         of 2048 to 8192 bits"
    )]
    PrivateKey,
    /// The claims cannot be written as JSON, or the system provides no random bytes.
    #[error("the token cannot be signed: {0}")]
    Sign(&'static str),
}
