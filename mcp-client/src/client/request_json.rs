//! [`Client::request_json`]: requests of any method.

use mcp_types::json::Object;
use serde_json::value::RawValue;

use super::handle::Client;
use crate::features::calls::any::send_any;
use crate::protocol::error::CallError;

impl Client {
    /// Sends a request of any method, and returns its result as the server sent it, for programs
    /// that pass on requests that they do not know. [`request`](Self::request) is better for all
    /// others: here the result is neither decoded nor cached, and questions in it are not answered.
    ///
    /// The description of the client is added to `_meta`, if the negotiated revision requires it.
    ///
    /// ```
    /// use mcp_client::types::json::Object;
    ///
    /// # async fn list(client: mcp_client::Client) -> Result<(), mcp_client::CallError> {
    /// let tools = client.request_json("tools/list", Object::new()).await?;
    /// println!("{tools}");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// See [`CallError`].
    pub async fn request_json(
        &self,
        method: &'static str,
        params: Object,
    ) -> Result<Box<RawValue>, CallError> {
        send_any(self.connection(), method, params).await
    }
}
