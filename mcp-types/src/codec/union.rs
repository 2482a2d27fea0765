//! Unions: the functions that select a variant by the tag or the members of an object.

use super::super::error::{DecodeError, Rule, excerpt};
use super::super::json::text::{Lookahead, early_string};
use super::Text;
use serde::de::{Error as _, Expected};
use std::borrow::Cow;
use std::fmt;

/// Decodes the next value of a text as one variant of a union.
pub type Variant<T> = fn(&mut Text<'_>) -> Result<T, DecodeError>;

/// Finds the tag of the object that follows, and reads nothing. Returns `None` if it is missing or `null`.
///
/// # Errors
///
/// Returns an error if the tag is not a string or the text is not JSON.
pub fn tag<'de>(text: &mut Text<'de>, tag: &str) -> Result<Option<Cow<'de, str>>, DecodeError> {
    let object = text.rest();
    // Nearly all messages have at most strings and integers before their tag.
    if let Some(value) = early_string(object, tag) {
        return Ok(Some(Cow::Borrowed(value)));
    }
    let mut members = Lookahead::new(object);
    while let Some(name) = members.name()? {
        if name != tag {
            members.value()?;
        } else if let Some(value) = members.string().map_err(|error| error.inside_member(tag))? {
            return Ok(Some(value));
        } else {
            let value = members.value()?;
            if value == "null" {
                return Ok(None);
            }
            let error = Text::new(value).unfit(&"a string");
            return Err(error.inside_member(tag));
        }
    }
    Ok(None)
}

/// Finds the tag of the object that follows, as [`tag`] does.
///
/// # Errors
///
/// Returns the errors of [`tag`], and an error if the tag is missing.
pub fn required_tag<'de>(
    text: &mut Text<'de>,
    name: &'static str,
) -> Result<Cow<'de, str>, DecodeError> {
    tag(text, name)?.ok_or_else(|| DecodeError::missing_field(name))
}

/// Returns the error for a tag whose value no variant has.
#[must_use]
pub fn unknown_tag(union: &str, name: &str, value: &str) -> DecodeError {
    let value = excerpt(value);
    DecodeError::data(format!("`{value}` is not a known `{name}` of `{union}`"))
        .with_rule(Rule::Variant, [union.to_owned()])
        .inside_member(name)
}

/// Returns the error for a kind of value that no variant accepts.
#[must_use]
pub fn unexpected(text: &mut Text<'_>, union: &str) -> DecodeError {
    struct AnyVariant<'a>(&'a str);

    impl Expected for AnyVariant<'_> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "one of the variants of `{}`", self.0)
        }
    }

    text.unfit(&AnyVariant(union))
}

/// Decodes the next value as the first of several variants that accepts it.
///
/// # Errors
///
/// Returns the error of the first variant if none accepts the value.
pub fn first_of<T>(text: &mut Text<'_>, variants: &[Variant<T>]) -> Result<T, DecodeError> {
    let start = text.position();
    let mut first_error = None;
    for variant in variants {
        if first_error.is_some() {
            text.return_to(start)?;
        }
        match text.strictly(variant) {
            Ok(value) => return Ok(value),
            Err(error) => first_error = first_error.or(Some(error)),
        }
    }
    if text.collects()
        && let Some(first) = variants.first()
    {
        // The errors are those of the first variant.
        text.return_to(start)?;
        return first(text);
    }
    Err(first_error.unwrap_or_else(|| DecodeError::data("the value matches no variant")))
}
