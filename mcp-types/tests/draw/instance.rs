//! Valid instances of a definition.

use std::sync::Arc;

use proptest::strategy::{BoxedStrategy, NewTree, Strategy};
use proptest::test_runner::TestRunner;
use serde_json::{Map, Value};

use super::dice::RandomSource;
use super::forgive::holds;
use super::node::{Node, UNBOUNDED};
use super::schemas::Schemas;
use super::shrink::Tree;

/// Below this level only required members are generated.
const DEPTH: usize = 8;
/// After this number of values only required members are generated, so that wide types stay small.
const BUDGET: usize = 120;

/// Options of the generator.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Options {
    /// Whether floats without a fraction (`1.0`) are generated: rarely, and only where the schema
    /// allows an integer, any number or any JSON.
    pub(crate) integral_floats: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            integral_floats: true,
        }
    }
}

/// Generates valid instances of the definition `name`. They shrink to valid instances.
pub(crate) fn instance(schemas: &Arc<Schemas>, name: &str) -> BoxedStrategy<Value> {
    instance_with(schemas, name, Options::default())
}

/// Like [`instance`], with options.
pub(crate) fn instance_with(
    schemas: &Arc<Schemas>,
    name: &str,
    options: Options,
) -> BoxedStrategy<Value> {
    Instances {
        schemas: Arc::clone(schemas),
        name: name.to_owned(),
        options,
    }
    .boxed()
}

#[derive(Debug)]
struct Instances {
    schemas: Arc<Schemas>,
    name: String,
    options: Options,
}

impl Strategy for Instances {
    type Tree = Tree;
    type Value = Value;

    fn new_tree(&self, runner: &mut TestRunner) -> NewTree<Self> {
        let node = self.schemas.node(&self.name);
        if self.schemas.depth(node) == UNBOUNDED {
            return Err(format!("{} has no instance", self.name).into());
        }
        let mut artist = ValueGenerator {
            schemas: &self.schemas,
            dice: RandomSource(runner.rng()),
            options: self.options,
            budget: BUDGET,
        };
        let value = artist.draw(node, 0);
        Ok(Tree::new(value, self.schemas.validator(&self.name)))
    }
}

/// Generates values for nodes.
pub(crate) struct ValueGenerator<'a> {
    pub(crate) schemas: &'a Schemas,
    pub(crate) dice: RandomSource<'a>,
    pub(crate) options: Options,
    pub(crate) budget: usize,
}

impl<'a> ValueGenerator<'a> {
    /// Generates a value that is valid for `node`, which is `depth` levels below the root.
    pub(crate) fn draw(&mut self, node: &'a Node, depth: usize) -> Value {
        self.budget = self.budget.saturating_sub(1);
        match node {
            Node::Any => self
                .dice
                .any(if self.lean(depth) { 0 } else { 3 }, self.integral()),
            Node::Never => panic!("a value is required where none is allowed"),
            Node::Ref(name) => self.draw(self.schemas.node(name), depth + 1),
            Node::Union {
                variants,
                exactly_one,
            } => self.variant(variants, *exactly_one, depth),
            Node::Enum(values) => self.dice.pick(values).clone(),
            Node::Null => Value::Null,
            Node::Boolean => Value::Bool(self.dice.chance(50)),
            Node::Integer { min, max } => {
                if self.integral() && self.dice.chance(4) {
                    self.dice.integral(*min, *max)
                } else {
                    Value::from(self.dice.integer(*min, *max))
                }
            }
            Node::Number { min, max } => self.dice.number(*min, *max, self.integral()),
            Node::String { min, max, format } => {
                Value::String(self.dice.string(*min, *max, format.as_deref()))
            }
            Node::Array {
                items,
                min,
                max,
                unique,
                contains,
            } => {
                let mut values = Vec::new();
                if let Some((node, least)) = contains {
                    values.extend((0..*least).map(|_| self.draw(node, depth + 1)));
                }
                let more = min.saturating_sub(values.len());
                let most = max.map(|max| max.saturating_sub(values.len()));
                values.extend(self.array(items, more, most, depth));
                if *unique {
                    keep_distinct(&mut values);
                    for _ in 0..20 {
                        if values.len() >= *min {
                            break;
                        }
                        values.push(self.draw(items, depth + 1));
                        keep_distinct(&mut values);
                    }
                }
                Value::Array(values)
            }
            Node::Object { members, rest } => {
                let mut object = Map::new();
                let percent = *self.dice.pick(&[0, 30, 50, 50, 80, 100]);
                for (name, member) in members {
                    let wanted = member.required
                        || (!self.lean(depth)
                            && self.possible(&member.node)
                            && self.dice.chance(percent));
                    if wanted {
                        object.insert(name.clone(), self.draw(&member.node, depth + 1));
                    }
                }
                let open = if members.is_empty() { 60 } else { 25 };
                if self.possible(rest) && !self.lean(depth) && self.dice.chance(open) {
                    for _ in 0..=self.dice.below(3) {
                        let name = self.dice.name(|name| members.contains_key(name));
                        object.insert(name, self.draw(rest, depth + 1));
                    }
                }
                Value::Object(object)
            }
        }
    }

    fn variant(&mut self, variants: &'a [Node], exactly_one: bool, depth: usize) -> Value {
        let depths: Vec<usize> = variants.iter().map(|v| self.schemas.depth(v)).collect();
        let limit = match depths.iter().min() {
            Some(shallowest) if self.lean(depth) => *shallowest,
            _ => UNBOUNDED - 1,
        };
        let choices: Vec<&Node> = variants
            .iter()
            .zip(&depths)
            .filter(|(_, depth)| **depth <= limit)
            .map(|v| v.0)
            .collect();
        let mut tries = 0;
        loop {
            let chosen = *self.dice.pick(&choices);
            let value = self.draw(chosen, depth);
            let holding = || {
                variants
                    .iter()
                    .filter(|v| holds(self.schemas, v, &value))
                    .count()
            };
            if !exactly_one || holding() == 1 {
                return value;
            }
            tries += 1;
            assert!(
                tries < 100,
                "every value drawn is valid under more than one variant"
            );
        }
    }

    fn array(
        &mut self,
        items: &'a Node,
        min: usize,
        max: Option<usize>,
        depth: usize,
    ) -> Vec<Value> {
        let more = if self.lean(depth) || !self.possible(items) {
            0
        } else {
            self.dice.below(4)
        };
        let length = match max {
            Some(max) if self.dice.chance(3) && self.budget > max => max,
            Some(max) => (min + more).min(max),
            None => min + more,
        };
        (0..length).map(|_| self.draw(items, depth + 1)).collect()
    }

    fn lean(&self, depth: usize) -> bool {
        depth >= DEPTH || self.budget == 0
    }

    fn integral(&self) -> bool {
        self.options.integral_floats
    }

    fn possible(&self, node: &Node) -> bool {
        self.schemas.depth(node) < UNBOUNDED
    }
}

/// Removes values that are equal to one before, also if a number is written in another way.
fn keep_distinct(values: &mut Vec<Value>) {
    let mut known = Vec::new();
    values.retain(|value| {
        let text = value.to_string().replace(".0", "");
        let is_new = !known.contains(&text);
        known.push(text);
        is_new
    });
}
