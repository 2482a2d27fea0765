//! [`Reader`]: decodes the members of an object. Rejects duplicates and checks constants and bounds.

mod faults;
mod sized;

use super::super::error::{DecodeError, Rule, excerpt};
use super::super::json::text::{Entries, Kind, Name, Position};
use super::bounds::{int_within, number_within};
use super::declared::{Need, Seen, Table, UNDECLARED, unknown_member};
use super::scalar::Constant;
use super::{Decode, Extra, Number, Text, Value, read};
use serde::de::{Error as _, Expected, Unexpected};
use std::borrow::Cow;
use std::fmt;
use std::ops::RangeInclusive;

type Result<T> = std::result::Result<T, DecodeError>;

/// Decodes the members of an object one by one.
///
/// The reader finds the number of each member within the type, and rejects duplicates.
pub struct Reader<'a, 'de> {
    members: Entries<'a, 'de>,
    /// The position of the object.
    object: usize,
    table: &'static Table,
    current: Current<'de>,
    /// The index of the declared member that is expected next.
    expected: usize,
    /// The declared members that were read.
    seen: Seen,
    /// Whether the current member, which is a constant, was read before.
    is_duplicate: bool,
    has_undeclared: bool,
    /// Whether `null` is no value of optional members.
    is_exact: bool,
}

/// The current member.
enum Current<'de> {
    /// A declared member, by its index.
    Declared(usize),
    /// The name of any other member.
    Other(Cow<'de, str>),
    /// No member was read, or all were.
    None,
}

/// Describes a string in an error.
struct ExactText(&'static str);

impl Expected for ExactText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.0)
    }
}

/// Describes a type in an error.
struct Named(&'static str);

impl Expected for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an object (`{}`)", self.0)
    }
}

impl<'a, 'de> Reader<'a, 'de> {
    /// Enters the next value of a text, which must be an object.
    pub(super) fn new(text: &'a mut Text<'de>, table: &'static Table) -> Result<Self> {
        let object = text.offset();
        let is_exact = table.is_exact || text.is_exact();
        Ok(Self {
            members: Entries::of(text, &Named(table.type_name))?,
            object,
            table,
            current: Current::None,
            expected: 0,
            seen: Seen::default(),
            is_duplicate: false,
            has_undeclared: false,
            is_exact,
        })
    }

    /// Advances to the next member and returns its number, or [`UNDECLARED`]. Returns `None` if there
    /// is no next member. Rejects duplicates; those of a constant when its value has been checked,
    /// since a wrong constant tells more.
    #[inline]
    pub(super) fn advance(&mut self) -> Result<Option<u16>> {
        self.current = Current::None;
        let index = match self.members.name_of(self.table.names, self.expected)? {
            Some(Name::Declared(index)) => index,
            Some(Name::Other(name)) => {
                self.current = Current::Other(name);
                self.has_undeclared = true;
                return Ok(Some(UNDECLARED));
            }
            None => return Ok(None),
        };
        self.current = Current::Declared(index);
        self.expected = index + 1;
        let Some(member) = self.table.members.get(index) else {
            return Err(DecodeError::data("too few declared members"));
        };
        self.is_duplicate = !self.seen.insert(member.at);
        if self.is_duplicate && member.need != Need::Constant {
            return Err(self.duplicate());
        }
        Ok(Some(member.at))
    }

    /// Leaves the object.
    #[inline]
    pub(super) fn end(self) -> Result<()> {
        self.members.end()
    }

    /// Returns the position behind the name of the current member.
    #[inline]
    pub(super) fn position(&self) -> Position {
        self.members.position()
    }

    /// Returns `true` if `null` is no value of optional members.
    #[inline]
    pub(super) fn is_exact(&self) -> bool {
        self.is_exact
    }

    /// Refuses `null` as the value of the current member if it is optional and has no such value.
    pub(super) fn refuse_null(&mut self) -> Result<()> {
        let Current::Declared(index) = self.current else {
            return Ok(());
        };
        let need = self.table.members.get(index).map(|member| member.need);
        if need != Some(Need::Optional) {
            return Ok(());
        }
        let start = self.members.position();
        self.members.decode_with(|text| {
            if text.is_null() {
                return Err(text.unfit(&"a value, or no such member"));
            }
            Ok(())
        })?;
        self.members.rewind(start);
        Ok(())
    }

    /// Returns `true` if the object has a member that the type does not declare.
    #[inline]
    pub(super) fn has_undeclared(&self) -> bool {
        self.has_undeclared
    }

    #[cold]
    fn duplicate(&self) -> DecodeError {
        let name = excerpt(self.name());
        DecodeError::data(format!("duplicate field `{name}`"))
            .with_rule(Rule::DuplicateMember, [name.into_owned()])
    }

    /// Rejects a duplicate of a constant.
    #[inline]
    fn expect_first(&self) -> Result<()> {
        if self.is_duplicate {
            return Err(self.duplicate());
        }
        Ok(())
    }

    /// Fails if a member that is demanded is missing.
    #[inline]
    pub(super) fn demand(&mut self) -> Result<()> {
        if self.table.is_complete(&self.seen) {
            return Ok(());
        }
        self.report_missing()
    }

    /// Returns the name of the current member, for error messages.
    fn name(&self) -> &str {
        match &self.current {
            Current::Declared(index) => self.table.names.get(*index).copied().unwrap_or_default(),
            Current::Other(name) => name,
            Current::None => "",
        }
    }

    /// Creates an error about the current member.
    #[cold]
    fn fault(&self, message: impl Into<String>) -> DecodeError {
        self.inside(DecodeError::data(message))
    }

    /// Adds the current member to the path of an error.
    #[cold]
    fn inside(&self, error: DecodeError) -> DecodeError {
        error.inside_member(self.name())
    }

    /// Decodes the value of the current member.
    fn value<T: Decode>(&mut self) -> Result<T> {
        let mut value = T::vacant();
        self.members.decode(&mut value)?;
        Ok(value)
    }

    /// Decodes the value of a required member.
    pub fn required<T: Decode>(&mut self, place: &mut T) -> Result<()> {
        self.members.decode(place)
    }

    /// Decodes the value of an optional member. `null` is treated as absent.
    pub fn optional<T: Decode>(&mut self, place: &mut Option<T>) -> Result<()> {
        self.members.decode(place)
    }

    /// Decodes the value of an optional member. `null` is a value as any other.
    pub fn some<T: Decode>(&mut self, place: &mut Option<T>) -> Result<()> {
        self.members.decode(place.insert(T::vacant()))
    }

    /// Decodes the value of a member that is a list.
    pub fn list<T: Decode>(&mut self, place: &mut Vec<T>) -> Result<()> {
        self.members.decode(place)
    }

    /// Decodes the value of an optional member that is a list. `null` is treated as absent.
    pub fn optional_list<T: Decode>(&mut self, place: &mut Option<Vec<T>>) -> Result<()> {
        self.members.decode(place)
    }

    /// Decodes the value of an optional member that may be `null`.
    pub fn nullable<T: Decode>(&mut self, place: &mut Option<T>) -> Result<()> {
        self.some(place)
    }

    /// Stores an undeclared member. After the last member, fails if one of the undeclared members
    /// is a duplicate.
    pub fn extra(&mut self, extra: &mut Extra) -> Result<()> {
        if let Current::Other(name) = &self.current {
            return self.members.decode(extra.add(name));
        }
        match extra.duplicate() {
            Some(name) => Err(DecodeError::duplicate_member(name)),
            None => Ok(()),
        }
    }

    /// Rejects an undeclared member of an object that allows none.
    pub fn unknown(&mut self) -> Result<()> {
        match &self.current {
            Current::Other(name) => Err(unknown_member(name)),
            _ => Ok(()),
        }
    }

    /// Decodes a member that must be a specific string.
    pub fn text(&mut self, text: &'static str) -> Result<()> {
        let expected = ExactText(text);
        self.members.decode_with(|source| {
            let found = source.expect_string(&expected)?;
            if found == text {
                return Ok(());
            }
            let found = excerpt(&found);
            let error = DecodeError::invalid_value(Unexpected::Str(&found), &expected);
            Err(error.with_rule(Rule::Value, [text]))
        })?;
        self.expect_first()
    }

    /// Decodes a member that must be a specific number or boolean.
    pub fn constant(&mut self, constant: &dyn Constant) -> Result<()> {
        let value = self.value::<Value>()?;
        self.expect_first()?;
        if constant.is(&value) {
            return Ok(());
        }
        let found = value.to_string();
        let found = excerpt(&found);
        let error = self.fault(format!("invalid value: `{found}`, expected `{constant}`"));
        Err(error.with_rule(Rule::Value, [constant.to_string()]))
    }

    fn bounded_int(&self, number: &Number, range: &RangeInclusive<i64>) -> Result<i64> {
        let value = number.integer().map_err(|error| self.inside(error))?;
        int_within(value, range).map_err(|error| self.inside(error))?;
        Ok(value)
    }

    /// Decodes a required integer.
    pub fn int(&mut self, place: &mut i64, range: RangeInclusive<i64>) -> Result<()> {
        let number = self.value()?;
        *place = self.bounded_int(&number, &range)?;
        Ok(())
    }

    /// Decodes an optional integer. `null` is treated as absent.
    pub fn optional_int(
        &mut self,
        place: &mut Option<i64>,
        range: RangeInclusive<i64>,
    ) -> Result<()> {
        let number = self.value::<Option<Number>>()?;
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
    ) -> Result<()> {
        self.optional_int(place, range)
    }

    /// Decodes an optional integer that may be `null`.
    pub fn nullable_int(
        &mut self,
        place: &mut Option<Option<i64>>,
        range: RangeInclusive<i64>,
    ) -> Result<()> {
        let mut value = None;
        self.optional_int(&mut value, range)?;
        *place = Some(value);
        Ok(())
    }

    fn bounded_ints(&self, numbers: &[Number], range: &RangeInclusive<i64>) -> Result<Vec<i64>> {
        numbers
            .iter()
            .map(|number| self.bounded_int(number, range))
            .collect()
    }

    /// Decodes a required list of integers.
    pub fn ints(&mut self, place: &mut Vec<i64>, range: RangeInclusive<i64>) -> Result<()> {
        let numbers = self.value::<Vec<Number>>()?;
        *place = self.bounded_ints(&numbers, &range)?;
        Ok(())
    }

    /// Decodes an optional list of integers. `null` is treated as absent.
    pub fn optional_ints(
        &mut self,
        place: &mut Option<Vec<i64>>,
        range: RangeInclusive<i64>,
    ) -> Result<()> {
        let numbers = self.value::<Option<Vec<Number>>>()?;
        *place = numbers
            .map(|numbers| self.bounded_ints(&numbers, &range))
            .transpose()?;
        Ok(())
    }

    /// Decodes a required number and checks its bounds.
    pub fn number(&mut self, place: &mut Number, range: RangeInclusive<f64>) -> Result<()> {
        self.members.decode(place)?;
        number_within(place, &range).map_err(|error| self.inside(error))
    }

    /// Decodes an optional number and checks its bounds. `null` is treated as absent.
    pub fn optional_number(
        &mut self,
        place: &mut Option<Number>,
        range: RangeInclusive<f64>,
    ) -> Result<()> {
        self.members.decode(place)?;
        match place {
            Some(value) => number_within(value, &range).map_err(|error| self.inside(error)),
            None => Ok(()),
        }
    }

    /// Decodes a list of strings that some peers write as one string of words.
    pub fn one_or_many(&mut self, place: &mut Vec<String>) -> Result<()> {
        let mut list = None;
        self.optional_one_or_many(&mut list)?;
        *place = list.ok_or_else(|| self.fault("expected an array of strings, found null"))?;
        Ok(())
    }

    /// Decodes an optional list of strings that some peers write as one string of words.
    pub fn optional_one_or_many(&mut self, place: &mut Option<Vec<String>>) -> Result<()> {
        self.members.decode_with(|text| match text.kind() {
            Some(Kind::Null | Kind::Array) => place.decode(text),
            _ if text.is_exact() => Err(text.unfit(&"an array of strings")),
            Some(Kind::String) => {
                let words = read::<String>(text)?;
                *place = Some(words.split_whitespace().map(str::to_owned).collect());
                Ok(())
            }
            _ => Err(text.unfit(&"an array of strings, or a string of words")),
        })
    }
}
