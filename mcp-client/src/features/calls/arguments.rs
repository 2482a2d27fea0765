//! Arguments of tools from types of the program's own.

use mcp_types::error::DecodeError;
use mcp_types::json::{self, Object};
use mcp_types::{CallToolRequest, Request};
use serde::Serialize;

use crate::features::calls::Call;
use crate::protocol::error::CallError;

impl Call<CallToolRequest> {
    /// Arguments for the tool from a value that is written as a JSON object: a struct, a map, what
    /// `serde_json::json!` makes.
    ///
    /// ```
    /// # use mcp_client::{CallError, Client};
    /// #[derive(serde::Serialize)]
    /// struct Place {
    ///     city: &'static str,
    /// }
    ///
    /// # async fn call(client: Client) -> Result<(), CallError> {
    /// let weather = client.call_tool("weather").arguments_of(&Place { city: "Oslo" })?.await?;
    /// println!("{}", weather.text());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`CallError::Params`] where it cannot be written, or as something else than an object.
    pub fn arguments_of<T: Serialize + ?Sized>(self, value: &T) -> Result<Self, CallError> {
        let object = || json::from_value::<Object>(json::to_value(value)?);
        let object = object().map_err(|source: DecodeError| CallError::Params {
            method: CallToolRequest::METHOD,
            source: source.into(),
        })?;
        Ok(self.arguments(object))
    }
}
