//! [`Number`]: a JSON number as it was written.

use std::cmp::Ordering;
use std::fmt;

use serde::de::IgnoredAny;
use serde::ser::{Serialize, SerializeStruct, Serializer};

use super::super::error::{DecodeError, Rule, excerpt};
use super::decimal::{Decimal, short_float};
use super::format::RAW;

/// A JSON number. It keeps its written form: an integer stays an integer and `1.0` stays `1.0`.
///
/// Two numbers are equal if their written forms are equal: `1` and `1.0` differ. All digits are kept,
/// whichever features of `serde_json` are enabled, of numbers with up to [`NUMBER_LIMIT`] characters.
/// [`from_str`](super::from_str) rejects longer ones unless they are integers of 64 bits.
///
/// Deserializers other than those of JSON text, such as `serde_json::from_value`, may round integers beyond
/// 64 bits and decimals beyond the precision of `f64` before this type gets them.
///
/// A float that JSON cannot represent (infinite or not a number) can be converted to a `Number`,
/// but encoding it is an error.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Number(Repr);

#[derive(Clone, PartialEq, Eq, Hash)]
enum Repr {
    /// A number that is written in the same way by `serde_json`.
    Json(serde_json::Number),
    /// Any other number.
    Exact(Box<Exact>),
    /// The bits of a float that JSON cannot represent.
    NotFinite(u64),
}

/// The digits of a number, and what `serde_json` makes of them.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Exact {
    digits: Box<str>,
    /// `None` if the number is out of range.
    rounded: Option<serde_json::Number>,
}

/// The maximum number of characters of a number that is not an integer of 64 bits: 4,096.
pub const NUMBER_LIMIT: usize = 4096;

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

    /// Creates a number from a text that is known to be a JSON number.
    pub(crate) fn from_digits(digits: &str) -> Result<Self, DecodeError> {
        if !arbitrary_precision()
            && let Some(number) = short_float(digits).and_then(serde_json::Number::from_f64)
        {
            return Ok(Self(Repr::Json(number)));
        }
        if digits.len() > NUMBER_LIMIT {
            return Err(DecodeError::data(format!(
                "number with more than {NUMBER_LIMIT} characters"
            ))
            .with_rule(Rule::Limit, [NUMBER_LIMIT.to_string()]));
        }
        let rounded = digits.parse::<serde_json::Number>();
        if let Ok(number) = &rounded
            && is_written_as(number, digits)
        {
            return Ok(Self(Repr::Json(number.clone())));
        }
        Ok(Self(Repr::Exact(Box::new(Exact {
            digits: digits.into(),
            rounded: rounded.ok(),
        }))))
    }

    /// Returns the number as a `serde_json` number, rounded if that has less digits. `None` if
    /// `serde_json` cannot represent it.
    #[must_use]
    pub fn as_json(&self) -> Option<&serde_json::Number> {
        match &self.0 {
            Repr::Json(number) => Some(number),
            Repr::Exact(exact) => exact.rounded.as_ref(),
            Repr::NotFinite(_) => None,
        }
    }

    /// Returns the number as a float, rounded if it has more digits. `None` if it is out of range.
    #[must_use]
    pub fn as_f64(&self) -> Option<f64> {
        match &self.0 {
            Repr::NotFinite(bits) => Some(f64::from_bits(*bits)),
            _ => self.as_json()?.as_f64(),
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
            .or_else(|| self.decimal()?.to_integer()?.parse().ok())
    }

    /// Returns the number if its value is an integer within range: `1.0` and `1e0` are 1.
    #[must_use]
    pub fn to_u64(&self) -> Option<u64> {
        self.as_u64()
            .or_else(|| self.decimal()?.to_integer()?.parse().ok())
    }

    /// Converts the number to an integer. `1.0` is converted to 1.
    pub(crate) fn integer(&self) -> Result<i64, DecodeError> {
        self.to_i64().ok_or_else(|| {
            let digits = self.to_string();
            let digits = excerpt(&digits);
            if self.is_integer() {
                DecodeError::data(format!("the integer {digits} does not fit into 64 bits"))
                    .with_rule(Rule::Limit, [i64::MAX.to_string()])
            } else {
                DecodeError::data(format!("invalid value: `{digits}`, expected an integer"))
                    .with_rule(Rule::Type, ["an integer"])
            }
        })
    }

    /// Returns `true` if the value is an integer of any size: `1`, `1.0`, `1e30`.
    #[must_use]
    pub fn is_integer(&self) -> bool {
        self.as_i64().is_some()
            || self.as_u64().is_some()
            || self.decimal().is_some_and(|decimal| decimal.is_integer())
    }

    /// Writes the number as an integer if its value is one: `30.0` and `3e1` become `30`. Other numbers,
    /// and those with too many zeros for an integer of 128 bits, stay as they are.
    pub(super) fn normalize_integer(&mut self) {
        if self.as_i64().is_some() || self.as_u64().is_some() {
            return;
        }
        let digits = self.decimal().and_then(|decimal| decimal.to_integer());
        if let Some(Ok(integer)) = digits.map(|digits| Self::from_digits(&digits)) {
            *self = integer;
        }
    }

    /// Returns a text that is the same for all forms of a value: `1`, `1.0` and `10e-1`.
    pub(crate) fn canonical(&self) -> String {
        let canonical = self.decimal().and_then(|decimal| decimal.canonical());
        canonical.unwrap_or_else(|| self.to_string())
    }

    /// Compares the value with a text that is known to be a JSON number, without rounding.
    pub(crate) fn compare(&self, other: &str) -> Ordering {
        let other = Decimal::read(other);
        // What is not finite is more than any other number.
        let own = self.decimal();
        own.map_or(Ordering::Greater, |own| own.compare(&other))
    }

    /// Returns `true` if the value is an integer times a text that is known to be a JSON number.
    pub(crate) fn is_multiple_of(&self, step: &str) -> bool {
        let own = self.decimal();
        own.is_some_and(|own| own.is_multiple_of(&Decimal::read(step)))
    }

    /// `None` if JSON cannot represent the number.
    fn decimal(&self) -> Option<Decimal> {
        match &self.0 {
            Repr::Json(number) => Some(Decimal::read(&number.to_string())),
            Repr::Exact(exact) => Some(Decimal::read(&exact.digits)),
            Repr::NotFinite(_) => None,
        }
    }
}

/// Returns `true` if `serde_json` writes a number in the same way.
fn is_written_as(number: &serde_json::Number, digits: &str) -> bool {
    /// The part of a text that was not written yet.
    struct Rest<'a>(&'a str);

    impl fmt::Write for Rest<'_> {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            self.0 = self.0.strip_prefix(text).ok_or(fmt::Error)?;
            Ok(())
        }
    }

    let mut rest = Rest(digits);
    fmt::write(&mut rest, format_args!("{number}")).is_ok() && rest.0.is_empty()
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

macro_rules! from_wide_integer {
    ($($integer:ty)*) => {$(
        impl From<$integer> for Number {
            fn from(value: $integer) -> Self {
                let digits = value.to_string();
                // The digits of an integer are a number.
                Self::from_digits(&digits).unwrap_or(Self::NAN)
            }
        }
    )*};
}

from_wide_integer!(i128 u128);

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
    /// Rounds a number that `serde_json` cannot represent exactly. One that is not finite, or out of its
    /// range, is converted to `null`, as `serde_json` does.
    fn from(number: Number) -> Self {
        number
            .as_json()
            .map_or(Self::Null, |number| Self::Number(number.clone()))
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Repr::Json(number) => number.fmt(f),
            Repr::Exact(exact) => f.write_str(&exact.digits),
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
            // As a raw value, which `serde_json` writes as it is.
            Repr::Exact(exact) => {
                let mut raw = serializer.serialize_struct(RAW, 1)?;
                raw.serialize_field(RAW, &exact.digits)?;
                raw.end()
            }
            Repr::NotFinite(_) => Err(serde::ser::Error::custom(format_args!(
                "JSON cannot represent the number {self}"
            ))),
        }
    }
}
