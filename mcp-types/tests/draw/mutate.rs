//! Changes an instance at one position. The change depends on the schema, but the result may be
//! valid or not.

use std::sync::Arc;

use proptest::strategy::{BoxedStrategy, Just, NewTree, Strategy};
use proptest::test_runner::TestRunner;
use serde_json::{Map, Value, json};

use super::dice::RandomSource;
use super::forgive::holds;
use super::node::Node;
use super::schemas::Schemas;
use super::shrink::step;

/// Generates mutants of `instance`, an instance of the definition `name`: a description of the
/// change, and the result. The validator decides whether the result is valid.
pub(crate) fn mutate(
    schemas: &Arc<Schemas>,
    name: &str,
    instance: &Value,
) -> BoxedStrategy<(String, Value)> {
    let (schemas, instance) = (Arc::clone(schemas), instance.clone());
    Mutants {
        schemas,
        name: name.to_owned(),
        instance,
    }
    .boxed()
}

#[derive(Debug)]
struct Mutants {
    schemas: Arc<Schemas>,
    name: String,
    instance: Value,
}

impl Strategy for Mutants {
    type Tree = Just<(String, Value)>;
    type Value = (String, Value);

    fn new_tree(&self, runner: &mut TestRunner) -> NewTree<Self> {
        let mut places = Vec::new();
        visit(
            &self.schemas,
            self.schemas.node(&self.name),
            &self.instance,
            "",
            &mut places,
        );
        let mut surgeon = Mutator {
            schemas: &self.schemas,
            dice: RandomSource(runner.rng()),
        };
        for _ in 0..50 {
            let (pointer, node) = surgeon.dice.pick(&places).clone();
            let mut mutant = self.instance.clone();
            let Some(place) = mutant.pointer_mut(&pointer) else {
                continue;
            };
            if let Some((what, changed)) = surgeon.change(node, place)
                && changed != *place
            {
                *place = changed;
                return Just((format!("at {pointer:?}: {what}"), mutant)).new_tree(runner);
            }
        }
        Err(format!("no change of {} found for {}", self.name, self.instance).into())
    }
}

/// Lists every position of a value with its part of the schema. Positions below one that allows any
/// value are not listed, because no value is invalid there.
fn visit<'a>(
    schemas: &'a Schemas,
    node: &'a Node,
    value: &Value,
    pointer: &str,
    found: &mut Vec<(String, &'a Node)>,
) {
    match node {
        Node::Ref(name) => return visit(schemas, schemas.node(name), value, pointer, found),
        Node::Union { variants, .. } => {
            let holding = variants
                .iter()
                .find(|variant| holds(schemas, variant, value));
            if let Some(variant) = holding.or(variants.first()) {
                return visit(schemas, variant, value, pointer, found);
            }
        }
        _ => {}
    }
    found.push((pointer.to_owned(), node));
    match (node, value) {
        (Node::Array { items, .. }, Value::Array(values)) => {
            for (index, value) in values.iter().enumerate() {
                visit(
                    schemas,
                    items,
                    value,
                    &step(pointer, &index.to_string()),
                    found,
                );
            }
        }
        (Node::Object { members, rest }, Value::Object(values)) => {
            for (name, value) in values {
                let node = members.get(name).map_or(&**rest, |member| &member.node);
                visit(schemas, node, value, &step(pointer, name), found);
            }
        }
        _ => {}
    }
}

type Change = Option<(String, Value)>;

struct Mutator<'a> {
    schemas: &'a Schemas,
    dice: RandomSource<'a>,
}

impl Mutator<'_> {
    fn change(&mut self, node: &Node, value: &Value) -> Change {
        if self.dice.chance(15) {
            let plain = self.plain();
            return Some((format!("replaced by {plain}"), plain));
        }
        match value {
            Value::Object(members) => self.object(node, members),
            Value::Array(items) => self.array(node, items),
            Value::Number(_) => self.number(node, value),
            Value::String(text) => Some(self.string(node, text)),
            Value::Null | Value::Bool(_) => {
                let plain = self.plain();
                Some((format!("replaced by {plain}"), plain))
            }
        }
    }

    /// Generates a small value of any type. Integers are within the range of `i64`: larger ones are
    /// valid if the schema sets no bounds, but the types do not support them.
    fn plain(&mut self) -> Value {
        let plain = [
            json!(null),
            json!(true),
            json!(0),
            json!(-1),
            json!(0.5),
            json!(""),
            json!("a"),
            json!("0"),
            json!([]),
            json!({}),
            json!([null]),
            json!([{}]),
            json!({ "a": null }),
        ];
        self.dice.pick(&plain).clone()
    }

    fn object(&mut self, node: &Node, members: &Map<String, Value>) -> Change {
        let mut changed = members.clone();
        let present: Vec<&String> = members.keys().collect();
        let declared: Vec<&String> = match node {
            Node::Object { members, .. } => members.keys().collect(),
            _ => Vec::new(),
        };
        let what = match self.dice.below(10) {
            0 | 1 if !present.is_empty() => {
                let name = *self.dice.pick(&present);
                changed.remove(name);
                format!("{name:?} removed")
            }
            2 if !declared.is_empty() => {
                let name = *self.dice.pick(&declared);
                changed.insert(name.clone(), Value::Null);
                format!("{name:?} set to null")
            }
            3 if !declared.is_empty() => {
                let name = *self.dice.pick(&declared);
                let plain = self.plain();
                let what = format!("{name:?} set to {plain}");
                changed.insert(name.clone(), plain);
                what
            }
            4 => {
                let name = self
                    .dice
                    .name(|name| declared.iter().any(|one| *one == name));
                let what = format!("unknown {name:?} added");
                changed.insert(name, self.plain());
                what
            }
            5 => {
                let name = self.dice.pick(self.schemas.names()).clone();
                let plain = self.plain();
                let what = format!("{name:?}, which others declare, set to {plain}");
                changed.insert(name, plain);
                what
            }
            6 | 7 if !present.is_empty() => {
                let name = *self.dice.pick(&present);
                let renamed = other_case(name);
                let value = changed.remove(name).unwrap_or_default();
                changed.insert(renamed.clone(), value);
                format!("{name:?} renamed {renamed:?}")
            }
            8 => {
                return Some((
                    "object replaced by the array of its values".to_owned(),
                    members.values().cloned().collect(),
                ));
            }
            9 => {
                changed.clear();
                "emptied".to_owned()
            }
            _ => return None,
        };
        Some((what, Value::Object(changed)))
    }

    fn array(&mut self, node: &Node, items: &[Value]) -> Change {
        let mut changed = items.to_vec();
        let what = match self.dice.below(6) {
            0 => {
                changed.clear();
                "emptied".to_owned()
            }
            1 if !items.is_empty() => {
                let index = self.dice.below(items.len());
                changed.remove(index);
                format!("item {index} removed")
            }
            2 | 3 => {
                let plain = self.plain();
                let index = self.dice.below(items.len() + 1);
                let what = format!("item {plain} inserted at {index}");
                changed.insert(index, plain);
                what
            }
            4 => {
                let members = items.iter().enumerate();
                let members = members.map(|(index, item)| (index.to_string(), item.clone()));
                let what = "array replaced by an object".to_owned();
                return Some((what, Value::Object(members.collect())));
            }
            5 => match (node, items.first()) {
                (Node::Array { max: Some(max), .. }, Some(first)) => {
                    changed.resize(max + 1, first.clone());
                    format!("lengthened to {}", max + 1)
                }
                _ => return None,
            },
            _ => return None,
        };
        Some((what, Value::Array(changed)))
    }

    fn number(&mut self, node: &Node, value: &Value) -> Change {
        let changed = match (self.dice.below(5), node) {
            (0, _) => json!(0.5),
            (1, _) => json!(value.to_string()),
            (2, Node::Integer { min: Some(min), .. }) => json!(min.checked_sub(1)?),
            (3, Node::Integer { max: Some(max), .. }) => json!(max.checked_add(1)?),
            (2, Node::Number { min: Some(min), .. }) => json!(min - 0.5),
            (3, Node::Number { max: Some(max), .. }) => json!(max + 0.5),
            (2, _) => json!(-1),
            (3, _) => json!(1_000_000),
            _ => json!([value]),
        };
        Some((format!("{value} changed to {changed}"), changed))
    }

    fn string(&mut self, node: &Node, text: &str) -> (String, Value) {
        let fixed = matches!(node, Node::Enum(_));
        let changed = match self.dice.below(if fixed { 8 } else { 5 }) {
            0 => json!([text]),
            1 => json!({ "value": text }),
            2 => json!(0),
            3 => json!(other_case(text)),
            4 => json!(format!("{text}x")),
            _ => json!(self.dice.pick(self.schemas.tags())),
        };
        (format!("{text:?} changed to {changed}"), changed)
    }
}

/// Returns the same letters in another case.
fn other_case(text: &str) -> String {
    let lower = text.to_lowercase();
    if lower == text {
        text.to_uppercase()
    } else {
        lower
    }
}
