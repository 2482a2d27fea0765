//! [`Tree`]: the values of a part of a JSON text, by their positions.

use std::sync::OnceLock;

use super::super::super::error::DecodeError;
use super::super::super::json::text::{Elements, Entries};
use super::super::{Kind, Number, Text};

/// A value and all values inside it, in the order of the text. A value is known by its number.
pub(super) struct Tree {
    /// Each value with its position in the text.
    nodes: Vec<(usize, Node)>,
    /// Numbers that are the same for equal values, once they were needed.
    classes: OnceLock<Vec<usize>>,
}

pub(super) enum Node {
    Null,
    Bool(bool),
    Number(Number),
    String(String),
    Array(Vec<usize>),
    Object(Members),
}

/// The members of an object.
pub(super) struct Members {
    /// In the order of the text.
    pub(super) all: Vec<(String, usize)>,
    /// Their positions in the order of the names.
    pub(super) sorted: Vec<usize>,
}

/// What is compared with a schema: a value, or the name of a member.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Subject {
    Value(usize),
    /// The object and the position of the member.
    Name(usize, usize),
}

/// A value, or a name as a string.
#[derive(Clone, Copy)]
pub(super) enum View<'a> {
    Null,
    Bool(bool),
    Number(&'a Number),
    String(&'a str),
    Array(&'a [usize]),
    Object(&'a Members),
}

impl Tree {
    /// Reads the next value of a text.
    ///
    /// # Errors
    ///
    /// Returns the error of a text that is not JSON, or whose objects have a member twice.
    pub(super) fn read(text: &mut Text<'_>) -> Result<Self, DecodeError> {
        let mut nodes = Vec::new();
        read_value(&mut nodes, text)?;
        Ok(Self {
            nodes,
            classes: OnceLock::new(),
        })
    }

    /// Returns the number of values.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns the value that begins at a position of the text.
    pub(super) fn find(&self, position: usize) -> Option<usize> {
        let found = self.nodes.binary_search_by_key(&position, |(at, _)| *at);
        found.ok()
    }

    pub(super) fn view(&self, subject: Subject) -> View<'_> {
        match subject {
            Subject::Value(id) => self.value(id),
            Subject::Name(object, at) => match self.value(object) {
                View::Object(members) => View::String(members.name(at)),
                _ => View::Null,
            },
        }
    }

    pub(super) fn value(&self, id: usize) -> View<'_> {
        match self.nodes.get(id).map(|(_, node)| node) {
            Some(Node::Bool(value)) => View::Bool(*value),
            Some(Node::Number(number)) => View::Number(number),
            Some(Node::String(text)) => View::String(text),
            Some(Node::Array(items)) => View::Array(items),
            Some(Node::Object(members)) => View::Object(members),
            Some(Node::Null) | None => View::Null,
        }
    }

    /// Returns a number for each value, which is the same for equal ones, however they are written. Calls
    /// `find` for them the first time.
    pub(super) fn classes(&self, find: fn(&Self) -> Vec<usize>) -> &[usize] {
        self.classes.get_or_init(|| find(self))
    }

    /// Adds to an error the path from a value to one inside it.
    pub(super) fn with_path(&self, from: usize, to: Subject, error: DecodeError) -> DecodeError {
        let (target, name) = match to {
            Subject::Value(id) => (id, None),
            Subject::Name(object, at) => (object, Some(at)),
        };
        let mut outer = Vec::new();
        let mut id = from;
        while id < target {
            outer.push(id);
            // The values inside come after the one that contains them.
            id = match self.value(id) {
                View::Array(items) => items[..items.partition_point(|item| *item <= target)].last(),
                View::Object(members) => {
                    let all = &members.all;
                    let inside = &all[..all.partition_point(|(_, item)| *item <= target)];
                    inside.last().map(|(_, item)| item)
                }
                _ => None,
            }
            .copied()
            .unwrap_or(target);
        }
        let mut error = error;
        if let (View::Object(members), Some(at)) = (self.value(target), name) {
            error = error.inside_member(members.name(at));
        }
        let mut inner = target;
        for id in outer.into_iter().rev() {
            error = match self.value(id) {
                View::Array(items) => match items.binary_search(&inner) {
                    Ok(at) => error.inside_index(at),
                    Err(_) => error,
                },
                View::Object(members) => {
                    let found = members.all.binary_search_by_key(&inner, |(_, item)| *item);
                    found.map_or(error.clone(), |at| error.inside_member(members.name(at)))
                }
                _ => error,
            };
            inner = id;
        }
        error
    }
}

impl Members {
    fn new(all: Vec<(String, usize)>) -> Result<Self, DecodeError> {
        let mut sorted: Vec<usize> = (0..all.len()).collect();
        sorted.sort_unstable_by(|a, b| all[*a].0.cmp(&all[*b].0));
        let mut pairs = sorted.windows(2);
        match pairs.find(|pair| all[pair[0]].0 == all[pair[1]].0) {
            Some(pair) => Err(DecodeError::duplicate_member(&all[pair[0]].0)),
            None => Ok(Self { all, sorted }),
        }
    }

    pub(super) fn name(&self, at: usize) -> &str {
        self.all.get(at).map_or("", |(name, _)| name)
    }

    /// Returns the value of a member.
    pub(super) fn get(&self, name: &str) -> Option<usize> {
        let found = self
            .sorted
            .binary_search_by(|at| self.all[*at].0.as_str().cmp(name));
        found.ok().map(|at| self.all[self.sorted[at]].1)
    }
}

/// Reads a value and those inside it, and returns its number.
fn read_value(nodes: &mut Vec<(usize, Node)>, text: &mut Text<'_>) -> Result<usize, DecodeError> {
    let id = nodes.len();
    nodes.push((text.offset(), Node::Null));
    let node = match text.kind() {
        Some(Kind::Array) => {
            let mut items = Vec::new();
            let mut elements = Elements::of(text)?;
            while elements.advance()? {
                items.push(elements.decode_with(|text| read_value(nodes, text))?);
            }
            elements.end()?;
            Node::Array(items)
        }
        Some(Kind::Object) => {
            let mut members = Vec::new();
            let mut entries = Entries::of(text, &"an object")?;
            while let Some(name) = entries.name()? {
                let value = entries.decode_with(|text| read_value(nodes, text))?;
                members.push((name.into_owned(), value));
            }
            entries.end()?;
            Node::Object(Members::new(members)?)
        }
        Some(Kind::String) => Node::String(text.expect_string(&"a string")?.into_owned()),
        Some(Kind::Number) => Node::Number(text.number()?),
        Some(Kind::Bool) => Node::Bool(text.boolean()?),
        Some(Kind::Null) | None => {
            text.null()?;
            Node::Null
        }
    };
    if let Some(place) = nodes.get_mut(id) {
        place.1 = node;
    }
    Ok(id)
}
