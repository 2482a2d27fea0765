//! Sealing: authenticated encryption of data that a client has to return unchanged, such as the
//! state of a request that waits for input, and cursors.
//!
//! A sealed text is encrypted with XChaCha20-Poly1305 under a random nonce, so that processes need
//! no shared counter. Its purpose and the data it is bound to, such as the principal, are
//! authenticated but not contained in the text: a text that is returned for another purpose cannot
//! be opened.

use std::sync::{Arc, PoisonError, RwLock};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chacha20poly1305::aead::{Aead, Payload};
use chacha20poly1305::{KeyInit, XChaCha20Poly1305, XNonce};

use crate::util::hex::{self, HexKeyError};
use crate::util::partial_debug::partial_debug;

const KEY: usize = 32;
const NONCE: usize = 24;
const TAG: usize = 16;
/// The version of the format of sealed texts.
const VERSION: u8 = 1;

/// The keys that seal request state and cursors.
///
/// By default a server generates a random key. Processes that serve one endpoint need the same
/// keys: set them with [`ServerBuilder::keys`](crate::ServerBuilder::keys). To rotate keys while
/// requests are in flight, first add the new key in all processes, then seal with it, and remove
/// the old key after [`Limits::state_time`](field@crate::Limits::state_time):
///
/// ```
/// use mcp_server::Keys;
///
/// let (old, new) = ([1; 32], [2; 32]);
/// let before = Keys::from_bytes(old).with_previous(new);
/// let after = Keys::from_bytes(new).with_previous(old);
/// let done = Keys::from_bytes(new);
/// # drop((before, after, done));
/// ```
#[derive(Clone)]
pub struct Keys {
    current: [u8; KEY],
    previous: Vec<[u8; KEY]>,
}

impl Keys {
    /// Creates a set with one random key.
    ///
    /// # Errors
    ///
    /// [`SealError::Random`] if the system returns no random numbers.
    pub fn generate() -> Result<Self, SealError> {
        let mut key = [0; KEY];
        getrandom::fill(&mut key)?;
        Ok(Self::from_bytes(key))
    }

    /// Creates a set with one key, which seals. The key must be as unpredictable as 32 random
    /// bytes.
    #[must_use]
    pub fn from_bytes(key: [u8; KEY]) -> Self {
        Self {
            current: key,
            previous: Vec::new(),
        }
    }

    /// Reads keys of 64 hexadecimal digits, separated by commas, as the setting of a program
    /// contains them: the first one seals, the others only open. `openssl rand -hex 32` creates a
    /// key. White space around keys is ignored.
    ///
    /// ```
    /// use mcp_server::Keys;
    ///
    /// let (old, new) = ("11".repeat(32), "22".repeat(32));
    /// let keys = Keys::from_hex(&new)?;
    /// let while_rotating = Keys::from_hex(&format!("{new},{old}"))?;
    /// # drop((keys, while_rotating));
    /// # Ok::<(), mcp_server::HexKeyError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`HexKeyError`] says which key is invalid, and contains nothing of it.
    pub fn from_hex(text: &str) -> Result<Self, HexKeyError> {
        let (current, previous) = hex::parse(text)?;
        Ok(Self { current, previous })
    }

    /// Adds a key that opens texts but does not seal new ones.
    #[must_use]
    pub fn with_previous(mut self, key: [u8; KEY]) -> Self {
        self.previous.push(key);
        self
    }

    /// Seals bytes for a purpose, bound to data that must be the same when the text is opened.
    pub(crate) fn seal(
        &self,
        purpose: &str,
        bound_to: &[u8],
        plain: &[u8],
    ) -> Result<String, SealError> {
        let mut nonce = [0; NONCE];
        getrandom::fill(&mut nonce)?;
        let aad = associated(purpose, bound_to);
        let payload = Payload {
            msg: plain,
            aad: &aad,
        };
        let sealed = XChaCha20Poly1305::new(&self.current.into())
            .encrypt(&XNonce::from(nonce), payload)
            .map_err(|_| SealError::TooLong)?;
        let mut bytes = Vec::with_capacity(1 + NONCE + sealed.len());
        bytes.push(VERSION);
        bytes.extend_from_slice(&nonce);
        bytes.extend_from_slice(&sealed);
        Ok(URL_SAFE_NO_PAD.encode(bytes))
    }

    /// Opens a text that [`Keys::seal`] returned for the same purpose and bound data.
    pub(crate) fn open(
        &self,
        purpose: &str,
        bound_to: &[u8],
        text: &str,
    ) -> Result<Vec<u8>, SealError> {
        let bytes = URL_SAFE_NO_PAD
            .decode(text)
            .map_err(|_| SealError::Malformed)?;
        let Some((&VERSION, rest)) = bytes.split_first() else {
            return Err(SealError::Malformed);
        };
        let Some((nonce, sealed)) = rest.split_first_chunk::<NONCE>() else {
            return Err(SealError::Malformed);
        };
        if sealed.len() < TAG {
            return Err(SealError::Malformed);
        }
        let aad = associated(purpose, bound_to);
        let nonce = XNonce::from(*nonce);
        std::iter::once(&self.current)
            .chain(&self.previous)
            .find_map(|&key| {
                let payload = Payload {
                    msg: sealed,
                    aad: &aad,
                };
                let cipher = XChaCha20Poly1305::new(&key.into());
                cipher.decrypt(&nonce, payload).ok()
            })
            .ok_or(SealError::Forged)
    }
}

partial_debug!(Keys, |it| previous: it.previous.len());

/// Returns the associated data, which is authenticated but not contained in the text. The length
/// prefix separates the two parts.
fn associated(purpose: &str, bound_to: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(8 + purpose.len() + bound_to.len());
    bytes.extend_from_slice(&(purpose.len() as u64).to_be_bytes());
    bytes.extend_from_slice(purpose.as_bytes());
    bytes.extend_from_slice(bound_to);
    bytes
}

/// The reasons why data cannot be sealed, or a text cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SealError {
    /// The text does not have the format of a sealed text.
    #[error("malformed: expected a text that this server sealed")]
    Malformed,
    /// The text was changed, was sealed for another request or principal, or with an unknown key.
    #[error("changed, sealed for another request or principal, or sealed with an unknown key")]
    Forged,
    /// The data is longer than the cipher supports.
    #[error("too long to be sealed")]
    TooLong,
    /// The system returned no random numbers.
    #[error("the system returned no random numbers: {0}")]
    Random(#[from] getrandom::Error),
}

/// The keys of a running server, which can be replaced at any time.
#[derive(Debug)]
pub(crate) struct KeySlot(RwLock<Arc<Keys>>);

impl KeySlot {
    pub(crate) fn new(keys: Keys) -> Self {
        Self(RwLock::new(Arc::new(keys)))
    }

    pub(crate) fn get(&self) -> Arc<Keys> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn set(&self, keys: Keys) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(keys);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sealed_text_can_be_opened() {
        let keys = Keys::generate().unwrap();
        let text = keys.seal("state", b"alice", b"secret").unwrap();
        assert_eq!(keys.open("state", b"alice", &text).unwrap(), b"secret");
        let again = keys.seal("state", b"alice", b"secret").unwrap();
        assert_ne!(text, again, "a nonce was used twice");
    }

    #[test]
    fn changed_or_truncated_texts_are_rejected() {
        let keys = Keys::from_bytes([7; KEY]);
        let text = keys.seal("state", b"", b"secret").unwrap();
        let bytes = URL_SAFE_NO_PAD.decode(&text).unwrap();
        for index in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[index] ^= 1;
            let changed = URL_SAFE_NO_PAD.encode(changed);
            assert!(keys.open("state", b"", &changed).is_err(), "byte {index}");
        }
        for length in 0..text.len() {
            assert!(keys.open("state", b"", &text[..length]).is_err());
        }
    }

    #[test]
    fn text_for_another_purpose_or_binding_is_rejected() {
        let keys = Keys::from_bytes([7; KEY]);
        let text = keys.seal("state", b"alice", b"secret").unwrap();
        for (purpose, bound_to) in [
            ("cursor", &b"alice"[..]),
            ("state", b"bob"),
            ("statea", b"lice"),
        ] {
            let opened = keys.open(purpose, bound_to, &text);
            assert!(matches!(opened, Err(SealError::Forged)), "{purpose}");
        }
    }

    #[test]
    fn previous_key_opens_until_it_is_removed() {
        let slot = KeySlot::new(Keys::from_bytes([1; KEY]));
        let text = slot.get().seal("state", b"", b"secret").unwrap();
        slot.set(Keys::from_bytes([2; KEY]).with_previous([1; KEY]));
        assert_eq!(slot.get().open("state", b"", &text).unwrap(), b"secret");
        slot.set(Keys::from_bytes([2; KEY]));
        assert!(slot.get().open("state", b"", &text).is_err());
    }

    #[test]
    fn debug_output_contains_no_keys() {
        let keys = Keys::from_bytes([171; KEY]).with_previous([205; KEY]);
        let text = format!("{keys:?} {keys:#?}");
        assert!(!text.contains("171") && !text.contains("205"), "{text}");
    }
}
