//! [`Exact`]: a result as the server wrote it.

use std::marker::PhantomData;

use mcp_client::types::message::Sender;
use mcp_client::types::revision::{VersionError, Versioned};
use mcp_client::types::{Outcome, Request, Revision};
use mcp_client::{Client, types::json};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::failure::Failure;

/// The JSON text of a result, whatever it says.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(transparent)]
pub(crate) struct Exact(Box<RawValue>);

impl Exact {
    pub(crate) fn text(&self) -> &str {
        self.0.get()
    }

    /// What it says.
    pub(crate) fn read<R>(
        &self,
        client: &Client,
    ) -> Result<<R::Result as Outcome>::Complete, Failure>
    where
        R: Request<Result: Versioned + Outcome>,
    {
        let method = R::METHOD;
        let result: R::Result =
            client
                .revision()
                .decode(self.text())
                .map_err(|error| Failure::Answer {
                    method,
                    source: error.into(),
                })?;
        result.complete().map_err(|_| Failure::Answer {
            method,
            source: "it has another outcome".into(),
        })
    }
}

impl Versioned for Exact {
    fn decode_at(_: Revision, text: &str) -> Result<Self, VersionError> {
        Ok(Self(
            serde_json::from_str(text).map_err(VersionError::Encode)?,
        ))
    }

    fn encode_at(self, _: Revision) -> Result<Box<RawValue>, VersionError> {
        Ok(self.0)
    }
}

impl Outcome for Exact {
    type Complete = Self;

    fn complete(self) -> Result<Self, Box<Self>> {
        Ok(self)
    }
}

/// A request whose result comes as it is.
pub(crate) struct Exactly<R>(PhantomData<fn() -> R>);

impl<R: Request> Request for Exactly<R> {
    const METHOD: &'static str = R::METHOD;
    const SENDER: Sender = R::SENDER;
    type Params = R::Params;
    type Result = Exact;
}

/// JSON of any value that is decoded here.
pub(crate) fn to_json(value: &impl Serialize) -> json::Value {
    json::to_value(value).unwrap_or_default()
}
