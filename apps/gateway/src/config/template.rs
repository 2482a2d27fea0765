//! Texts with variables: `${NAME}`, `${NAME:-default}` and `${env:NAME}`.

use mcp_server::types::peer_text::PeerText;

use super::error::ConfigFault;

/// The maximum size of a text with the values of its variables.
const TEXT_BYTES: usize = 1 << 20;

/// A part of a text.
enum Part<'a> {
    Text(&'a str),
    Variable {
        name: &'a str,
        default: Option<&'a str>,
    },
}

/// Returns the names of the variables in a text.
///
/// ```
/// use mcp_gateway::config::variables;
///
/// assert_eq!(variables("${env:HOST}:${PORT:-80}")?, ["HOST", "PORT"]);
/// assert!(variables("${HOST").is_err());
/// # Ok::<(), mcp_gateway::config::ConfigFault>(())
/// ```
///
/// # Errors
///
/// [`ConfigFault::Variable`] if a variable has no end or an invalid name.
pub fn variables(text: &str) -> Result<Vec<&str>, ConfigFault> {
    let parts = parse(text)?.into_iter();
    let names = parts.filter_map(|part| match part {
        Part::Text(_) => None,
        Part::Variable { name, .. } => Some(name),
    });
    Ok(names.collect())
}

/// Replaces the variables of a text by their values.
pub(super) fn expand(
    text: &str,
    lookup: &impl Fn(&str) -> Option<String>,
) -> Result<String, ConfigFault> {
    let mut expanded = String::new();
    for part in parse(text)? {
        match part {
            Part::Text(text) => expanded.push_str(text),
            Part::Variable { name, default } => match (lookup(name), default) {
                (Some(value), _) => expanded.push_str(&value),
                (None, Some(default)) => expanded.push_str(default),
                (None, None) => return Err(ConfigFault::Unset(PeerText(name).to_string())),
            },
        }
        if expanded.len() > TEXT_BYTES {
            return Err(ConfigFault::TooLong(TEXT_BYTES));
        }
    }
    Ok(expanded)
}

fn parse(text: &str) -> Result<Vec<Part<'_>>, ConfigFault> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some((before, from)) = rest.split_once("${") {
        let (inside, after) = from.split_once('}').ok_or(ConfigFault::Variable)?;
        let (name, default) = match inside.split_once(":-") {
            Some((name, default)) => (name, Some(default)),
            None => (inside, None),
        };
        let name = name.strip_prefix("env:").unwrap_or(name);
        let is_part = |c: char| c.is_ascii_alphanumeric() || "_-.:/".contains(c);
        let is_nested = default.is_some_and(|default| default.contains("${"));
        if name.is_empty() || !name.chars().all(is_part) || is_nested {
            return Err(ConfigFault::Variable);
        }
        parts.push(Part::Text(before));
        parts.push(Part::Variable { name, default });
        rest = after;
    }
    parts.push(Part::Text(rest));
    Ok(parts)
}
