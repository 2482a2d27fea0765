//! Decoding of lists and strings whose length has bounds.

use super::super::Decode;
use super::super::bounds::{Length, length_within};
use super::{Reader, Result};
use std::ops::RangeInclusive;

impl Reader<'_, '_> {
    /// Decodes a required array or string and checks its length.
    pub fn sized<T: Decode + Length>(
        &mut self,
        place: &mut T,
        range: RangeInclusive<usize>,
    ) -> Result<()> {
        self.members.decode(place)?;
        length_within(place, &range).map_err(|error| self.inside(error))
    }

    /// Decodes an optional array or string and checks its length. `null` is treated as absent.
    pub fn optional_sized<T: Decode + Length>(
        &mut self,
        place: &mut Option<T>,
        range: RangeInclusive<usize>,
    ) -> Result<()> {
        self.members.decode(place)?;
        match place {
            Some(value) => length_within(value, &range).map_err(|error| self.inside(error)),
            None => Ok(()),
        }
    }

    /// Decodes a required list of integers and checks its length.
    pub fn sized_ints(&mut self, place: &mut Vec<i64>, range: RangeInclusive<usize>) -> Result<()> {
        self.ints(place, i64::MIN..=i64::MAX)?;
        length_within(place, &range).map_err(|error| self.inside(error))
    }

    /// Decodes an optional list of integers and checks its length. `null` is treated as absent.
    pub fn optional_sized_ints(
        &mut self,
        place: &mut Option<Vec<i64>>,
        range: RangeInclusive<usize>,
    ) -> Result<()> {
        self.optional_ints(place, i64::MIN..=i64::MAX)?;
        match place {
            Some(value) => length_within(value, &range).map_err(|error| self.inside(error)),
            None => Ok(()),
        }
    }
}
