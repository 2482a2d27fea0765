//! [`Check`]: keywords that restrict a list beyond the type of its elements.
//!
//! They are checked on the text of the list after it was decoded, so that two elements are compared
//! as JSON and an element can be decoded as another type.

use super::super::error::DecodeError;
use super::super::json::text::Elements;
use super::union::Variant;
use super::{Decode, Kind, Text, Value};
use std::collections::HashMap;
use std::fmt::Write as _;

/// A keyword that the value of a member must fulfil beyond its type.
#[derive(Clone, Copy, Debug)]
pub enum Check {
    /// `uniqueItems`: no two elements are equal.
    UniqueItems,
    /// `contains` and `minContains`: a number of elements is accepted by a function.
    Contains(usize, Variant<()>),
}

/// A type whose decoder tells whether a value is valid.
pub trait Accept: Decode {
    /// Decodes the next value of a text and drops it.
    ///
    /// # Errors
    ///
    /// Returns the error of the decoder.
    fn accept(text: &mut Text<'_>) -> Result<(), DecodeError> {
        Self::vacant().decode(text)
    }
}

impl<T: Decode> Accept for T {}

impl Check {
    /// Reads the next value, which was decoded before, and checks it. Any value but a list passes.
    pub(super) fn run(self, text: &mut Text<'_>) -> Result<(), DecodeError> {
        if text.kind() != Some(Kind::Array) {
            return text.skip();
        }
        match self {
            Self::UniqueItems => unique_items(text),
            Self::Contains(least, accept) => contains(text, least, accept),
        }
    }
}

fn unique_items(text: &mut Text<'_>) -> Result<(), DecodeError> {
    let mut elements = Elements::of(text)?;
    let mut known = HashMap::new();
    while elements.advance()? {
        let mut key = String::new();
        write_key(&elements.read()?, &mut key);
        let at = known.len();
        if let Some(first) = known.insert(key, at) {
            let error = DecodeError::data(format!(
                "equal to element {first}, but all elements must differ"
            ));
            return Err(error.inside_index(at));
        }
    }
    elements.end()
}

fn contains(text: &mut Text<'_>, least: usize, accept: Variant<()>) -> Result<(), DecodeError> {
    text.charge_next()?;
    let mut elements = Elements::of(text)?;
    let mut found = 0;
    while elements.advance()? {
        if found == least {
            elements.skip()?;
        } else if elements.is_accepted(accept)? {
            found += 1;
        }
    }
    if found < least {
        return Err(DecodeError::data(format!(
            "{found} elements are of the kind that the list has to contain, expected at least {least}"
        )));
    }
    elements.end()
}

/// Writes a text that is the same for equal values only, however they are written in JSON.
fn write_key(value: &Value, key: &mut String) {
    match value {
        Value::Null => key.push('n'),
        Value::Bool(true) => key.push('t'),
        Value::Bool(false) => key.push('f'),
        Value::Number(number) => key.push_str(&number.canonical()),
        Value::String(text) => write_text(text, key),
        Value::Array(elements) => {
            key.push('[');
            for element in elements {
                write_key(element, key);
                key.push(',');
            }
            key.push(']');
        }
        Value::Object(object) => {
            let mut members: Vec<_> = object.iter().collect();
            members.sort_unstable_by_key(|(name, _)| *name);
            key.push('{');
            for (name, value) in members {
                write_text(name, key);
                write_key(value, key);
                key.push(',');
            }
            key.push('}');
        }
    }
}

/// Writes a text behind its length, so that no other texts look like it.
fn write_text(text: &str, key: &mut String) {
    // Writing to a string does not fail.
    let _ = write!(key, "{}:{text}", text.len());
}

#[cfg(test)]
mod tests {
    use super::super::super::json;
    use super::super::read;
    use super::*;

    fn check(check: Check, text: &str) -> Result<(), String> {
        let outcome = check.run(&mut Text::new(text));
        outcome.map_err(|error| error.to_string())
    }

    #[test]
    fn equal_elements_are_found_however_they_are_written() {
        for list in [
            r#"[1,"a",1]"#,
            "[1,1.0]",
            "[-0,0.0]",
            "[100,1e2]",
            "[0.10,1e-1]",
            "[12345678901234567890123,12345678901234567890123.0]",
            r#"["a","\u0061"]"#,
            r#"[{"a":1,"b":[2]},{"b":[2.0],"a":1}]"#,
            "[[],[]]",
            "[null,null]",
        ] {
            let error = check(Check::UniqueItems, list).unwrap_err();
            assert!(error.contains("equal to element 0"), "{list}: {error}");
        }
        for list in [
            "[]",
            r#"[1,"1",true,null,[1],{"a":1}]"#,
            "[1,10,-1,0.1]",
            "[9007199254740993,9007199254740992]",
            "[1e99999999999999999999,1e99999999999999999998]",
            r#"["a","A",""]"#,
            r#"[{"a":1},{"a":2},{"b":1},{}]"#,
            r#"[["a,1:b"],["a","b"],[["a"],"b"],[["a","b"]]]"#,
            "null",
            r#""aa""#,
        ] {
            assert_eq!(check(Check::UniqueItems, list), Ok(()), "{list}");
        }
    }

    #[test]
    fn long_lists_are_compared_in_linear_time() {
        let numbers: Vec<String> = (0..200_000).map(|number| number.to_string()).collect();
        let mut list = format!("[{}]", numbers.join(","));
        let start = std::time::Instant::now();
        assert_eq!(check(Check::UniqueItems, &list), Ok(()));
        list.insert_str(1, "199999.0,");
        let error = check(Check::UniqueItems, &list).unwrap_err();
        assert!(error.contains("[200000]"), "{error}");
        // Comparing each with all others would take minutes.
        assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
    }

    #[test]
    fn list_has_to_contain_a_number_of_elements() {
        let numbers = |least| Check::Contains(least, <json::Number as Accept>::accept);
        for (least, list) in [(1, "[1]"), (1, r#"["a",{"a":[0]},2]"#), (2, "[1,2,{}]")] {
            assert_eq!(check(numbers(least), list), Ok(()), "{list}");
        }
        for (least, list, found) in [(1, "[]", 0), (1, r#"["a",[1]]"#, 0), (2, "[1,null]", 1)] {
            let error = check(numbers(least), list).unwrap_err();
            let message = format!("{found} elements are of the kind");
            assert!(
                error.contains(&message) && error.contains(&format!("at least {least}")),
                "{error}"
            );
        }
    }

    /// A list that has to contain a list like itself, or nothing.
    struct Nested;

    impl Decode for Nested {
        fn vacant() -> Self {
            Self
        }

        fn decode(&mut self, text: &mut Text<'_>) -> Result<(), DecodeError> {
            let start = text.position();
            read::<Vec<Nested>>(text)?;
            text.rewind(start);
            Check::Contains(usize::from(!text.rest().starts_with("[]")), Self::accept).run(text)
        }
    }

    #[test]
    fn lists_within_lists_are_decoded_a_bounded_number_of_times() {
        let text = format!("{}{}", "[".repeat(100), "]".repeat(100));
        let start = std::time::Instant::now();
        let error = check(Check::Contains(1, Nested::accept), &text).unwrap_err();
        assert!(error.contains("decoded again"), "{error}");
        assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
        assert_eq!(check(Check::Contains(1, Nested::accept), "[[[]]]"), Ok(()));
    }
}
