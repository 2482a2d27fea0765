//! [`Writer`]: encodes the members of an object. Writes constants, omits absent members and checks
//! bounds.

use super::super::error::DecodeError;
use super::bounds::{Length, int_within, length_within, number_within};
use super::{Extra, Number, Table};
use serde::ser::{Error, Serialize, SerializeMap, SerializeSeq, Serializer};
use std::ops::RangeInclusive;

/// Serializes the elements of a list in a plain loop. serde's own implementation uses iterator
/// adapters and takes several times as long to compile, and every type with a list needs one.
struct List<'a, T>(&'a [T]);

impl<T: Serialize> Serialize for List<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.0.len()))?;
        for item in self.0 {
            list.serialize_element(item)?;
        }
        list.end()
    }
}

/// Encodes an object. For each kind of member there is a method with the name of the one of
/// [`Reader`](super::Reader) that decodes it. The first error is kept until [`end`](Self::end); nothing is written after
/// it.
#[derive(Debug)]
pub struct Writer<M: SerializeMap>(Result<M, M::Error>);

impl<M: SerializeMap> Writer<M> {
    /// Starts an object.
    pub fn new<S: Serializer<SerializeMap = M, Ok = M::Ok, Error = M::Error>>(
        serializer: S,
    ) -> Self {
        Self(serializer.serialize_map(None))
    }

    fn note(&mut self, outcome: Result<(), M::Error>) {
        if let Err(error) = outcome {
            self.0 = Err(error);
        }
    }

    /// Records an error about a member, unless there is one already.
    fn check(&mut self, name: &'static str, outcome: Result<(), DecodeError>) {
        if let (Ok(_), Err(error)) = (&self.0, outcome) {
            self.0 = Err(M::Error::custom(error.inside_member(name)));
        }
    }

    fn member<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) {
        if let Ok(map) = &mut self.0 {
            let outcome = map.serialize_entry(name, value);
            self.note(outcome);
        }
    }

    /// Writes a member that is a specific string.
    pub fn text(&mut self, name: &'static str, text: &'static str) {
        self.member(name, text);
    }

    /// Writes a member that is a specific number or boolean.
    pub fn constant<T: Serialize>(&mut self, name: &'static str, constant: &T) {
        self.member(name, constant);
    }

    /// Writes a member.
    pub fn required<T: Serialize>(&mut self, name: &'static str, value: &T) {
        self.member(name, value);
    }

    /// Writes a member if it is present.
    pub fn optional<T: Serialize>(&mut self, name: &'static str, value: &Option<T>) {
        if let Some(value) = value {
            self.member(name, value);
        }
    }

    /// Writes a member that may be `null`, if it is present.
    pub fn nullable<T: Serialize>(&mut self, name: &'static str, value: &Option<T>) {
        self.optional(name, value);
    }

    /// Writes a member that is a list.
    pub fn list<T: Serialize>(&mut self, name: &'static str, items: &[T]) {
        self.member(name, &List(items));
    }

    /// Writes a list if it is present.
    pub fn optional_list<T: Serialize>(&mut self, name: &'static str, items: &Option<Vec<T>>) {
        if let Some(items) = items {
            self.list(name, items);
        }
    }

    /// Writes a list of strings.
    pub fn one_or_many(&mut self, name: &'static str, items: &[String]) {
        self.list(name, items);
    }

    /// Writes a list of strings if it is present.
    pub fn optional_one_or_many(&mut self, name: &'static str, items: &Option<Vec<String>>) {
        self.optional_list(name, items);
    }

    /// Writes an integer that must be within bounds.
    pub fn int(&mut self, name: &'static str, value: &i64, range: RangeInclusive<i64>) {
        self.check(name, int_within(*value, &range));
        self.member(name, value);
    }

    /// Writes an integer that must be within bounds, if it is present.
    pub fn optional_int(
        &mut self,
        name: &'static str,
        value: &Option<i64>,
        range: RangeInclusive<i64>,
    ) {
        if let Some(value) = value {
            self.int(name, value, range);
        }
    }

    /// Writes an integer that must be within bounds, or `null`.
    pub fn int_or_null(
        &mut self,
        name: &'static str,
        value: &Option<i64>,
        range: RangeInclusive<i64>,
    ) {
        match value {
            Some(value) => self.int(name, value, range),
            None => self.member(name, value),
        }
    }

    /// Writes an integer that must be within bounds or `null`, if it is present.
    pub fn nullable_int(
        &mut self,
        name: &'static str,
        value: &Option<Option<i64>>,
        range: RangeInclusive<i64>,
    ) {
        if let Some(value) = value {
            self.int_or_null(name, value, range);
        }
    }

    /// Writes a list of integers that must be within bounds.
    pub fn ints(&mut self, name: &'static str, values: &[i64], range: RangeInclusive<i64>) {
        for value in values {
            self.check(name, int_within(*value, &range));
        }
        self.list(name, values);
    }

    /// Writes a list of integers that must be within bounds, if it is present.
    pub fn optional_ints(
        &mut self,
        name: &'static str,
        values: &Option<Vec<i64>>,
        range: RangeInclusive<i64>,
    ) {
        if let Some(values) = values {
            self.ints(name, values, range);
        }
    }

    /// Writes a number that must be within bounds.
    pub fn number(&mut self, name: &'static str, value: &Number, range: RangeInclusive<f64>) {
        self.check(name, number_within(value, &range));
        self.member(name, value);
    }

    /// Writes a number that must be within bounds, if it is present.
    pub fn optional_number(
        &mut self,
        name: &'static str,
        value: &Option<Number>,
        range: RangeInclusive<f64>,
    ) {
        if let Some(value) = value {
            self.number(name, value, range);
        }
    }

    /// Writes an array or a string whose length, in characters, must be within bounds.
    pub fn sized<T: Length + Serialize>(
        &mut self,
        name: &'static str,
        value: &T,
        range: RangeInclusive<usize>,
    ) {
        self.check(name, length_within(value, &range));
        self.member(name, value);
    }

    /// Writes an array or a string whose length must be within bounds, if it is present.
    pub fn optional_sized<T: Length + Serialize>(
        &mut self,
        name: &'static str,
        value: &Option<T>,
        range: RangeInclusive<usize>,
    ) {
        if let Some(value) = value {
            self.sized(name, value, range);
        }
    }

    /// Writes a list of integers whose length must be within bounds.
    pub fn sized_ints(
        &mut self,
        name: &'static str,
        values: &Vec<i64>,
        range: RangeInclusive<usize>,
    ) {
        self.sized(name, values, range);
    }

    /// Writes a list of integers whose length must be within bounds, if it is present.
    pub fn optional_sized_ints(
        &mut self,
        name: &'static str,
        values: &Option<Vec<i64>>,
        range: RangeInclusive<usize>,
    ) {
        self.optional_sized(name, values, range);
    }

    /// Writes the undeclared members after the declared ones.
    pub fn extra(&mut self, extra: &Extra, declared: &Table) {
        if let Ok(map) = &mut self.0 {
            let outcome = extra.write(map, declared);
            self.note(outcome);
        }
    }

    /// Ends the object, or returns the first error.
    pub fn end(self) -> Result<M::Ok, M::Error> {
        self.0?.end()
    }
}
