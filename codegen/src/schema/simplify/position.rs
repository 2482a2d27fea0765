//! Restrictions that are checked in some positions of a schema only: bounds on the members of
//! objects, and integers where no map contains them.

use serde_json::{Map, Value};

use super::Simplifier;
use crate::schema::keyword::{Holds, holds};
use crate::schema::pointer;

/// Keywords that bound a number, a text or a list.
const BOUNDS: [&str; 6] = [
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
];

/// Keywords that decide which type a schema has.
const TYPES_OR_VALUES: [&str; 7] = ["$ref", "allOf", "anyOf", "const", "enum", "oneOf", "type"];

/// Where a schema stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Position {
    /// It is the schema of a member.
    Member,
    /// It is the schema of the items of a member whose only type is a list without bounds.
    ItemOfMember,
    /// It is the schema of the members of a map.
    OfMap,
    /// Anywhere else.
    Inside,
}

impl Simplifier<'_> {
    /// Removes what is not checked where it stands in a definition.
    pub(super) fn drop_misplaced(&mut self, definition: &mut Value, at: &str) {
        self.misplaced(definition, at, Position::Inside);
    }

    /// Removes what is not checked where it stands.
    fn misplaced(&mut self, schema: &mut Value, at: &str, position: Position) {
        let Value::Object(members) = schema else {
            return;
        };
        let is = |ty: &str| members.get("type").is_some_and(|own| own == ty);
        let checked = match position {
            Position::Member => members.get("type").is_some_and(|ty| {
                // Of a list of types, only an integer that may be `null` has bounds.
                ty.is_string() || is_nullable_integer(ty)
            }),
            Position::ItemOfMember => is("integer"),
            Position::OfMap | Position::Inside => false,
        };
        // A schema with one of these has the form that they give it, and no bounds.
        let others = ["$ref", "allOf", "anyOf", "oneOf"];
        let decides = members.contains_key("type")
            && !others.map(|it| members.contains_key(it)).contains(&true);
        let checked = checked || self.everywhere && decides;
        if is("integer") && position == Position::OfMap && !self.everywhere {
            self.unchecked(at, "type");
            members.insert("type".to_owned(), "number".into());
        }
        if !checked {
            let found: Vec<&str> = BOUNDS
                .into_iter()
                .filter(|keyword| members.contains_key(*keyword))
                .collect();
            for keyword in found {
                // A lower bound of 0 says nothing about a length.
                let says_nothing = keyword.starts_with("min")
                    && keyword != "minimum"
                    && members.get(keyword) == Some(&0.into());
                members.shift_remove(keyword);
                if !says_nothing {
                    self.unchecked(at, keyword);
                }
            }
        }
        // Without a type, the values may be lists, but need not be.
        let is_typed = TYPES_OR_VALUES
            .iter()
            .any(|keyword| members.contains_key(*keyword));
        if !is_typed
            && let Some(items) = members.shift_remove("items")
            && !super::accepts_all(&items)
        {
            self.unchecked(at, "items");
        }
        let has_bounds = BOUNDS.iter().any(|keyword| members.contains_key(*keyword));
        // A member with several types becomes a union. Bounds are not checked in its variants.
        let is_list = members.get("type").is_some_and(|ty| ty == "array");
        let is_free_list = position == Position::Member && is_list && !has_bounds;
        self.inside(members, at, is_free_list);
    }

    fn inside(&mut self, members: &mut Map<String, Value>, at: &str, is_free_list: bool) {
        for (keyword, value) in members {
            let place = pointer::join(at, keyword);
            let position = match keyword.as_str() {
                "properties" => Position::Member,
                "additionalProperties" => Position::OfMap,
                "items" if is_free_list => Position::ItemOfMember,
                _ => Position::Inside,
            };
            match (holds(keyword), value) {
                (Holds::SchemaList | Holds::SchemaOrList, Value::Array(schemas)) => {
                    for (number, schema) in schemas.iter_mut().enumerate() {
                        self.misplaced(schema, &format!("{place}/{number}"), position);
                    }
                }
                (Holds::SchemaMap, Value::Object(schemas)) => {
                    for (name, schema) in schemas {
                        self.misplaced(schema, &pointer::join(&place, name), position);
                    }
                }
                (Holds::Schema | Holds::SchemaOrList, schema) => {
                    self.misplaced(schema, &place, position);
                }
                _ => {}
            }
        }
    }
}

fn is_nullable_integer(ty: &Value) -> bool {
    let mut types = ty.as_array().into_iter().flatten();
    types.all(|ty| ty == "integer" || ty == "null")
}
