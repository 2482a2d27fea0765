//! Shrinks a generated instance and keeps it valid.

use std::sync::Arc;

use proptest::strategy::ValueTree;
use serde_json::Value;

use super::valid::Validator;

/// The instance, and the state of shrinking it.
#[derive(Debug)]
pub(crate) struct Tree {
    /// The smallest value that is known to fail.
    kept: Value,
    /// The value that is being tried.
    current: Value,
    edits: Vec<Edit>,
    validator: Arc<Validator>,
}

/// A way to shrink a value: the value at the pointer is removed or replaced by a simple one.
#[derive(Debug)]
struct Edit {
    pointer: String,
    change: Change,
}

#[derive(Debug)]
enum Change {
    Member(String),
    Item(usize),
    Plain(Value),
}

impl Tree {
    /// Starts with a valid value.
    pub(crate) fn new(value: Value, validator: Arc<Validator>) -> Self {
        Tree {
            kept: value.clone(),
            current: value,
            edits: Vec::new(),
            validator,
        }
    }

    /// Advances to the next smaller valid value.
    fn advance(&mut self) -> bool {
        while let Some(edit) = self.edits.pop() {
            let mut candidate = self.kept.clone();
            edit.apply(&mut candidate);
            if candidate != self.kept && self.validator.is_valid(&candidate) {
                self.current = candidate;
                return true;
            }
        }
        self.current = self.kept.clone();
        false
    }
}

impl ValueTree for Tree {
    type Value = Value;

    fn current(&self) -> Value {
        self.current.clone()
    }

    fn simplify(&mut self) -> bool {
        self.kept = self.current.clone();
        self.edits.clear();
        edits(&self.kept, "", &mut self.edits);
        // The last edit is tried first. Start at the root, where an edit removes the most.
        self.edits.reverse();
        self.advance()
    }

    fn complicate(&mut self) -> bool {
        self.advance()
    }
}

impl Edit {
    fn apply(self, value: &mut Value) {
        match (value.pointer_mut(&self.pointer), self.change) {
            (Some(Value::Object(members)), Change::Member(name)) => {
                members.remove(&name);
            }
            (Some(Value::Array(items)), Change::Item(index)) => {
                items.remove(index);
            }
            (Some(place), Change::Plain(plain)) => *place = plain,
            _ => {}
        }
    }
}

/// Returns `pointer` with one more step.
pub(crate) fn step(pointer: &str, key: &str) -> String {
    format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1"))
}

fn edits(value: &Value, pointer: &str, found: &mut Vec<Edit>) {
    let mut add = |change| {
        found.push(Edit {
            pointer: pointer.to_owned(),
            change,
        });
    };
    match value {
        Value::Object(members) => {
            members
                .keys()
                .for_each(|name| add(Change::Member(name.clone())));
            for (name, member) in members {
                edits(member, &step(pointer, name), found);
            }
        }
        Value::Array(items) => {
            (0..items.len()).for_each(|index| add(Change::Item(index)));
            for (index, item) in items.iter().enumerate() {
                edits(item, &step(pointer, &index.to_string()), found);
            }
        }
        Value::String(text) if !text.is_empty() => {
            add(Change::Plain(Value::from("")));
            if text.len() > 1 {
                add(Change::Plain(Value::from("a")));
            }
        }
        Value::Number(_) if value.as_i64() != Some(0) => add(Change::Plain(Value::from(0))),
        _ => {}
    }
}
