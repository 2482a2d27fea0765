//! Errors of structured results that break the schema of their tool.

use mcp_types::CallToolResult;
use mcp_types::error::DecodeError;

/// Why a structured result does not pass the check against the tool's `outputSchema`.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum OutputError {
    /// The result has no structured content.
    #[error("there is no structured content")]
    Missing,
    /// The structured content breaks the schema.
    #[error("the structured content breaks its schema{}", list(.faults))]
    Mismatch {
        /// What is wrong and where: at most 8 faults. None where to collect them would take too
        /// long: for a large value, or a deep one whose schema refers to itself in several ways.
        /// Values are not repeated.
        faults: Vec<DecodeError>,
    },
    /// The schema is invalid; or of another dialect than 2020-12, which is the default, 2019-09, draft
    /// 7 and draft 6; or it refers to what is not in it, for nothing is fetched; or it is made of
    /// several schemas that each have an `$id`.
    #[error("the schema of the structured content cannot be used: {reason}")]
    Schema {
        /// What is wrong with it.
        reason: String,
    },
    /// Checking would take too long. The schema may have been made for that.
    #[error("to check the structured content would take too long")]
    Costly,
}

/// The faults as one text, separated by semicolons.
fn list(faults: &[DecodeError]) -> String {
    let mut text = String::new();
    for (index, fault) in faults.iter().enumerate() {
        let before = if index == 0 { ": " } else { "; " };
        text.push_str(&format!("{before}{fault}"));
    }
    text
}

/// A result whose structured content fails the check, with the reason.
#[derive(Debug)]
#[non_exhaustive]
pub struct BrokenOutput {
    /// The tool.
    pub tool: String,
    /// What is wrong.
    pub error: OutputError,
    /// What the tool answered.
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
