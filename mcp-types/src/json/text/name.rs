//! The names of members, compared with the declared ones of a type.

use std::borrow::Cow;

use super::access::Entries;
use super::{Result, Text};

/// The name of a member.
pub(crate) enum Name<'de> {
    /// The index of a declared name.
    Declared(usize),
    /// Any other name.
    Other(Cow<'de, str>),
}

impl<'de> Entries<'_, 'de> {
    /// Reads the name of the next member, given the declared names. `expected` is the index of the one that
    /// is compared first: most peers write the members in the order of the schema. Returns `None` after the
    /// last member.
    #[inline]
    pub(crate) fn name_of(&mut self, names: &[&str], expected: usize) -> Result<Option<Name<'de>>> {
        if !self.advance()? {
            return Ok(None);
        }
        if let Some(name) = names.get(expected)
            && self.text.reads_name(name)
        {
            return Ok(Some(Name::Declared(expected)));
        }
        self.search(names, expected).map(Some)
    }

    /// Compares the name with all declared ones.
    fn search(&mut self, names: &[&str], expected: usize) -> Result<Name<'de>> {
        // Peers leave out optional members, but keep the order of the others.
        let (before, after) = names.split_at_checked(expected).unwrap_or((names, &[]));
        let after = after.iter().zip(expected..);
        let mut candidates = after.chain(before.iter().zip(0..));
        if let Some((_, index)) = candidates.find(|(name, _)| self.text.reads_name(name)) {
            return Ok(Name::Declared(index));
        }
        let name = self.text.name()?;
        // A name without escapes was compared already.
        if let Cow::Owned(name) = &name
            && let Some(index) = names.iter().position(|known| known == name)
        {
            return Ok(Name::Declared(index));
        }
        Ok(Name::Other(name))
    }
}

impl Text<'_> {
    /// Reads the name of a member if it is the given one, which has no escapes. Otherwise returns `false`
    /// and reads nothing.
    #[inline]
    fn reads_name(&mut self, name: &str) -> bool {
        let bytes = self.bytes().get(self.at..).unwrap_or_default();
        // The closing quote is compared first: most names differ in their lengths.
        let is_same = bytes.get(name.len() + 1) == Some(&b'"')
            && bytes.first() == Some(&b'"')
            && bytes.get(1..=name.len()) == Some(name.as_bytes());
        if is_same {
            self.at += name.len() + 2;
        }
        is_same
    }
}
