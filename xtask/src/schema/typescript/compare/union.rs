//! The facts of unions: enumerations, `null`, and variants with a name.

use codegen::schema::{Variant, accepted, pointer, reference, variants_of};
use serde_json::Value;

use super::Comparison;
use crate::schema::typescript::model::Type;

impl<'a> Comparison<'a> {
    pub(super) fn union(&mut self, at: &str, schema: &'a Value, arms: &[Type]) {
        let literals: Vec<String> = arms.iter().filter_map(literal).collect();
        let others = arms.iter().filter(|arm| literal(arm).is_none());
        let others: Vec<&Type> = others.collect();
        if !literals.is_empty() && others == [&Type::String] {
            self.facts.known_values.insert(at.to_owned(), literals);
            return;
        }
        if let Some((keyword, variants)) = variants_of(schema) {
            let at = pointer::join(at, keyword);
            for (index, variant) in variants.iter().enumerate() {
                self.values(&format!("{at}/{index}"), variant, &literals);
            }
            self.variants(&at, variants, &others);
            return;
        }
        self.values(at, schema, &literals);
        if others.contains(&&Type::Null) {
            self.nullable(at, std::slice::from_ref(schema), &[at.to_owned()]);
        }
    }

    fn values(&mut self, at: &str, schema: &Value, declared: &[String]) {
        let Some(published) = schema.get("enum").and_then(Value::as_array) else {
            return;
        };
        let names: Vec<&str> = published.iter().filter_map(Value::as_str).collect();
        if names == declared {
            return;
        }
        let mut sorted: Vec<&str> = declared.iter().map(String::as_str).collect();
        sorted.sort_unstable();
        let mut known = names.clone();
        known.sort_unstable();
        if sorted == known {
            self.facts.values.insert(at.to_owned(), declared.to_vec());
        } else {
            self.warn(format!("`{at}`: the source has other values: {declared:?}"));
        }
    }

    /// `at` is the place of the list of variants.
    fn variants(&mut self, at: &str, variants: &'a [Value], arms: &[&Type]) {
        let place = |index: usize| format!("{at}/{index}");
        // For each published variant, the named union that contains it.
        let mut inside: Vec<Option<&str>> = vec![None; variants.len()];
        let mut named = vec![false; variants.len()];
        let mut unnamed: Vec<&Type> = Vec::new();
        for arm in arms {
            let Some((name, definition)) = self.named(arm) else {
                unnamed.push(arm);
                continue;
            };
            let direct = |one: &Value| reference(one) == Some(name);
            if let Some(index) = variants.iter().position(direct) {
                named[index] = true;
            } else if let Some(index) = variants.iter().position(|one| one == definition) {
                named[index] = true;
                let places = self.facts.references.entry(name.to_owned());
                places.or_default().insert(place(index));
            } else {
                let parts = accepted(self.definitions, name);
                for (index, variant) in variants.iter().enumerate() {
                    if parts.contains(&variant) {
                        inside[index].get_or_insert(name);
                        named[index] = true;
                    }
                }
            }
        }
        if inside.iter().any(Option::is_some) {
            let mut list: Vec<Variant> = Vec::new();
            for (index, name) in inside.iter().enumerate() {
                let variant = match name {
                    Some(name) => Variant::Name((*name).to_owned()),
                    None => Variant::Published(index),
                };
                if !list.contains(&variant) {
                    list.push(variant);
                }
            }
            if let Some((union, _)) = pointer::split(at) {
                self.facts.unions.insert(union.to_owned(), list);
            }
        }
        let places: Vec<String> = (0..variants.len()).map(place).collect();
        if unnamed.contains(&&Type::Null) {
            self.nullable(at, variants, &places);
        }
        // An unnamed array or object is compared if only one variant can be meant.
        for (keyword, is_kind) in [
            ("items", is_array as fn(&Type) -> bool),
            ("properties", is_object),
        ] {
            let arms: Vec<&&Type> = unnamed.iter().filter(|arm| is_kind(arm)).collect();
            let candidates = variants
                .iter()
                .enumerate()
                .filter(|(index, one)| !named[*index] && one.get(keyword).is_some());
            let candidates: Vec<(usize, &Value)> = candidates.collect();
            if let ([arm], [(index, variant)]) = (arms.as_slice(), candidates.as_slice()) {
                self.schema(&place(*index), variant, arm);
            }
        }
    }

    /// Notes that one of these schemas accepts `null`, unless one does already.
    fn nullable(&mut self, at: &str, schemas: &[Value], places: &[String]) {
        let types = |schema: &Value| match schema.get("type") {
            Some(Value::Array(types)) => types.clone(),
            Some(one) => vec![one.clone()],
            None => Vec::new(),
        };
        let null = Value::from("null");
        if schemas.iter().any(|schema| types(schema).contains(&null)) {
            return;
        }
        let simple = |schema: &Value| {
            let types = types(schema);
            !types.is_empty() && !types.iter().any(|one| *one == "object" || *one == "array")
        };
        match schemas.iter().position(simple) {
            Some(index) => {
                self.facts.nullable.insert(places[index].clone());
            }
            None => self.warn(format!(
                "`{at}`: the source accepts `null`, which is left out"
            )),
        }
    }
}

fn is_array(of: &Type) -> bool {
    matches!(of, Type::Array(_))
}

fn is_object(of: &Type) -> bool {
    matches!(of, Type::Object(_) | Type::Intersection(_))
}

fn literal(of: &Type) -> Option<String> {
    match of {
        Type::Literal(Value::String(text)) => Some(text.clone()),
        _ => None,
    }
}
