//! [`Client::apps`].

use super::handle::Client;
use crate::extensions::apps::AppsHost;
use crate::protocol::error::CallError;

impl Client {
    /// Lists the tools of the server, and returns which of them the model and the apps of the server
    /// may call, by the extension `io.modelcontextprotocol/ui`.
    ///
    /// # Errors
    ///
    /// The list of tools cannot be requested.
    pub async fn apps(&self) -> Result<AppsHost, CallError> {
        AppsHost::load(self.shared.clone()).await
    }
}
