//! Tokens and keys that are recognized by their form, wherever they are.

use std::ops::Range;

/// The form of the tokens of a service.
struct Form {
    start: &'static str,
    /// The minimum number of letters, digits, `_` and `-` after the start.
    rest: usize,
    /// Whether names of other things begin in the same way. Then the rest has to be mixed from
    /// capital letters, small letters and digits.
    is_common: bool,
}

const fn form(start: &'static str, rest: usize) -> Form {
    Form {
        start,
        rest,
        is_common: false,
    }
}

const fn common(start: &'static str, rest: usize) -> Form {
    Form {
        start,
        rest,
        is_common: true,
    }
}

/// The forms that services document for their tokens.
const TOKENS: [Form; 27] = [
    form("ghp_", 20),
    form("gho_", 20),
    form("ghu_", 20),
    form("ghs_", 20),
    form("ghr_", 20),
    form("github_pat_", 20),
    form("glpat-", 16),
    form("xoxa-", 10),
    form("xoxb-", 10),
    form("xoxe-", 10),
    form("xoxp-", 10),
    form("xoxr-", 10),
    form("xoxs-", 10),
    form("xapp-", 10),
    common("sk-", 17),
    form("sk-ant-", 17),
    form("sk_live_", 16),
    form("sk_test_", 16),
    form("rk_live_", 16),
    form("whsec_", 16),
    form("AKIA", 16),
    form("ASIA", 16),
    form("AIza", 30),
    form("npm_", 30),
    common("hf_", 20),
    form("pypi-AgE", 20),
    form("dckr_pat_", 16),
];

/// What begins and ends a key in PEM.
const PEM: [&str; 2] = ["-----BEGIN ", "-----END "];

/// What ends the first line of a private key.
const PRIVATE: [&str; 2] = ["PRIVATE KEY-----", "PRIVATE KEY BLOCK-----"];

/// Returns `true` if a text contains a token or a private key.
pub(super) fn has_secret(text: &str) -> bool {
    let mut found = Vec::new();
    find(text, &mut found);
    !found.is_empty()
}

/// Finds the tokens and the private keys in a text.
pub(super) fn find(text: &str, found: &mut Vec<Range<usize>>) {
    find_keys(text, found);
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let length = word(bytes, at);
        if length == 0 {
            at += 1;
            // Such as `%3D`.
            let is_escape = |byte: &&u8| byte.is_ascii_hexdigit();
            if byte == b'%' && bytes.iter().skip(at).take(2).filter(is_escape).count() == 2 {
                at += 2;
            }
            continue;
        }
        let end = at + length;
        let token = bytes.get(at..end).unwrap_or_default();
        if TOKENS.iter().any(|form| form.fits(token)) {
            found.push(at..end);
        } else if token.starts_with(b"eyJ")
            && let Some(end) = json_web_token(bytes, at)
        {
            found.push(at..end);
            at = end;
            continue;
        }
        at = end;
    }
}

/// Returns the length of the letters, digits, `_` and `-` at a position.
fn word(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    rest.iter().take_while(is_part).count()
}

impl Form {
    fn fits(&self, token: &[u8]) -> bool {
        let Some(rest) = token.strip_prefix(self.start.as_bytes()) else {
            return false;
        };
        let has = |is: fn(&u8) -> bool| rest.iter().any(is);
        let is_mixed =
            has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase) && has(u8::is_ascii_digit);
        rest.len() >= self.rest && (is_mixed || !self.is_common)
    }
}

/// Returns the end of a JSON Web Token: at least three parts, the first of which is a header. A
/// single part may be anything in Base64, such as a cursor.
fn json_web_token(bytes: &[u8], start: usize) -> Option<usize> {
    let (mut end, mut parts) = (start, 0);
    loop {
        let length = word(bytes, end);
        end += length;
        parts += 1;
        // The signature may be absent, and the key of an encrypted token, too.
        if parts == 2 && length < 4 {
            return None;
        }
        if parts == 5 || bytes.get(end) != Some(&b'.') {
            break;
        }
        end += 1;
    }
    (parts >= 3).then_some(end)
}

/// Finds private keys in PEM. One without an end is removed to the end of the text.
fn find_keys(text: &str, found: &mut Vec<Range<usize>>) {
    let mut at = 0;
    while let Some(start) = next(text, at, PEM[0]) {
        at = start + PEM[0].len();
        if !starts_key(text.get(start..).unwrap_or_default()) {
            continue;
        }
        let end = next(text, at, PEM[1]).and_then(|end| {
            let end = end + PEM[1].len();
            Some(next(text, end, "-----")? + "-----".len())
        });
        let end = end.unwrap_or(text.len());
        found.push(start..end);
        at = end;
    }
}

fn next(text: &str, from: usize, wanted: &str) -> Option<usize> {
    Some(from + text.get(from..)?.find(wanted)?)
}

/// Returns `true` for a text that begins with a private key.
pub(super) fn starts_key(text: &str) -> bool {
    let label = text.strip_prefix(PEM[0]).unwrap_or_default();
    let end = label.find("-----").map_or(0, |end| end + "-----".len());
    let label = label.get(..end).unwrap_or_default();
    PRIVATE.iter().any(|ending| label.ends_with(ending))
}

/// Returns `true` if a private key begins in a line and does not end in it.
pub(super) fn opens_key(line: &str) -> bool {
    let start = line.rfind(PEM[0]);
    let key = start
        .and_then(|start| line.get(start..))
        .unwrap_or_default();
    starts_key(key) && !key.contains(PEM[1])
}

/// Returns `true` if a key ends in a line.
pub(super) fn closes_key(line: &str) -> bool {
    line.contains(PEM[1])
}
