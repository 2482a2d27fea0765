//! The grammar of a field: each byte is looked at a fixed number of times.

use super::{AuthChallenge, CHALLENGE_BYTES, CHALLENGE_PARAMS, CHALLENGES, ChallengeError};

/// Parses a field. The challenges before a fault are kept.
pub(super) fn field(field: &[u8], found: &mut Vec<AuthChallenge>) -> Result<(), ChallengeError> {
    if field.len() > CHALLENGE_BYTES {
        return Err(ChallengeError::TooLarge);
    }
    let mut input = Input {
        bytes: field,
        at: 0,
    };
    loop {
        input.skip_list_separators();
        if input.is_at_end() {
            return Ok(());
        }
        let scheme = input.token("the name of a scheme")?;
        let mut challenge = AuthChallenge::new(scheme);
        if input.peek() == Some(b' ') {
            input.skip_space();
            match input.token68() {
                Some(text) => challenge.token68 = Some(text),
                None => params(&mut input, &mut challenge)?,
            }
        }
        input.expect_end_of_element()?;
        if found.len() >= CHALLENGES {
            return Err(ChallengeError::TooLarge);
        }
        found.push(challenge);
    }
}

/// Parses the parameters up to the next challenge.
fn params(input: &mut Input<'_>, challenge: &mut AuthChallenge) -> Result<(), ChallengeError> {
    loop {
        let start = input.at;
        input.skip_list_separators();
        let at = input.at;
        let name = match input.token("a parameter") {
            Ok(name) => name.to_ascii_lowercase(),
            Err(_) if input.is_at_end() => return Ok(()),
            Err(fault) => return Err(fault),
        };
        input.skip_space();
        if input.peek() != Some(b'=') {
            // The name of the next challenge. It needs a comma before it.
            let separated = input.bytes.get(start..at).unwrap_or_default();
            if !separated.contains(&b',') {
                let expected = "`=` after the name of a parameter";
                return Err(ChallengeError::Syntax { at, expected });
            }
            // Before the comma, so that the caller finds the end of the element.
            input.at = start;
            return Ok(());
        }
        input.at += 1;
        input.skip_space();
        let value = match input.peek() {
            Some(b'"') => input.quoted_string()?,
            _ => input.token("the value of a parameter")?.to_owned(),
        };
        if challenge.params.iter().any(|(known, _)| *known == name) {
            return Err(ChallengeError::Repeated { at });
        }
        if challenge.params.len() >= CHALLENGE_PARAMS {
            return Err(ChallengeError::TooLarge);
        }
        challenge.params.push((name, value));
        input.expect_end_of_element()?;
    }
}

struct Input<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Input<'a> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn is_at_end(&self) -> bool {
        self.at >= self.bytes.len()
    }

    fn skip_while(&mut self, skipped: impl Fn(u8) -> bool) {
        while self.peek().is_some_and(&skipped) {
            self.at += 1;
        }
    }

    fn skip_space(&mut self) {
        self.skip_while(|byte| matches!(byte, b' ' | b'\t'));
    }

    /// Lists may have empty elements.
    fn skip_list_separators(&mut self) {
        self.skip_while(|byte| matches!(byte, b' ' | b'\t' | b','));
    }

    /// Skips white space, and leaves the comma.
    fn expect_end_of_element(&mut self) -> Result<(), ChallengeError> {
        self.skip_space();
        match self.peek() {
            None | Some(b',') => Ok(()),
            Some(_) => Err(self.expected("a comma")),
        }
    }

    fn expected(&self, expected: &'static str) -> ChallengeError {
        let at = self.at;
        ChallengeError::Syntax { at, expected }
    }

    fn token(&mut self, expected: &'static str) -> Result<&'a str, ChallengeError> {
        let start = self.at;
        self.skip_while(is_token_char);
        let token = self.bytes.get(start..self.at).unwrap_or_default();
        match std::str::from_utf8(token) {
            Ok(token) if !token.is_empty() => Ok(token),
            _ => Err(self.expected(expected)),
        }
    }

    /// Returns the text of a scheme that has no parameters, such as `Negotiate`; `None`, and
    /// nothing is skipped, if there are parameters.
    fn token68(&mut self) -> Option<String> {
        let start = self.at;
        self.skip_while(|byte| byte.is_ascii_alphanumeric() || b"-._~+/".contains(&byte));
        let is_text = self.at > start;
        self.skip_while(|byte| byte == b'=');
        let end = self.at;
        if !is_text || self.expect_end_of_element().is_err() {
            self.at = start;
            return None;
        }
        let text = self.bytes.get(start..end).unwrap_or_default();
        Some(String::from_utf8_lossy(text).into_owned())
    }

    fn quoted_string(&mut self) -> Result<String, ChallengeError> {
        self.at += 1;
        let mut value = Vec::new();
        loop {
            let byte = self.peek();
            let byte = byte.ok_or_else(|| self.expected("a quote at the end of the value"))?;
            self.at += 1;
            match byte {
                b'"' => return Ok(String::from_utf8_lossy(&value).into_owned()),
                b'\\' => {
                    let escaped = self.peek();
                    let escaped = escaped.filter(|byte| is_text_char(*byte));
                    let escaped =
                        escaped.ok_or_else(|| self.expected("a character after the backslash"))?;
                    self.at += 1;
                    value.push(escaped);
                }
                byte if is_text_char(byte) => value.push(byte),
                _ => {
                    self.at -= 1;
                    return Err(self.expected("no control characters in a value"));
                }
            }
        }
    }
}

pub(super) fn is_token_char(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

fn is_text_char(byte: u8) -> bool {
    matches!(byte, b'\t' | b' '..=b'~' | 0x80..)
}
