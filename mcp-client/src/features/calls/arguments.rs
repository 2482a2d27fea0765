//! [`IntoObject`]: JSON objects from types of the program.

use mcp_types::error::DecodeError;
use mcp_types::json::{self, Object, Value};
use serde::Serialize;

/// Converts a value into a JSON object: the arguments of a tool.
///
/// Implemented for [`Object`], for `serde_json::Value`, and for references to everything that
/// implements [`Serialize`] and is encoded as an object.
///
/// ```
/// # use mcp_client::{CallError, Client};
/// #[derive(serde::Serialize)]
/// struct Place {
///     city: &'static str,
/// }
///
/// # async fn call(client: Client) -> Result<(), CallError> {
/// let weather = client.call_tool("weather").arguments(&Place { city: "Oslo" }).await?;
/// println!("{}", weather.text());
/// # Ok(())
/// # }
/// ```
pub trait IntoObject {
    /// Performs the conversion.
    ///
    /// # Errors
    ///
    /// The value cannot be encoded, or its JSON is not an object.
    fn into_object(self) -> Result<Object, DecodeError>;
}

impl IntoObject for Object {
    fn into_object(self) -> Result<Object, DecodeError> {
        Ok(self)
    }
}

impl IntoObject for serde_json::Value {
    fn into_object(self) -> Result<Object, DecodeError> {
        match self {
            Self::Object(members) => Ok(members.into()),
            other => (&other).into_object(),
        }
    }
}

impl<T: Serialize + ?Sized> IntoObject for &T {
    fn into_object(self) -> Result<Object, DecodeError> {
        match json::to_value(self)? {
            Value::Object(object) => Ok(object),
            other => json::from_value(other),
        }
    }
}
