//! [`Token`]: the signed part of a URL.
//!
//! | bytes | |
//! | --- | --- |
//! | 1 | the version of the format, 2 |
//! | 4 | the id of the key |
//! | 8 | when it was issued, in milliseconds since 1970 |
//! | 8 | when it expires, in milliseconds since 1970 |
//! | 1 | the permitted operation: `G` for GET |
//! | 2 | 0 without a principal, else the length of its name plus 1 |
//! | 16 | with a principal: a nonce |
//! | | the name of the principal, encrypted |
//! | | the URI of the resource |
//! | 32 | HMAC-SHA256 of the purpose, the base URL and all of the above |
//!
//! Numbers are big-endian. The bytes are encoded as base64url without padding, so that they form
//! one path segment.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use super::keys::{KEY_ID, NONCE, SigningKey, TAG, UrlKeys};

const VERSION: u8 = 2;
const GET: u8 = b'G';
/// The maximum length of a URI in a token. Many proxies and programs accept URLs of up to 8 KiB.
pub(crate) const LONGEST_URI: usize = 2_048;
/// The maximum length of a principal's name.
pub(crate) const LONGEST_PRINCIPAL: usize = 512;
const FIXED: usize = 1 + KEY_ID + 8 + 8 + 1 + 2;
const LONGEST: usize = (FIXED + NONCE + LONGEST_PRINCIPAL + LONGEST_URI + TAG).div_ceil(3) * 4;

/// The permission to GET one resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    /// Milliseconds since 1970.
    pub(crate) issued: u64,
    /// Milliseconds since 1970.
    pub(crate) expires: u64,
    pub(crate) principal: Option<String>,
    pub(crate) uri: String,
}

/// The error for a text that was not signed for this base URL by a key of this server.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Forged;

impl Token {
    /// Returns the signed text for a URL. Returns `None` if it would be too long.
    pub(crate) fn sign(&self, keys: &UrlKeys, audience: &str) -> Option<String> {
        let principal = self.principal.as_deref().unwrap_or_default();
        if self.uri.len() > LONGEST_URI || principal.len() > LONGEST_PRINCIPAL {
            return None;
        }
        let length = match &self.principal {
            Some(principal) => u16::try_from(principal.len() + 1).ok()?,
            None => 0,
        };
        let length_of_all = FIXED + NONCE + principal.len() + self.uri.len() + TAG;
        let mut bytes = Vec::with_capacity(length_of_all);
        bytes.push(VERSION);
        bytes.extend_from_slice(&keys.id());
        bytes.extend_from_slice(&self.issued.to_be_bytes());
        bytes.extend_from_slice(&self.expires.to_be_bytes());
        bytes.push(GET);
        bytes.extend_from_slice(&length.to_be_bytes());
        if self.principal.is_some() {
            let mut principal = principal.as_bytes().to_vec();
            let nonce = keys.encrypt([&bytes, self.uri.as_bytes()], &mut principal);
            bytes.extend_from_slice(&nonce);
            bytes.extend_from_slice(&principal);
        }
        bytes.extend_from_slice(self.uri.as_bytes());
        let tag = keys.sign(audience, &bytes);
        bytes.extend_from_slice(&tag);
        Some(URL_SAFE_NO_PAD.encode(bytes))
    }

    /// Decodes the text that [`sign`](Self::sign) returned. Only the id of the key is read before
    /// the signature is verified. Does not check whether the token has expired.
    ///
    /// # Errors
    ///
    /// [`Forged`] if the text is malformed or its signature is not valid.
    pub(crate) fn read(text: &str, keys: &UrlKeys, audience: &str) -> Result<Self, Forged> {
        if text.len() > LONGEST {
            return Err(Forged);
        }
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| Forged)?;
        let (signed, tag) = bytes.split_last_chunk::<TAG>().ok_or(Forged)?;
        let Some((&[VERSION], rest)) = signed.split_first_chunk::<1>() else {
            return Err(Forged);
        };
        let (id, rest) = rest.split_first_chunk::<KEY_ID>().ok_or(Forged)?;
        let key = keys.verify(*id, audience, signed, tag).ok_or(Forged)?;
        Self::parse(rest, key).ok_or(Forged)
    }

    fn parse(bytes: &[u8], key: &SigningKey) -> Option<Self> {
        let (issued, rest) = bytes.split_first_chunk::<8>()?;
        let (expires, rest) = rest.split_first_chunk::<8>()?;
        let (&[GET], rest) = rest.split_first_chunk::<1>()? else {
            return None;
        };
        let (length, rest) = rest.split_first_chunk::<2>()?;
        let (principal, uri) = match u16::from_be_bytes(*length).checked_sub(1) {
            None => (None, rest),
            Some(length) => {
                let (nonce, rest) = rest.split_first_chunk()?;
                let (principal, uri) = rest.split_at_checked(length.into())?;
                let mut principal = principal.to_vec();
                key.apply_stream(nonce, &mut principal);
                (Some(text(&principal)?), uri)
            }
        };
        Some(Self {
            issued: u64::from_be_bytes(*issued),
            expires: u64::from_be_bytes(*expires),
            principal,
            uri: text(uri)?,
        })
    }
}

fn text(bytes: &[u8]) -> Option<String> {
    String::from_utf8(bytes.to_vec()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: &str = "https://files.example.com/r/";

    fn token() -> Token {
        Token {
            issued: 1_769_000_000_123,
            expires: 1_769_000_900_000,
            principal: Some("alice".to_owned()),
            uri: "file:///a/ä.txt".to_owned(),
        }
    }

    #[test]
    fn signed_token_is_decoded() {
        let keys = UrlKeys::new([7; 32]);
        for principal in [None, Some(String::new()), Some("alice".to_owned())] {
            let token = Token {
                principal,
                ..token()
            };
            let text = token.sign(&keys, BASE).unwrap();
            assert_eq!(Token::read(&text, &keys, BASE), Ok(token));
        }
    }

    #[test]
    fn token_format_is_stable() {
        let keys = UrlKeys::new([7; 32]);
        assert_eq!(
            token().sign(&keys, BASE).unwrap(),
            "Avf0c-IAAAGb4J3aewAAAZvgq5WgRwAG0mQ9-SDDP6I5bPDGHELnJMLlisgMZmlsZTovLy9hL8OkLnR4dMwr5UKbdCNnDsSvpqFqgbaOLh12mxsHUES_VAB-vn4S"
        );
        let anyone = Token {
            principal: None,
            ..token()
        };
        assert_eq!(
            anyone.sign(&keys, BASE).unwrap(),
            "Avf0c-IAAAGb4J3aewAAAZvgq5WgRwAAZmlsZTovLy9hL8OkLnR4dPm_6rwfDMU9MUZzx1KiVN6kAF8oyvtQb1WkuJ5fLzUa"
        );
    }

    #[test]
    fn principal_is_encrypted_and_equal_tokens_are_equal() {
        let keys = UrlKeys::new([7; 32]).and_older([8; 32]);
        let text = token().sign(&keys, BASE).unwrap();
        assert_eq!(token().sign(&keys, BASE).unwrap(), text);
        let encrypted = |token: &Token| {
            let bytes = URL_SAFE_NO_PAD
                .decode(token.sign(&keys, BASE).unwrap())
                .unwrap();
            assert!(!bytes.windows(5).any(|part| part == b"alice"));
            bytes[FIXED..FIXED + NONCE + 5].to_vec()
        };
        let alice = token();
        let other = |change: fn(&mut Token)| {
            let mut token = token();
            change(&mut token);
            token
        };
        for token in [
            other(|token| token.uri.push('x')),
            other(|token| token.expires += 1_000),
            other(|token| token.principal = Some("alicf".to_owned())),
        ] {
            let (one, other) = (encrypted(&alice), encrypted(&token));
            assert!(
                one.iter()
                    .zip(&other)
                    .filter(|(one, other)| one == other)
                    .count()
                    < 8
            );
        }
        let older = UrlKeys::new([9; 32]).and_older([7; 32]);
        assert_eq!(Token::read(&text, &older, BASE), Ok(alice));
    }

    #[test]
    fn changed_or_truncated_tokens_are_rejected() {
        let keys = UrlKeys::new([7; 32]);
        let text = token().sign(&keys, BASE).unwrap();
        let bytes = URL_SAFE_NO_PAD.decode(&text).unwrap();
        for index in 0..bytes.len() {
            for bit in 0..8 {
                let mut changed = bytes.clone();
                changed[index] ^= 1 << bit;
                let changed = URL_SAFE_NO_PAD.encode(changed);
                assert_eq!(Token::read(&changed, &keys, BASE), Err(Forged));
            }
        }
        for length in 0..text.len() {
            assert_eq!(Token::read(&text[..length], &keys, BASE), Err(Forged));
        }
    }

    #[test]
    fn token_of_another_base_or_key_is_rejected() {
        let keys = UrlKeys::new([7; 32]);
        let text = token().sign(&keys, BASE).unwrap();
        let elsewhere = "https://files.example.com/r/x/";
        assert_eq!(Token::read(&text, &keys, elsewhere), Err(Forged));
        assert_eq!(
            Token::read(&text, &UrlKeys::new([8; 32]), BASE),
            Err(Forged)
        );
    }

    #[test]
    fn too_long_tokens_are_neither_signed_nor_decoded() {
        let keys = UrlKeys::new([7; 32]);
        let longest = Token {
            principal: Some("p".repeat(LONGEST_PRINCIPAL)),
            uri: "u".repeat(LONGEST_URI),
            ..token()
        };
        let text = longest.sign(&keys, BASE).unwrap();
        assert!(text.len() <= LONGEST, "{}", text.len());
        assert!(Token::read(&text, &keys, BASE).is_ok());
        let mut long = longest.clone();
        long.uri.push('u');
        assert_eq!(long.sign(&keys, BASE), None);
        let mut long = longest;
        long.principal = Some("p".repeat(LONGEST_PRINCIPAL + 1));
        assert_eq!(long.sign(&keys, BASE), None);
        assert_eq!(
            Token::read(&"A".repeat(LONGEST + 1), &keys, BASE),
            Err(Forged)
        );
    }
}
