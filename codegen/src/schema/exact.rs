//! [`ExactNumbers`]: numbers that no float is equal to.
//!
//! `serde_json` would round them, or find them out of range. So another float, which the text does not
//! have, stands for each of them in memory.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde_json::Number;

/// The texts of such numbers, by the bits of the floats that stand for them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ExactNumbers(BTreeMap<u64, String>);

impl ExactNumbers {
    /// Replaces the numbers of a JSON text. The lines stay the same.
    pub(super) fn replaced(text: &str) -> (Cow<'_, str>, Self) {
        let mut exact = Self::default();
        let rounded: Vec<(usize, &str)> = numbers(text)
            .into_iter()
            .filter(|(_, number)| is_rounded(number))
            .collect();
        if rounded.is_empty() {
            return (Cow::Borrowed(text), exact);
        }
        let all = numbers(text).into_iter();
        let floats = all.filter_map(|(_, number)| number.parse::<f64>().ok());
        let mut taken: BTreeSet<u64> = floats.map(f64::to_bits).collect();
        let mut floats: BTreeMap<&str, f64> = BTreeMap::new();
        let mut new = String::with_capacity(text.len());
        let mut end = 0;
        for (at, number) in rounded {
            let float = *floats.entry(number).or_insert_with(|| {
                let float = free(number, &taken);
                taken.insert(float.to_bits());
                exact.0.insert(float.to_bits(), number.to_owned());
                float
            });
            new.push_str(&text[end..at]);
            // Writing to a string does not fail.
            let _ = write!(new, "{float:e}");
            end = at + number.len();
        }
        new.push_str(&text[end..]);
        (Cow::Owned(new), exact)
    }

    /// Returns `true` if a number stands for another one.
    pub(crate) fn has(&self, number: &Number) -> bool {
        self.get(number).is_some()
    }

    /// Returns a number as the document has it.
    pub(crate) fn text(&self, number: &Number) -> String {
        let text = self.get(number).cloned();
        text.unwrap_or_else(|| number.to_string())
    }

    fn get(&self, number: &Number) -> Option<&String> {
        let float = number.as_f64().filter(|_| number.is_f64())?;
        self.0.get(&float.to_bits())
    }
}

/// Returns a text that is the same for all forms of a number: its digits without zeros at the ends, `e`, and
/// the exponent. It is that of `codec::Literal::Number`, so that equal numbers have equal texts.
pub(crate) fn canonical(number: &str) -> String {
    let (sign, rest) = match number.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", number),
    };
    let (mantissa, power) = rest.split_once(['e', 'E']).unwrap_or((rest, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = format!("{whole}{fraction}");
    let kept = all.trim_end_matches('0');
    let digits = kept.trim_start_matches('0');
    if digits.is_empty() {
        return "0".to_owned();
    }
    let dropped = (all.len() - kept.len()).cast_signed();
    let shift = i64::try_from(dropped - fraction.len().cast_signed()).unwrap_or(i64::MAX);
    let exponent = power
        .parse::<i64>()
        .ok()
        .and_then(|power| power.checked_add(shift));
    match exponent.filter(|exponent| exponent.unsigned_abs() < i64::MAX as u64 / 4) {
        Some(exponent) => format!("{sign}{digits}e{exponent}"),
        // Out of every range. Only the same text is equal.
        None => number.to_owned(),
    }
}

/// Returns the numbers of a JSON text with their positions.
fn numbers(text: &str) -> Vec<(usize, &str)> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => at = end_of_string(bytes, at),
            b'-' | b'0'..=b'9' => {
                let is_part =
                    |byte: &&u8| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
                let length = bytes[at..].iter().take_while(is_part).count();
                found.push((at, &text[at..at + length]));
                at += length;
            }
            _ => at += 1,
        }
    }
    found
}

/// Returns the position behind a string.
fn end_of_string(bytes: &[u8], quote: usize) -> usize {
    let mut at = quote + 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    at
}

/// Returns `true` for a number that is no integer of 64 bits, and that differs from the nearest float as
/// it is written.
fn is_rounded(number: &str) -> bool {
    let is_integer = number.parse::<i64>().is_ok() || number.parse::<u64>().is_ok();
    let is_json = || serde_json::from_str::<serde::de::IgnoredAny>(number).is_ok();
    !is_integer
        && is_json()
        && number.parse::<f64>().is_ok_and(|float| {
            !float.is_finite() || canonical(&format!("{float:e}")) != canonical(number)
        })
}

/// Returns a float near a number that is not taken. It is an integer only if the number is one.
fn free(number: &str, taken: &BTreeSet<u64>) -> f64 {
    let rounded = number.parse().unwrap_or(0.0_f64);
    let is_integer = !canonical(number).contains("e-");
    let mut float = rounded.clamp(f64::MIN, f64::MAX);
    // Large floats are all integers.
    let is_large = float.abs() >= 2_f64.powi(52);
    while taken.contains(&float.to_bits()) || !is_large && (float.fract() == 0.0) != is_integer {
        float = if float > 0.0 {
            float.next_down()
        } else {
            float.next_up()
        };
    }
    float
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_no_float_is_equal_to_keep_their_text() {
        let text = r#"{"a": 12345678901234567890123, "b": [1e400, -1e400, 1e-400, 1.5, 9007199254740993,
            18446744073709551615, 0.1, 1e22, 0.10000000000000000001, 12345678901234567890124,
            5.00000000000000000001, 2.0, 12345678901234567890123], "1e400 \" 1e400": "1e400"}"#;
        let (replaced, exact) = ExactNumbers::replaced(text);
        let value: serde_json::Value = serde_json::from_str(&replaced).unwrap();
        let texts = |value: &serde_json::Value| match value {
            serde_json::Value::Number(number) => exact.text(number),
            other => other.to_string(),
        };
        assert_eq!(texts(&value["a"]), "12345678901234567890123");
        let all: Vec<String> = value["b"].as_array().unwrap().iter().map(texts).collect();
        let expected = [
            "1e400",
            "-1e400",
            "1e-400",
            "1.5",
            "9007199254740993",
            "18446744073709551615",
            "0.1",
            "1e+22",
            "0.10000000000000000001",
            "12345678901234567890124",
            "5.00000000000000000001",
            "2.0",
            "12345678901234567890123",
        ];
        assert_eq!(all, expected);
        assert_eq!(value["1e400 \" 1e400"], "1e400");
        let part = value["b"][10].as_f64().unwrap();
        assert!(part.fract() != 0.0, "{part}");
    }

    #[test]
    fn forms_of_a_number_have_one_text() {
        for (number, expected) in [
            ("0", "0"),
            ("-0.00e9", "0"),
            ("1", "1e0"),
            ("-100", "-1e2"),
            ("1.50", "15e-1"),
            ("0.0015E+3", "15e-1"),
            ("1e400", "1e400"),
            ("10e399", "1e400"),
            ("1e99999999999999999999", "1e99999999999999999999"),
        ] {
            assert_eq!(canonical(number), expected);
        }
    }
}
