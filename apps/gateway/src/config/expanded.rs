//! [`Expanded`]: a text of a file with the values of its variables.

use std::fmt;

/// A text with the values of its variables, which may be secrets. `Debug` shows the text of the
/// file instead, or nothing of a value of a header or an environment variable.
#[derive(Clone, PartialEq, Eq)]
pub struct Expanded {
    value: String,
    shown: Option<String>,
}

impl Expanded {
    /// A text whose source may be shown.
    pub(super) fn shown(value: String, shown: impl Into<String>) -> Self {
        let shown = Some(shown.into());
        Self { value, shown }
    }

    /// A secret.
    pub(super) fn hidden(value: String) -> Self {
        Self { value, shown: None }
    }

    /// Returns the text, which may be a secret.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.value
    }

    /// Returns the text, which may be a secret.
    #[must_use]
    pub fn into_exposed(self) -> String {
        self.value
    }
}

impl fmt::Debug for Expanded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.shown {
            Some(shown) => fmt::Debug::fmt(shown, f),
            None => f.write_str("…"),
        }
    }
}
