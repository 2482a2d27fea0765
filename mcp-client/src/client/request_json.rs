//! [`Client::request_json`] and [`Client::notify_json`]: messages of any method.

use std::borrow::Cow;

use mcp_types::rpc;
use serde::Serialize;

use super::handle::Client;
use crate::features::calls::any::JsonCall;
use crate::protocol::error::CallError;
use crate::protocol::roundtrip::notify;

impl Client {
    /// Creates a call of any method with any params that are a JSON object, for programs that pass
    /// on requests that they do not know. [`request`](Self::request) is better for all others: here
    /// the result is neither decoded nor cached, and questions in it are not answered.
    ///
    /// Members of `_meta` stay, and the description of the client is added to them if the
    /// negotiated revision requires it.
    ///
    /// ```
    /// use mcp_client::types::json::Object;
    ///
    /// # async fn list(client: mcp_client::Client) -> Result<(), mcp_client::CallError> {
    /// let tools = client.request_json("tools/list", &Object::new()).await?;
    /// println!("{tools}");
    /// # Ok(())
    /// # }
    /// ```
    pub fn request_json(
        &self,
        method: impl Into<Cow<'static, str>>,
        params: &(impl Serialize + ?Sized),
    ) -> JsonCall {
        JsonCall::new(self.shared.clone(), method.into(), params)
    }

    /// Sends a notification of any method, with params as they are.
    ///
    /// # Errors
    ///
    /// As for [`notify`](Self::notify).
    pub async fn notify_json(
        &self,
        method: &str,
        params: Option<&(impl Serialize + Sync + ?Sized)>,
    ) -> Result<(), CallError> {
        let mut message = Vec::new();
        rpc::write_notification(&mut message, method, params).map_err(|error| {
            CallError::Params {
                method: method.to_owned().into(),
                source: error.into(),
            }
        })?;
        notify(self.connection(), method, message).await
    }
}
