//! Bounds the cost of trying several variants of a union.
//!
//! A value is decoded again for each variant that may accept it. In a schema that refers to itself, so are the
//! values in it, and the cost could double with each level. Therefore a decoder keeps an account of what
//! it decodes again.

use super::super::json::{Object, Value};
use serde::de::Error;
use std::cell::Cell;

/// How many bytes are decoded again for each byte of the input.
const FACTOR: usize = 256;

thread_local! {
    /// How many more bytes may be decoded again, while something is decoded.
    static LEFT: Cell<Option<usize>> = const { Cell::new(None) };
}

/// Keeps the account of one input until it is dropped.
pub(crate) struct Account {
    is_outermost: bool,
}

impl Account {
    /// Opens the account of an input with a number of bytes. Within another account, that one counts.
    pub(crate) fn open(bytes: usize) -> Self {
        let is_outermost = LEFT.get().is_none();
        if is_outermost {
            LEFT.set(Some(bytes.saturating_mul(FACTOR)));
        }
        Self { is_outermost }
    }
}

impl Drop for Account {
    fn drop(&mut self) {
        if self.is_outermost {
            LEFT.set(None);
        }
    }
}

/// Decodes a value of a number of bytes again. Returns an error if too much was decoded again before.
pub(super) fn again<T, E: Error>(
    bytes: usize,
    decode: impl FnOnce() -> Result<T, E>,
) -> Result<T, E> {
    let _account = Account::open(bytes);
    let left = LEFT.get().unwrap_or_default();
    let left = left.saturating_sub(bytes);
    LEFT.set(Some(left));
    if left == 0 {
        return Err(E::custom(
            "unions within unions fit so many variants that not all were tried",
        ));
    }
    decode()
}

/// Returns `true` if no more variants are tried.
pub(super) fn is_exhausted() -> bool {
    LEFT.get() == Some(0)
}

/// Returns about how many bytes the text of an object has.
pub(super) fn bytes_of(object: &Object) -> usize {
    let members = object.iter();
    let members = members.map(|(name, value)| name.len() + bytes_of_value(value));
    members.fold(2, |sum, bytes| sum + bytes + 4)
}

fn bytes_of_value(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len() + 2,
        Value::Array(items) => items
            .iter()
            .fold(2, |sum, item| sum + bytes_of_value(item) + 1),
        Value::Object(object) => bytes_of(object),
        Value::Null | Value::Bool(_) | Value::Number(_) => 4,
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::error::DecodeError;
    use super::super::super::json;
    use super::super::{
        Candidate, Candidates, Declared, FromAny, FromMembers, Members, Reader, Table, Vacant,
        array, first_of, from_part, need, read_object, read_shape, read_union, unknown_variant,
    };
    use super::*;
    use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess};

    thread_local! {
        static LEAVES: Cell<usize> = const { Cell::new(0) };
    }

    /// A union that contains itself, and whose objects and lists fit two variants each.
    #[derive(Debug)]
    enum Tree {
        Leaf,
        Node(Node),
        List,
    }

    #[derive(Debug)]
    struct Node {
        inner: Option<Box<Tree>>,
    }

    impl Vacant for Node {
        const VACANT: Self = Self { inner: None };
    }

    impl<'de> FromMembers<'de> for Node {
        const TABLE: Table = Table::new(
            "Node",
            &[Declared::new(0, "inner", need::optional_boxed)],
            &["inner"],
        );

        fn read_member<A: MapAccess<'de>>(
            &mut self,
            at: u8,
            reader: &mut Reader<'_, 'de, A>,
        ) -> Result<(), A::Error> {
            match at {
                0 => reader.optional_boxed(&mut self.inner),
                _ => reader.unknown(),
            }
        }
    }

    impl<'de> Deserialize<'de> for Node {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            read_object(deserializer)
        }
    }

    impl Vacant for Tree {
        const VACANT: Self = Self::Leaf;
    }

    impl<'de> FromAny<'de> for Tree {
        const NAME: &'static str = "Tree";

        fn from_string<E: Error>(text: String) -> Result<Self, E> {
            LEAVES.set(LEAVES.get() + 1);
            match text.as_str() {
                "good" => Ok(Self::Leaf),
                _ => Err(E::custom("a bad leaf")),
            }
        }

        fn from_array<A: SeqAccess<'de>>(items: A) -> Result<Self, A::Error> {
            let variant = |text: &str| from_part::<Items, _>(text).map(|_| Self::List);
            first_of(&array(items)?, &[variant, variant])
        }

        fn decode_members<A: MapAccess<'de>>(
            place: &mut Self,
            members: &mut Members<'de, A>,
        ) -> Result<(), A::Error> {
            const fn candidate(name: &'static str) -> Candidate {
                Candidate {
                    name,
                    required: &["inner"],
                    nested: &[],
                    texts: &[],
                    when: &[],
                    owned: &[],
                    unless: &[],
                }
            }
            const CANDIDATES: &Candidates = &Candidates::new(
                &[],
                &[candidate("One"), candidate("Other")],
                &[("One", "object"), ("Other", "object")],
            );
            read_shape(place, members, "Tree", CANDIDATES, |place, name, object| {
                *place = Self::Node(Node::VACANT);
                match place {
                    Self::Node(node) => object.object(node),
                    _ => Err(unknown_variant(name)),
                }
            })
        }
    }

    impl<'de> Deserialize<'de> for Tree {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            read_union(deserializer)
        }
    }

    type Items = Vec<Tree>;

    /// Decodes a leaf within objects and lists, and returns the error and the number of leaves decoded.
    fn decode(levels: usize, leaf: &str) -> (Option<DecodeError>, usize) {
        LEAVES.set(0);
        let text = (0..levels).fold(format!("\"{leaf}\""), |inner, level| match level % 2 {
            0 => format!("{{\"inner\":{inner}}}"),
            _ => format!("[{inner}]"),
        });
        let outcome = json::from_str::<Tree>(&text);
        (outcome.err(), LEAVES.get())
    }

    #[test]
    fn value_at_fault_is_decoded_a_bounded_number_of_times() {
        for levels in [1, 2, 5, 20, 60, 120] {
            let (error, leaves) = decode(levels, "bad");
            let error = error.expect("the leaf is bad");
            assert!(
                leaves <= 2 * FACTOR * (levels + 1),
                "{levels}: {leaves} leaves, {error}"
            );
        }
    }

    #[test]
    fn account_ends_with_the_input() {
        for _ in 0..10 {
            let _ = decode(60, "bad");
        }
        assert_eq!(LEFT.get(), None);
        let (error, leaves) = decode(60, "good");
        assert!(error.is_none(), "{error:?}");
        assert_eq!(leaves, 1);
        // An error that is found with few repetitions is reported as it is.
        let (error, _) = decode(5, "bad");
        assert!(error.unwrap().to_string().contains("a bad leaf"));
    }
}
