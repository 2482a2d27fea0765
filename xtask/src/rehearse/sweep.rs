//! Changes of every member and every union of the schema, all changes of one kind at once, so that
//! one build judges all of them.

pub(super) mod exempt;

use std::collections::{BTreeMap, BTreeSet};

use clap::ValueEnum;
use serde_json::{Map, Value, json};

/// The kind of the changes of a sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Sweep {
    /// Every optional member becomes required.
    Required,
    /// Every required member becomes optional. Constants stay, because they tell variants and
    /// messages apart.
    Optional,
    /// Every object and every message gets two members: a required one and an optional one.
    Members,
    /// Every enumeration gets a value.
    Values,
    /// Every union gets a variant.
    Variants,
    /// Every member may be `null`, too.
    Nullable,
    /// Every member that is an integer may be any number, and every one that is a string may be a
    /// number, too.
    Wider,
}

/// The name of what a sweep adds.
const ADDED: &str = "rehearsed";

/// The changes of a sweep, and which of them are made.
pub(super) struct Selection<'a> {
    /// Only this member, or all.
    pub(super) only: Option<&'a str>,
    /// Members that keep their form.
    pub(super) without: &'a BTreeSet<String>,
}

impl Selection<'_> {
    /// Returns `true` if a member, or a definition, is changed.
    fn has(&self, place: &str) -> bool {
        match self.only {
            Some(only) => only == place,
            None => !self.without.contains(place),
        }
    }
}

impl Sweep {
    /// Returns all kinds: first those that no member is exempt from, in one group.
    pub(super) fn groups() -> Vec<Vec<Self>> {
        let kinds = Self::value_variants().iter().copied();
        let (safe, others): (Vec<Self>, Vec<Self>) = kinds.partition(|kind| {
            matches!(
                kind,
                Self::Required | Self::Members | Self::Values | Self::Variants
            )
        });
        let others = others.into_iter().map(|kind| vec![kind]);
        std::iter::once(safe).chain(others).collect()
    }

    /// Returns `true` if the type of each field changes, so that every line by hand that uses one has
    /// to change. Only generated code is compiled then.
    pub(super) fn changes_types(self) -> bool {
        matches!(self, Self::Nullable | Self::Wider)
    }

    /// Returns the name of the kind, as the option has it.
    pub(super) fn name(self) -> String {
        let value = self.to_possible_value();
        value.map_or_else(String::new, |value| value.get_name().to_owned())
    }

    /// Changes the definitions, and returns the places: `Type` or `Type.member`. A member of an
    /// object without a name has the names of the members that lead to it: `Type.member.inner`.
    pub(super) fn change(
        self,
        definitions: &mut Map<String, Value>,
        select: &Selection<'_>,
    ) -> Vec<String> {
        let mut done = Vec::new();
        if self == Self::Variants {
            variants(definitions, select, &mut done);
            return done;
        }
        let copies = copies(definitions);
        for (name, schema) in definitions.iter_mut() {
            if !copies.contains_key(name) {
                self.walk(name, schema, select, &mut done);
            }
        }
        for (copy, of) in copies {
            definitions[&copy] = definitions[&of].clone();
        }
        done
    }

    fn walk(self, at: &str, schema: &mut Value, select: &Selection<'_>, done: &mut Vec<String>) {
        // The parts of a value come before the value, so that what is added is not changed.
        match schema {
            Value::Array(items) => {
                for item in items {
                    self.walk(at, item, select, done);
                }
                return;
            }
            Value::Object(keywords) => {
                for (keyword, value) in keywords {
                    match (keyword.as_str(), value) {
                        ("properties", Value::Object(members)) => {
                            for (member, schema) in members {
                                self.walk(&format!("{at}.{member}"), schema, select, done);
                            }
                        }
                        ("items" | "additionalProperties" | "anyOf" | "allOf", value) => {
                            self.walk(at, value, select, done);
                        }
                        _ => {}
                    }
                }
            }
            _ => return,
        }
        if self == Self::Values {
            let values = schema.get_mut("enum").and_then(Value::as_array_mut);
            if let Some(values) = values.filter(|_| select.has(at)) {
                values.push(json!(ADDED));
                done.push(at.to_owned());
            }
        } else if schema.get("properties").is_some() {
            self.object(at, schema, select, done);
        }
    }

    /// Changes the members of an object.
    fn object(self, at: &str, schema: &mut Value, select: &Selection<'_>, done: &mut Vec<String>) {
        let required: BTreeSet<String> = names(schema.get("required")).collect();
        let mut now = required.clone();
        let Some(members) = schema["properties"].as_object_mut() else {
            return;
        };
        if self == Self::Members {
            if select.has(at) {
                members.insert(format!("{ADDED}Text"), json!({"type": "string"}));
                members.insert(format!("{ADDED}Count"), json!({"type": "integer"}));
                now.insert(format!("{ADDED}Text"));
                done.push(at.to_owned());
            }
        } else {
            for (member, value) in members {
                let place = format!("{at}.{member}");
                if value.get("const").is_some() || !select.has(&place) {
                    continue;
                }
                let is_changed = match self {
                    Self::Required => now.insert(member.clone()),
                    Self::Optional => now.remove(member),
                    Self::Nullable => widen(value, &json!({"type": "null"})),
                    Self::Wider if value["type"] == "integer" => {
                        value["type"] = json!("number");
                        true
                    }
                    Self::Wider if value["type"] == "string" => {
                        widen(value, &json!({"type": "number"}))
                    }
                    _ => false,
                };
                if is_changed {
                    done.push(place);
                }
            }
        }
        if now != required {
            schema["required"] = now.into_iter().collect();
        }
    }
}

/// Returns the messages that are others, written out: of an alias for one message.
fn copies(definitions: &Map<String, Value>) -> BTreeMap<String, String> {
    let mut copies = BTreeMap::new();
    let is_message = |schema: &Value| schema.pointer("/properties/method/const").is_some();
    let messages = definitions.iter().filter(|(_, schema)| is_message(schema));
    let messages: Vec<(&String, &Value)> = messages.collect();
    for (at, (name, schema)) in messages.iter().enumerate() {
        let mut before = messages.iter().take(at);
        if let Some((of, _)) = before.find(|(_, other)| other == schema) {
            copies.insert((*name).clone(), (*of).clone());
        }
    }
    copies
}

/// Lets a member have another type, too. Returns `false` if it accepts every value already.
fn widen(member: &mut Value, with: &Value) -> bool {
    if member.as_object().is_some_and(Map::is_empty) {
        return false;
    }
    *member = json!({"anyOf": [member.take(), with]});
    true
}

/// Adds a variant to each union of named objects. One whose variants have a constant gets a variant
/// with another value of it. A new message would need a result, too; the kept rehearsals add some.
fn variants(definitions: &mut Map<String, Value>, select: &Selection<'_>, done: &mut Vec<String>) {
    let unions = definitions.iter().filter_map(|(name, schema)| {
        let variants = schema.get("anyOf")?.as_array()?;
        let variants: Option<Vec<&Value>> = variants
            .iter()
            .map(|variant| definition(definitions, variant))
            .collect();
        let tag = tag(&variants?);
        (select.has(name) && tag.as_deref() != Some("method")).then(|| (name.clone(), tag))
    });
    let unions: Vec<(String, Option<String>)> = unions.collect();
    for (union, tag) in unions {
        let name = format!("Rehearsed{union}");
        let member = format!("{ADDED}{union}");
        let mut properties = Map::new();
        properties.insert(member.clone(), json!({"type": "string"}));
        let mut required = vec![json!(member)];
        if let Some(tag) = tag {
            let value = json!({"const": format!("{ADDED}_{union}"), "type": "string"});
            properties.insert(tag.clone(), value);
            required.push(json!(tag));
        }
        let variant = json!({"type": "object", "properties": properties, "required": required});
        if let Some(variants) = definitions[&union]["anyOf"].as_array_mut() {
            variants.push(json!({"$ref": format!("#/$defs/{name}")}));
        }
        definitions.insert(name, variant);
        done.push(union);
    }
}

/// Returns the member that has a constant in all variants.
fn tag(variants: &[&Value]) -> Option<String> {
    let constants = |schema: &Value| -> BTreeSet<String> {
        let members = schema.get("properties").and_then(Value::as_object);
        let members = members.into_iter().flatten();
        let constant = members.filter(|(_, schema)| schema.get("const").is_some());
        constant.map(|(name, _)| name.clone()).collect()
    };
    let mut all = variants.iter().map(|schema| constants(schema));
    let first = all.next()?;
    let common = all.fold(first, |common, next| &common & &next);
    let named = |name: &&String| name.as_str() == "method";
    common.iter().find(named).or(common.first()).cloned()
}

fn definition<'a>(definitions: &'a Map<String, Value>, reference: &Value) -> Option<&'a Value> {
    let name = reference.get("$ref")?.as_str()?.strip_prefix("#/$defs/")?;
    definitions
        .get(name)
        .filter(|schema| schema.get("properties").is_some())
}

fn names(list: Option<&Value>) -> impl Iterator<Item = String> {
    let names = list.and_then(Value::as_array).into_iter().flatten();
    names.filter_map(|name| name.as_str().map(str::to_owned))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace;
    use codegen::model::DRAFT;
    use codegen::project::Source;
    use codegen::schema::{Document, Errata, Facts, rebase};

    fn definitions() -> Map<String, Value> {
        let definitions = json!({
            "Icon": {"properties": {"src": {"type": "string"}, "size": {"type": "integer"},
                "kind": {"const": "icon"}}, "required": ["kind", "src"], "type": "object"},
            "Theme": {"enum": ["dark"], "type": "string"},
            "Text": {"properties": {"kind": {"const": "text"}}, "required": ["kind"]},
            "Block": {"anyOf": [{"$ref": "#/$defs/Icon"}, {"$ref": "#/$defs/Text"}]},
            "Tool": {"properties": {"icons": {"type": "array", "items": {"properties":
                {"inner": {"type": "string"}}}}}, "type": "object"},
        });
        definitions.as_object().cloned().unwrap_or_default()
    }

    fn changed(sweep: Sweep, only: Option<&str>) -> (Value, Vec<String>) {
        let mut definitions = definitions();
        let select = Selection {
            only,
            without: &BTreeSet::from(["Tool.icons".to_owned()]),
        };
        let done = sweep.change(&mut definitions, &select);
        (Value::Object(definitions), done)
    }

    #[test]
    fn each_kind_changes_all_places_but_those_that_are_left_out() {
        for (sweep, places) in [
            (Sweep::Required, &["Icon.size", "Tool.icons.inner"][..]),
            (Sweep::Optional, &["Icon.src"]),
            (Sweep::Members, &["Icon", "Text", "Tool"]),
            (Sweep::Values, &["Theme"]),
            (Sweep::Variants, &["Block"]),
            (
                Sweep::Nullable,
                &["Icon.src", "Icon.size", "Tool.icons.inner"],
            ),
            (Sweep::Wider, &["Icon.src", "Icon.size", "Tool.icons.inner"]),
        ] {
            let places: BTreeSet<&str> = places.iter().copied().collect();
            let (_, done) = changed(sweep, None);
            let done: BTreeSet<&str> = done.iter().map(String::as_str).collect();
            assert_eq!(done, places, "{sweep:?}");
        }
    }

    #[test]
    fn one_member_can_be_changed_alone() {
        let (changed, done) = changed(Sweep::Required, Some("Tool.icons"));
        assert_eq!(done, ["Tool.icons"]);
        assert_eq!(changed["Tool"]["required"], json!(["icons"]));
        assert_eq!(changed["Icon"], definitions()["Icon"]);
    }

    #[test]
    fn variant_has_the_tag_of_the_others() {
        let (changed, _) = changed(Sweep::Variants, None);
        let tag = &changed["RehearsedBlock"]["properties"]["kind"]["const"];
        assert_eq!(tag, "rehearsed_Block");
        let variants = changed["Block"]["anyOf"].as_array();
        assert_eq!(variants.map(Vec::len), Some(3));
    }

    /// The sample of the sweeps that runs before a merge: nothing is compiled.
    #[test]
    fn revision_in_which_everything_changes_can_be_generated() {
        let mut project = workspace::project().unwrap();
        let newest = |sources: &[Source]| {
            let published = sources.iter().rfind(|source| source.name != DRAFT);
            published.unwrap().clone()
        };
        let [schema, facts, errata] =
            [&project.schemas, &project.facts, &project.errata].map(|sources| newest(sources));
        let mut root: Value = serde_json::from_str(&schema.text).unwrap();
        let definitions = root["$defs"].as_object_mut().unwrap();
        let select = Selection {
            only: None,
            without: &BTreeSet::new(),
        };
        let kinds = Sweep::groups().swap_remove(0);
        let counts = kinds
            .iter()
            .map(|kind| kind.change(definitions, &select).len());
        assert!(counts.sum::<usize>() > 300);

        let next = |text: String| Source {
            name: "2999-01-01".to_owned(),
            file: "next.json".to_owned(),
            text,
        };
        // An import carries facts and errata over, too.
        let document = |text: &str| Document::parse("schema.json", text).unwrap();
        let (mut old, mut new) = (document(&schema.text), document(&root.to_string()));
        let facts = Facts::parse(&facts.file, &facts.text).unwrap();
        let (carried, _) = facts.rebased(&old, &new, "2999-01-01");
        project.facts.push(next(carried.to_json()));
        facts.apply(&mut old).unwrap();
        carried.apply(&mut new).unwrap();
        let errata = Errata::parse(&errata.file, &errata.text).unwrap();
        let carried = rebase(&errata, &old, &new, "2999-01-01").errata;
        project.errata.push(next(carried.to_json()));
        let draft = project
            .schemas
            .iter()
            .position(|source| source.name == DRAFT);
        let at = draft.unwrap_or(project.schemas.len());
        project.schemas.insert(at, next(root.to_string()));
        let output = project.generate().unwrap();
        let codecs = output.files.iter();
        let codecs = codecs.filter(|file| file.text.contains("@kept "));
        assert!(codecs.count() > 10);
    }
}
