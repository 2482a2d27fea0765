//! [`Number`]: a JSON number as it was written.

use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny};
use serde::ser::{Serialize, Serializer};

/// A JSON number. It keeps its written form: an integer stays an integer and `1.0` stays `1.0`.
///
/// Two numbers are equal if their written forms are equal: `1` and `1.0` differ. Integers beyond 64
/// bits and decimals beyond the precision of `f64` keep all digits if
/// `serde_json/arbitrary_precision` is enabled, and are rounded to `f64` otherwise.
///
/// A float that JSON cannot represent (infinite or not a number) can be converted to a `Number`,
/// but encoding it is an error.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Number(Repr);

#[derive(Clone, PartialEq, Eq, Hash)]
enum Repr {
    Json(serde_json::Number),
    /// The bits of a float that JSON cannot represent.
    NotFinite(u64),
}

impl Number {
    /// A value that is not a number.
    pub(in super::super) const NAN: Self = Self(Repr::NotFinite(f64::NAN.to_bits()));

    /// Creates a number from a float. Returns `None` if JSON cannot represent it (infinite or not a
    /// number).
    #[must_use]
    pub fn from_f64(value: f64) -> Option<Self> {
        serde_json::Number::from_f64(value).map(Self::from)
    }

    /// Parses a JSON number as an integer, from its digits and without rounding: `42`, `42.0`,
    /// `4.2e1`. Returns `None` if the text is not a JSON number, has a fraction or is out of range.
    #[must_use]
    pub fn integer_in(text: &str) -> Option<i64> {
        // Checks only the form: no float is created that could be rounded. JSON that is not a
        // number, or that is surrounded by white space, has no digits that the code below could
        // parse.
        serde_json::from_str::<IgnoredAny>(text).ok()?;
        Decimal::read(text).to_integer()?.parse().ok()
    }

    /// Returns the number as a `serde_json` number, or `None` if JSON cannot represent it.
    #[must_use]
    pub fn as_json(&self) -> Option<&serde_json::Number> {
        match &self.0 {
            Repr::Json(number) => Some(number),
            Repr::NotFinite(_) => None,
        }
    }

    /// Returns the number as a float, rounded if it has more digits. `None` if it is out of range.
    #[must_use]
    pub fn as_f64(&self) -> Option<f64> {
        match &self.0 {
            Repr::Json(number) => number.as_f64(),
            Repr::NotFinite(bits) => Some(f64::from_bits(*bits)),
        }
    }

    /// Returns the number if it is written as an integer and is within range.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        self.as_json()?.as_i64()
    }

    /// Returns the number if it is written as an integer and is within range.
    #[must_use]
    pub fn as_u64(&self) -> Option<u64> {
        self.as_json()?.as_u64()
    }

    /// Returns the number if its value is an integer within range: `1.0` and `1e0` are 1.
    #[must_use]
    pub fn to_i64(&self) -> Option<i64> {
        self.as_i64()
            .or_else(|| Decimal::of(self.as_json()?).to_integer()?.parse().ok())
    }

    /// Returns the number if its value is an integer within range: `1.0` and `1e0` are 1.
    #[must_use]
    pub fn to_u64(&self) -> Option<u64> {
        self.as_u64()
            .or_else(|| Decimal::of(self.as_json()?).to_integer()?.parse().ok())
    }

    /// Returns `true` if the value is an integer of any size: `1`, `1.0`, `1e30`.
    #[must_use]
    pub fn is_integer(&self) -> bool {
        self.as_json().is_some_and(|number| {
            number.is_i64() || number.is_u64() || Decimal::of(number).is_integer()
        })
    }
}

/// A decimal number: the digits times ten to the power of the exponent.
struct Decimal {
    negative: bool,
    /// Without leading and trailing zeros; empty for zero.
    digits: String,
    exponent: i64,
}

/// The maximum number of decimal digits of a 64-bit integer.
const MAX_DIGITS: usize = 20;

impl Decimal {
    /// Parses the text, which is the same in all representations of `serde_json`.
    fn of(number: &serde_json::Number) -> Self {
        Self::read(&number.to_string())
    }

    /// Parses a text that is known to be a JSON number.
    fn read(text: &str) -> Self {
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

    fn is_integer(&self) -> bool {
        self.digits.is_empty() || self.exponent >= 0
    }

    /// Returns the digits of the integer, or `None` if it has a fraction or is too long for 64
    /// bits.
    fn to_integer(&self) -> Option<String> {
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

/// Returns `true` if `serde_json` is built with `arbitrary_precision`. Any crate of a program can
/// enable this feature for all crates, and it changes how numbers are passed to visitors.
pub(crate) fn arbitrary_precision() -> bool {
    static ON: std::sync::OnceLock<bool> = std::sync::OnceLock::new();
    *ON.get_or_init(|| {
        let probe = "0.10".parse::<serde_json::Number>();
        probe.is_ok_and(|number| number.to_string() == "0.10")
    })
}

macro_rules! from_integer {
    ($($integer:ty)*) => {$(
        impl From<$integer> for Number {
            #[inline]
            fn from(value: $integer) -> Self {
                Self(Repr::Json(value.into()))
            }
        }

        impl PartialEq<$integer> for Number {
            #[inline]
            fn eq(&self, other: &$integer) -> bool {
                self.as_json() == Some(&serde_json::Number::from(*other))
            }
        }
    )*};
}

from_integer!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize);

impl PartialEq<f64> for Number {
    /// Compares the values, however the number is written.
    fn eq(&self, other: &f64) -> bool {
        self.as_f64() == Some(*other)
    }
}

impl From<f64> for Number {
    /// Converts any float. Encoding a number that is not finite is an error; use
    /// [`Number::from_f64`] to check first.
    fn from(value: f64) -> Self {
        Self::from_f64(value).unwrap_or(Self(Repr::NotFinite(value.to_bits())))
    }
}

impl From<serde_json::Number> for Number {
    fn from(number: serde_json::Number) -> Self {
        Self(Repr::Json(number))
    }
}

impl From<Number> for serde_json::Value {
    /// Converts a number that is not finite to `null`, as `serde_json` does.
    fn from(number: Number) -> Self {
        match number.0 {
            Repr::Json(number) => Self::Number(number),
            Repr::NotFinite(_) => Self::Null,
        }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Repr::Json(number) => number.fmt(f),
            Repr::NotFinite(bits) => f64::from_bits(*bits).fmt(f),
        }
    }
}

impl fmt::Debug for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Number({self})")
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Repr::Json(number) => number.serialize(serializer),
            Repr::NotFinite(_) => Err(serde::ser::Error::custom(format_args!(
                "JSON cannot represent the number {self}"
            ))),
        }
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        serde_json::Number::deserialize(deserializer).map(Self::from)
    }
}
