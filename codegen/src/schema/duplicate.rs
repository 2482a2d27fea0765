//! Members that occur twice in an object. The JSON parser would keep the last one of them.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt;

use serde::de::{DeserializeOwned, Visitor};
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess};

use super::pointer;

/// A member that occurs twice.
pub(super) struct Duplicate {
    /// JSON pointer to the member.
    pub(super) pointer: String,
    /// The same as an error with the position in the text.
    pub(super) source: serde_json::Error,
}

/// Returns the first member of a JSON text that occurs twice; `None` if all names are distinct, and
/// if the text is not JSON.
pub(super) fn duplicate(text: &str) -> Option<Duplicate> {
    let found = RefCell::new(None);
    let value = Unique {
        at: String::new(),
        found: &found,
    };
    let error = value
        .deserialize(&mut serde_json::Deserializer::from_str(text))
        .err();
    let (source, pointer) = (error?, found.into_inner()?);
    Some(Duplicate { pointer, source })
}

/// Parses a JSON text in which no member occurs twice.
///
/// # Errors
///
/// Returns an error if the text is not JSON or not of the type, or if a member occurs twice: then with
/// its JSON pointer.
pub fn parse<T: DeserializeOwned>(text: &str) -> Result<T, serde_json::Error> {
    match duplicate(text) {
        Some(duplicate) => Err(duplicate.source),
        None => serde_json::from_str(text),
    }
}

/// Reads a value and stops at the first duplicate.
struct Unique<'a> {
    /// JSON pointer to the value.
    at: String,
    found: &'a RefCell<Option<String>>,
}

impl<'de> DeserializeSeed<'de> for Unique<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

/// Implements the methods for values that have no members.
macro_rules! without_members {
    ($($method:ident($type:ty))*) => {
        $(fn $method<E>(self, _: $type) -> Result<(), E> {
            Ok(())
        })*
    };
}

impl<'de> Visitor<'de> for Unique<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    without_members! {
        visit_bool(bool) visit_i64(i64) visit_u64(u64) visit_i128(i128) visit_u128(u128)
        visit_f64(f64) visit_str(&str)
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let mut number = 0;
        let inner = |number: usize| Unique {
            at: format!("{}/{number}", self.at),
            found: self.found,
        };
        while items.next_element_seed(inner(number))?.is_some() {
            number += 1;
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        let mut known = BTreeSet::new();
        while let Some(name) = members.next_key::<String>()? {
            let at = pointer::join(&self.at, &name);
            if !known.insert(name) {
                let error = A::Error::custom(format!("the member at `{at}` occurs twice"));
                self.found.replace(Some(at));
                return Err(error);
            }
            members.next_value_seed(Unique {
                at,
                found: self.found,
            })?;
        }
        Ok(())
    }
}
