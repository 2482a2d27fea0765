//! [`Bodies`]: what becomes of params and results while the envelope is parsed.

use serde::de::{Deserialize, DeserializeSeed, Deserializer};
use serde_json::value::RawValue;

/// Decodes the params and results of messages.
pub(super) trait Bodies<'de> {
    /// The type of decoded params.
    type Params;
    /// The type of decoded results.
    type Result;

    /// Decodes params. The method is known if it precedes them.
    fn params<D: Deserializer<'de>>(
        &mut self,
        method: Option<&str>,
        deserializer: D,
    ) -> Result<Self::Params, D::Error>;

    /// Decodes a result. The id is known if it precedes the result.
    fn result<D: Deserializer<'de>>(
        &mut self,
        id: Option<&'de RawValue>,
        deserializer: D,
    ) -> Result<Self::Result, D::Error>;
}

/// Borrows params and results as raw JSON.
pub(super) struct Raw;

impl<'de> Bodies<'de> for Raw {
    type Params = &'de RawValue;
    type Result = &'de RawValue;

    fn params<D: Deserializer<'de>>(
        &mut self,
        _: Option<&str>,
        deserializer: D,
    ) -> Result<&'de RawValue, D::Error> {
        Deserialize::deserialize(deserializer)
    }

    fn result<D: Deserializer<'de>>(
        &mut self,
        _: Option<&'de RawValue>,
        deserializer: D,
    ) -> Result<&'de RawValue, D::Error> {
        Deserialize::deserialize(deserializer)
    }
}

/// Decodes params.
pub(super) struct Params<'a, B>(pub(super) &'a mut B, pub(super) Option<&'a str>);

impl<'de, B: Bodies<'de>> DeserializeSeed<'de> for Params<'_, B> {
    type Value = B::Params;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<B::Params, D::Error> {
        self.0.params(self.1, deserializer)
    }
}

/// Decodes a result.
pub(super) struct Outcome<'a, 'de, B>(pub(super) &'a mut B, pub(super) Option<&'de RawValue>);

impl<'de, B: Bodies<'de>> DeserializeSeed<'de> for Outcome<'_, 'de, B> {
    type Value = B::Result;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<B::Result, D::Error> {
        self.0.result(self.1, deserializer)
    }
}
