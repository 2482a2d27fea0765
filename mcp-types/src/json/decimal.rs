//! The value of a number, from its digits and without rounding: [`Decimal`], and [`short_float`] for the
//! numbers that messages have most often.

use std::cmp::Ordering;

/// A decimal number: the digits times ten to the power of the exponent.
pub(super) struct Decimal {
    negative: bool,
    /// Without leading and trailing zeros; empty for zero.
    digits: String,
    exponent: i64,
}

/// The most digits of a number of which others are multiples.
const STEP_DIGITS: usize = 36;

/// The maximum number of decimal digits of a 128-bit integer.
const MAX_DIGITS: usize = 39;

impl Decimal {
    /// Parses a text that is known to be a JSON number.
    pub(super) fn read(text: &str) -> Self {
        let (negative, text) = match text.strip_prefix('-') {
            Some(text) => (true, text),
            None => (false, text),
        };
        let (mantissa, power) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        // An exponent that does not fit is replaced by the largest one: the code below does not
        // distinguish them.
        let power = power.parse().unwrap_or(if power.starts_with('-') {
            i64::MIN / 2
        } else {
            i64::MAX / 2
        });
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let mut all = whole.to_owned();
        all.push_str(fraction);
        let kept = all.trim_end_matches('0');
        let dropped = all.len() - kept.len();
        let shift = length(dropped).saturating_sub(length(fraction.len()));
        Self {
            negative,
            digits: kept.trim_start_matches('0').to_owned(),
            exponent: shift.saturating_add(power),
        }
    }

    pub(super) fn is_integer(&self) -> bool {
        self.digits.is_empty() || self.exponent >= 0
    }

    /// Returns a text that is the same for all forms of a value, or `None` if the exponent may have been
    /// replaced.
    pub(super) fn canonical(&self) -> Option<String> {
        if self.digits.is_empty() {
            return Some("0".to_owned());
        }
        let sign = if self.negative { "-" } else { "" };
        let known = self.exponent.unsigned_abs() < i64::MAX as u64 / 4;
        known.then(|| format!("{sign}{}e{}", self.digits, self.exponent))
    }

    /// Compares two numbers without rounding.
    pub(super) fn compare(&self, other: &Self) -> Ordering {
        let sign = |it: &Self| match (it.digits.is_empty(), it.negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        };
        // The position of the first digit, then the digits: none of them ends in zeros.
        let size = |it: &Self| length(it.digits.len()).saturating_add(it.exponent);
        let larger = size(self)
            .cmp(&size(other))
            .then_with(|| self.digits.cmp(&other.digits));
        sign(self).cmp(&sign(other)).then(match sign(self) {
            0 => Ordering::Equal,
            1 => larger,
            _ => larger.reverse(),
        })
    }

    /// Returns `true` if the number is an integer times another one, which has at most
    /// [`STEP_DIGITS`] digits. Of longer ones, only zero is a multiple.
    pub(super) fn is_multiple_of(&self, step: &Self) -> bool {
        if self.digits.is_empty() {
            return true;
        }
        // The last digit is not zero, so that the number cannot be a multiple of more digits.
        let zeros = self.exponent.saturating_sub(step.exponent);
        let divisor = step.digits.parse::<u128>().ok();
        let Some(divisor) = divisor.filter(|_| zeros >= 0 && step.digits.len() <= STEP_DIGITS)
        else {
            return false;
        };
        let digits = self.digits.bytes().map(|digit| u128::from(digit - b'0'));
        // More zeros make no difference: they are the factors 2 and 5 of the divisor.
        let zeros = usize::try_from(zeros.min(128)).unwrap_or_default();
        let all = digits.chain(std::iter::repeat_n(0, zeros));
        all.fold(0, |rest, digit| (rest * 10 + digit) % divisor) == 0
    }

    /// Returns the digits of the integer, or `None` if it has a fraction, or ends in more zeros
    /// than an integer of 128 bits.
    pub(super) fn to_integer(&self) -> Option<String> {
        if self.digits.is_empty() {
            return Some("0".to_owned());
        }
        let zeros = usize::try_from(self.exponent)
            .ok()
            .filter(|zeros| *zeros <= MAX_DIGITS)?;
        let mut text = String::from(if self.negative { "-" } else { "" });
        text.push_str(&self.digits);
        for _ in 0..zeros {
            text.push('0');
        }
        Some(text)
    }
}

fn length(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}

/// A decimal number with up to this number of digits is converted to a float and back without changing
/// any of them: `f64::DIGITS`.
const EXACT_DIGITS: usize = f64::DIGITS as usize;

/// The powers of ten by which such a number is divided. All are exact as floats, and so is the integer
/// that is divided. So the result is rounded once, which makes it the nearest float.
const POWERS: [f64; EXACT_DIGITS + 1] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
];

/// Returns the value of a number with a fraction, such as `0.6`, if it is known without a comparison that
/// `serde_json` writes this value with the same digits. Returns `None` for other numbers, and for texts that
/// are not numbers.
///
/// A float is written with as few digits as distinguish it from all others. Two different numbers of at most
/// [`EXACT_DIGITS`] digits are different floats, so that no shorter number stands for the same float.
pub(super) fn short_float(text: &str) -> Option<f64> {
    let (is_negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let (whole, fraction) = digits.split_once('.')?;
    if whole.len() + fraction.len() > EXACT_DIGITS {
        return None;
    }
    match whole.as_bytes() {
        // Formats begin to write an exponent at different numbers of zeros.
        [b'0'] if !fraction.starts_with("000") => {}
        [b'1'..=b'9', ..] => {}
        _ => return None,
    }
    if fraction.ends_with('0') && fraction != "0" {
        return None;
    }
    let mut all = 0_u64;
    for byte in whole.bytes().chain(fraction.bytes()) {
        let digit = byte.checked_sub(b'0').filter(|digit| *digit < 10)?;
        all = all * 10 + u64::from(digit);
    }
    let high = f64::from(u32::try_from(all >> u32::BITS).ok()?);
    let low = f64::from(u32::try_from(all & u64::from(u32::MAX)).ok()?);
    let power = POWERS
        .get(fraction.len())
        .filter(|_| !fraction.is_empty())?;
    let value = (high * 2_f64.powi(32) + low) / power;
    Some(if is_negative { -value } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_compared_without_rounding() {
        let ordered = [
            "-1e400",
            "-12345678901234567890123",
            "-12345678901234567890122",
            "-2.5",
            "-2",
            "-0.1",
            "0",
            "1e-400",
            "0.1",
            "0.10000000000000000001",
            "1",
            "1.5",
            "9",
            "10",
            "9007199254740992",
            "9007199254740993",
            "1e400",
        ];
        for (at, a) in ordered.iter().enumerate() {
            for (other, b) in ordered.iter().enumerate() {
                let found = Decimal::read(a).compare(&Decimal::read(b));
                assert_eq!(found, at.cmp(&other), "{a} {b}");
            }
        }
        for (a, b) in [("1.0", "1"), ("-0.0", "0"), ("10e-1", "1"), ("1e2", "100")] {
            let found = Decimal::read(a).compare(&Decimal::read(b));
            assert_eq!(found, Ordering::Equal, "{a} {b}");
        }
    }

    #[test]
    fn multiples_are_found_without_rounding() {
        let is =
            |number: &str, step: &str| Decimal::read(number).is_multiple_of(&Decimal::read(step));
        for (number, step) in [
            ("10", "2"),
            ("0", "3"),
            ("0.0075", "0.0001"),
            ("4.5", "1.5"),
            ("-6", "3"),
            ("1e300", "5"),
            ("1e999999999", "0.128"),
            ("0.3", "0.1"),
            ("19.99", "0.01"),
        ] {
            assert!(is(number, step), "{number} {step}");
        }
        for (number, step) in [
            ("7", "2"),
            ("0.00751", "0.0001"),
            ("35", "1.5"),
            ("1e308", "0.123456789"),
            ("1", "10"),
            ("1e999999999", "3"),
            ("0.05", "0.1"),
        ] {
            assert!(!is(number, step), "{number} {step}");
        }
    }

    #[test]
    fn numbers_that_are_written_in_another_way_are_no_short_float() {
        for text in [
            "",
            "-",
            ".",
            "1",
            "1.",
            ".5",
            "01.5",
            "1.50",
            "1.00",
            "1e5",
            "1.5e3",
            "0.0001",
            "1.5 ",
            "+1.5",
            "--1.5",
            "1.2.3",
            "1234567890.123456",
        ] {
            assert_eq!(short_float(text), None, "{text}");
        }
        for text in [
            "0.0",
            "-0.0",
            "0.6",
            "100.0",
            "123456789012.345",
            "0.00123456789012",
        ] {
            let float = short_float(text).unwrap();
            assert_eq!(float.to_bits(), text.parse::<f64>().unwrap().to_bits());
        }
    }
}
