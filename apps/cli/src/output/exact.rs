//! [`Exact`]: a result as the JSON text that the server sent, which need not be valid.

use std::marker::PhantomData;

use mcp_client::types::json::{self, Value, Writer};
use mcp_client::types::message::Sender;
use mcp_client::types::revision::{VersionError, Versioned};
use mcp_client::types::{Outcome, Request, Revision};
use serde::de::Error;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// The text of a result.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(transparent)]
pub(crate) struct Exact(Box<RawValue>);

impl Exact {
    pub(crate) fn text(&self) -> &str {
        self.0.get()
    }

    /// Returns a member of the result; `null` if it is absent.
    pub(crate) fn member(&self, name: &str) -> Value {
        let result: Value = json::from_str(self.text()).unwrap_or_default();
        result.get(name).cloned().unwrap_or_default()
    }
}

impl Versioned for Exact {
    /// Fails for results that are not final: the client answers the questions in them.
    fn decode_at(_: Revision, text: &str) -> Result<Self, VersionError> {
        let text = serde_json::from_str(text).map_err(VersionError::Encode)?;
        let exact = Self(text);
        match exact.member("resultType").as_str() {
            Some("complete") | None => Ok(exact),
            Some(_) => {
                let message = "the result is not final";
                Err(VersionError::Encode(serde_json::Error::custom(message)))
            }
        }
    }

    fn write_at(self, _: Revision, out: &mut Writer<'_>) -> Result<(), VersionError> {
        Ok(out.write(&self.0)?)
    }
}

impl Outcome for Exact {
    type Complete = Self;

    fn complete(self) -> Result<Self, Box<Self>> {
        Ok(self)
    }
}

/// A request whose result is an [`Exact`].
pub(crate) struct Exactly<R>(PhantomData<fn() -> R>);

impl<R: Request> Request for Exactly<R> {
    const METHOD: &'static str = R::METHOD;
    const SENDER: Sender = R::SENDER;
    type Params = R::Params;
    type Result = Exact;
}

/// Converts a decoded value into JSON.
pub(crate) fn to_json(value: &impl Serialize) -> Value {
    json::to_value(value).unwrap_or_default()
}
