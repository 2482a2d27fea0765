//! [`DefinitionError`]: an error in a tool, prompt, resource or template.

use mcp_types::error::DecodeError;
use mcp_types::{Icon, InvalidIcon};

/// An error in a definition, with its place.
#[doc(hidden)]
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct DefinitionError(String);

impl From<String> for DefinitionError {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl From<&str> for DefinitionError {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl From<InvalidIcon> for DefinitionError {
    fn from(error: InvalidIcon) -> Self {
        Self(error.to_string())
    }
}

/// Rejects names that a client cannot show, or would show as something else.
pub(crate) fn check_name(name: &str) -> Result<(), DefinitionError> {
    if name.is_empty() {
        return Err("the name is empty".into());
    }
    if name.chars().any(char::is_control) {
        return Err("the name has a control character".into());
    }
    Ok(())
}

/// Checks the icons of a definition.
pub(crate) fn check_icons(icons: Option<&Vec<Icon>>) -> Result<(), InvalidIcon> {
    icons.into_iter().flatten().try_for_each(Icon::check)
}

impl From<DecodeError> for DefinitionError {
    fn from(error: DecodeError) -> Self {
        Self(error.to_string())
    }
}
