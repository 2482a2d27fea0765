//! What the features do with the final result of a call.

use std::any::Any;

#[cfg(feature = "json-schema")]
use mcp_types::CallToolRequest;
#[cfg(feature = "json-schema")]
use mcp_types::Revision;
use mcp_types::revision::Versioned;
use mcp_types::{ListToolsResult, Request};

use super::prepared::PreparedCall;
#[cfg(feature = "json-schema")]
use crate::features::output_schemas::SlowCheck;
#[cfg(feature = "json-schema")]
use crate::protocol::error::CallError;
#[cfg(feature = "json-schema")]
use crate::protocol::lenient;
#[cfg(feature = "json-schema")]
use crate::protocol::params::Params;

impl<R> PreparedCall<R>
where
    R: Request + 'static,
    R::Params: Versioned,
    R::Result: Versioned,
{
    /// Adapts a final result for the announced proposals, and remembers listed tools.
    pub(super) fn accept(&self, result: &mut dyn Any) {
        for proposal in self.features().proposals {
            proposal.adapt_result(result, self.connection());
        }
        self.learn(result);
    }

    /// Checks the result of a tool call against the output schema of the tool, if it is known, or
    /// returns the check if it may take long.
    #[cfg(feature = "json-schema")]
    pub(super) fn check_output(
        &self,
        params: &Params<'_>,
        text: &str,
        result: &dyn Any,
    ) -> Result<Option<SlowCheck>, CallError> {
        let method = R::METHOD;
        let schemas = &self.features().output_schemas;
        if method != CallToolRequest::METHOD || schemas.is_empty() {
            return Ok(None);
        }
        let Some(tool) = params.string("name") else {
            return Ok(None);
        };
        if let Some(result) = result.downcast_ref() {
            return schemas.check(&tool, result);
        }
        // The application decodes the result into a type of its own.
        let result = lenient::read(self.revision, method, text, Revision::decode);
        let result = result.map_err(|source| CallError::Answer { method, source })?;
        schemas.check(&tool, &result)
    }

    /// Remembers the header parameters and the output schemas of listed tools for later calls.
    pub(super) fn learn(&self, result: &mut dyn Any) {
        let Some(page) = result.downcast_mut::<ListToolsResult>() else {
            return;
        };
        if self.revision.is_modern() {
            self.connection().sender.learn_tools(&mut page.tools);
        }
        #[cfg(feature = "json-schema")]
        self.features().output_schemas.learn(&page.tools);
    }
}
