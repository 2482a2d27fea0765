//! Errors of members, of which all are noted if errors are collected.

use super::super::super::error::DecodeError;
use super::super::super::json::text::Position;
use super::super::declared::missing;
use super::{Current, Reader, Result};
use serde::de::Error as _;

impl Reader<'_, '_> {
    #[cold]
    pub(super) fn report_missing(&mut self) -> Result<()> {
        for name in missing(self.table.members, &self.seen) {
            let error = DecodeError::missing_field(name);
            self.members.note(self.object, error)?;
        }
        Ok(())
    }

    /// Goes on after an error in the current member, if errors are collected. `behind` is the
    /// position behind its name.
    ///
    /// # Errors
    ///
    /// Returns the error if it cannot go on.
    #[cold]
    pub(in super::super) fn recover(&mut self, behind: Position, error: DecodeError) -> Result<()> {
        if matches!(self.current, Current::None) {
            // The name could not be read.
            return Err(error);
        }
        self.members.recover(self.object, behind, error)
    }

    /// Notes an error of the object, if errors are collected.
    ///
    /// # Errors
    ///
    /// Returns the error if it cannot go on.
    #[cold]
    pub(in super::super) fn note(&mut self, error: DecodeError) -> Result<()> {
        self.members.note(self.object, error)
    }
}
