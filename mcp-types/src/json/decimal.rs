//! [`Decimal`]: the value of a number, from its digits and without rounding.

/// A decimal number: the digits times ten to the power of the exponent.
pub(super) struct Decimal {
    negative: bool,
    /// Without leading and trailing zeros; empty for zero.
    digits: String,
    exponent: i64,
}

/// The maximum number of decimal digits of a 64-bit integer.
const MAX_DIGITS: usize = 20;

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

    /// Returns the digits of the integer, or `None` if it has a fraction or is too long for 64
    /// bits.
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
