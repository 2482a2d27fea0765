//! The texts of errors, for responses and for the log.

use std::error::Error as StdError;
use std::fmt;

use mcp_internal::peer_text::{PeerDisplay, PeerText};
use mcp_types::rpc::ErrorObject;

/// An error and its sources in one line of a log: truncated, and safe for terminals.
pub(crate) struct Chain<'a>(pub(crate) &'a (dyn StdError + 'static));

impl fmt::Display for Chain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        PeerDisplay(WithSources(self.0)).fmt(f)
    }
}

/// The whole texts of an error and its sources, separated by colons.
pub(crate) struct WithSources<'a>(pub(crate) &'a (dyn StdError + 'static));

impl fmt::Display for WithSources<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)?;
        let mut source = self.0.source();
        while let Some(error) = source {
            write!(f, ": {error}")?;
            source = error.source();
        }
        Ok(())
    }
}

/// Returns -32602 with the place, for params that do not have the form of the method's params.
pub(crate) fn invalid_params(method: &str, error: &dyn StdError) -> ErrorObject {
    ErrorObject::invalid_params(format!("params of `{}`: {error}", short(method)))
}

/// Returns -32601 with the method's name.
pub(crate) fn method_not_found(method: &str) -> ErrorObject {
    ErrorObject::method_not_found(format!("no method `{}`", short(method)))
}

/// Truncates and escapes a peer's text so that it can be part of an error message.
pub(crate) fn short(text: &str) -> String {
    PeerText(text).to_string()
}
