//! Writes a model as JSON, from which generators for other languages can work.
//!
//! The form is described in `docs/reference/model.md`. Names are those of the schema; nothing in it
//! is specific to Rust.

mod select;

use crate::hints::Hints;
use crate::model::{
    Bounds, Kind, Message, MessageKind, Model, Note, Object, Sender, StringEnum, Ty, TypeDef, Union,
};
use crate::schema::Patch;
use serde_json::{Map, Value, json};

/// The version of the form. It changes if a program that reads the form has to change.
pub const FORMAT: u32 = 1;

/// Returns a model as JSON. The model is one of [`build_neutral`](crate::model::build_neutral): a
/// hand-written type of Rust, which other models have, becomes any value.
///
/// The order of all members follows from the schema, so the result is the same for the same input.
#[must_use]
pub fn export(model: &Model, hints: &Hints, patches: &[Patch]) -> Value {
    let exporter = Exporter { model, hints };
    let patches = patches
        .iter()
        .filter(|patch| patch.since <= model.revision)
        .map(|patch| (patch.name.clone(), addition(patch)));
    let types = model.types.iter();
    let types = types.map(|def| (def.name.clone(), exporter.definition(def)));
    let unchecked = model.notes.iter().filter_map(|note| match note {
        Note::Schema(warning) => Some(json!({
            "at": warning.pointer,
            "reason": warning.to_string(),
        })),
        _ => None,
    });
    json!({
        "format": FORMAT,
        "revision": model.revision,
        "constants": model.constants,
        "additions": patches.collect::<Map<_, _>>(),
        "types": types.collect::<Map<_, _>>(),
        "messages": model.messages.iter().map(message).collect::<Vec<_>>(),
        "unchecked": unchecked.collect::<Vec<_>>(),
    })
}

struct Exporter<'a> {
    model: &'a Model,
    hints: &'a Hints,
}

impl Exporter<'_> {
    /// Returns a named type: the form of its values, and what is known about the name.
    fn definition(&self, def: &TypeDef) -> Value {
        let form = match &def.kind {
            Kind::Object(object) => members(object),
            Kind::Union(union) => self.union(&def.name, union),
            Kind::Enum(known) => values(known),
            Kind::Alias(ty) => form(ty),
            Kind::Native(_) => form(&Ty::Any),
        };
        let mut form = Fields(form);
        if !def.published {
            form.add("inline", true);
        }
        if let Some(category) = self.model.categories.get(&def.name) {
            form.add("category", category.as_str());
        }
        form.about(&def.docs, def.deprecated, &def.features);
        form.0
    }

    fn union(&self, name: &str, union: &Union) -> Value {
        let variants = union.variants.iter().map(|variant| {
            let mut form = Fields(json!({ "type": form(&variant.ty) }));
            form.about("", false, &variant.features);
            form.0
        });
        json!({
            "kind": "union",
            "variants": variants.collect::<Vec<_>>(),
            "select": select::select(self.model, self.hints, name, union),
        })
    }
}

fn members(object: &Object) -> Value {
    let members = object.members.iter().map(|member| {
        let ty = form(&member.ty);
        let mut form = Fields(json!({ "type": ty, "required": member.required }));
        form.about(&member.docs, member.deprecated, &member.features);
        (member.json.clone(), form.0)
    });
    let members: Map<_, _> = members.collect();
    json!({ "kind": "object", "open": object.open, "members": members })
}

fn values(known: &StringEnum) -> Value {
    let values = known.values.iter().map(|(value, docs)| {
        let mut form = Fields(json!({ "value": value }));
        form.about(docs, false, &[]);
        form.0
    });
    json!({ "kind": "enum", "open": known.open, "values": values.collect::<Vec<_>>() })
}

/// Returns the form of the values of a type.
fn form(ty: &Ty) -> Value {
    match ty {
        Ty::Any => json!({ "kind": "any" }),
        Ty::AnyObject => json!({ "kind": "map", "of": form(&Ty::Any) }),
        Ty::Null => json!({ "kind": "null" }),
        Ty::Bool => json!({ "kind": "boolean" }),
        Ty::Int(bounds) => bounded(json!({ "kind": "integer" }), bounds),
        Ty::Number(bounds) => bounded(json!({ "kind": "number" }), bounds),
        Ty::String(bounds) => bounded(json!({ "kind": "string" }), bounds),
        Ty::Base64 => json!({ "kind": "string", "encoding": "base64" }),
        Ty::Array(item, bounds) => bounded(json!({ "kind": "list", "of": form(item) }), bounds),
        Ty::Map(item) => json!({ "kind": "map", "of": form(item) }),
        Ty::EmptyObject => json!({ "kind": "object", "open": false, "members": {} }),
        Ty::Nullable(inner) => json!({ "kind": "nullable", "of": form(inner) }),
        Ty::Const(value) => json!({ "kind": "constant", "value": value }),
        Ty::Named(name) => json!({ "kind": "named", "name": name }),
    }
}

fn bounded(form: Value, bounds: &Bounds) -> Value {
    let mut form = Fields(form);
    for (name, bound) in [("min", &bounds.min), ("max", &bounds.max)] {
        if let Some(bound) = bound {
            form.add(name, bound.clone());
        }
    }
    form.0
}

fn message(message: &Message) -> Value {
    let mut form = Fields(json!({ "name": message.name, "method": message.method }));
    let result = match &message.kind {
        MessageKind::Request(result) => Some(result),
        MessageKind::Notification => None,
    };
    let kind = result.map_or("notification", |_| "request");
    form.add("kind", kind);
    match message.sender {
        Sender::Client => form.add("sender", "client"),
        Sender::Server => form.add("sender", "server"),
        Sender::Both => form.add("sender", "both"),
        Sender::Unknown => {}
    }
    if let Some((ty, required)) = &message.params {
        let params = json!({ "type": self::form(ty), "required": required });
        form.add("params", params);
    }
    if let Some(result) = result {
        form.add("result", self::form(result));
    }
    form.0
}

fn addition(patch: &Patch) -> Value {
    let mut form = Fields(json!({ "title": patch.title, "source": patch.source }));
    if let Some(identifier) = &patch.identifier {
        form.add("identifier", identifier.as_str());
    }
    form.0
}

/// A JSON object to which optional members are added.
struct Fields(Value);

impl Fields {
    fn add(&mut self, name: &str, value: impl Into<Value>) {
        self.0[name] = value.into();
    }

    /// Adds what types, members, variants and values may have.
    fn about(&mut self, docs: &str, deprecated: bool, added_by: &[String]) {
        if deprecated {
            self.add("deprecated", true);
        }
        if !added_by.is_empty() {
            self.add("addedBy", added_by);
        }
        if !docs.is_empty() {
            self.add("doc", docs);
        }
    }
}
