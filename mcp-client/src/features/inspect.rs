//! [`Inspect`]: lets features look into the values that calls return.

use std::any::Any;

use mcp_types::{CallToolResult, GetPromptResult, ListToolsResult, Outcome};

/// A value that a call returns. It contains the result of the request.
pub(crate) trait Inspect {
    /// Returns the result if it is of a type that features look into.
    fn inspect(&mut self) -> KnownResult<'_>;
}

impl<T: Outcome + 'static> Inspect for T {
    fn inspect(&mut self) -> KnownResult<'_> {
        KnownResult::of(self)
    }
}

/// A result of a type that features look into.
#[cfg_attr(
    not(feature = "proposals"),
    expect(dead_code, reason = "only proposals look into prompts")
)]
pub(crate) enum KnownResult<'a> {
    ListTools(&'a mut ListToolsResult),
    CallTool(&'a mut CallToolResult),
    GetPrompt(&'a mut GetPromptResult),
    /// Any other result, or one that the program decodes into a type of its own.
    Other,
}

impl<'a> KnownResult<'a> {
    /// Recognises a result by its type. A trait with an implementation for each type would exclude
    /// requests that the program defines.
    pub(crate) fn of<T: 'static>(result: &'a mut T) -> Self {
        let result: &mut dyn Any = result;
        if result.is::<ListToolsResult>() {
            result.downcast_mut().map_or(Self::Other, Self::ListTools)
        } else if result.is::<CallToolResult>() {
            result.downcast_mut().map_or(Self::Other, Self::CallTool)
        } else {
            result.downcast_mut().map_or(Self::Other, Self::GetPrompt)
        }
    }
}
