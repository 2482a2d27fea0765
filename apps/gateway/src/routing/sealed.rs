//! What an upstream hands to a client and gets back from it: ids of tasks, states of questions, and
//! cursors.
//!
//! An upstream sees one client, the gateway, so it cannot tell the users apart. The gateway seals
//! these texts for the user who got them, with the keys of its server.

use std::fmt::Display;

use mcp_server::types::json::{self, Map};
use mcp_server::{Context, HandlerError, SealError};
use serde_json::value::RawValue;

/// The member of the result with questions, and of the next request.
pub(crate) const STATE: &str = "requestState";

/// The member of the next request with the answers.
pub(crate) const RESPONSES: &str = "inputResponses";

/// The member of the params of a request for a page, and that of the page before.
pub(crate) const CURSOR: &str = "cursor";
pub(crate) const NEXT_CURSOR: &str = "nextCursor";

/// A kind of text that is sealed.
#[derive(Clone, Copy)]
pub(crate) enum Sealed {
    Task,
    State,
    Cursor,
}

impl Sealed {
    fn purpose(self, upstream: &str) -> String {
        let what = match self {
            Self::Task => "task",
            Self::State => "state",
            Self::Cursor => "cursor",
        };
        format!("{what} of {upstream}")
    }

    /// Seals a text of an upstream for the user of a request.
    pub(crate) fn seal(
        self,
        cx: &Context,
        upstream: &str,
        text: &str,
    ) -> Result<String, HandlerError> {
        let sealed = cx.seal(&self.purpose(upstream), text);
        sealed.map_err(|error| HandlerError::internal(error.to_string()))
    }

    /// Opens a text that the user of a request got.
    pub(crate) fn open(
        self,
        cx: &Context,
        upstream: &str,
        text: &str,
    ) -> Result<String, SealError> {
        cx.unseal(&self.purpose(upstream), text)
    }

    /// Seals a member of a result, which may have any JSON, if the result has it.
    pub(crate) fn seal_member(
        self,
        cx: &Context,
        upstream: &str,
        result: &mut Map<Box<RawValue>>,
        name: &str,
    ) -> Result<(), HandlerError> {
        if let Some(value) = result.get(name).filter(|value| value.get() != "null") {
            let sealed = self.seal(cx, upstream, value.get())?;
            result.insert(name, json::to_raw(&sealed)?);
        }
        Ok(())
    }

    /// Opens a member of params that [`seal_member`](Self::seal_member) sealed, if the params have
    /// it.
    pub(crate) fn open_member(
        self,
        cx: &Context,
        upstream: &str,
        params: &mut Map<Box<RawValue>>,
        name: &str,
    ) -> Result<(), HandlerError> {
        let invalid =
            |error: &dyn Display| HandlerError::invalid_params(format!("$.{name}: {error}"));
        if let Some(value) = params.get(name) {
            let text: String = json::from_str(value.get()).map_err(|error| invalid(&error))?;
            let opened = self
                .open(cx, upstream, &text)
                .map_err(|error| invalid(&error))?;
            let opened = RawValue::from_string(opened).map_err(|error| invalid(&error))?;
            params.insert(name, opened);
        }
        Ok(())
    }
}
