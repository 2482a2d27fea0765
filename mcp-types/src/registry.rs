//! Lookup of types by their published name at run time, for validators, recorders and tests.

use crate::convert::ConvertError;
use crate::error::DecodeError;
use crate::json::{self, Value};
use crate::revisions::{Revision, registry::entries};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A type of a revision.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    name: &'static str,
    home: &'static str,
    published: bool,
    from_text: fn(&str) -> Result<String, DecodeError>,
    from_value: fn(Value) -> Result<String, DecodeError>,
    next: Option<Step>,
    #[cfg(feature = "proptest")]
    sample: fn() -> proptest::strategy::BoxedStrategy<Sample>,
}

/// The conversions to the next revision and back: the name of the type there, and a function that
/// converts its JSON text.
#[derive(Clone, Copy, Debug)]
struct Step {
    name: &'static str,
    up: fn(&str) -> Result<String, RegistryError>,
    down: fn(&str) -> Result<String, RegistryError>,
}

/// A value drawn from a strategy, and the result of encoding and decoding it.
#[cfg(feature = "proptest")]
#[derive(Clone, Debug)]
pub struct Sample {
    /// The JSON text of the value, or the error of encoding it.
    pub text: Result<String, String>,
    /// `true` if `serde_json` writes the same text, and each way of decoding it returns an equal
    /// value.
    pub equal: bool,
}

/// The reasons why a text could not be converted.
#[derive(Debug)]
#[non_exhaustive]
pub enum RegistryError {
    /// The text is not valid for the type.
    Decode(DecodeError),
    /// The value cannot be represented in the other revision.
    Convert(ConvertError),
    /// One of the revisions in between does not have the type.
    Unmapped,
}

impl std::fmt::Display for RegistryError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Decode(error) => error.fmt(f),
            Self::Convert(error) => error.fmt(f),
            Self::Unmapped => {
                f.write_str("one of the revisions in between does not have this type")
            }
        }
    }
}

impl std::error::Error for RegistryError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Decode(error) => Some(error),
            Self::Convert(error) => Some(error),
            Self::Unmapped => None,
        }
    }
}

/// The traits that an entry requires of its type.
#[doc(hidden)]
#[cfg(not(feature = "proptest"))]
pub trait Known: Serialize + DeserializeOwned + 'static {}
#[cfg(not(feature = "proptest"))]
impl<T: Serialize + DeserializeOwned + 'static> Known for T {}

/// The traits that an entry requires of its type.
#[cfg(feature = "proptest")]
#[doc(hidden)]
pub trait Known:
    Serialize + DeserializeOwned + proptest::arbitrary::Arbitrary + PartialEq + 'static
{
}
#[cfg(feature = "proptest")]
impl<T: Serialize + DeserializeOwned + proptest::arbitrary::Arbitrary + PartialEq + 'static> Known
    for T
{
}

impl Entry {
    pub(crate) const fn of<T: Known>(
        name: &'static str,
        home: &'static str,
        published: bool,
    ) -> Self {
        Self {
            name,
            home,
            published,
            from_text: |text| encode(&json::from_str::<T>(text)?),
            from_value: |value| encode(&json::from_value::<T>(value)?),
            next: None,
            #[cfg(feature = "proptest")]
            sample: sample::<T>,
        }
    }

    /// Adds the conversions to the next revision and back.
    #[doc(hidden)]
    #[must_use]
    pub const fn next<T: Known + TryFrom<U>, U: Known + TryFrom<T>>(
        mut self,
        name: &'static str,
    ) -> Self
    where
        ConvertError: From<<U as TryFrom<T>>::Error> + From<<T as TryFrom<U>>::Error>,
    {
        self.next = Some(Step {
            name,
            up: convert::<T, U>,
            down: convert::<U, T>,
        });
        self
    }

    /// Returns the name in the schema, or the generated name of an inline type.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the revision whose module defines the type.
    #[must_use]
    pub fn home(&self) -> &'static str {
        self.home
    }

    /// Returns `true` if the schema of the revision defines a type with this name.
    #[must_use]
    pub fn is_published(&self) -> bool {
        self.published
    }

    /// Returns the type's name in the next newer revision, if it can be converted there.
    #[must_use]
    pub fn newer(&self) -> Option<&'static str> {
        self.next.map(|step| step.name)
    }

    /// Decodes a text and encodes the value again.
    ///
    /// # Errors
    ///
    /// Returns an error with the path if the text is not valid for the type.
    pub fn round_trip(&self, text: &str) -> Result<String, DecodeError> {
        (self.from_text)(text)
    }

    /// Decodes a value and encodes the result as text.
    ///
    /// # Errors
    ///
    /// Returns an error with the path if the value is not valid for the type.
    pub fn round_trip_value(&self, value: Value) -> Result<String, DecodeError> {
        (self.from_value)(value)
    }

    /// Returns a strategy for values of the type.
    #[cfg(feature = "proptest")]
    pub fn samples(&self) -> proptest::strategy::BoxedStrategy<Sample> {
        (self.sample)()
    }
}

/// Returns the types of a revision. The list is empty if the feature of the revision is disabled.
#[must_use]
pub fn types(revision: Revision) -> &'static [Entry] {
    entries(revision)
}

/// Returns the type of a revision with the given name.
#[must_use]
pub fn find(revision: Revision, name: &str) -> Option<&'static Entry> {
    entries(revision).iter().find(|entry| entry.name == name)
}

/// Returns the type of a revision that is converted to `newer` in the next one.
#[must_use]
pub fn older(revision: Revision, newer: &str) -> Option<&'static Entry> {
    entries(revision)
        .iter()
        .find(|entry| entry.newer() == Some(newer))
}

/// Converts a text from one revision to another, through all revisions in between.
///
/// # Errors
///
/// Returns an error if the text is not valid for the type, if one of the revisions cannot represent
/// the value, or if one of them does not have the type.
pub fn convert_text(
    from: Revision,
    to: Revision,
    name: &str,
    text: &str,
) -> Result<String, RegistryError> {
    let position = |revision| Revision::ALL.iter().position(|other| *other == revision);
    let (Some(mut at), Some(end)) = (position(from), position(to)) else {
        return Err(RegistryError::Unmapped);
    };
    let mut entry = find(from, name).ok_or(RegistryError::Unmapped)?;
    let mut text = entry.round_trip(text).map_err(RegistryError::Decode)?;
    while at != end {
        let upwards = at < end;
        at = if upwards { at + 1 } else { at - 1 };
        let revision = Revision::ALL.get(at).ok_or(RegistryError::Unmapped)?;
        if upwards {
            let step = entry.next.ok_or(RegistryError::Unmapped)?;
            text = (step.up)(&text)?;
            entry = find(*revision, step.name).ok_or(RegistryError::Unmapped)?;
        } else {
            entry = older(*revision, entry.name).ok_or(RegistryError::Unmapped)?;
            let step = entry.next.ok_or(RegistryError::Unmapped)?;
            text = (step.down)(&text)?;
        }
    }
    Ok(text)
}

fn encode<T: Serialize>(value: &T) -> Result<String, DecodeError> {
    json::to_string(value).map_err(DecodeError::from)
}

fn convert<T: Known, U: Known + TryFrom<T>>(text: &str) -> Result<String, RegistryError>
where
    ConvertError: From<U::Error>,
{
    let value = json::from_str::<T>(text).map_err(RegistryError::Decode)?;
    let value = U::try_from(value).map_err(|error| RegistryError::Convert(error.into()))?;
    encode(&value).map_err(RegistryError::Decode)
}

#[cfg(feature = "proptest")]
fn sample<T: Known>() -> proptest::strategy::BoxedStrategy<Sample> {
    use proptest::prelude::{Strategy, any};
    any::<T>()
        .prop_map(|value| {
            let text = json::to_string(&value).map_err(|error| error.to_string());
            let equal = text.as_ref().is_ok_and(|text| {
                serde_json::to_string(&value).is_ok_and(|other| other == *text)
                    && serde_json::from_str::<T>(text).is_ok_and(|back| back == value)
                    && serde_json::from_str::<Value>(text).is_ok_and(|tree| {
                        json::from_value::<T>(tree).is_ok_and(|back| back == value)
                    })
                    && serde_json::from_str::<serde_json::Value>(text).is_ok_and(|tree| {
                        serde_json::from_value::<T>(tree).is_ok_and(|back| back == value)
                    })
            });
            Sample { text, equal }
        })
        .boxed()
}
