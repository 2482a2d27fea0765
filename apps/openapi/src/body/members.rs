//! The members of a body that is an object, and which of them are files.

use std::collections::HashSet;

use mcp_server::types::json::Value;

use super::MEMBERS;
use crate::document::Resolver;

/// The maximum number of schemas that are looked at for one body, or for one member.
const FUEL: u32 = 128;
/// The longest name of a member that is an argument of its own, in bytes.
const NAME: usize = 1 << 10;

/// A member of a body.
#[derive(Clone, Debug)]
pub(crate) struct Member<'a> {
    pub(crate) name: &'a str,
    /// Its schema in each part of the body's schema.
    pub(crate) schemas: Vec<&'a Value>,
    pub(crate) required: bool,
}

/// The members of a form. Those of all parts of a composition (`allOf`, `anyOf`, `oneOf`) are members of one
/// object: a form has no other shape.
#[derive(Debug, Default)]
pub(crate) struct Members<'a> {
    pub(crate) all: Vec<Member<'a>>,
    /// The schema of members with other names, if there may be some.
    pub(crate) rest: Option<&'a Value>,
    /// Set if alternatives or conditions are left out.
    pub(crate) is_loosened: bool,
}

impl<'a> Members<'a> {
    /// Returns the members; `None` if the schema is not one of an object with some members, or has more
    /// parts or members than are read.
    pub(super) fn read(resolver: &Resolver<'a>, schema: &'a Value) -> Option<Self> {
        let mut members = Self::default();
        let mut required = HashSet::new();
        members.add(resolver, schema, Some(&mut required), &mut FUEL.clone())?;
        for member in &mut members.all {
            member.required = required.contains(member.name);
        }
        (!members.all.is_empty()).then_some(members)
    }

    /// Adds the members of a part. Only a part that always holds decides what is required.
    fn add(
        &mut self,
        resolver: &Resolver<'a>,
        schema: &'a Value,
        mut required: Option<&mut HashSet<&'a str>>,
        fuel: &mut u32,
    ) -> Option<()> {
        *fuel = fuel.checked_sub(1)?;
        let schema = resolver.follow(schema).ok()?.as_object()?;
        if schema.get("type").is_some_and(|kind| !has_object(kind)) {
            return Some(());
        }
        let properties = schema.get("properties").and_then(Value::as_object);
        for (name, schema) in properties.into_iter().flatten() {
            if name.len() > NAME {
                return None;
            }
            let count = self.all.len();
            match self.all.iter_mut().find(|known| known.name == name) {
                Some(known) if known.schemas.len() < 8 => known.schemas.push(schema),
                Some(_) => {}
                None if count >= MEMBERS => return None,
                None => self.all.push(Member {
                    name,
                    schemas: vec![schema],
                    required: false,
                }),
            }
        }
        let list = |keyword: &str| schema.get(keyword).and_then(Value::as_array);
        if let Some(required) = &mut required {
            let names = list("required").into_iter().flatten();
            required.extend(names.take(MEMBERS).filter_map(Value::as_str));
        }
        let rest = schema.get("additionalProperties");
        if let Some(rest) = rest.filter(|rest| rest.as_bool() != Some(false)) {
            self.rest = Some(rest);
        }
        self.is_loosened |= ["dependentSchemas", "if", "not", "patternProperties"]
            .iter()
            .any(|keyword| schema.contains_key(keyword));
        for part in list("allOf").into_iter().flatten() {
            self.add(resolver, part, required.as_deref_mut(), fuel)?;
        }
        for part in ["anyOf", "oneOf"].into_iter().filter_map(list).flatten() {
            self.is_loosened |= !is_null(part);
            self.add(resolver, part, None, fuel)?;
        }
        Some(())
    }
}

/// Which files a member of a multipart body can have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Files {
    pub(crate) one: bool,
    pub(crate) many: bool,
    /// Set if the member can also be a value that is no file.
    pub(crate) other: bool,
}

impl Files {
    /// Reads the schema of a member. A file can be behind references and in compositions, as in
    /// `anyOf: [file, null]`.
    pub(super) fn read<'a>(resolver: &Resolver<'a>, schema: &'a Value, fuel: &mut u32) -> Self {
        let mut files = Self::default();
        let Some(left) = fuel.checked_sub(1) else {
            return files;
        };
        *fuel = left;
        let Ok(schema) = resolver.follow(schema) else {
            return files;
        };
        if is_file(schema) {
            files.one = true;
            return files;
        }
        let list = |keyword: &str| schema.get(keyword).and_then(Value::as_array);
        if let Some(items) = schema.get("items") {
            files.many = Self::read(resolver, items, fuel).one;
        }
        // A list can be longer than what is looked at.
        let parts = FUEL as usize;
        for part in list("allOf").into_iter().flatten().take(parts) {
            files.add(Self::read(resolver, part, fuel));
        }
        let alternatives = ["anyOf", "oneOf"].into_iter().filter_map(list).flatten();
        for part in alternatives.take(parts) {
            let part_files = Self::read(resolver, part, fuel);
            files.other |= !part_files.is_some() && !is_null(part);
            files.add(part_files);
        }
        files
    }

    /// Returns which files a member can have.
    pub(super) fn of_member<'a>(resolver: &Resolver<'a>, member: &Member<'a>) -> Self {
        let mut files = Self::default();
        for schema in &member.schemas {
            files.add(Self::read(resolver, schema, &mut FUEL.clone()));
        }
        files
    }

    fn add(&mut self, part: Self) {
        self.one |= part.one;
        self.many |= part.many;
        self.other |= part.other;
    }

    pub(crate) fn is_some(self) -> bool {
        self.one || self.many
    }
}

/// Returns `true` for the schema of a file.
fn is_file(schema: &Value) -> bool {
    let text = |keyword: &str| schema.get(keyword).and_then(Value::as_str);
    let is_string = matches!(text("type"), Some("string") | None);
    // With an encoding, the text itself is sent.
    let has_type = text("contentMediaType").is_some() && text("contentEncoding").is_none();
    is_string && (text("format") == Some("binary") || has_type) || text("type") == Some("file")
}

fn is_null(schema: &Value) -> bool {
    schema.get("type").and_then(Value::as_str) == Some("null")
}

/// Returns `true` if a `type` permits objects.
fn has_object(kind: &Value) -> bool {
    let is_object = |kind: &Value| kind.as_str() == Some("object");
    is_object(kind) || kind.as_array().is_some_and(|all| all.iter().any(is_object))
}
