//! A schema, compiled to the form from which instances are generated.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::merge;

/// A part of a schema, with `allOf` merged and annotations removed.
#[derive(Debug)]
pub(crate) enum Node {
    /// Any JSON.
    Any,
    /// No value.
    Never,
    /// The definition with that name.
    Ref(String),
    /// One or more of the variants.
    Union {
        variants: Vec<Node>,
        exactly_one: bool,
    },
    /// One of these values.
    Enum(Vec<Value>),
    Null,
    Boolean,
    Integer {
        min: Option<i64>,
        max: Option<i64>,
    },
    Number {
        min: Option<f64>,
        max: Option<f64>,
    },
    String {
        min: usize,
        max: Option<usize>,
        format: Option<String>,
    },
    Array {
        items: Box<Node>,
        min: usize,
        max: Option<usize>,
        unique: bool,
        /// What a number of elements have to be.
        contains: Option<(Box<Node>, usize)>,
    },
    Object {
        members: BTreeMap<String, Member>,
        rest: Box<Node>,
    },
}

/// A declared member of an object.
#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) node: Node,
    pub(crate) required: bool,
}

/// Keywords that do not affect validity in draft 2020-12.
const ANNOTATIONS: [&str; 14] = [
    "$comment",
    "$id",
    "$schema",
    "contentEncoding",
    "contentMediaType",
    "default",
    "deprecated",
    "description",
    "examples",
    "format",
    "markdownDescription",
    "readOnly",
    "title",
    "writeOnly",
];

/// Keywords that this module supports.
const SUPPORTED: [&str; 21] = [
    "$ref",
    "additionalProperties",
    "allOf",
    "anyOf",
    "const",
    "contains",
    "enum",
    "items",
    "maxItems",
    "maxLength",
    "maximum",
    "minContains",
    "minItems",
    "minLength",
    "minimum",
    "not",
    "oneOf",
    "properties",
    "required",
    "type",
    "uniqueItems",
];

/// Returns the name in a reference to a definition.
///
/// # Panics
///
/// Panics if the reference is not to a definition.
pub(crate) fn target(reference: &Value) -> &str {
    let text = reference.as_str().unwrap_or_default();
    text.strip_prefix("#/$defs/")
        .or_else(|| text.strip_prefix("#/definitions/"))
        .unwrap_or_else(|| panic!("a reference that leads out of the definitions: {reference}"))
}

/// Returns the keywords of a schema that affect validity.
///
/// # Panics
///
/// Panics if a keyword is not supported: a generator that ignored it would generate invalid
/// instances.
pub(crate) fn keywords(schema: &Map<String, Value>) -> Map<String, Value> {
    let mut kept = Map::new();
    for (key, value) in schema {
        if SUPPORTED.contains(&key.as_str()) {
            kept.insert(key.clone(), value.clone());
        } else if key == "propertyNames" {
            let trivial = value.as_object().is_some_and(|names| {
                names
                    .iter()
                    .all(|(key, value)| key == "type" && value == "string")
            });
            assert!(trivial, "propertyNames is not supported: {value}");
        } else {
            assert!(
                ANNOTATIONS.contains(&key.as_str()),
                "keyword {key} is not supported"
            );
        }
    }
    kept
}

/// Compiles a schema. `definitions` are needed if `allOf` contains a reference.
pub(crate) fn compile(definitions: &Map<String, Value>, schema: &Value) -> Node {
    let schema = match schema {
        Value::Bool(true) => return Node::Any,
        Value::Object(schema) => schema,
        _ => return Node::Never,
    };
    let keys = keywords(schema);
    if keys.is_empty() {
        return Node::Any;
    }
    if let Some(refused) = keys.get("not") {
        let all = refused == &Value::Bool(true) || refused.as_object().is_some_and(Map::is_empty);
        assert!(all, "`not` is supported only if it rejects everything");
        return Node::Never;
    }
    if let Some(reference) = keys.get("$ref")
        && keys.len() == 1
    {
        return Node::Ref(target(reference).to_owned());
    }
    if keys.contains_key("$ref") || keys.contains_key("allOf") {
        return compile(definitions, &merge::flat(definitions, &Value::Object(keys)));
    }
    for (keyword, exactly_one) in [("anyOf", false), ("oneOf", true)] {
        if let Some(Value::Array(variants)) = keys.get(keyword) {
            let mut others = keys.clone();
            others.remove(keyword);
            let others = Value::Object(others);
            let variants = variants
                .iter()
                .map(|variant| match &others {
                    Value::Object(others) if others.is_empty() => compile(definitions, variant),
                    others => compile(definitions, &merge::merge(definitions, variant, others)),
                })
                .collect();
            return Node::Union {
                variants,
                exactly_one,
            };
        }
    }
    if let Some(value) = keys.get("const") {
        return Node::Enum(vec![value.clone()]);
    }
    if let Some(Value::Array(values)) = keys.get("enum") {
        return Node::Enum(values.clone());
    }
    match keys.get("type") {
        Some(Value::Array(types)) => {
            let variants = types.iter().map(|one| {
                let mut alone = keys.clone();
                alone.insert("type".to_owned(), one.clone());
                typed(
                    definitions,
                    one.as_str().unwrap_or_default(),
                    &alone,
                    schema,
                )
            });
            Node::Union {
                variants: variants.collect(),
                exactly_one: false,
            }
        }
        Some(Value::String(one)) => typed(definitions, one, &keys, schema),
        // Without a type, a keyword only constrains the values of the type that it is made for.
        // Published schemas use this for objects only, so objects are generated.
        _ => typed(definitions, "object", &keys, schema),
    }
}

fn typed(
    definitions: &Map<String, Value>,
    name: &str,
    keys: &Map<String, Value>,
    schema: &Map<String, Value>,
) -> Node {
    let size = |key: &str| {
        keys.get(key)
            .and_then(Value::as_u64)
            .map(|n| usize::try_from(n).unwrap())
    };
    match name {
        "null" => Node::Null,
        "boolean" => Node::Boolean,
        "integer" => {
            let bound = |key: &str| {
                keys.get(key)
                    .map(|n| n.as_i64().unwrap_or_else(|| panic!("{key}: {n}")))
            };
            Node::Integer {
                min: bound("minimum"),
                max: bound("maximum"),
            }
        }
        "number" => {
            let bound = |key: &str| keys.get(key).and_then(Value::as_f64);
            Node::Number {
                min: bound("minimum"),
                max: bound("maximum"),
            }
        }
        "string" => Node::String {
            min: size("minLength").unwrap_or(0),
            max: size("maxLength"),
            format: schema
                .get("format")
                .and_then(Value::as_str)
                .map(str::to_owned),
        },
        "array" => Node::Array {
            items: Box::new(
                keys.get("items")
                    .map_or(Node::Any, |s| compile(definitions, s)),
            ),
            min: size("minItems").unwrap_or(0),
            max: size("maxItems"),
            unique: keys.get("uniqueItems") == Some(&Value::Bool(true)),
            contains: keys.get("contains").map(|schema| {
                let items = keys.get("items").unwrap_or(&Value::Bool(true));
                let both = merge::merge(definitions, items, schema);
                let least = size("minContains").unwrap_or(1);
                (Box::new(compile(definitions, &both)), least)
            }),
        },
        "object" => object(definitions, keys),
        other => panic!("type {other} is not supported"),
    }
}

fn object(definitions: &Map<String, Value>, keys: &Map<String, Value>) -> Node {
    let rest = |()| {
        keys.get("additionalProperties")
            .map_or(Node::Any, |schema| compile(definitions, schema))
    };
    let mut members = BTreeMap::new();
    if let Some(Value::Object(properties)) = keys.get("properties") {
        for (name, schema) in properties {
            let node = compile(definitions, schema);
            members.insert(
                name.clone(),
                Member {
                    node,
                    required: false,
                },
            );
        }
    }
    if let Some(Value::Array(required)) = keys.get("required") {
        for name in required.iter().filter_map(Value::as_str) {
            members
                .entry(name.to_owned())
                .or_insert_with(|| Member {
                    node: rest(()),
                    required: true,
                })
                .required = true;
        }
    }
    Node::Object {
        members,
        rest: Box::new(rest(())),
    }
}

/// Greater than the depth of any document.
pub(crate) const UNBOUNDED: usize = 1000;

impl Node {
    /// Returns the depth of the smallest instance, with references counted, or [`UNBOUNDED`] if
    /// `depths` does not contain one yet.
    pub(crate) fn depth(&self, depths: &BTreeMap<String, usize>) -> usize {
        let deepest = match self {
            Node::Never => UNBOUNDED,
            Node::Ref(name) => 1 + depths.get(name).copied().unwrap_or(UNBOUNDED),
            Node::Union { variants, .. } => variants
                .iter()
                .map(|v| v.depth(depths))
                .min()
                .unwrap_or(UNBOUNDED),
            Node::Array {
                contains: Some((node, 1..)),
                ..
            } => 1 + node.depth(depths),
            Node::Array { items, min, .. } if *min > 0 => 1 + items.depth(depths),
            Node::Object { members, .. } => {
                let required = members.values().filter(|member| member.required);
                required
                    .map(|member| 1 + member.node.depth(depths))
                    .max()
                    .unwrap_or(0)
            }
            _ => 0,
        };
        deepest.min(UNBOUNDED)
    }
}
