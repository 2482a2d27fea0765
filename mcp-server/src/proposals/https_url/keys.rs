//! [`UrlKeys`]: the keys that sign URLs.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::protocol::seal::SealError;
use crate::util::hex::{self, HexKeyError};
use crate::util::partial_debug::partial_debug;

const KEY: usize = 32;
/// Bytes of the id of a key in a token.
pub(crate) const KEY_ID: usize = 4;
/// Bytes of a signature.
pub(crate) const TAG: usize = 32;
/// Prefix of everything that is signed, so that a signature is not valid for another purpose of the
/// same key.
const PURPOSE: &[u8] = b"mcp-server https-url token\0";
const NAMING: &[u8] = b"mcp-server https-url key id\0";
const HIDING: &[u8] = b"mcp-server https-url principal\0";
/// Bytes of the value that makes each encryption of a principal unique.
pub(crate) const NONCE: usize = 16;

/// The keys that sign the URLs of resources.
///
/// By default a server generates a random key. Processes that serve one endpoint need the same
/// keys. [`rotate_url_keys`](crate::Server::rotate_url_keys) replaces the keys of a running server:
/// URLs signed with a key that the new set contains as an older one stay valid until they expire,
/// all others become invalid at once.
///
/// ```
/// use mcp_server::UrlKeys;
///
/// let (old, new) = ([1; 32], [2; 32]);
/// let before = UrlKeys::new(old).and_older(new); // all processes verify the new key
/// let after = UrlKeys::new(new).and_older(old);
/// let done = UrlKeys::new(new); // after the lifetime of the last URL
/// # drop((before, after, done));
/// ```
#[derive(Clone)]
pub struct UrlKeys {
    current: SigningKey,
    older: Vec<SigningKey>,
}

/// One key of a set.
#[derive(Clone)]
pub(crate) struct SigningKey {
    id: [u8; KEY_ID],
    mac: Hmac<Sha256>,
    /// Encrypts principals.
    cipher: Hmac<Sha256>,
}

fn keyed(key: &[u8]) -> Hmac<Sha256> {
    // HMAC pads keys that are shorter than a block with zeros.
    let mut block = [0; 64];
    for (to, from) in block.iter_mut().zip(key) {
        *to = *from;
    }
    Hmac::new(&block.into())
}

impl SigningKey {
    fn new(key: [u8; KEY]) -> Self {
        let mac = keyed(&key);
        let cipher = keyed(&mac.clone().chain_update(HIDING).finalize().into_bytes());
        let name = mac.clone().chain_update(NAMING).finalize().into_bytes();
        let mut id = [0; KEY_ID];
        for (to, from) in id.iter_mut().zip(name) {
            *to = from;
        }
        Self { id, mac, cipher }
    }

    fn mac(&self, audience: &str, bytes: &[u8]) -> Hmac<Sha256> {
        let mac = self.mac.clone();
        // The separator is unambiguous, because a URL contains no zero byte.
        mac.chain_update(PURPOSE)
            .chain_update(audience)
            .chain_update([0])
            .chain_update(bytes)
    }

    /// Encrypts or decrypts a text: XOR with HMAC-SHA256 of the nonce and a counter.
    pub(crate) fn apply_stream(&self, nonce: &[u8; NONCE], text: &mut [u8]) {
        for (counter, part) in (0_u32..).zip(text.chunks_mut(TAG)) {
            let stream = self.cipher.clone().chain_update([1]).chain_update(nonce);
            let stream = stream.chain_update(counter.to_be_bytes());
            for (byte, key) in part.iter_mut().zip(stream.finalize().into_bytes()) {
                *byte ^= key;
            }
        }
    }
}

impl UrlKeys {
    /// Creates a set with one key, which signs. The key must be as unpredictable as 32 random
    /// bytes.
    #[must_use]
    pub fn new(key: [u8; 32]) -> Self {
        Self {
            current: SigningKey::new(key),
            older: Vec::new(),
        }
    }

    /// Creates a set with one random key.
    ///
    /// # Errors
    ///
    /// [`SealError::Random`] if the system returns no random numbers.
    pub fn generate() -> Result<Self, SealError> {
        let mut key = [0; KEY];
        getrandom::fill(&mut key)?;
        Ok(Self::new(key))
    }

    /// Reads keys of 64 hexadecimal digits, separated by commas: the first one signs, the others only
    /// verify. See [`Keys::from_hex`](crate::Keys::from_hex).
    ///
    /// # Errors
    ///
    /// [`HexKeyError`] says which key is invalid, and contains nothing of it.
    pub fn from_hex(text: &str) -> Result<Self, HexKeyError> {
        let (current, older) = hex::parse(text)?;
        Ok(older.into_iter().fold(Self::new(current), Self::and_older))
    }

    /// Adds a key that verifies URLs but does not sign new ones.
    #[must_use]
    pub fn and_older(mut self, key: [u8; 32]) -> Self {
        self.older.push(SigningKey::new(key));
        self
    }

    /// Returns the id of the key that signs.
    pub(crate) fn id(&self) -> [u8; KEY_ID] {
        self.current.id
    }

    pub(crate) fn sign(&self, audience: &str, bytes: &[u8]) -> [u8; TAG] {
        self.current
            .mac(audience, bytes)
            .finalize()
            .into_bytes()
            .into()
    }

    /// Encrypts a text of a token. The nonce is derived from the text and from all other parts of
    /// the token, so that equal tokens stay equal, and different ones reveal nothing about each
    /// other (a synthetic initialization vector, as in RFC 5297).
    pub(crate) fn encrypt(&self, others: [&[u8]; 2], text: &mut [u8]) -> [u8; NONCE] {
        let mut derived = self.current.cipher.clone().chain_update([0]);
        for part in others {
            let length = (part.len() as u64).to_be_bytes();
            derived = derived.chain_update(length).chain_update(part);
        }
        let derived = derived.chain_update(&*text).finalize().into_bytes();
        let mut nonce = [0; NONCE];
        for (to, from) in nonce.iter_mut().zip(derived) {
            *to = from;
        }
        self.current.apply_stream(&nonce, text);
        nonce
    }

    /// Verifies a signature by a key with this id, in constant time. Returns the key: several may
    /// have the same id.
    pub(crate) fn verify(
        &self,
        id: [u8; KEY_ID],
        audience: &str,
        bytes: &[u8],
        tag: &[u8],
    ) -> Option<&SigningKey> {
        std::iter::once(&self.current)
            .chain(&self.older)
            .filter(|key| key.id == id)
            .find(|key| key.mac(audience, bytes).verify_slice(tag).is_ok())
    }
}

partial_debug!(UrlKeys, |it| older: it.older.len());

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proposals::https_url::token::Token;

    #[test]
    fn debug_output_contains_no_keys() {
        let keys = UrlKeys::new([171; KEY]).and_older([205; KEY]);
        let text = format!("{keys:?} {keys:#?}");
        assert!(!text.contains("171") && !text.contains("205"), "{text}");
    }

    #[test]
    fn first_key_of_a_text_signs_and_the_others_verify() {
        let text = format!("{},{}", "02".repeat(KEY), "01".repeat(KEY));
        let both = UrlKeys::from_hex(&text).expect("two keys");
        let (old, new) = (UrlKeys::new([1; KEY]), UrlKeys::new([2; KEY]));
        assert_eq!(both.sign("https://a/", b"x"), new.sign("https://a/", b"x"));
        let tag = old.sign("https://a/", b"x");
        assert!(both.verify(old.id(), "https://a/", b"x", &tag).is_some());
    }

    #[test]
    fn token_is_decrypted_with_the_key_that_signed_it_if_ids_are_equal() {
        let (mut old, new) = (UrlKeys::new([1; KEY]), UrlKeys::new([2; KEY]));
        old.current.id = new.current.id;
        let mut both = new;
        both.older.push(old.current.clone());
        let token = Token {
            issued: 1,
            expires: 2,
            principal: Some("alice".to_owned()),
            uri: "demo://a".to_owned(),
        };
        let text = token.sign(&old, "https://a/").expect("signed");
        assert_eq!(Token::read(&text, &both, "https://a/"), Ok(token));
    }

    #[test]
    fn older_keys_verify_and_do_not_sign() {
        let (old, new) = (UrlKeys::new([1; KEY]), UrlKeys::new([2; KEY]));
        let both = UrlKeys::new([2; KEY]).and_older([1; KEY]);
        let tag = old.sign("https://a/", b"x");
        assert!(both.verify(old.id(), "https://a/", b"x", &tag).is_some());
        assert!(new.verify(old.id(), "https://a/", b"x", &tag).is_none());
        assert!(both.verify(new.id(), "https://a/", b"x", &tag).is_none());
        assert!(both.verify(old.id(), "https://b/", b"x", &tag).is_none());
        assert_eq!(both.sign("https://a/", b"x"), new.sign("https://a/", b"x"));
    }
}
