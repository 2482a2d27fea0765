//! [`Writer`]: encodes the members of an object. Writes constants, omits absent members and checks
//! bounds.

use super::super::error::DecodeError;
use super::bounds::{Length, int_within, length_within, number_within};
use super::{Extra, Number};
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

/// Encodes an object. The first error is kept until [`end`](Self::end); nothing is written after
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
    fn check(&mut self, name: &'static str, outcome: Result<(), String>) {
        if let (Ok(_), Err(message)) = (&self.0, outcome) {
            let error = DecodeError::data(message).inside_member(name);
            self.0 = Err(M::Error::custom(error));
        }
    }

    /// Writes a member.
    pub fn member<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) {
        if let Ok(map) = &mut self.0 {
            let outcome = map.serialize_entry(name, value);
            self.note(outcome);
        }
    }

    /// Writes a member if it is present.
    pub fn optional<T: Serialize>(&mut self, name: &'static str, value: &Option<T>) {
        if let Some(value) = value {
            self.member(name, value);
        }
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

    /// Writes the undeclared members after the declared ones.
    pub fn extra(&mut self, extra: &Extra, known: &[&str]) {
        if let Ok(map) = &mut self.0 {
            let outcome = extra.write(map, known);
            self.note(outcome);
        }
    }

    /// Checks an integer against its bounds before it is written.
    pub fn check_int(
        &mut self,
        name: &'static str,
        value: Option<i64>,
        range: RangeInclusive<i64>,
    ) {
        if let Some(value) = value {
            self.check(name, int_within(value, &range));
        }
    }

    /// Checks a list of integers against their bounds before it is written.
    pub fn check_ints(
        &mut self,
        name: &'static str,
        values: Option<&Vec<i64>>,
        range: RangeInclusive<i64>,
    ) {
        for value in values.into_iter().flatten() {
            self.check(name, int_within(*value, &range));
        }
    }

    /// Checks a number against its bounds before it is written.
    pub fn check_number(
        &mut self,
        name: &'static str,
        value: Option<&Number>,
        range: RangeInclusive<f64>,
    ) {
        if let Some(value) = value {
            self.check(name, number_within(value, &range));
        }
    }

    /// Checks the length of an array or, in characters, of a string before it is written.
    pub fn check_size<T: Length>(
        &mut self,
        name: &'static str,
        value: Option<&T>,
        range: RangeInclusive<usize>,
    ) {
        if let Some(value) = value {
            self.check(name, length_within(value, &range));
        }
    }

    /// Ends the object, or returns the first error.
    pub fn end(self) -> Result<M::Ok, M::Error> {
        self.0?.end()
    }
}
