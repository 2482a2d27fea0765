//! Compares the types of a module with the published schema, for the facts that only the source
//! has.

mod union;

use std::collections::BTreeSet;

use codegen::schema::{Document, Facts, Variant, place, pointer, reference};
use serde_json::{Map, Value};

use super::Warning;
use super::model::{Module, Object, Tags, Type};

/// Returns the facts that the schema loses.
pub(super) fn facts(
    module: &Module,
    published: &Document,
    revision: &str,
    warnings: &mut Vec<Warning>,
) -> Facts {
    let published = published.without_prose();
    let mut facts = Facts::default();
    revision.clone_into(&mut facts.revision);
    facts.constants.clone_from(&module.constants);
    let mut comparison = Comparison {
        module,
        definitions: &published.definitions,
        facts,
        warnings,
    };
    for (name, schema) in &published.definitions {
        let at = pointer::join("", name);
        let Some(declaration) = module.declarations.get(name) else {
            comparison.warn(format!("the source does not declare `{name}`"));
            continue;
        };
        comparison.tags(&at, &declaration.tags);
        if let Some(category) = &declaration.tags.category {
            let names = comparison.facts.categories.entry(category.clone());
            names.or_default().insert(name.clone());
        }
        comparison.definition(&at, schema, &declaration.body);
    }
    comparison.facts
}

struct Comparison<'a> {
    module: &'a Module,
    definitions: &'a Map<String, Value>,
    facts: Facts,
    warnings: &'a mut Vec<Warning>,
}

impl<'a> Comparison<'a> {
    fn warn(&mut self, message: String) {
        self.warnings.push(Warning {
            position: None,
            message,
        });
    }

    fn tags(&mut self, at: &str, tags: &Tags) {
        let marked = place(self.definitions, at).and_then(|schema| schema.get("deprecated"));
        if tags.deprecated && marked != Some(&Value::Bool(true)) {
            self.facts.deprecated.insert(at.to_owned());
        }
    }

    /// Returns the definition that a type names.
    fn named<'t>(&self, of: &'t Type) -> Option<(&'t str, &'a Value)> {
        match of {
            Type::Named(name, arguments) if arguments.is_empty() => {
                let definition = self.definitions.get(name)?;
                Some((name, definition))
            }
            _ => None,
        }
    }

    fn definition(&mut self, at: &str, schema: &'a Value, of: &Type) {
        match self.named(of) {
            // An alias of an object whose members are written out: a union with one variant.
            Some((name, definition))
                if definition == schema && schema.get("properties").is_some() =>
            {
                let variant = Variant::Name(name.to_owned());
                self.facts.unions.insert(at.to_owned(), vec![variant]);
            }
            _ => self.schema(at, schema, of),
        }
    }

    fn schema(&mut self, at: &str, schema: &'a Value, of: &Type) {
        if let Some((name, definition)) = self.named(of) {
            if reference(schema) == Some(name) {
                return;
            }
            if definition == schema {
                let places = self.facts.references.entry(name.to_owned());
                places.or_default().insert(at.to_owned());
                return;
            }
        } else if reference(schema).is_some() {
            return;
        }
        match of {
            Type::Union(variants) => self.union(at, schema, variants),
            Type::Array(element) => {
                if let Some(items) = schema.get("items") {
                    self.schema(&pointer::join(at, "items"), items, element);
                }
            }
            Type::Intersection(parts) if schema.get("allOf").is_some() => {
                let schemas = schema.get("allOf").and_then(Value::as_array);
                let schemas = schemas.into_iter().flatten();
                for (index, (schema, part)) in schemas.zip(parts).enumerate() {
                    self.schema(&format!("{at}/allOf/{index}"), schema, part);
                }
            }
            Type::Named(..) | Type::Object(_) | Type::Intersection(_) => {
                self.object(at, schema, of)
            }
            Type::String
            | Type::Number
            | Type::Boolean
            | Type::Null
            | Type::Any
            | Type::Literal(_)
            | Type::Constant(_)
            | Type::Unsupported => {}
        }
    }

    fn object(&mut self, at: &str, schema: &'a Value, of: &Type) {
        let Some(object) = self.module.flattened(of) else {
            // An alias of something that is no object, without a definition of its own.
            if let Type::Named(name, _) = of
                && let Some(declaration) = self.module.declarations.get(name)
                && !self.definitions.contains_key(name)
            {
                self.schema(at, schema, &declaration.body);
            } else {
                self.warn(format!("`{at}`: the source has no object there"));
            }
            return;
        };
        self.members(at, schema, object);
    }

    fn members(&mut self, at: &str, schema: &'a Value, object: Object) {
        let none = Map::new();
        let members = schema.get("properties").and_then(Value::as_object);
        let members = members.unwrap_or(&none);
        let declared: Vec<&str> = object.members.iter().map(|one| one.name.as_str()).collect();
        let published: Vec<&str> = members.keys().map(String::as_str).collect();
        let names: BTreeSet<&str> = declared.iter().copied().collect();
        if names != published.iter().copied().collect() {
            self.warn(format!(
                "`{at}`: the source has other members: {declared:?}"
            ));
        } else if declared != published {
            let order = declared.iter().map(|name| (*name).to_owned()).collect();
            self.facts.members.insert(at.to_owned(), order);
        }
        let is_object = schema.get("type").and_then(Value::as_str) == Some("object");
        if is_object && schema.get("additionalProperties").is_none() {
            match object.index.as_deref() {
                Some(Type::Any) => {
                    self.facts.open.insert(at.to_owned());
                }
                Some(_) => self.warn(format!("`{at}`: the type of further members is left out")),
                None => {}
            }
        }
        for member in object.members {
            let at = pointer::join(&pointer::join(at, "properties"), &member.name);
            if let Some(schema) = place(self.definitions, &at) {
                self.tags(&at, &member.tags);
                self.schema(&at, schema, &member.of);
            }
        }
        let at = pointer::join(at, "additionalProperties");
        if let (Some(index), Some(schema)) = (object.index, place(self.definitions, &at)) {
            self.schema(&at, schema, &index);
        }
    }
}
