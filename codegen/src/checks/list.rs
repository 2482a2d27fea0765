//! The keywords of a schema as a list of checks.

use serde_json::{Map, Value};

use super::Compiler;
use super::values::order;
use crate::schema::keyword::is_known;
use crate::schema::{WarningKind, pointer, reference};

impl Compiler<'_> {
    /// Returns the expression for a schema.
    pub(super) fn list(&mut self, schema: &Value, at: &str) -> String {
        let members = match schema {
            Value::Bool(false) => return "&[codec::Check::Nothing]".to_owned(),
            Value::Object(members) => members,
            _ => return "&[]".to_owned(),
        };
        if members.contains_key("$ref") && self.is_draft07() {
            // In this dialect, what stands beside a reference has no effect.
            let checks: Vec<String> = self.reference(schema, at).into_iter().collect();
            return written(&checks);
        }
        let before = self.left_out;
        let mut checks = Vec::new();
        checks.extend(self.reference(schema, at));
        for (keyword, value) in members {
            checks.extend(self.keyword(members, keyword, value, at));
        }
        checks.extend(self.bounds(members, at));
        checks.extend(self.items(members, at));
        checks.extend(self.members(members, at));
        // These are about what all others have not looked at.
        for (keyword, check) in [
            ("unevaluatedItems", "UnseenItems"),
            ("unevaluatedProperties", "UnseenMembers"),
        ] {
            let Some(value) = members.get(keyword) else {
                continue;
            };
            if self.left_out > before {
                self.unchecked(at, keyword);
                continue;
            }
            let list = self.list(value, &pointer::join(at, keyword));
            checks.push(format!("codec::Check::{check}({list})"));
        }
        written(&checks)
    }

    fn reference(&mut self, schema: &Value, at: &str) -> Option<String> {
        let text = schema.get("$ref")?.as_str()?.to_owned();
        let known = reference(schema).filter(|name| self.document.definitions.contains_key(*name));
        if let Some(name) = known {
            self.left_out += usize::from(self.loose.contains(name));
            let users = self.users.entry(name.to_owned()).or_default();
            users.insert(self.current.clone());
            let name = self.name(name);
            return Some(format!("codec::Check::All(&{name})"));
        }
        self.left_out += 1;
        self.warn(at, WarningKind::Foreign { reference: text });
        None
    }

    fn keyword(
        &mut self,
        members: &Map<String, Value>,
        keyword: &str,
        value: &Value,
        at: &str,
    ) -> Option<String> {
        let place = pointer::join(at, keyword);
        let check = match keyword {
            "type" => format!("Types(&[{}])", names(value)),
            "const" => format!("Values(&[{}])", self.literal(value)),
            "enum" => {
                let mut all: Vec<&Value> = value.as_array()?.iter().collect();
                all.sort_by_cached_key(|value| order(value, &self.document.numbers));
                let all: Vec<String> = all.into_iter().map(|it| self.literal(it)).collect();
                format!("Values(&[{}])", all.join(", "))
            }
            "pattern" => {
                let Some(pattern) = self.patterns.add(value.as_str()?) else {
                    self.unchecked(at, keyword);
                    return None;
                };
                format!("Pattern({pattern})")
            }
            "uniqueItems" if *value == Value::Bool(true) => "Unique".to_owned(),
            "contains" => {
                let least = count(members, "minContains").unwrap_or(1);
                let most = most(members, "maxContains");
                let list = self.exactly(at, keyword, |it| it.list(value, &place))?;
                format!("Contains({least}, {most}, {list})")
            }
            "required" => format!("Required(&[{}])", names(value)),
            "propertyNames" => format!("Names({})", self.list(value, &place)),
            "dependentRequired" | "dependentSchemas" | "dependencies" => {
                let all = value.as_object()?.iter();
                let checks = all.map(|(name, value)| {
                    let list = match value {
                        Value::Array(_) => {
                            format!("&[codec::Check::Required(&[{}])]", names(value))
                        }
                        schema => self.list(schema, &pointer::join(&place, name)),
                    };
                    format!("codec::Check::With({name:?}, {list})")
                });
                return Some(checks.collect::<Vec<_>>().join(", ")).filter(|all| !all.is_empty());
            }
            "allOf" => {
                let all = self.lists(value, &place);
                let all = all
                    .iter()
                    .map(|list| format!("codec::Check::All(&({list} as codec::Checks))"));
                return Some(all.collect::<Vec<_>>().join(", "));
            }
            "anyOf" => format!("Any(&[{}])", self.lists(value, &place).join(", ")),
            "oneOf" => {
                let before = self.left_out;
                let lists = self.lists(value, &place).join(", ");
                if self.left_out > before {
                    // More alternatives may seem to fit than do.
                    self.unchecked(at, keyword);
                    format!("Any(&[{lists}])")
                } else {
                    format!("One(&[{lists}])")
                }
            }
            "not" => self.exactly(at, keyword, |it| format!("Not({})", it.list(value, &place)))?,
            "if" => {
                let condition = self.exactly(at, keyword, |it| it.list(value, &place))?;
                let mut part = |keyword: &str| match members.get(keyword) {
                    Some(schema) => self.list(schema, &pointer::join(at, keyword)),
                    None => "&[]".to_owned(),
                };
                format!("If({condition}, {}, {})", part("then"), part("else"))
            }
            "$dynamicRef" => {
                self.unchecked(at, keyword);
                return None;
            }
            _ => {
                if !is_known(keyword) {
                    let keyword = keyword.to_owned();
                    self.warn(at, WarningKind::Unknown { keyword });
                }
                return None;
            }
        };
        Some(format!("codec::Check::{check}"))
    }

    fn lists(&mut self, schemas: &Value, at: &str) -> Vec<String> {
        let schemas = schemas.as_array().into_iter().flatten().enumerate();
        let lists = schemas.map(|(number, schema)| self.list(schema, &format!("{at}/{number}")));
        lists.collect()
    }

    fn bounds(&mut self, members: &Map<String, Value>, at: &str) -> Vec<String> {
        let mut checks = Vec::new();
        for (keyword, exclusive, inclusive_check, exclusive_check) in [
            ("minimum", "exclusiveMinimum", "Minimum", "Above"),
            ("maximum", "exclusiveMaximum", "Maximum", "Below"),
        ] {
            // In draft 04, the other keyword has the bound.
            let is_flagged = members.get(exclusive) == Some(&Value::Bool(true));
            let bounds = [
                (
                    members.get(keyword),
                    if is_flagged {
                        exclusive_check
                    } else {
                        inclusive_check
                    },
                ),
                (members.get(exclusive), exclusive_check),
            ];
            for (bound, check) in bounds {
                if let Some(Value::Number(bound)) = bound {
                    let bound = self.document.numbers.text(bound);
                    checks.push(format!("codec::Check::{check}({bound:?})"));
                }
            }
        }
        if let Some(Value::Number(step)) = members.get("multipleOf") {
            let step = self.document.numbers.text(step);
            let digits = step.bytes().filter(u8::is_ascii_digit).count();
            if digits > MOST_DIGITS {
                self.unchecked(at, "multipleOf");
            } else {
                checks.push(format!("codec::Check::MultipleOf({step:?})"));
            }
        }
        for (low, high, check) in [
            ("minLength", "maxLength", "Length"),
            ("minItems", "maxItems", "Items"),
            ("minProperties", "maxProperties", "Members"),
        ] {
            if members.contains_key(low) || members.contains_key(high) {
                let least = count(members, low).unwrap_or(0);
                let most = most(members, high);
                checks.push(format!("codec::Check::{check}({least}, {most})"));
            }
        }
        checks
    }

    fn items(&mut self, members: &Map<String, Value>, at: &str) -> Vec<String> {
        let (tuple, rest) = match (members.get("prefixItems"), members.get("items")) {
            (Some(_), _) => ("prefixItems", "items"),
            (None, Some(Value::Array(_))) => ("items", "additionalItems"),
            _ => ("", "items"),
        };
        let mut checks = Vec::new();
        let mut first = 0;
        if let Some(tuple_schemas) = members.get(tuple) {
            let lists = self.lists(tuple_schemas, &pointer::join(at, tuple));
            first = lists.len();
            checks.push(format!("codec::Check::First(&[{}])", lists.join(", ")));
        }
        if let Some(rest_schema) = members.get(rest) {
            let list = self.list(rest_schema, &pointer::join(at, rest));
            checks.push(format!("codec::Check::Rest({first}, {list})"));
        }
        checks
    }

    fn members(&mut self, members: &Map<String, Value>, at: &str) -> Vec<String> {
        let object = |keyword: &str| members.get(keyword).and_then(Value::as_object);
        let mut checks = Vec::new();
        let mut known = Vec::new();
        if let Some(properties) = object("properties") {
            let place = pointer::join(at, "properties");
            let mut properties: Vec<_> = properties.iter().collect();
            properties.sort_unstable_by_key(|(name, _)| *name);
            let rows = properties.into_iter().map(|(name, schema)| {
                let mut list = self.list(schema, &pointer::join(&place, name));
                let required = members.get("required").and_then(Value::as_array);
                let mut required = required.into_iter().flatten();
                if self.null_as_absent && required.all(|other| other != name) {
                    let null = "&[codec::Check::Types(&[\"null\"])]";
                    list = format!("&[codec::Check::Any(&[{null}, {list}])]");
                }
                known.push(format!("{name:?}"));
                format!("({name:?}, {list})")
            });
            let rows: Vec<String> = rows.collect();
            checks.push(format!("codec::Check::Properties(&[{}])", rows.join(", ")));
        }
        let mut patterns = Vec::new();
        let mut rows = Vec::new();
        let mut is_complete = true;
        if let Some(all) = object("patternProperties") {
            let place = pointer::join(at, "patternProperties");
            for (source, schema) in all {
                let list = self.list(schema, &pointer::join(&place, source));
                let Some(pattern) = self.patterns.add(source) else {
                    self.unchecked(at, "patternProperties");
                    is_complete = false;
                    continue;
                };
                rows.push(format!("({pattern}, {list})"));
                patterns.push(pattern);
            }
            checks.push(format!("codec::Check::Matching(&[{}])", rows.join(", ")));
        }
        // Without one of the patterns it is not known what further members are.
        if let Some(further) = members.get("additionalProperties")
            && is_complete
        {
            let list = self.list(further, &pointer::join(at, "additionalProperties"));
            checks.push(format!(
                "codec::Check::Others(&[{}], &[{}], {list})",
                known.join(", "),
                patterns.join(", ")
            ));
        }
        checks
    }
}

/// The most digits of a number of which others have to be multiples.
const MOST_DIGITS: usize = 36;

fn written(checks: &[String]) -> String {
    format!("&[{}]", checks.join(", "))
}

fn names(value: &Value) -> String {
    let names: Vec<String> = match value {
        Value::Array(all) => all.iter().map(literal_text).collect(),
        one => vec![literal_text(one)],
    };
    names.join(", ")
}

fn literal_text(value: &Value) -> String {
    format!("{:?}", value.as_str().unwrap_or_default())
}

fn count(members: &Map<String, Value>, keyword: &str) -> Option<u64> {
    members.get(keyword).and_then(Value::as_u64)
}

fn most(members: &Map<String, Value>, keyword: &str) -> String {
    match count(members, keyword) {
        Some(count) if u32::try_from(count).is_ok() => count.to_string(),
        _ => "usize::MAX".to_owned(),
    }
}
