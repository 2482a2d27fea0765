//! Decoding of structs from the members of an object.

use super::super::error::DecodeError;
use super::declared::{Table, UNDECLARED};
use super::{Decode, Reader, Text};

/// A struct that is decoded from the members of an object.
pub trait FromMembers: Decode {
    /// What the type declares.
    const TABLE: Table;

    /// Decodes the current member, which has this number, into its field. The number
    /// `u16::MAX` stands for a member that the type does not declare. After the last member, when
    /// the reader has no current member, the arm for it runs its final checks.
    ///
    /// # Errors
    ///
    /// Returns an error if the value of the member is not valid, or if the type allows no other members.
    fn read_member(&mut self, at: u16, reader: &mut Reader<'_, '_>) -> Result<(), DecodeError>;
}

/// An object-safe form of [`FromMembers`].
trait Target {
    fn read_member(&mut self, at: u16, reader: &mut Reader<'_, '_>) -> Result<(), DecodeError>;
}

impl<T: FromMembers> Target for T {
    #[inline]
    fn read_member(&mut self, at: u16, reader: &mut Reader<'_, '_>) -> Result<(), DecodeError> {
        FromMembers::read_member(self, at, reader)
    }
}

/// Decodes an object in place.
///
/// # Errors
///
/// Returns an error if the value is not an object, a member is missing, occurs twice or is not valid, or the
/// text is not JSON.
#[inline]
pub fn read_object<T: FromMembers>(place: &mut T, text: &mut Text<'_>) -> Result<(), DecodeError> {
    read_members(place, &T::TABLE, text)
}

/// Decodes all members of any type. Takes a trait object so that it is compiled once.
fn read_members(
    target: &mut dyn Target,
    table: &'static Table,
    text: &mut Text<'_>,
) -> Result<(), DecodeError> {
    let mut reader = Reader::new(text, table)?;
    loop {
        let member = reader.advance();
        let start = reader.position();
        let outcome = match member {
            Ok(None) => break,
            Ok(Some(at)) => read_member(target, &mut reader, at),
            Err(error) => Err(error),
        };
        if let Err(error) = outcome {
            reader.recover(start, error)?;
        }
    }
    reader.demand()?;
    if reader.has_undeclared()
        && let Err(error) = target.read_member(UNDECLARED, &mut reader)
    {
        reader.note(error)?;
    }
    reader.end()
}

/// Decodes the current member.
#[inline]
fn read_member(
    target: &mut dyn Target,
    reader: &mut Reader<'_, '_>,
    at: u16,
) -> Result<(), DecodeError> {
    if reader.is_exact() {
        reader.refuse_null()?;
    }
    target.read_member(at, reader)
}

#[cfg(test)]
mod tests {
    #![allow(
        dead_code,
        unreachable_pub,
        reason = "a table implements more than the tests use"
    )]

    use super::super::super::codec::{self, Extra, Null, Number, Value};
    use super::super::super::json;
    use std::fmt::Debug;

    #[derive(Clone, Debug, PartialEq, Default)]
    struct Exact {
        title: Option<String>,
        pages: Option<i64>,
        list: Option<Vec<String>>,
        numbers: Option<Vec<i64>>,
        ratio: Option<Number>,
        code: Option<String>,
        nothing: Option<Null>,
        maybe: Option<Value>,
        extra: Extra,
    }

    codec::object_codec! {
        Exact = "Exact", extra(extra), exact;
        new();
        0 "title" optional title = some(impl Into<String>);
        1 "pages" optional_int(1..=9) pages = some(i64);
        2 "list" optional_list list = some(impl Into<Vec<String>>);
        3 "numbers" optional_ints(1..=9) numbers = some(impl Into<Vec<i64>>);
        4 "ratio" optional_number(0.0..=1.0) ratio = some(impl Into<Number>);
        5 "code" optional_sized(1..=3) code = some(impl Into<String>);
        6 "nothing" nullable nothing = some(Null);
        7 "maybe" nullable maybe = some(impl Into<Value>);
        8 "always" constant(&Null);
    }

    #[derive(Clone, Debug, PartialEq, Default)]
    struct Lenient {
        title: Option<String>,
        extra: Extra,
    }

    codec::object_codec! {
        Lenient = "Lenient", extra(extra);
        new();
        0 "title" optional title = some(impl Into<String>);
    }

    fn through<T: codec::Decode + serde::de::DeserializeOwned + serde::Serialize + Debug>(
        text: &str,
    ) -> Result<String, String> {
        let value: T = json::from_str(text).map_err(|error| error.to_string())?;
        json::to_string(&value).map_err(|error| error.to_string())
    }

    #[test]
    fn exact_type_refuses_null_that_is_no_value_of_a_member() {
        for name in ["title", "pages", "list", "numbers", "ratio", "code"] {
            let error = through::<Exact>(&format!(r#"{{"{name}":null,"always":null}}"#));
            let expected =
                format!("invalid type: null, expected a value, or no such member (at $.{name})");
            assert_eq!(error, Err(expected));
        }
    }

    #[test]
    fn exact_type_keeps_null_that_is_a_value_of_a_member() {
        for text in [
            r#"{"always":null}"#,
            r#"{"nothing":null,"maybe":null,"always":null}"#,
            r#"{"title":"a","maybe":"b","always":null,"other":null}"#,
        ] {
            assert_eq!(through::<Exact>(text), Ok(text.to_owned()));
        }
    }

    #[test]
    fn type_of_null_accepts_nothing_else() {
        for (text, path) in [
            (r#"{"nothing":0,"always":null}"#, "$.nothing"),
            (r#"{"always":false}"#, "$.always"),
            (r#"{"always":"null"}"#, "$.always"),
        ] {
            let error = through::<Exact>(text).unwrap_err();
            assert!(
                error.contains("expected") && error.contains("null"),
                "{error}"
            );
            assert!(error.ends_with(&format!("(at {path})")), "{error}");
        }
        assert_eq!(
            through::<Exact>("{}"),
            Err("missing field `always`".to_owned())
        );
    }

    #[test]
    fn lenient_type_leaves_null_out() {
        let text = r#"{"title":null,"other":null}"#;
        assert_eq!(through::<Lenient>(text), Ok(r#"{"other":null}"#.to_owned()));
    }
}
