//! [`Reader`]: decodes the members of an object. Rejects duplicates and checks constants and bounds.

use super::super::error::{DecodeError, excerpt};
use super::bounds::{Length, int_within, length_within, number_within};
use super::members::Members;
use super::place::{ListPlace, OneOrMany, OptionalListPlace, OptionalPlace, Place, Text};
use super::{Extra, Key, Number, Value};
use serde::de::{Deserialize, Error, MapAccess, SeqAccess};
use std::fmt;
use std::ops::RangeInclusive;

/// Decodes the members of an object one by one.
///
/// A declared member is read by its number within the type, so that a duplicate is detected.
#[derive(Debug)]
pub struct Reader<'de, A> {
    members: Members<'de, A>,
    /// The name of the current member; `None` after the last one.
    key: Option<Key<'de>>,
    /// One bit for each declared member that was read.
    seen: u128,
}

impl<'de, A: MapAccess<'de>> Reader<'de, A> {
    /// Creates a reader that has read nothing yet.
    pub(super) fn new(members: Members<'de, A>) -> Self {
        Self {
            members,
            key: None,
            seen: 0,
        }
    }

    /// Advances to the next member. Returns `false` if there is none.
    pub(super) fn advance(&mut self) -> Result<bool, A::Error> {
        self.key = self.members.next_key()?;
        Ok(self.key.is_some())
    }

    /// Fails if one of the required members is missing.
    pub(super) fn demand(&self, required: &[(u8, &'static str)]) -> Result<(), A::Error> {
        match required.iter().find(|(at, _)| self.seen >> at & 1 == 0) {
            Some((_, name)) => Err(A::Error::missing_field(name)),
            None => Ok(()),
        }
    }

    /// Returns the name of the current member, or `None` after the last one.
    #[inline]
    pub fn key(&self) -> Option<&str> {
        self.key.as_ref().map(Key::as_str)
    }

    /// Returns the name of the current member, for error messages.
    fn name(&self) -> &str {
        self.key().unwrap_or_default()
    }

    fn mark(&mut self, at: u8) -> Result<(), A::Error> {
        if self.seen >> at & 1 != 0 {
            let name = self.name();
            return Err(A::Error::custom(format_args!("duplicate field `{name}`")));
        }
        self.seen |= 1 << at;
        Ok(())
    }

    fn value<T: Deserialize<'de>>(&mut self, at: u8) -> Result<T, A::Error> {
        let value = self.members.next_value()?;
        self.mark(at)?;
        Ok(value)
    }

    /// Creates an error about the current member.
    fn fault(&self, message: impl Into<String>) -> A::Error {
        A::Error::custom(DecodeError::data(message).inside_member(self.name()))
    }

    /// Decodes the value of a member.
    pub fn read<T: Deserialize<'de>>(&mut self, at: u8, place: &mut T) -> Result<(), A::Error> {
        self.mark(at)?;
        self.members.next_value_seed(Place(place))
    }

    /// Decodes the value of an optional member. `null` is treated as absent.
    pub fn optional<T: Deserialize<'de>>(
        &mut self,
        at: u8,
        place: &mut Option<T>,
    ) -> Result<(), A::Error> {
        self.mark(at)?;
        self.members.next_value_seed(OptionalPlace(place))
    }

    /// Decodes the value of a member that is a list.
    pub fn list<T: Deserialize<'de>>(
        &mut self,
        at: u8,
        place: &mut Vec<T>,
    ) -> Result<(), A::Error> {
        self.mark(at)?;
        self.members.next_value_seed(ListPlace(place))
    }

    /// Decodes the value of an optional member that is a list. `null` is treated as absent.
    pub fn optional_list<T: Deserialize<'de>>(
        &mut self,
        at: u8,
        place: &mut Option<Vec<T>>,
    ) -> Result<(), A::Error> {
        self.mark(at)?;
        self.members.next_value_seed(OptionalListPlace(place))
    }

    /// Decodes the value of an optional member that may be `null`.
    pub fn nullable<T: Deserialize<'de>>(
        &mut self,
        at: u8,
        place: &mut Option<T>,
    ) -> Result<(), A::Error> {
        *place = Some(self.value(at)?);
        Ok(())
    }

    /// Stores an undeclared member. After the last member, fails if one of the undeclared members
    /// is a duplicate.
    pub fn extra(&mut self, extra: &mut Extra) -> Result<(), A::Error> {
        if let Some(key) = &self.key {
            let value = self.members.next_value::<Value>()?;
            extra.push(key.as_str(), value, self.members.size_hint());
            return Ok(());
        }
        // Called through a function pointer to reduce compile time; see `json::from_str`.
        let duplicate: fn(&Extra) -> Option<&str> = Extra::duplicate;
        match duplicate(extra) {
            Some(name) => Err(A::Error::custom(format_args!(
                "duplicate member `{}`",
                excerpt(name)
            ))),
            None => Ok(()),
        }
    }

    /// Rejects an undeclared member of an object that allows none.
    pub fn unknown(&mut self) -> Result<(), A::Error> {
        self.key
            .as_ref()
            .map_or(Ok(()), |key| Err(super::unknown_member(key)))
    }

    /// Decodes a member that must be a specific string.
    pub fn text(&mut self, at: u8, text: &'static str) -> Result<(), A::Error> {
        self.members.next_value_seed(Text(text))?;
        self.mark(at)
    }

    /// Decodes a member that must be a specific number or boolean.
    pub fn constant(&mut self, at: u8, constant: &dyn Constant) -> Result<(), A::Error> {
        let value = self.value::<Value>(at)?;
        if constant.is(&value) {
            return Ok(());
        }
        let found = value.to_string();
        let found = excerpt(&found);
        Err(self.fault(format!("invalid value: `{found}`, expected `{constant}`")))
    }

    fn bounded_int(&self, number: &Number, range: &RangeInclusive<i64>) -> Result<i64, A::Error> {
        integer(number)
            .map_err(|message: Message| message.0)
            .and_then(|value| int_within(value, range).map(|()| value))
            .map_err(|message| self.fault(message))
    }

    /// Decodes a required integer.
    pub fn int(
        &mut self,
        at: u8,
        range: RangeInclusive<i64>,
        place: &mut i64,
    ) -> Result<(), A::Error> {
        let number = self.value(at)?;
        *place = self.bounded_int(&number, &range)?;
        Ok(())
    }

    /// Decodes an optional integer. `null` is treated as absent.
    pub fn optional_int(
        &mut self,
        at: u8,
        range: RangeInclusive<i64>,
        place: &mut Option<i64>,
    ) -> Result<(), A::Error> {
        let number = self.value::<Option<Number>>(at)?;
        *place = number
            .map(|number| self.bounded_int(&number, &range))
            .transpose()?;
        Ok(())
    }

    /// Decodes an integer or `null`.
    pub fn nullable_int(
        &mut self,
        at: u8,
        range: RangeInclusive<i64>,
        place: &mut Option<Option<i64>>,
    ) -> Result<(), A::Error> {
        let mut value = None;
        self.optional_int(at, range, &mut value)?;
        *place = Some(value);
        Ok(())
    }

    fn bounded_ints(
        &self,
        numbers: &[Number],
        range: &RangeInclusive<i64>,
    ) -> Result<Vec<i64>, A::Error> {
        numbers
            .iter()
            .map(|number| self.bounded_int(number, range))
            .collect()
    }

    /// Decodes a required list of integers.
    pub fn ints(
        &mut self,
        at: u8,
        range: RangeInclusive<i64>,
        place: &mut Vec<i64>,
    ) -> Result<(), A::Error> {
        let numbers = self.value::<Vec<Number>>(at)?;
        *place = self.bounded_ints(&numbers, &range)?;
        Ok(())
    }

    /// Decodes an optional list of integers. `null` is treated as absent.
    pub fn optional_ints(
        &mut self,
        at: u8,
        range: RangeInclusive<i64>,
        place: &mut Option<Vec<i64>>,
    ) -> Result<(), A::Error> {
        let numbers = self.value::<Option<Vec<Number>>>(at)?;
        *place = numbers
            .map(|numbers| self.bounded_ints(&numbers, &range))
            .transpose()?;
        Ok(())
    }

    /// Decodes a required number and checks its bounds.
    pub fn number(
        &mut self,
        at: u8,
        range: RangeInclusive<f64>,
        place: &mut Number,
    ) -> Result<(), A::Error> {
        *place = self.value(at)?;
        number_within(place, &range).map_err(|message| self.fault(message))
    }

    /// Decodes an optional number and checks its bounds. `null` is treated as absent.
    pub fn optional_number(
        &mut self,
        at: u8,
        range: RangeInclusive<f64>,
        place: &mut Option<Number>,
    ) -> Result<(), A::Error> {
        *place = self.value(at)?;
        match place {
            Some(value) => number_within(value, &range).map_err(|message| self.fault(message)),
            None => Ok(()),
        }
    }

    /// Decodes a required array or string and checks its length.
    pub fn sized<T: Deserialize<'de> + Length>(
        &mut self,
        at: u8,
        range: RangeInclusive<usize>,
        place: &mut T,
    ) -> Result<(), A::Error> {
        *place = self.value(at)?;
        length_within(place, &range).map_err(|message| self.fault(message))
    }

    /// Decodes an optional array or string and checks its length. `null` is treated as absent.
    pub fn optional_sized<T: Deserialize<'de> + Length>(
        &mut self,
        at: u8,
        range: RangeInclusive<usize>,
        place: &mut Option<T>,
    ) -> Result<(), A::Error> {
        *place = self.value(at)?;
        match place {
            Some(value) => length_within(value, &range).map_err(|message| self.fault(message)),
            None => Ok(()),
        }
    }

    /// Decodes a required list of integers and checks its length.
    pub fn sized_ints(
        &mut self,
        at: u8,
        range: RangeInclusive<usize>,
        place: &mut Vec<i64>,
    ) -> Result<(), A::Error> {
        self.ints(at, i64::MIN..=i64::MAX, place)?;
        length_within(place, &range).map_err(|message| self.fault(message))
    }

    /// Decodes an optional list of integers and checks its length. `null` is treated as absent.
    pub fn optional_sized_ints(
        &mut self,
        at: u8,
        range: RangeInclusive<usize>,
        place: &mut Option<Vec<i64>>,
    ) -> Result<(), A::Error> {
        self.optional_ints(at, i64::MIN..=i64::MAX, place)?;
        match place {
            Some(value) => length_within(value, &range).map_err(|message| self.fault(message)),
            None => Ok(()),
        }
    }

    /// Decodes an optional list of strings that some peers write as one string of words.
    pub fn one_or_many(&mut self, at: u8, place: &mut Option<Vec<String>>) -> Result<(), A::Error> {
        *place = self.members.next_value_seed(OneOrMany)?;
        self.mark(at)
    }
}

/// A constant that is not a string.
pub trait Constant: fmt::Display {
    /// Returns `true` if a value equals the constant. `1.0` equals the integer 1.
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

/// Converts a number to an integer. `1.0` is converted to 1.
pub fn integer<E: Error>(number: &Number) -> Result<i64, E> {
    number.to_i64().ok_or_else(|| {
        let digits = number.to_string();
        let digits = excerpt(&digits);
        if number.is_integer() {
            E::custom(format_args!(
                "the integer {digits} does not fit into 64 bits"
            ))
        } else {
            E::custom(format_args!(
                "invalid value: `{digits}`, expected an integer"
            ))
        }
    })
}

/// Decodes the elements of an array of integers. `1.0` is converted to 1.
pub fn integers<'de, A: SeqAccess<'de>>(mut items: A) -> Result<Vec<i64>, A::Error> {
    let mut all = Vec::new();
    while let Some(number) = items.next_element::<Number>()? {
        all.push(integer(&number)?);
    }
    Ok(all)
}

/// An error that has a message only; the path is added by the caller.
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
