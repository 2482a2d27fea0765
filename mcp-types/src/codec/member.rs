//! Members: slots that are filled once, constants, bounds.

use super::super::error::DecodeError;
use super::{Number, Value};
use serde::de::value::SeqAccessDeserializer;
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Unexpected, Visitor,
};
use std::fmt;
use std::ops::RangeInclusive;

/// Where a member's value waits until all members are read.
#[derive(Debug)]
pub struct Slot<T>(State<T>);

#[derive(Debug)]
enum State<T> {
    Empty,
    /// `null` for an optional member that has no such value: taken as absent.
    Null,
    Value(T),
}

impl<T> Slot<T> {
    /// Nothing was read.
    pub const EMPTY: Self = Self(State::Empty);

    fn fill<E: Error>(&mut self, name: &'static str, state: State<T>) -> Result<(), E> {
        self.vacant(name)?;
        self.0 = state;
        Ok(())
    }

    /// Reads the member's value.
    #[inline]
    pub fn read<'de, A: MapAccess<'de>>(
        &mut self,
        name: &'static str,
        members: &mut A,
    ) -> Result<(), A::Error>
    where
        T: Deserialize<'de>,
    {
        self.vacant(name)?;
        members.next_value_seed(Fill(self))
    }

    /// Reads the member's value; `null` counts as absent.
    #[inline]
    pub fn read_optional<'de, A: MapAccess<'de>>(
        &mut self,
        name: &'static str,
        members: &mut A,
    ) -> Result<(), A::Error>
    where
        T: Deserialize<'de>,
    {
        self.vacant(name)?;
        members.next_value_seed(FillOptional(self))
    }

    fn vacant<E: Error>(&self, name: &'static str) -> Result<(), E> {
        match self.0 {
            State::Empty => Ok(()),
            _ => Err(E::duplicate_field(name)),
        }
    }

    /// The value, which must have been there.
    #[inline]
    pub fn required<E: Error>(self, name: &'static str) -> Result<T, E> {
        match self.0 {
            State::Value(value) => Ok(value),
            State::Empty | State::Null => Err(E::missing_field(name)),
        }
    }

    /// The value, if it was there.
    #[inline]
    pub fn optional(self) -> Option<T> {
        match self.0 {
            State::Value(value) => Some(value),
            State::Empty | State::Null => None,
        }
    }

    fn put<E: Error>(&mut self, name: &'static str, value: Option<T>) -> Result<(), E> {
        self.fill(name, value.map_or(State::Null, State::Value))
    }
}

/// Puts a value into its slot from inside, so that it is not handed up layer by layer.
struct Fill<'a, T>(&'a mut Slot<T>);

impl<'de, T: Deserialize<'de>> DeserializeSeed<'de> for Fill<'_, T> {
    type Value = ();

    #[inline]
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        self.0.0 = State::Value(T::deserialize(deserializer)?);
        Ok(())
    }
}

/// The same for a value that may be `null`.
struct FillOptional<'a, T>(&'a mut Slot<T>);

impl<'de, T: Deserialize<'de>> DeserializeSeed<'de> for FillOptional<'_, T> {
    type Value = ();

    #[inline]
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_option(self)
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for FillOptional<'_, T> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value or null")
    }

    fn visit_none<E>(self) -> Result<(), E> {
        self.0.0 = State::Null;
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        self.0.0 = State::Null;
        Ok(())
    }

    #[inline]
    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        self.0.0 = State::Value(T::deserialize(deserializer)?);
        Ok(())
    }
}

/// Reads a member that must be a certain text.
pub fn read_text<'de, A: MapAccess<'de>>(
    slot: &mut Slot<()>,
    name: &'static str,
    text: &'static str,
    members: &mut A,
) -> Result<(), A::Error> {
    struct Text(&'static str);

    impl<'de> DeserializeSeed<'de> for Text {
        type Value = ();

        fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
            deserializer.deserialize_str(self)
        }
    }

    impl Visitor<'_> for Text {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "`{}`", self.0)
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
            if text == self.0 {
                Ok(())
            } else {
                Err(E::invalid_value(Unexpected::Str(text), &self))
            }
        }
    }

    members.next_value_seed(Text(text))?;
    slot.fill(name, State::Value(()))
}

/// A constant other than a text.
pub trait Constant: fmt::Display {
    /// Whether a value is this one; `1.0` is the integer 1.
    fn is(&self, value: &Value) -> bool;
}

impl Constant for i64 {
    fn is(&self, value: &Value) -> bool {
        value.as_number().and_then(Number::to_i64) == Some(*self)
    }
}

impl Constant for bool {
    fn is(&self, value: &Value) -> bool {
        value.as_bool() == Some(*self)
    }
}

/// Reads a member that must be a certain number or truth value.
pub fn read_constant<'de, A: MapAccess<'de>>(
    slot: &mut Slot<()>,
    name: &'static str,
    constant: &impl Constant,
    members: &mut A,
) -> Result<(), A::Error> {
    let value = members.next_value::<Value>()?;
    if !constant.is(&value) {
        return Err(at(
            name,
            format!("invalid value: `{value}`, expected `{constant}`"),
        ));
    }
    slot.fill(name, State::Value(()))
}

/// A number as an integer: `1.0` is 1.
pub fn integer<E: Error>(number: &Number) -> Result<i64, E> {
    number.to_i64().ok_or_else(|| {
        if number.is_integer() {
            E::custom(format_args!(
                "the integer {number} does not fit into 64 bits"
            ))
        } else {
            E::custom(format_args!(
                "invalid value: `{number}`, expected an integer"
            ))
        }
    })
}

/// A type whose length can be bounded.
pub trait Length {
    /// Number of elements, or of characters.
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
) -> Result<(), String> {
    if range.contains(measure) {
        return Ok(());
    }
    let (low, high) = (range.start(), range.end());
    Err(format!("{shown} is not between {low:?} and {high:?}"))
}

fn int_within(value: i64, range: &RangeInclusive<i64>) -> Result<(), String> {
    within(&value, &value, range)
}

fn number_within(value: &Number, range: &RangeInclusive<f64>) -> Result<(), String> {
    within(&value.as_f64().unwrap_or(f64::NAN), value, range)
}

fn length_within(value: &impl Length, range: &RangeInclusive<usize>) -> Result<(), String> {
    let length = value.length();
    within(&length, &format_args!("a length of {length}"), range)
}

/// An error about a member whose value does not fit.
fn at<E: Error>(name: &'static str, message: impl Into<String>) -> E {
    E::custom(DecodeError::data(message).inside_member(name))
}

/// The same while writing.
fn unwritable<E: serde::ser::Error>(name: &'static str) -> impl FnOnce(String) -> E {
    move |message| E::custom(DecodeError::data(message).inside_member(name))
}

/// Checks an integer against its bounds before it is written.
pub fn check_int<E: serde::ser::Error>(
    name: &'static str,
    value: &i64,
    range: RangeInclusive<i64>,
) -> Result<(), E> {
    int_within(*value, &range).map_err(unwritable(name))
}

/// Checks a number against its bounds before it is written.
pub fn check_number<E: serde::ser::Error>(
    name: &'static str,
    value: &Number,
    range: RangeInclusive<f64>,
) -> Result<(), E> {
    number_within(value, &range).map_err(unwritable(name))
}

/// Checks the length of an array or, in characters, of a string before it is written.
pub fn check_size<E: serde::ser::Error>(
    name: &'static str,
    value: &impl Length,
    range: RangeInclusive<usize>,
) -> Result<(), E> {
    length_within(value, &range).map_err(unwritable(name))
}

fn bounded_int<E: Error>(
    name: &'static str,
    number: &Number,
    range: &RangeInclusive<i64>,
) -> Result<i64, E> {
    let value = integer(number).map_err(|message: Message| at(name, message.0))?;
    int_within(value, range).map_err(|message| at(name, message))?;
    Ok(value)
}

/// Reads a required integer.
pub fn read_int<'de, A: MapAccess<'de>>(
    slot: &mut Slot<i64>,
    name: &'static str,
    range: RangeInclusive<i64>,
    members: &mut A,
) -> Result<(), A::Error> {
    let number = members.next_value::<Number>()?;
    let value = bounded_int(name, &number, &range)?;
    slot.put(name, Some(value))
}

/// Reads an optional integer; `null` counts as absent.
pub fn read_optional_int<'de, A: MapAccess<'de>>(
    slot: &mut Slot<i64>,
    name: &'static str,
    range: RangeInclusive<i64>,
    members: &mut A,
) -> Result<(), A::Error> {
    let number = members.next_value::<Option<Number>>()?;
    let value = number
        .map(|number| bounded_int(name, &number, &range))
        .transpose()?;
    slot.put(name, value)
}

/// Reads an integer or `null`.
pub fn read_nullable_int<'de, A: MapAccess<'de>>(
    slot: &mut Slot<Option<i64>>,
    name: &'static str,
    range: RangeInclusive<i64>,
    members: &mut A,
) -> Result<(), A::Error> {
    let number = members.next_value::<Option<Number>>()?;
    let value = number
        .map(|number| bounded_int(name, &number, &range))
        .transpose()?;
    slot.put(name, Some(value))
}

fn bounded_ints<E: Error>(
    name: &'static str,
    numbers: &[Number],
    range: &RangeInclusive<i64>,
) -> Result<Vec<i64>, E> {
    numbers
        .iter()
        .map(|number| bounded_int(name, number, range))
        .collect()
}

/// Reads a required list of integers.
pub fn read_ints<'de, A: MapAccess<'de>>(
    slot: &mut Slot<Vec<i64>>,
    name: &'static str,
    range: RangeInclusive<i64>,
    members: &mut A,
) -> Result<(), A::Error> {
    let numbers = members.next_value::<Vec<Number>>()?;
    let values = bounded_ints(name, &numbers, &range)?;
    slot.put(name, Some(values))
}

/// Reads an optional list of integers; `null` counts as absent.
pub fn read_optional_ints<'de, A: MapAccess<'de>>(
    slot: &mut Slot<Vec<i64>>,
    name: &'static str,
    range: RangeInclusive<i64>,
    members: &mut A,
) -> Result<(), A::Error> {
    let numbers = members.next_value::<Option<Vec<Number>>>()?;
    let values = numbers
        .map(|numbers| bounded_ints(name, &numbers, &range))
        .transpose()?;
    slot.put(name, values)
}

/// Checks a list of integers against their bounds before it is written.
pub fn check_ints<E: serde::ser::Error>(
    name: &'static str,
    values: &[i64],
    range: RangeInclusive<i64>,
) -> Result<(), E> {
    values
        .iter()
        .try_for_each(|value| int_within(*value, &range))
        .map_err(unwritable(name))
}

/// Reads a required number within bounds.
pub fn read_number<'de, A: MapAccess<'de>>(
    slot: &mut Slot<Number>,
    name: &'static str,
    range: RangeInclusive<f64>,
    members: &mut A,
) -> Result<(), A::Error> {
    let value = members.next_value::<Number>()?;
    number_within(&value, &range).map_err(|message| at(name, message))?;
    slot.put(name, Some(value))
}

/// Reads an optional number within bounds; `null` counts as absent.
pub fn read_optional_number<'de, A: MapAccess<'de>>(
    slot: &mut Slot<Number>,
    name: &'static str,
    range: RangeInclusive<f64>,
    members: &mut A,
) -> Result<(), A::Error> {
    let value = members.next_value::<Option<Number>>()?;
    if let Some(value) = &value {
        number_within(value, &range).map_err(|message| at(name, message))?;
    }
    slot.put(name, value)
}

/// Reads a required array or string of bounded length.
pub fn read_sized<'de, T: Deserialize<'de> + Length, A: MapAccess<'de>>(
    slot: &mut Slot<T>,
    name: &'static str,
    range: RangeInclusive<usize>,
    members: &mut A,
) -> Result<(), A::Error> {
    let value = members.next_value::<T>()?;
    length_within(&value, &range).map_err(|message| at(name, message))?;
    slot.put(name, Some(value))
}

/// Reads an optional array or string of bounded length; `null` counts as absent.
pub fn read_optional_sized<'de, T: Deserialize<'de> + Length, A: MapAccess<'de>>(
    slot: &mut Slot<T>,
    name: &'static str,
    range: RangeInclusive<usize>,
    members: &mut A,
) -> Result<(), A::Error> {
    let value = members.next_value::<Option<T>>()?;
    if let Some(value) = &value {
        length_within(value, &range).map_err(|message| at(name, message))?;
    }
    slot.put(name, value)
}

/// Reads an optional list of strings that some peers write as one string of words.
pub fn read_one_or_many<'de, A: MapAccess<'de>>(
    slot: &mut Slot<Vec<String>>,
    name: &'static str,
    members: &mut A,
) -> Result<(), A::Error> {
    struct OneOrMany;

    impl<'de> DeserializeSeed<'de> for OneOrMany {
        type Value = Option<Vec<String>>;

        fn deserialize<D: Deserializer<'de>>(
            self,
            deserializer: D,
        ) -> Result<Self::Value, D::Error> {
            deserializer.deserialize_any(self)
        }
    }

    impl<'de> Visitor<'de> for OneOrMany {
        type Value = Option<Vec<String>>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an array of strings, or a string of words")
        }

        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok(None)
        }

        fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
            Ok(Some(text.split_whitespace().map(str::to_owned).collect()))
        }

        fn visit_seq<S: SeqAccess<'de>>(self, items: S) -> Result<Self::Value, S::Error> {
            Vec::deserialize(SeqAccessDeserializer::new(items)).map(Some)
        }
    }

    let value = members.next_value_seed(OneOrMany)?;
    slot.put(name, value)
}

/// An error that is only a message, to be put in its place.
#[derive(Debug)]
struct Message(String);

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Message {}

impl Error for Message {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self(message.to_string())
    }
}
