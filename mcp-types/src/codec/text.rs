//! String enumerations.

use super::super::error::excerpt;
use serde::de::{Deserializer, Error, Visitor};
use std::fmt;
use std::marker::PhantomData;

/// A type that is written as one of several known strings.
pub trait FromText: Sized {
    /// The known values.
    const VALUES: &'static [&'static str];

    /// The value of a text; `None` where a closed enumeration does not have it.
    fn from_text(text: &str) -> Option<Self>;

    /// What the variant for other values holds; only `From` of an open enumeration calls it.
    #[must_use]
    fn other(text: &str) -> OtherText<Self> {
        OtherText::new(text)
    }
}

/// A string that is none of the known values of an enumeration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownValue {
    /// Shortened, as it is for messages only.
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

/// Reads a string enumeration.
pub fn read_text_enum<'de, T: FromText, D: Deserializer<'de>>(
    deserializer: D,
    name: &'static str,
) -> Result<T, D::Error> {
    struct TextVisitor<T>(&'static str, PhantomData<T>);

    impl<T: FromText> Visitor<'_> for TextVisitor<T> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            expect_string(f, self.0)
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
            parse_text(text).map_err(E::custom)
        }
    }

    deserializer.deserialize_str(TextVisitor(name, PhantomData))
}

/// What is expected in place of something else.
fn expect_string(f: &mut fmt::Formatter<'_>, name: &str) -> fmt::Result {
    write!(f, "a string (`{name}`)")
}

/// A value that an open enumeration does not name. It is made by the enumeration's `From` only,
/// which gives known values their own variant.
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

    /// The value on the wire.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

// Derived implementations would ask the same of `T`, which is not stored.
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
