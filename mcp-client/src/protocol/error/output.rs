//! Errors of structured results that do not match the output schema of their tool.

use mcp_types::CallToolResult;
use mcp_types::error::DecodeError;

/// Why a structured result does not match the tool's `outputSchema`.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum OutputError {
    /// The result has no structured content.
    #[error("the structured content is missing, but the tool has an output schema")]
    Missing,
    /// The structured content does not match the schema.
    #[error("the structured content does not match the output schema{}", list(.faults))]
    Mismatch {
        /// What is wrong and where: at most 8 faults, without the values. Empty if collecting them
        /// would take too long: for a large value, or for a deep one whose schema refers to itself
        /// in several ways.
        faults: Vec<DecodeError>,
    },
    /// The schema is invalid or not supported, or checking would take too long, for which the
    /// schema may have been designed. A result is not rejected because of this: the reason is
    /// logged, and the result is not checked. The dialects 2020-12 (the default), 2019-09, draft 7,
    /// draft 6 and draft 4 are supported, but not references to other documents and not several
    /// schemas with an `$id` in one document.
    #[error("the output schema cannot be used: {reason}")]
    Schema {
        /// What is wrong with it.
        reason: String,
    },
}

/// Returns the faults as one text, separated by semicolons.
fn list(faults: &[DecodeError]) -> String {
    let mut text = String::new();
    for (index, fault) in faults.iter().enumerate() {
        let before = if index == 0 { ": " } else { "; " };
        text.push_str(&format!("{before}{fault}"));
    }
    text
}

/// A result whose structured content does not match the output schema.
#[derive(Debug)]
#[non_exhaustive]
pub struct BrokenOutput {
    /// The tool.
    pub tool: String,
    /// What is wrong.
    pub error: OutputError,
    /// The result.
    pub result: CallToolResult,
}

impl std::fmt::Display for BrokenOutput {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "`{}`: {}", self.tool, self.error)
    }
}

impl std::error::Error for BrokenOutput {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}
