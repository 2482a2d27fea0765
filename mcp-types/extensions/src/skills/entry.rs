//! The rules for what a server says of a skill, and for the files that it lists.

use std::collections::HashSet;
use std::fmt::Write as _;

use mcp_types::uri::{canonical, percent_decode};
use mcp_types::{Skill, SkillResource, SkillResources};
use sha2::{Digest as _, Sha256};
use thiserror::Error;

use super::frontmatter::{self, FrontmatterError};
use super::{MAX_BYTES, MAX_FILES, SKILL_FILE};

const DIGEST_PREFIX: &str = "sha256:";

/// The entry of a skill breaks a rule that needs no file to check.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum EntryError {
    /// The URI is not that of a `SKILL.md` in a folder.
    #[error("its URI does not end with a folder and `/{SKILL_FILE}`")]
    Uri,
    /// The frontmatter breaks a rule.
    #[error(transparent)]
    Frontmatter(#[from] FrontmatterError),
    /// The folder has another name than the skill.
    #[error("its folder has another name than `{0}`")]
    Name(String),
    /// The skill does not list its `SKILL.md`.
    #[error("it does not list its `{SKILL_FILE}`")]
    NoSkillFile,
    /// A file is not in the folder of the skill.
    #[error("the file `{0}` is not in its folder")]
    Outside(String),
    /// A file is listed more than once.
    #[error("the file `{0}` is listed twice")]
    DuplicateFile(String),
    /// A digest has another form.
    #[error("the digest of `{0}` is not `sha256:` with 64 lower-case hexadecimal digits")]
    Digest(String),
    /// The skill has too many files.
    #[error("it has {0} files, more than {MAX_FILES}")]
    Files(usize),
    /// The skill is too large.
    #[error("its files have {0} bytes, more than {MAX_BYTES}")]
    Bytes(u64),
}

/// Bytes are not those of a listed file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Mismatch {
    /// They have another length.
    #[error("it has another size than the {0} bytes that are listed")]
    Size(u64),
    /// They have another digest.
    #[error("it has another digest than the one that is listed")]
    Digest,
}

/// The rules for the entry of a skill.
pub trait SkillRules {
    /// Returns the URI of its folder, without a slash at the end. Empty if the URI is invalid.
    fn folder(&self) -> &str;

    /// Returns the path of a file within the folder of the skill: names without `.` and `..`,
    /// separated by `/`. `None` if the URI is not in the folder.
    fn path_of(&self, uri: &str) -> Option<String>;

    /// Checks the rules that need no file to check.
    ///
    /// # Errors
    ///
    /// See [`EntryError`].
    fn check(&self) -> Result<(), EntryError>;
}

impl SkillRules for Skill {
    fn folder(&self) -> &str {
        folder_of(&self.uri).unwrap_or_default()
    }

    fn path_of(&self, uri: &str) -> Option<String> {
        // Peers may disagree on what such a segment means.
        let is_dots = |name: &str| matches!(percent_decode(name).as_deref(), Some(b"." | b".."));
        if uri.split('/').any(is_dots) {
            return None;
        }
        let (folder, uri) = (canonical(folder_of(&self.uri)?), canonical(uri));
        let path = uri.strip_prefix(&*folder)?.strip_prefix('/')?;
        if path.contains(['?', '#']) {
            return None;
        }
        let names: Option<Vec<String>> = path.split('/').map(name_of).collect();
        Some(names?.join("/"))
    }

    fn check(&self) -> Result<(), EntryError> {
        let folder = folder_of(&self.uri).ok_or(EntryError::Uri)?;
        frontmatter::check(&self.frontmatter)?;
        if folder.rsplit('/').next() != Some(self.name()) {
            return Err(EntryError::Name(self.name().to_owned()));
        }
        let SkillResources::Files(files) = &self.resources else {
            return Ok(());
        };
        if files.len() > MAX_FILES {
            return Err(EntryError::Files(files.len()));
        }
        let mut paths = HashSet::new();
        let mut bytes = 0_u64;
        for file in files {
            let path = self.path_of(&file.uri);
            let path = path.ok_or_else(|| EntryError::Outside(file.uri.clone()))?;
            if !paths.insert(path) {
                return Err(EntryError::DuplicateFile(file.uri.clone()));
            }
            if !is_digest(&file.digest) {
                return Err(EntryError::Digest(file.uri.clone()));
            }
            bytes = bytes.saturating_add(file.byte_count());
        }
        if bytes > MAX_BYTES {
            return Err(EntryError::Bytes(bytes));
        }
        if !files.iter().any(|file| file.uri == self.uri) {
            return Err(EntryError::NoSkillFile);
        }
        Ok(())
    }
}

/// Describes a file with these bytes.
#[must_use]
pub fn describe(uri: String, bytes: &[u8]) -> SkillResource {
    let size = i64::try_from(bytes.len()).unwrap_or(i64::MAX);
    SkillResource::new(uri, digest(bytes), size)
}

/// Compares bytes with the size of a file, and then with its digest.
///
/// # Errors
///
/// See [`Mismatch`].
pub fn verify(file: &SkillResource, bytes: &[u8]) -> Result<(), Mismatch> {
    if i64::try_from(bytes.len()) != Ok(file.size) {
        Err(Mismatch::Size(file.byte_count()))
    } else if digest(bytes) != file.digest {
        Err(Mismatch::Digest)
    } else {
        Ok(())
    }
}

/// Returns the digest of bytes, in the form of [`SkillResource::digest`].
#[must_use]
pub fn digest(bytes: &[u8]) -> String {
    let mut text = DIGEST_PREFIX.to_owned();
    for byte in Sha256::digest(bytes) {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

fn is_digest(text: &str) -> bool {
    text.strip_prefix(DIGEST_PREFIX).is_some_and(|digits| {
        digits.len() == 64
            && digits
                .bytes()
                .all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
    })
}

/// Returns the URI of the folder of a `SKILL.md`.
fn folder_of(uri: &str) -> Option<&str> {
    let folder = uri.strip_suffix(SKILL_FILE)?.strip_suffix('/')?;
    let (_, path) = folder.split_once(':')?;
    let is_folder = !path.ends_with('/') && !path.is_empty() && !path.contains(['?', '#']);
    is_folder.then_some(folder)
}

/// Decodes a segment of a URI that is the name of a file.
fn name_of(segment: &str) -> Option<String> {
    let name = String::from_utf8(percent_decode(segment)?).ok()?;
    is_file_name(&name).then_some(name)
}

/// Returns the canonical URI of a file: the path below a URI that ends with a slash.
#[must_use]
pub fn uri_below(folder: &str, path: &str) -> String {
    let path = path
        .replace('%', "%25")
        .replace('?', "%3F")
        .replace('#', "%23");
    canonical(&format!("{folder}{path}")).into_owned()
}

/// Returns `true` for text that is one segment of a path on every system: it has no separator, drive
/// or control character. Names that some systems reserve, such as `NUL`, are allowed.
#[must_use]
pub fn is_file_name(name: &str) -> bool {
    let is_special = |c: char| matches!(c, '/' | '\\' | ':') || c.is_control();
    !matches!(name, "" | "." | "..") && !name.contains(is_special)
}
