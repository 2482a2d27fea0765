//! Decoding of structs from the members of an object.

use super::super::error::DecodeError;
use super::super::json::text::Position;
use super::declared::{Table, UNDECLARED};
use super::{Decode, Reader, Text};

/// A struct that is decoded from the members of an object.
pub trait FromMembers: Decode {
    /// What the type declares.
    const TABLE: Table;

    /// Decodes the current member, which has this number, into its field. The number
    /// `u16::MAX` stands for a member that the type does not declare. After the last member, when
    /// the reader has no current member, the arm for it runs its final checks.
    ///
    /// # Errors
    ///
    /// Returns an error if the value of the member is not valid, or if the type allows no other members.
    fn read_member(&mut self, at: u16, reader: &mut Reader<'_, '_>) -> Result<(), DecodeError>;
}

/// An object-safe form of [`FromMembers`].
trait Target {
    fn read_member(&mut self, at: u16, reader: &mut Reader<'_, '_>) -> Result<(), DecodeError>;
}

impl<T: FromMembers> Target for T {
    #[inline]
    fn read_member(&mut self, at: u16, reader: &mut Reader<'_, '_>) -> Result<(), DecodeError> {
        FromMembers::read_member(self, at, reader)
    }
}

/// Decodes an object in place.
///
/// # Errors
///
/// Returns an error if the value is not an object, a member is missing, occurs twice or is not valid, or the
/// text is not JSON.
#[inline]
pub fn read_object<T: FromMembers>(place: &mut T, text: &mut Text<'_>) -> Result<(), DecodeError> {
    read_members(place, &T::TABLE, text)
}

/// Decodes all members of any type. Takes a trait object so that it is compiled once.
fn read_members(
    target: &mut dyn Target,
    table: &'static Table,
    text: &mut Text<'_>,
) -> Result<(), DecodeError> {
    let mut reader = Reader::new(text, table)?;
    loop {
        let member = reader.advance();
        let start = reader.position();
        let outcome = match member {
            Ok(None) => break,
            Ok(Some(at)) => read_member(target, &mut reader, at, start),
            Err(error) => Err(error),
        };
        if let Err(error) = outcome {
            reader.recover(start, error)?;
        }
    }
    reader.demand()?;
    if reader.has_undeclared()
        && let Err(error) = target.read_member(UNDECLARED, &mut reader)
    {
        reader.note(error)?;
    }
    reader.end()
}

/// Decodes the current member, and runs the checks of its value, which begins at a position.
#[inline]
fn read_member(
    target: &mut dyn Target,
    reader: &mut Reader<'_, '_>,
    at: u16,
    start: Position,
) -> Result<(), DecodeError> {
    target.read_member(at, reader)?;
    if !reader.checks().is_empty() {
        reader.check(start)?;
    }
    Ok(())
}
