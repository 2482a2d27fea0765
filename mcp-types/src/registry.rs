//! Lookup of types by their published name at run time, for validators, recorders and tests.

mod conversion;
mod validation;

#[cfg(feature = "proptest")]
use crate::arbitrary::{Draw, Part};
use crate::convert::ConvertError;
use crate::error::DecodeError;
use crate::json::{self, Value};
use crate::revisions::{Revision, registry};
#[cfg(feature = "proptest")]
use proptest::strategy::{BoxedStrategy, Strategy};
use serde::Serialize;
use serde::de::DeserializeOwned;

pub use conversion::{Change, Conversion, Converted, Difference, convert_name, convert_text};
pub use validation::{FAULT_LIMIT, validate_message};

/// A type of a revision.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    name: &'static str,
    home: &'static str,
    published: bool,
    from_text: fn(&str) -> Result<String, DecodeError>,
    from_value: fn(Value) -> Result<String, DecodeError>,
    all_faults: fn(&str, usize) -> Vec<DecodeError>,
    prepare: fn(&str) -> Result<Box<dyn Prepared>, DecodeError>,
    next: Option<Step>,
    previous: Option<Step>,
    #[cfg(feature = "proptest")]
    parts: fn() -> BoxedStrategy<Part>,
    #[cfg(feature = "proptest")]
    sample: fn(Part) -> Sample,
}

/// The conversions between two adjacent revisions: the name of the type in the other one, and
/// functions that convert its JSON text.
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

// No source: the text contains that of the error inside.
impl std::error::Error for RegistryError {}

/// The traits that an entry requires of its type.
#[doc(hidden)]
#[cfg(not(feature = "proptest"))]
pub trait RegistryType: Serialize + DeserializeOwned + json::Decode + 'static {}
#[cfg(not(feature = "proptest"))]
impl<T: Serialize + DeserializeOwned + json::Decode + 'static> RegistryType for T {}

/// The traits that an entry requires of its type.
#[cfg(feature = "proptest")]
#[doc(hidden)]
pub trait RegistryType: Serialize + DeserializeOwned + json::Decode + Draw + PartialEq {}
#[cfg(feature = "proptest")]
impl<T: Serialize + DeserializeOwned + json::Decode + Draw + PartialEq> RegistryType for T {}

impl Entry {
    pub(crate) const fn of<T: RegistryType>(name: &'static str, home: &'static str) -> Self {
        Self {
            name,
            home,
            published: true,
            from_text: |text| encode(&json::from_str::<T>(text)?),
            from_value: |value| encode(&json::from_value::<T>(value)?),
            all_faults: json::all_faults::<T>,
            prepare: |text| Ok(Box::new(Held(json::from_str::<T>(text)?))),
            next: None,
            previous: None,
            #[cfg(feature = "proptest")]
            parts: || T::values().into_parts(),
            #[cfg(feature = "proptest")]
            sample: sample::<T>,
        }
    }

    /// Marks a type without a name in the published schema.
    pub(crate) const fn inline(mut self) -> Self {
        self.published = false;
        self
    }

    /// Adds the conversions to the next revision and back.
    #[doc(hidden)]
    #[must_use]
    pub const fn next<T: RegistryType + TryFrom<U>, U: RegistryType + TryFrom<T>>(
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

    /// Adds the conversions from the previous revision and back. An entry has them if that revision
    /// does not know the other one: the draft of the next revision.
    #[cfg(feature = "draft")]
    #[doc(hidden)]
    #[must_use]
    pub const fn previous<T: RegistryType + TryFrom<U>, U: RegistryType + TryFrom<T>>(
        mut self,
        name: &'static str,
    ) -> Self
    where
        ConvertError: From<<U as TryFrom<T>>::Error> + From<<T as TryFrom<U>>::Error>,
    {
        self.previous = Some(Step {
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

    /// Decodes a text, and returns the value for benchmarks of its type.
    ///
    /// # Errors
    ///
    /// Returns an error with the path if the text is not valid for the type.
    #[doc(hidden)]
    pub fn prepare(&self, text: &str) -> Result<Box<dyn Prepared>, DecodeError> {
        (self.prepare)(text)
    }

    /// Returns a strategy for values of the type.
    #[cfg(feature = "proptest")]
    pub fn samples(&self) -> BoxedStrategy<Sample> {
        (self.parts)().prop_map(self.sample).boxed()
    }
}

/// Defines the table of the types of a revision. A row has the type, its name in the schema and the
/// revision that defines it. `[inline]` marks a type without a name of its own in the schema;
/// `next` and `previous` name the type to which it is converted.
macro_rules! entries {
    (
        $(#[$meta:meta])*
        $table:ident: $module:ident {
            $(
                $(#[$when:meta])*
                $type:ident $name:literal $home:literal $([$inline:ident])?
                $(next $next_module:ident::$next:ident $next_name:literal)?
                $(previous $previous_module:ident::$previous:ident $previous_name:literal)?;
            )*
        }
    ) => {
        $(#[$meta])*
        static $table: &[Entry] = &[$(
            $(#[$when])*
            Entry::of::<$module::$type>($name, $home)
                $(.$inline())?
                $(.next::<$module::$type, $next_module::$next>($next_name))?
                $(.previous::<$previous_module::$previous, $module::$type>($previous_name))?
        ),*];
    };
}

pub(crate) use entries;

/// A decoded value whose type is not known at compile time, for benchmarks.
#[doc(hidden)]
pub trait Prepared {
    /// Decodes a text as the type of the value, and drops the result.
    ///
    /// # Errors
    ///
    /// Returns an error with the path if the text is not valid for the type.
    fn decode(&self, text: &str) -> Result<(), DecodeError>;

    /// Appends the JSON text of the value to a buffer.
    ///
    /// # Errors
    ///
    /// Returns an error if the value cannot be encoded.
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), DecodeError>;
}

struct Held<T>(T);

impl<T: RegistryType> Prepared for Held<T> {
    fn decode(&self, text: &str) -> Result<(), DecodeError> {
        json::from_str::<T>(text).map(drop)
    }

    fn encode(&self, out: &mut Vec<u8>) -> Result<(), DecodeError> {
        Ok(json::Writer::new(out).write(&self.0)?)
    }
}

/// Returns the types of a revision. The list is empty if the feature of the revision is disabled.
#[must_use]
pub fn types(revision: Revision) -> &'static [Entry] {
    registry::entries(revision)
}

/// Returns the type of a revision with the given name.
#[must_use]
pub fn find(revision: Revision, name: &str) -> Option<&'static Entry> {
    registry::entries(revision)
        .iter()
        .find(|entry| entry.name == name)
}

fn encode<T: Serialize>(value: &T) -> Result<String, DecodeError> {
    json::to_string(value).map_err(DecodeError::from)
}

fn convert<T: RegistryType, U: RegistryType + TryFrom<T>>(
    text: &str,
) -> Result<String, RegistryError>
where
    ConvertError: From<U::Error>,
{
    let value = json::from_str::<T>(text).map_err(RegistryError::Decode)?;
    let value = U::try_from(value).map_err(|error| RegistryError::Convert(error.into()))?;
    encode(&value).map_err(RegistryError::Decode)
}

#[cfg(feature = "proptest")]
fn sample<T: RegistryType>(part: Part) -> Sample {
    let value = T::from_part(part);
    let text = json::to_string(&value).map_err(|error| error.to_string());
    let equal = text.as_ref().is_ok_and(|text| {
        serde_json::to_string(&value).is_ok_and(|other| other == *text)
            && serde_json::from_str::<T>(text).is_ok_and(|back| back == value)
            && serde_json::from_str::<Value>(text)
                .is_ok_and(|tree| json::from_value::<T>(tree).is_ok_and(|back| back == value))
            && serde_json::from_str::<serde_json::Value>(text)
                .is_ok_and(|tree| serde_json::from_value::<T>(tree).is_ok_and(|back| back == value))
    });
    Sample { text, equal }
}
