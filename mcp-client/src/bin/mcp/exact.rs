//! [`Exact`]: a result together with the JSON text that the server sent.

use std::marker::PhantomData;

use mcp_client::types::json::{self, Writer};
use mcp_client::types::message::Sender;
use mcp_client::types::revision::{VersionError, Versioned};
use mcp_client::types::{Outcome, Request, Revision};
use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

/// A result with its JSON text.
#[derive(Clone, Debug)]
pub(crate) struct Exact<T> {
    pub(crate) result: T,
    text: Box<RawValue>,
}

impl<T> Exact<T> {
    pub(crate) fn text(&self) -> &str {
        self.text.get()
    }
}

impl<T: Versioned> Versioned for Exact<T> {
    fn decode_at(revision: Revision, text: &str) -> Result<Self, VersionError> {
        let result = revision.decode(text)?;
        let text = serde_json::from_str(text).map_err(VersionError::Encode)?;
        Ok(Self { result, text })
    }

    fn write_at(self, _: Revision, out: &mut Writer<'_>) -> Result<(), VersionError> {
        Ok(out.write(&self.text)?)
    }
}

impl<T: Outcome> Outcome for Exact<T> {
    type Complete = Exact<T::Complete>;

    fn complete(self) -> Result<Self::Complete, Box<Self>> {
        let text = self.text;
        match self.result.complete() {
            Ok(result) => Ok(Exact { result, text }),
            Err(result) => Err(Box::new(Self {
                result: *result,
                text,
            })),
        }
    }
}

impl<T> Serialize for Exact<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.text.serialize(serializer)
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Exact<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Box::<RawValue>::deserialize(deserializer)?;
        let result = json::from_str(text.get()).map_err(D::Error::custom)?;
        Ok(Self { result, text })
    }
}

/// A request whose result is an [`Exact`].
pub(crate) struct Exactly<R>(PhantomData<fn() -> R>);

impl<R: Request> Request for Exactly<R> {
    const METHOD: &'static str = R::METHOD;
    const SENDER: Sender = R::SENDER;
    type Params = R::Params;
    type Result = Exact<R::Result>;
}

/// Converts a decoded value into JSON.
pub(crate) fn to_json(value: &impl Serialize) -> json::Value {
    json::to_value(value).unwrap_or_default()
}
