//! How a call waits for a result that its response only announces.

use std::any::Any;

use mcp_types::Request;
use mcp_types::revision::{VersionError, Versioned};
use serde_json::value::RawValue;

use super::decoded::Decoded;
use super::prepared::PreparedCall;
use crate::features::shared_connection::{Answered, LaterResult};
use crate::protocol::error::CallError;
use crate::protocol::params::Params;

impl<R> PreparedCall<R>
where
    R: Request + 'static,
    R::Params: Versioned,
    R::Result: Versioned,
{
    /// Returns the future of the final result if the response announces one.
    pub(super) fn deferred(&self, text: &str) -> Option<LaterResult> {
        self.shared.deferred()?.later(&Answered {
            connection: &self.shared,
            method: R::METHOD,
            timeout: &self.timeout,
            text,
        })
    }

    /// Hands the final result to the features. It announces no further one.
    #[cfg_attr(
        not(feature = "json-schema"),
        expect(clippy::unused_async, reason = "only the check of a schema waits")
    )]
    pub(super) async fn finish_deferred<T>(
        &self,
        params: &Params<'_>,
        text: &RawValue,
        read: Result<Decoded<T>, VersionError>,
        result_of: fn(&mut T) -> &mut dyn Any,
    ) -> Result<T, CallError> {
        #[cfg(not(feature = "json-schema"))]
        let _ = params;
        let mut result = match read {
            Ok(Decoded::Final(result)) => result,
            other => return Err(self.not_final(text, other.err())),
        };
        self.accept(result_of(&mut result));
        #[cfg(feature = "json-schema")]
        if let Some(check) = self.check_output(params, text.get(), result_of(&mut result))? {
            self.features().output_schemas.finish(check).await?;
        }
        Ok(result)
    }
}
