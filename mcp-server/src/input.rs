//! Input from the client in the middle of a request. (Interface for the engine; to be filled.)

use mcp_types::rpc::ErrorObject;

use crate::context::Context;
use crate::engine::{Head, Via};
use crate::error::HandlerError;
use crate::peer::Peer;
use crate::server::Server;

/// What a request has been answered already, and what it asks now.
#[derive(Default)]
pub(crate) struct Inputs;

impl Inputs {
    /// Reads `inputResponses` and `requestState` of a modern request.
    pub(crate) fn read(
        _server: &Server,
        _method: &str,
        _head: &Head<'_>,
        _peer: &Peer,
        _via: &Via,
    ) -> Result<Self, ErrorObject> {
        Ok(Self)
    }

    /// Whom to wake when a question is asked outside of the handler's own task.
    pub(crate) fn watch(&self, _waker: &std::task::Waker) {}
}

/// The response that asks the client for input, if the handler waits for some.
pub(crate) fn suspend(_cx: &Context) -> Option<Result<Vec<u8>, HandlerError>> {
    None
}
