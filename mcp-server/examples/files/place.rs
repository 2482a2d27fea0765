//! [`Place`]: a path below the root, which converts to a URI and to text.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Component, Path};

/// The beginning of all URIs. It is also the URI of the root.
pub(crate) const ROOT: &str = "file:///";

/// The characters U+10FF00 to U+10FFFF, for private use, stand for the bytes of a name that are not
/// UTF-8.
const BYTES: u32 = 0x10_FF00;

/// The names on the path from the root; empty for the root itself.
///
/// Each name is a valid name of the file system: it is not empty, `.` or `..`, and contains no
/// separator. Whatever a place is parsed from, it is below the root.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Place(Vec<OsString>);

impl Place {
    /// Parses a canonical URI. Percent-encoded slashes are not separators.
    pub(crate) fn from_uri(uri: &str) -> Option<Self> {
        let path = uri.strip_prefix(ROOT)?;
        let path = path.strip_suffix('/').unwrap_or(path);
        if path.is_empty() {
            return (uri == ROOT).then(Self::default);
        }
        let names = path.split('/').map(|part| name(&percent_decoded(part)?));
        names.collect::<Option<Vec<_>>>().map(Self)
    }

    /// Parses the result of [`Self::to_text`].
    pub(crate) fn from_text(text: &str) -> Option<Self> {
        if text.is_empty() {
            return Some(Self::default());
        }
        let names = text.split('/').map(name);
        names.collect::<Option<Vec<_>>>().map(Self)
    }

    /// Parses a path that is relative to the root.
    pub(crate) fn from_path(path: &Path) -> Option<Self> {
        let names = path.components().map(|component| match component {
            Component::Normal(name) => Some(name.to_owned()),
            _ => None,
        });
        names.collect::<Option<Vec<_>>>().map(Self)
    }

    /// Returns the URI in canonical spelling. The URI of a folder ends with a slash.
    pub(crate) fn to_uri(&self, folder: bool) -> String {
        let mut uri = String::from(ROOT);
        for (at, name) in self.0.iter().enumerate() {
            if at > 0 {
                uri.push('/');
            }
            percent_encode(&mut uri, &text(name));
        }
        if folder && !self.0.is_empty() {
            uri.push('/');
        }
        uri
    }

    /// Returns the names, separated by slashes.
    pub(crate) fn to_text(&self) -> String {
        let names: Vec<String> = self.0.iter().map(|name| text(name)).collect();
        names.join("/")
    }

    pub(crate) fn names(&self) -> &[OsString] {
        &self.0
    }

    /// Returns the last name; `None` for the root.
    pub(crate) fn name(&self) -> Option<&OsStr> {
        self.0.last().map(OsString::as_os_str)
    }

    /// Returns the parent folder and the name in it; `None` for the root.
    pub(crate) fn split(&self) -> Option<(Self, &OsStr)> {
        let (name, folder) = self.0.split_last()?;
        Some((Self(folder.to_vec()), name))
    }

    /// Returns the place with this name, which must be valid, in this folder.
    pub(crate) fn join(&self, name: &OsStr) -> Self {
        let mut names = self.0.clone();
        names.push(name.to_owned());
        Self(names)
    }

    pub(crate) fn push(&mut self, name: &OsStr) {
        self.0.push(name.to_owned());
    }

    pub(crate) fn pop(&mut self) {
        self.0.pop();
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_uri(false))
    }
}

/// Converts a name to text, reversibly: bytes that are not UTF-8 become characters for private use,
/// and so do the bytes of these characters.
pub(crate) fn text(name: &OsStr) -> String {
    let bytes = name.as_encoded_bytes();
    let escaped = |byte: &u8| char::from_u32(BYTES + u32::from(*byte)).unwrap_or_default();
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            if u32::from(character) < BYTES {
                text.push(character);
            } else {
                let mut buffer = [0; 4];
                let bytes = character.encode_utf8(&mut buffer).as_bytes();
                text.extend(bytes.iter().map(escaped));
            }
        }
        text.extend(chunk.invalid().iter().map(escaped));
    }
    text
}

/// Returns the name for a text; `None` if the name is invalid or the text is not its canonical
/// form.
fn name(from: &str) -> Option<OsString> {
    let mut bytes = Vec::with_capacity(from.len());
    for character in from.chars() {
        match u32::from(character).checked_sub(BYTES) {
            Some(byte) => bytes.push(u8::try_from(byte).ok()?),
            None => bytes.extend(character.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    if !is_name(&bytes, cfg!(windows)) {
        return None;
    }
    let name = os_string(bytes);
    (text(&name) == from).then_some(name)
}

/// Returns `true` for what can be a name of a file. On Windows, `\` separates names, and `:` follows a drive or
/// precedes a stream of a file.
fn is_name(bytes: &[u8], on_windows: bool) -> bool {
    let separators: &[u8] = if on_windows { b"\0/\\:" } else { b"\0/" };
    let separates = |byte: &u8| separators.contains(byte);
    !matches!(bytes, b"" | b"." | b"..") && !bytes.iter().any(separates)
}

#[cfg(unix)]
fn os_string(bytes: Vec<u8>) -> OsString {
    std::os::unix::ffi::OsStringExt::from_vec(bytes)
}

/// On this system, names that are not Unicode would change, so they cannot be requested.
#[cfg(not(unix))]
fn os_string(bytes: Vec<u8>) -> OsString {
    String::from_utf8_lossy(&bytes).into_owned().into()
}

/// Keeps the characters that a path may contain (RFC 3986, 3.3).
fn percent_encode(uri: &mut String, text: &str) {
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
}

fn percent_decoded(part: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(part.len());
    let mut rest = part.as_bytes();
    while let Some((&byte, behind)) = rest.split_first() {
        rest = behind;
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let (digits, behind) = rest.split_first_chunk::<2>()?;
        let digits = digits.map(|digit| char::from(digit).to_digit(16));
        let [Some(high), Some(low)] = digits else {
            return None;
        };
        bytes.push(u8::try_from(high * 16 + low).ok()?);
        rest = behind;
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::is_name;

    #[test]
    fn what_separates_names_is_in_no_name() {
        for name in ["", ".", "..", "a/b", "a\0"] {
            assert!(!is_name(name.as_bytes(), false), "{name}");
            assert!(!is_name(name.as_bytes(), true), "{name}");
        }
        for name in [
            "..\\x",
            "C:x",
            "\\\\host\\share",
            "\\\\.\\pipe\\x",
            "a.txt:b",
            "a.txt::$DATA",
        ] {
            assert!(is_name(name.as_bytes(), false), "{name}");
            assert!(!is_name(name.as_bytes(), true), "{name}");
        }
    }
}
