//! [`Reader`]: decodes the members of an object. Rejects duplicates and checks constants and bounds.

use super::super::error::{DecodeError, excerpt};
use super::super::json::text::Later;
use super::bounds::{Length, int_within, length_within, number_within};
use super::declared::{Need, Table, first_missing};
use super::members::Members;
use super::name::{Key, NameIn, UNDECLARED};
use super::place::{ListPlace, OneOrMany, OptionalListPlace, OptionalPlace, Place, Text};
use super::scalar::{Constant, Message, integer};
use super::{Extra, Number, Vacant, Value};
use serde::de::{Deserialize, Error, MapAccess};
use std::ops::RangeInclusive;

/// Decodes the members of an object one by one.
///
/// The reader finds the number of each member within the type, and rejects duplicates.
#[derive(Debug)]
pub struct Reader<'a, 'de, A> {
    members: &'a mut Members<'de, A>,
    table: &'static Table,
    /// The index of the current member's name among the declared ones, or [`UNDECLARED`]; `None` after the
    /// last member.
    current: Option<u8>,
    /// The name of the last member that is not declared.
    other: Key<'de>,
    /// One bit for each declared member that was read.
    seen: u128,
    /// Whether the current member, which is a constant, was read before.
    is_duplicate: bool,
    has_undeclared: bool,
}

impl<'a, 'de, A: MapAccess<'de>> Reader<'a, 'de, A> {
    /// Creates a reader that has read nothing yet.
    #[inline]
    pub(super) fn new(members: &'a mut Members<'de, A>, table: &'static Table) -> Self {
        Self {
            members,
            table,
            current: None,
            other: Key::default(),
            seen: 0,
            is_duplicate: false,
            has_undeclared: false,
        }
    }

    /// Advances to the next member and returns its number, or [`UNDECLARED`]. Returns `None` if there
    /// is no next member. Rejects duplicates; those of a constant when its value has been checked,
    /// since a wrong constant tells more.
    #[inline]
    pub(super) fn advance(&mut self) -> Result<Option<u8>, A::Error> {
        let name = NameIn {
            names: self.table.names,
            other: &mut self.other,
        };
        self.current = self.members.next_key_seed(name)?;
        let Some(index) = self.current else {
            return Ok(None);
        };
        if self.members.has_guards() {
            self.guard_value()?;
        }
        let Some(member) = self.table.members.get(usize::from(index)) else {
            if self.members.is_refused(self.name()) {
                return Err(super::unknown_member(self.name()));
            }
            self.has_undeclared = true;
            return Ok(Some(UNDECLARED));
        };
        let bit = 1 << member.at;
        self.is_duplicate = self.seen & bit != 0;
        if self.is_duplicate && member.need != Need::Constant {
            return Err(self.duplicate());
        }
        self.seen |= bit;
        Ok(Some(member.at))
    }

    /// Lets the guards of the current member, if there are any, look at its value.
    #[inline(never)]
    fn guard_value(&mut self) -> Result<(), A::Error> {
        let name = match self
            .table
            .names
            .get(usize::from(self.current.unwrap_or(UNDECLARED)))
        {
            Some(name) => name,
            None => self.other.as_str(),
        };
        self.members.guard_value(name)
    }

    /// Returns `true` if the object has a member that the type does not declare.
    #[inline]
    pub(super) fn has_undeclared(&self) -> bool {
        self.has_undeclared
    }

    #[cold]
    fn duplicate(&self) -> A::Error {
        A::Error::custom(format_args!("duplicate field `{}`", self.name()))
    }

    /// Rejects a duplicate of a constant.
    #[inline]
    fn expect_first(&self) -> Result<(), A::Error> {
        if self.is_duplicate {
            return Err(self.duplicate());
        }
        Ok(())
    }

    /// Fails if a member that is demanded is missing.
    #[inline]
    pub(super) fn demand(&self) -> Result<(), A::Error> {
        if self.table.demanded & !self.seen == 0 {
            return Ok(());
        }
        Err(self.missing())
    }

    #[cold]
    fn missing(&self) -> A::Error {
        let name = first_missing(self.table.members, self.seen).unwrap_or_default();
        A::Error::missing_field(name)
    }

    /// Returns the name of the current member, for error messages.
    fn name(&self) -> &str {
        let Some(index) = self.current else {
            return "";
        };
        let declared = self.table.names.get(usize::from(index));
        declared.copied().unwrap_or_else(|| self.other.as_str())
    }

    /// Creates an error about the current member.
    #[cold]
    fn fault(&self, message: impl Into<String>) -> A::Error {
        A::Error::custom(DecodeError::data(message).inside_member(self.name()))
    }

    /// Decodes the value of a required member.
    pub fn required<T: Deserialize<'de> + Vacant>(
        &mut self,
        place: &mut T,
    ) -> Result<(), A::Error> {
        self.members.next_value_seed(Place(place))
    }

    /// Decodes the value of an optional member. `null` is treated as absent.
    pub fn optional<T: Deserialize<'de> + Vacant>(
        &mut self,
        place: &mut Option<T>,
    ) -> Result<(), A::Error> {
        self.members.next_value_seed(OptionalPlace(place))
    }

    /// Decodes the value of an optional member. `null` is a value as any other.
    pub fn some<T: Deserialize<'de> + Vacant>(
        &mut self,
        place: &mut Option<T>,
    ) -> Result<(), A::Error> {
        self.members.next_value_seed(Place(place.insert(T::VACANT)))
    }

    /// Skips the value of an optional member, which is decoded when its type is known.
    pub fn later(&mut self, place: &mut Option<Later<'de>>) -> Result<(), A::Error> {
        *place = Some(self.members.next_value()?);
        Ok(())
    }

    /// Decodes the value of an optional member in a box. `null` is treated as absent.
    pub fn optional_boxed<T: Deserialize<'de>>(
        &mut self,
        place: &mut Option<Box<T>>,
    ) -> Result<(), A::Error> {
        *place = self.members.next_value()?;
        Ok(())
    }

    /// Decodes the value of a member that is a list.
    pub fn list<T: Deserialize<'de> + Vacant>(
        &mut self,
        place: &mut Vec<T>,
    ) -> Result<(), A::Error> {
        self.members.next_value_seed(ListPlace(place))
    }

    /// Decodes the value of an optional member that is a list. `null` is treated as absent.
    pub fn optional_list<T: Deserialize<'de> + Vacant>(
        &mut self,
        place: &mut Option<Vec<T>>,
    ) -> Result<(), A::Error> {
        self.members.next_value_seed(OptionalListPlace(place))
    }

    /// Decodes the value of an optional member that may be `null`.
    pub fn nullable<T: Deserialize<'de>>(&mut self, place: &mut Option<T>) -> Result<(), A::Error> {
        *place = Some(self.members.next_value()?);
        Ok(())
    }

    /// Stores an undeclared member. After the last member, fails if one of the undeclared members
    /// is a duplicate.
    pub fn extra(&mut self, extra: &mut Extra) -> Result<(), A::Error> {
        if self.current.is_some() {
            let place = extra.add(self.name(), self.members.size_hint());
            return self.members.next_value_seed(Place(place));
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
        match &self.current {
            Some(_) => Err(super::unknown_member(self.name())),
            None => Ok(()),
        }
    }

    /// Decodes a member that must be a specific string.
    pub fn text(&mut self, text: &'static str) -> Result<(), A::Error> {
        self.members.next_value_seed(Text(text))?;
        self.expect_first()
    }

    /// Decodes a member that must be a specific number or boolean.
    pub fn constant(&mut self, constant: &dyn Constant) -> Result<(), A::Error> {
        let value = self.members.next_value::<Value>()?;
        self.expect_first()?;
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
    pub fn int(&mut self, place: &mut i64, range: RangeInclusive<i64>) -> Result<(), A::Error> {
        let number = self.members.next_value()?;
        *place = self.bounded_int(&number, &range)?;
        Ok(())
    }

    /// Decodes an optional integer. `null` is treated as absent.
    pub fn optional_int(
        &mut self,
        place: &mut Option<i64>,
        range: RangeInclusive<i64>,
    ) -> Result<(), A::Error> {
        let number = self.members.next_value::<Option<Number>>()?;
        *place = number
            .map(|number| self.bounded_int(&number, &range))
            .transpose()?;
        Ok(())
    }

    /// Decodes a required integer or `null`.
    pub fn int_or_null(
        &mut self,
        place: &mut Option<i64>,
        range: RangeInclusive<i64>,
    ) -> Result<(), A::Error> {
        self.optional_int(place, range)
    }

    /// Decodes an optional integer that may be `null`.
    pub fn nullable_int(
        &mut self,
        place: &mut Option<Option<i64>>,
        range: RangeInclusive<i64>,
    ) -> Result<(), A::Error> {
        let mut value = None;
        self.optional_int(&mut value, range)?;
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
        place: &mut Vec<i64>,
        range: RangeInclusive<i64>,
    ) -> Result<(), A::Error> {
        let numbers = self.members.next_value::<Vec<Number>>()?;
        *place = self.bounded_ints(&numbers, &range)?;
        Ok(())
    }

    /// Decodes an optional list of integers. `null` is treated as absent.
    pub fn optional_ints(
        &mut self,
        place: &mut Option<Vec<i64>>,
        range: RangeInclusive<i64>,
    ) -> Result<(), A::Error> {
        let numbers = self.members.next_value::<Option<Vec<Number>>>()?;
        *place = numbers
            .map(|numbers| self.bounded_ints(&numbers, &range))
            .transpose()?;
        Ok(())
    }

    /// Decodes a required number and checks its bounds.
    pub fn number(
        &mut self,
        place: &mut Number,
        range: RangeInclusive<f64>,
    ) -> Result<(), A::Error> {
        *place = self.members.next_value()?;
        number_within(place, &range).map_err(|message| self.fault(message))
    }

    /// Decodes an optional number and checks its bounds. `null` is treated as absent.
    pub fn optional_number(
        &mut self,
        place: &mut Option<Number>,
        range: RangeInclusive<f64>,
    ) -> Result<(), A::Error> {
        *place = self.members.next_value()?;
        match place {
            Some(value) => number_within(value, &range).map_err(|message| self.fault(message)),
            None => Ok(()),
        }
    }

    /// Decodes a required array or string and checks its length.
    pub fn sized<T: Deserialize<'de> + Length>(
        &mut self,
        place: &mut T,
        range: RangeInclusive<usize>,
    ) -> Result<(), A::Error> {
        *place = self.members.next_value()?;
        length_within(place, &range).map_err(|message| self.fault(message))
    }

    /// Decodes an optional array or string and checks its length. `null` is treated as absent.
    pub fn optional_sized<T: Deserialize<'de> + Length>(
        &mut self,
        place: &mut Option<T>,
        range: RangeInclusive<usize>,
    ) -> Result<(), A::Error> {
        *place = self.members.next_value()?;
        match place {
            Some(value) => length_within(value, &range).map_err(|message| self.fault(message)),
            None => Ok(()),
        }
    }

    /// Decodes a required list of integers and checks its length.
    pub fn sized_ints(
        &mut self,
        place: &mut Vec<i64>,
        range: RangeInclusive<usize>,
    ) -> Result<(), A::Error> {
        self.ints(place, i64::MIN..=i64::MAX)?;
        length_within(place, &range).map_err(|message| self.fault(message))
    }

    /// Decodes an optional list of integers and checks its length. `null` is treated as absent.
    pub fn optional_sized_ints(
        &mut self,
        place: &mut Option<Vec<i64>>,
        range: RangeInclusive<usize>,
    ) -> Result<(), A::Error> {
        self.optional_ints(place, i64::MIN..=i64::MAX)?;
        match place {
            Some(value) => length_within(value, &range).map_err(|message| self.fault(message)),
            None => Ok(()),
        }
    }

    /// Decodes an optional list of strings that some peers write as one string of words.
    pub fn one_or_many(&mut self, place: &mut Option<Vec<String>>) -> Result<(), A::Error> {
        *place = self.members.next_value_seed(OneOrMany)?;
        Ok(())
    }
}
