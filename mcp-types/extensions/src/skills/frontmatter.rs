//! The frontmatter of a `SKILL.md`: the YAML between two lines `---` at its beginning.

use std::collections::HashSet;

use mcp_types::json::{Object, Value};
use thiserror::Error;

use mcp_guard::yaml::{self, YamlError, YamlLimits};

/// The maximum length of a frontmatter in bytes.
pub const LIMIT: usize = 64 * 1024;
const LIMITS: YamlLimits = YamlLimits {
    depth: 16,
    values: 4096,
    alias_bytes: 0,
};
const NAME_CHARS: usize = 64;
const DESCRIPTION_CHARS: usize = 1024;
const COMPATIBILITY_CHARS: usize = 500;

/// A frontmatter breaks the rules of the Agent Skills format.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum FrontmatterError {
    /// The file is not text.
    #[error("`SKILL.md` is not UTF-8")]
    NotText,
    /// The file does not begin with a frontmatter.
    #[error("`SKILL.md` does not begin with a line `---`")]
    Missing,
    /// The frontmatter has no end.
    #[error("the frontmatter has no closing line `---`")]
    Unclosed,
    /// The frontmatter is too long.
    #[error("the frontmatter has more than {LIMIT} bytes")]
    TooLong,
    /// The frontmatter is no YAML that is accepted.
    #[error("the frontmatter has {0}")]
    Yaml(#[from] YamlError),
    /// The frontmatter is another value.
    #[error("the frontmatter is not a mapping")]
    NotAMapping,
    /// The name is missing or invalid.
    #[error(
        "`name` is not 1 to {NAME_CHARS} lower-case letters, digits and single hyphens between them"
    )]
    Name,
    /// The description is missing or has an invalid length.
    #[error("`description` is not a text of 1 to {DESCRIPTION_CHARS} characters")]
    Description,
    /// The compatibility has an invalid length.
    #[error("`compatibility` is not a text of 1 to {COMPATIBILITY_CHARS} characters")]
    Compatibility,
}

/// Returns the frontmatter of a `SKILL.md`, which follows the rules.
///
/// # Errors
///
/// See [`FrontmatterError`].
pub fn parse(file: &[u8]) -> Result<Object, FrontmatterError> {
    let text = std::str::from_utf8(file).map_err(|_| FrontmatterError::NotText)?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let Some((first, rest)) = text.split_once('\n') else {
        return Err(FrontmatterError::Missing);
    };
    if !is_fence(first) {
        return Err(FrontmatterError::Missing);
    }
    let mut length = 0;
    for line in rest.split_inclusive('\n') {
        if is_fence(line) {
            let Value::Object(members) = yaml::parse(&rest[..length], LIMITS)? else {
                return Err(FrontmatterError::NotAMapping);
            };
            check(&members)?;
            return Ok(members);
        }
        length += line.len();
        if length > LIMIT {
            return Err(FrontmatterError::TooLong);
        }
    }
    Err(FrontmatterError::Unclosed)
}

fn is_fence(line: &str) -> bool {
    line.trim_end() == "---"
}

/// Checks a frontmatter as JSON.
///
/// # Errors
///
/// See [`FrontmatterError`].
pub fn check(frontmatter: &Object) -> Result<(), FrontmatterError> {
    let text = |name| frontmatter.get(name).and_then(Value::as_str);
    if !text("name").is_some_and(is_name) {
        return Err(FrontmatterError::Name);
    }
    let has_length = |text: &str, most| !text.trim().is_empty() && text.chars().count() <= most;
    if !text("description").is_some_and(|text| has_length(text, DESCRIPTION_CHARS)) {
        return Err(FrontmatterError::Description);
    }
    if frontmatter.contains_key("compatibility")
        && !text("compatibility").is_some_and(|text| has_length(text, COMPATIBILITY_CHARS))
    {
        return Err(FrontmatterError::Compatibility);
    }
    Ok(())
}

fn is_name(name: &str) -> bool {
    let is_part = |part: &str| {
        !part.is_empty() && part.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9'))
    };
    name.len() <= NAME_CHARS && name.split('-').all(is_part)
}

/// Returns the first member in which two frontmatters differ. Numbers are compared by value: some
/// servers write `1.0` as `1`.
#[must_use]
pub fn difference<'a>(one: &'a Object, other: &'a Object) -> Option<&'a str> {
    // Otherwise a peer could make each comparison search a very long object.
    if one.len() != other.len() {
        let (long, short) = if one.len() > other.len() {
            (one, other)
        } else {
            (other, one)
        };
        let known: HashSet<&str> = short.keys().collect();
        return long
            .keys()
            .find(|name| !known.contains(name))
            .or_else(|| long.keys().next());
    }
    let differs = |name: &&str| match (one.get(name), other.get(name)) {
        (Some(one), Some(other)) => !is_same(one, other),
        _ => true,
    };
    one.keys().chain(other.keys()).find(differs)
}

fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            one == other
                || one
                    .as_f64()
                    .is_some_and(|value| other.as_f64() == Some(value))
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .zip(other)
                    .all(|(one, other)| is_same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => difference(one, other).is_none(),
        _ => one == other,
    }
}
