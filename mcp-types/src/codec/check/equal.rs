//! Equality of values, however they are written.

use std::cmp::Ordering;
use std::collections::HashMap;

use super::Literal;
use super::tree::{Tree, View};

/// A value, or the name of a member, of which equal ones are the same. Values inside it are classes.
#[derive(PartialEq, Eq, Hash)]
enum Shape<'a> {
    Null,
    Bool(bool),
    /// In the form that is the same for all ways to write a number.
    Number(String),
    String(&'a str),
    Array(Vec<usize>),
    /// In the order of the names, of which each is a class, too.
    Object(Vec<(usize, usize)>),
}

/// Returns a number for each value of a tree, which is the same for equal ones.
///
/// Each value is looked at once, so that comparing lists within lists takes no more time than comparing
/// the innermost ones.
fn classes(tree: &Tree) -> Vec<usize> {
    let mut known = HashMap::new();
    let mut class = |shape| {
        let next = known.len();
        *known.entry(shape).or_insert(next)
    };
    let mut classes = vec![0; tree.len()];
    // The values inside come after the one that contains them.
    for id in (0..tree.len()).rev() {
        let shape = match tree.value(id) {
            View::Null => Shape::Null,
            View::Bool(value) => Shape::Bool(value),
            View::Number(number) => Shape::Number(number.canonical()),
            View::String(text) => Shape::String(text),
            View::Array(items) => Shape::Array(items.iter().map(|item| classes[*item]).collect()),
            View::Object(members) => {
                let members = members.sorted.iter().map(|at| &members.all[*at]);
                let pairs = members
                    .map(|(name, value)| (class(Shape::String(name)), classes[*value]))
                    .collect();
                Shape::Object(pairs)
            }
        };
        classes[id] = class(shape);
    }
    classes
}

/// Returns the positions of the first element that is equal to an earlier one, and of this one.
pub(super) fn repeated(tree: &Tree, items: &[usize]) -> Option<(usize, usize)> {
    if items.len() < 2 {
        return None;
    }
    let classes = tree.classes(classes);
    let mut known = HashMap::new();
    let mut all = items.iter().enumerate();
    all.find_map(|(at, item)| known.insert(classes[*item], at).map(|first| (first, at)))
}

impl Literal {
    /// Returns `true` if a value is equal to one of a list, which is in the order of [`Check::Values`].
    ///
    /// [`Check::Values`]: super::Check::Values
    pub(super) fn contains(known: &[Self], tree: &Tree, value: View<'_>) -> bool {
        let key = match value {
            View::Null => Key::Null,
            View::Bool(value) => Key::Bool(value),
            View::Number(number) => Key::Number(&number.canonical()),
            View::String(text) => Key::String(text),
            View::Array(_) | View::Object(_) => {
                let from = known.partition_point(|own| own.key().is_some());
                return known[from..].iter().any(|own| own.is(tree, value));
            }
        };
        let order = |own: &Self| own.key().map_or(Ordering::Greater, |own| own.cmp(&key));
        known.binary_search_by(order).is_ok()
    }

    /// Returns what is compared, or `None` for a list or an object.
    fn key(&self) -> Option<Key<'_>> {
        Some(match self {
            Self::Null => Key::Null,
            Self::Bool(value) => Key::Bool(*value),
            Self::Number(text) => Key::Number(text),
            Self::String(text) => Key::String(text),
            Self::Array(_) | Self::Object(_) => return None,
        })
    }

    /// Returns the value for a message, if it is a string.
    pub(super) fn text(&self) -> Option<&'static str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    fn is(&self, tree: &Tree, value: View<'_>) -> bool {
        match (self, value) {
            (Self::Null, View::Null) => true,
            (Self::Bool(own), View::Bool(value)) => *own == value,
            (Self::Number(own), View::Number(value)) => value.canonical() == *own,
            (Self::String(own), View::String(value)) => *own == value,
            (Self::Array(own), View::Array(values)) => {
                let mut pairs = own.iter().zip(values);
                own.len() == values.len() && pairs.all(|(own, id)| own.is(tree, tree.value(*id)))
            }
            (Self::Object(own), View::Object(members)) => {
                let mut all = own.iter();
                own.len() == members.all.len()
                    && all.all(|(name, own)| {
                        let value = members.get(name);
                        value.is_some_and(|id| own.is(tree, tree.value(id)))
                    })
            }
            _ => false,
        }
    }
}

/// A simple value. The order is that of [`Check::Values`](super::Check::Values).
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Key<'a> {
    Null,
    Bool(bool),
    Number(&'a str),
    String(&'a str),
}
