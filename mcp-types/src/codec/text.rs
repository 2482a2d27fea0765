//! String enumerations.

use super::super::error::{DecodeError, Rule, excerpt};
use super::Text;
use serde::de::{Error as _, Expected};
use std::fmt;
use std::marker::PhantomData;

/// A type that is encoded as one of several known strings.
pub trait FromText: Sized {
    /// The known strings.
    const VALUES: &'static [&'static str];

    /// Returns the value for a string, or `None` if a closed enumeration does not contain it.
    fn from_text(text: &str) -> Option<Self>;

    /// Returns the content of the variant for unknown values. Called only by `From` of an open
    /// enumeration.
    #[must_use]
    fn other(text: &str) -> OtherText<Self> {
        OtherText::new(text)
    }
}

/// A string that is not one of the known values of an enumeration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownValue {
    /// Shortened: it is used in messages only.
    text: String,
    values: &'static [&'static str],
}

impl fmt::Display for UnknownValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown value `{}`, expected one of", self.text)?;
        for (at, value) in self.values.iter().enumerate() {
            write!(f, "{} `{value}`", if at == 0 { "" } else { "," })?;
        }
        Ok(())
    }
}

impl std::error::Error for UnknownValue {}

/// Parses a value of a closed enumeration.
pub fn parse_text<T: FromText>(text: &str) -> Result<T, UnknownValue> {
    T::from_text(text).ok_or_else(|| UnknownValue {
        text: excerpt(text).into_owned(),
        values: T::VALUES,
    })
}

/// Decodes a string enumeration.
///
/// # Errors
///
/// Returns an error if the value is not a string, or a closed enumeration does not contain it.
pub fn read_text_enum<T: FromText>(
    text: &mut Text<'_>,
    name: &'static str,
) -> Result<T, DecodeError> {
    struct Named(&'static str);

    impl Expected for Named {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "a string (`{}`)", self.0)
        }
    }

    let found = text.expect_string(&Named(name))?;
    parse_text(&found).map_err(|error: UnknownValue| {
        DecodeError::custom(error).with_rule(Rule::Value, T::VALUES.iter().copied())
    })
}

/// A value that an open enumeration does not declare. Only the `From` implementation of the
/// enumeration creates it, so it never holds a known value.
pub struct OtherText<T> {
    text: Box<str>,
    owner: PhantomData<fn() -> T>,
}

impl<T> OtherText<T> {
    fn new(text: &str) -> Self {
        Self {
            text: text.into(),
            owner: PhantomData,
        }
    }

    /// Returns the value as it is encoded.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

// Derived implementations would require the same of `T`, which is not stored.
impl<T> Clone for OtherText<T> {
    fn clone(&self) -> Self {
        Self {
            text: self.text.clone(),
            owner: PhantomData,
        }
    }
}

impl<T> fmt::Debug for OtherText<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text.fmt(f)
    }
}

impl<T> PartialEq for OtherText<T> {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl<T> Eq for OtherText<T> {}

impl<T> std::hash::Hash for OtherText<T> {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.text.hash(state);
    }
}
