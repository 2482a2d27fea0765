//! [`SigningKey`]: signs tokens with a private key.

use std::fmt;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use jsonwebtoken::jwk::Jwk;
use jsonwebtoken::{Algorithm, Header};
use ring::rand::SystemRandom;
use ring::rsa::PublicKeyComponents;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, ECDSA_P384_SHA384_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair,
    KeyPair as _, RSA_PKCS1_SHA256, RSA_PKCS1_SHA384, RSA_PKCS1_SHA512, RSA_PSS_SHA256,
    RSA_PSS_SHA384, RSA_PSS_SHA512, RsaEncoding, RsaKeyPair,
};
use serde::Serialize;
use serde_json::json;
use zeroize::Zeroizing;

use super::JwtError;
use super::verify::algorithm_name;

/// A private key for signatures.
pub struct SigningKey {
    pair: Pair,
    algorithm: Algorithm,
    pkcs8: Zeroizing<Vec<u8>>,
}

enum Pair {
    Ec(EcdsaKeyPair),
    Ed(Ed25519KeyPair),
    Rsa(RsaKeyPair),
}

impl SigningKey {
    /// Creates a key for ES256.
    ///
    /// # Errors
    ///
    /// Fails if the system provides no random bytes.
    pub fn generate() -> Result<Self, JwtError> {
        let random = SystemRandom::new();
        let document = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random);
        let document = document.map_err(|_| JwtError::Sign("no random bytes"))?;
        Self::from_pkcs8(document.as_ref())
    }

    /// Reads a key in PKCS#8. RSA keys sign with RS256, unless
    /// [`with_algorithm`](Self::with_algorithm) chooses another algorithm.
    ///
    /// # Errors
    ///
    /// Fails for other formats, other kinds of keys, and RSA keys that are too short.
    pub fn from_pkcs8(der: &[u8]) -> Result<Self, JwtError> {
        let random = SystemRandom::new();
        let ec = |algorithm| EcdsaKeyPair::from_pkcs8(algorithm, der, &random).map(Pair::Ec);
        let (pair, algorithm) = if let Ok(pair) = ec(&ECDSA_P256_SHA256_FIXED_SIGNING) {
            (pair, Algorithm::ES256)
        } else if let Ok(pair) = ec(&ECDSA_P384_SHA384_FIXED_SIGNING) {
            (pair, Algorithm::ES384)
        } else if let Ok(pair) = Ed25519KeyPair::from_pkcs8_maybe_unchecked(der) {
            (Pair::Ed(pair), Algorithm::EdDSA)
        } else if let Ok(pair) = RsaKeyPair::from_pkcs8(der) {
            (Pair::Rsa(pair), Algorithm::RS256)
        } else {
            return Err(JwtError::PrivateKey);
        };
        Ok(Self {
            pair,
            algorithm,
            pkcs8: Zeroizing::new(der.to_vec()),
        })
    }

    /// Chooses the algorithm, for keys that have several.
    ///
    /// # Errors
    ///
    /// Fails if the key is not for this algorithm.
    pub fn with_algorithm(mut self, algorithm: Algorithm) -> Result<Self, JwtError> {
        let fits = match self.pair {
            Pair::Rsa(_) => rsa_encoding(algorithm).is_some(),
            Pair::Ec(_) | Pair::Ed(_) => algorithm == self.algorithm,
        };
        if !fits {
            return Err(JwtError::Key(algorithm_name(algorithm)));
        }
        self.algorithm = algorithm;
        Ok(self)
    }

    /// Returns the algorithm of the signatures.
    #[must_use]
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// Returns the key in PKCS#8, to store it.
    #[must_use]
    pub fn pkcs8(&self) -> &[u8] {
        &self.pkcs8
    }

    /// Returns the public key.
    ///
    /// # Errors
    ///
    /// Does not fail for the keys that can be read.
    pub fn public(&self) -> Result<Jwk, JwtError> {
        let encode = |bytes: &[u8]| BASE64_URL_SAFE_NO_PAD.encode(bytes);
        let members = match &self.pair {
            Pair::Ec(pair) => {
                let point = pair.public_key().as_ref();
                let coordinates = point.get(1..).unwrap_or_default();
                let (x, y) = coordinates.split_at(coordinates.len() / 2);
                let curve = if self.algorithm == Algorithm::ES256 {
                    "P-256"
                } else {
                    "P-384"
                };
                json!({"kty": "EC", "crv": curve, "x": encode(x), "y": encode(y)})
            }
            Pair::Ed(pair) => {
                json!({"kty": "OKP", "crv": "Ed25519", "x": encode(pair.public_key().as_ref())})
            }
            Pair::Rsa(pair) => {
                let public = PublicKeyComponents::<Vec<u8>>::from(pair.public());
                json!({"kty": "RSA", "n": encode(&public.n), "e": encode(&public.e)})
            }
        };
        serde_json::from_value(members).map_err(|_| JwtError::PrivateKey)
    }

    /// Returns a header for tokens of this key, with this type.
    #[must_use]
    pub fn header(&self, kind: &str) -> Header {
        let mut header = Header::new(self.algorithm);
        header.typ = Some(kind.to_owned());
        header
    }

    /// Signs a token. The algorithm of the header is that of the key.
    ///
    /// # Errors
    ///
    /// Fails if the claims cannot be written as JSON, or if the system provides no random bytes.
    pub fn sign(&self, mut header: Header, claims: &impl Serialize) -> Result<String, JwtError> {
        header.alg = self.algorithm;
        let unwritable = |_| JwtError::Sign("a claim cannot be written as JSON");
        let header = serde_json::to_vec(&header).map_err(unwritable)?;
        let claims = serde_json::to_vec(claims).map_err(unwritable)?;
        let mut token = BASE64_URL_SAFE_NO_PAD.encode(header);
        token.push('.');
        BASE64_URL_SAFE_NO_PAD.encode_string(claims, &mut token);
        let signature = self.signature(token.as_bytes())?;
        token.push('.');
        BASE64_URL_SAFE_NO_PAD.encode_string(signature, &mut token);
        Ok(token)
    }

    fn signature(&self, message: &[u8]) -> Result<Vec<u8>, JwtError> {
        let random = SystemRandom::new();
        let failed = |_| JwtError::Sign("no random bytes");
        Ok(match &self.pair {
            Pair::Ec(pair) => {
                let signature = pair.sign(&random, message).map_err(failed)?;
                signature.as_ref().to_vec()
            }
            Pair::Ed(pair) => pair.sign(message).as_ref().to_vec(),
            Pair::Rsa(pair) => {
                let encoding = rsa_encoding(self.algorithm);
                let encoding = encoding.ok_or(JwtError::Key(algorithm_name(self.algorithm)))?;
                let mut signature = vec![0; pair.public().modulus_len()];
                pair.sign(encoding, &random, message, &mut signature)
                    .map_err(failed)?;
                signature
            }
        })
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SigningKey")
            .field("algorithm", &self.algorithm)
            .finish_non_exhaustive()
    }
}

fn rsa_encoding(algorithm: Algorithm) -> Option<&'static dyn RsaEncoding> {
    Some(match algorithm {
        Algorithm::RS256 => &RSA_PKCS1_SHA256,
        Algorithm::RS384 => &RSA_PKCS1_SHA384,
        Algorithm::RS512 => &RSA_PKCS1_SHA512,
        Algorithm::PS256 => &RSA_PSS_SHA256,
        Algorithm::PS384 => &RSA_PSS_SHA384,
        Algorithm::PS512 => &RSA_PSS_SHA512,
        _ => return None,
    })
}
