//! [`Lookahead`]: looks at the members of an object before they are decoded.

use std::borrow::Cow;

use super::{Result, Text, scan};

/// The members of an object, each as its name and the text of its value.
///
/// The object is decoded afterwards, so that only its structure is checked here: the strings that are
/// skipped may have invalid escapes.
pub(crate) struct Lookahead<'de> {
    text: Text<'de>,
    is_first: bool,
}

impl<'de> Lookahead<'de> {
    /// Looks into a text that begins with an object. More may follow the object.
    pub(crate) fn new(text: &'de str) -> Self {
        let mut text = Text::new(text);
        text.at = 1;
        text.is_lookahead = true;
        Self {
            text,
            is_first: true,
        }
    }

    /// Returns the next name, or `None` after the last one.
    #[inline]
    pub(crate) fn name(&mut self) -> Result<Option<Cow<'de, str>>> {
        if !self.text.next_in(b'}', self.is_first)? {
            return Ok(None);
        }
        self.is_first = false;
        let name = self.text.name()?;
        self.text.colon()?;
        Ok(Some(name))
    }

    /// Returns the text of the value that follows a name.
    #[inline]
    pub(crate) fn value(&mut self) -> Result<&'de str> {
        self.text.raw()
    }

    /// Returns the string that follows a name. Returns `None`, and reads nothing, if the value is not
    /// a string.
    pub(crate) fn string(&mut self) -> Result<Option<Cow<'de, str>>> {
        if self.text.peek() == Some(b'"') {
            self.text.string().map(Some)
        } else {
            Ok(None)
        }
    }
}

/// Returns the string that is the value of the first member of an object, if the member has the given
/// name, and if neither white space nor an escape is in between. Anything else is `None`, too.
#[inline]
pub(crate) fn first_member<'de>(text: &'de str, name: &str) -> Option<&'de str> {
    let rest = text.strip_prefix("{\"")?.strip_prefix(name)?;
    let rest = rest.strip_prefix("\":\"")?;
    let end = scan::plain(rest.as_bytes());
    let (value, rest) = rest.split_at_checked(end)?;
    rest.starts_with('"').then_some(value)
}
