//! Bounds of numbers and lengths.

use super::super::error::{DecodeError, Rule, excerpt};
use super::Number;
use std::fmt;
use std::ops::RangeInclusive;

/// A type whose length can be checked against bounds.
pub trait Length {
    /// Returns the number of elements of an array, or of characters of a string.
    fn length(&self) -> usize;
}

impl<T> Length for Vec<T> {
    fn length(&self) -> usize {
        self.len()
    }
}

impl Length for String {
    fn length(&self) -> usize {
        self.chars().count()
    }
}

fn within<T: PartialOrd + fmt::Debug>(
    measure: &T,
    shown: &dyn fmt::Display,
    range: &RangeInclusive<T>,
) -> Result<(), DecodeError> {
    if range.contains(measure) {
        return Ok(());
    }
    let (low, high) = (range.start(), range.end());
    let shown = shown.to_string();
    let shown = excerpt(&shown);
    let error = DecodeError::data(format!("{shown} is not between {low:?} and {high:?}"));
    Err(error.with_rule(Rule::Bound, [format!("{low:?}"), format!("{high:?}")]))
}

pub(super) fn int_within(value: i64, range: &RangeInclusive<i64>) -> Result<(), DecodeError> {
    within(&value, &value, range)
}

pub(super) fn number_within(
    value: &Number,
    range: &RangeInclusive<f64>,
) -> Result<(), DecodeError> {
    within(&value.as_f64().unwrap_or(f64::NAN), value, range)
}

pub(super) fn length_within(
    value: &impl Length,
    range: &RangeInclusive<usize>,
) -> Result<(), DecodeError> {
    let length = value.length();
    within(&length, &format_args!("a length of {length}"), range)
}
