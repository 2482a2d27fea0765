//! Bounds of numbers and lengths.

use super::super::error::{DecodeError, Rule, excerpt};
use super::Number;
use std::cmp::Ordering;
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

/// Checks a number without rounding it.
pub(super) fn number_within(
    value: &Number,
    range: &RangeInclusive<f64>,
) -> Result<(), DecodeError> {
    let rounded = value.as_f64().unwrap_or(f64::NAN);
    // Only a number that is rounded to a bound may be on the other side of it.
    let is_beyond = |bound: &f64, side: Ordering| {
        rounded.total_cmp(bound).is_eq() && value.compare(&bound.to_string()) == side
    };
    let is_outside =
        is_beyond(range.start(), Ordering::Less) || is_beyond(range.end(), Ordering::Greater);
    within(if is_outside { &f64::NAN } else { &rounded }, value, range)
}

pub(super) fn length_within(
    value: &impl Length,
    range: &RangeInclusive<usize>,
) -> Result<(), DecodeError> {
    let length = value.length();
    within(&length, &format_args!("a length of {length}"), range)
}

#[cfg(test)]
mod tests {
    use super::super::super::json;
    use super::*;

    #[test]
    fn number_beside_a_bound_is_not_rounded_to_it() {
        let is_within = |text: &str| {
            let number: Number = json::from_str(text).unwrap();
            number_within(&number, &(-0.1..=1.0)).is_ok()
        };
        for text in [
            "1",
            "1.0",
            "0.99999999999999999999",
            "-0.1",
            "-0.09999999999999999999",
            "0",
        ] {
            assert!(is_within(text), "{text}");
        }
        for text in [
            "1.00000000000000000001",
            "-0.10000000000000000001",
            "1e400",
            "-1e400",
            "2",
        ] {
            assert!(!is_within(text), "{text}");
        }
    }
}
