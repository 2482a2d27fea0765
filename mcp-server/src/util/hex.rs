//! Bytes as hexadecimal digits: names, and keys of 32 bytes as settings contain them.

use std::fmt::Write as _;

/// Returns bytes as lower-case hexadecimal digits.
pub(crate) fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// Returns 16 random bytes as 32 hexadecimal digits.
pub(crate) fn random_id() -> Result<String, getrandom::Error> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)?;
    Ok(encode(&bytes))
}

/// Characters of a key.
const DIGITS: usize = 64;

/// The reasons why a text contains no keys of 64 hexadecimal digits. No error contains any part of
/// the text.
///
/// Keys are counted from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HexKeyError {
    /// A key is shorter or longer.
    #[error("key {key} has {found} characters: expected {DIGITS} hexadecimal digits")]
    Length {
        /// The number of the key.
        key: usize,
        /// The number of its characters.
        found: usize,
    },
    /// A character is not a hexadecimal digit.
    #[error("character {at} of key {key} is invalid: expected {DIGITS} hexadecimal digits")]
    Digit {
        /// The number of the key.
        key: usize,
        /// The number of the character in it, from 1.
        at: usize,
    },
}

/// Reads keys that are separated by commas: the first one, and those after it.
pub(crate) fn parse(text: &str) -> Result<([u8; 32], Vec<[u8; 32]>), HexKeyError> {
    let mut all = (1..).zip(text.split(','));
    let mut next = || all.next().map(|(number, digits)| key(number, digits));
    // `split` returns at least one part.
    let first = next().unwrap_or(Err(HexKeyError::Length { key: 1, found: 0 }))?;
    let others = std::iter::from_fn(next).collect::<Result<_, _>>()?;
    Ok((first, others))
}

fn key(number: usize, digits: &str) -> Result<[u8; 32], HexKeyError> {
    let digits = digits.trim();
    let found = digits.chars().count();
    if found != DIGITS {
        return Err(HexKeyError::Length { key: number, found });
    }
    let mut key = [0; 32];
    for (at, character) in digits.chars().enumerate() {
        let digit = character.to_digit(16).and_then(|it| u8::try_from(it).ok());
        let (Some(digit), Some(byte)) = (digit, key.get_mut(at / 2)) else {
            return Err(HexKeyError::Digit {
                key: number,
                at: at + 1,
            });
        };
        *byte = *byte << 4 | digit;
    }
    Ok(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_in_order_and_white_space_around_them_is_ignored() {
        let (first, second) = ("0a".repeat(32), "Ff".repeat(32));
        assert_eq!(parse(&first), Ok(([10; 32], Vec::new())));
        let both = format!(" {first} ,\n{second}\n");
        assert_eq!(parse(&both), Ok(([10; 32], vec![[255; 32]])));
    }

    #[test]
    fn errors_say_where_and_contain_nothing_of_the_text() {
        let key = "0a".repeat(32);
        let length = |key, found| HexKeyError::Length { key, found };
        let digit = |key, at| HexKeyError::Digit { key, at };
        let cases = [
            (String::new(), length(1, 0)),
            (key[1..].to_owned(), length(1, 63)),
            (format!("{key}5"), length(1, 65)),
            (format!("{key},"), length(2, 0)),
            (format!("{key},5e"), length(2, 2)),
            (key.replacen('a', "z", 1), digit(1, 2)),
            (key.replacen('a', "é", 1), digit(1, 2)),
            (format!("{key},{}", key.replacen('a', " ", 1)), digit(2, 2)),
            (format!("0x{}", &key[2..]), digit(1, 2)),
        ];
        for (text, expected) in cases {
            let error = parse(&text).expect_err(&text);
            assert_eq!(error, expected, "{text}");
            let shown = format!("{error} {error:?}");
            assert!(!shown.contains("0a") && !shown.contains("5e"), "{shown}");
        }
    }
}
