//! The interface to `typify`, which generates the types of fields and the variants of enumerations.
//!
//! `typify` gets the definitions of structs and string enumerations by their names, with their
//! members, references and required members as the model has them: without `allOf`, and with
//! references in place of inline types. The `serde` attributes of its output tell which field has
//! which member. Everything that `typify` cannot express, or would express in a form that the
//! support code does not have, goes another way:
//!
//! | what | why | how |
//! | --- | --- | --- |
//! | unions, aliases and native types | `typify` flattens unions, and has neither aliases nor types from elsewhere | [`Kind`] has their content; fields refer to them by name (`with_replacement`) |
//! | any value, any object, empty objects, `null`, numbers, base64 | the support code has types of its own | `with_conversion`, see `converted` |
//! | names with acronyms, such as `URL` | `typify` writes them in the case of heck | `with_patch` renames to [`type_ident`] |
//! | names that `typify` would write alike | it panics or generates one name twice | the later one gets a number, see `distinct` |
//! | bounds of numbers, strings and lists | `typify` chooses other types, which cannot be constructed without a check | the codecs check them |
//! | required constants | they are not stored | the codecs write and check them |
//! | values that an open enumeration does not declare | `typify` would make it an untagged union | the emitter adds a variant |
//! | maps | the support code keeps the order of the members, and all names are strings | `Plain` replaces `HashMap` |
//! | boxes | `typify` breaks cycles at any place, and does not box large fields | `Plain` removes them, and `boxed` adds those of the model |
//! | absent lists, maps and `null` | `typify` decodes them as empty, or as absent | fields are optional if their members are, see `present` |

use crate::model::{Kind, Member, Model, Object, StringEnum, Ty, type_ident};
use crate::schema::pointer::escape;
use heck::ToUpperCamelCase;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use syn::visit_mut::{VisitMut, visit_type_mut};
use unicode_ident::{is_xid_continue, is_xid_start};

/// The field types of structs and the variant names of enumerations, by type name.
#[derive(Debug, Default)]
pub struct Lowered {
    /// The types of the stored members, by their names in JSON. The type of an optional one is that
    /// of its value if it is present.
    pub fields: BTreeMap<String, BTreeMap<String, syn::Type>>,
    /// The variant names of the values.
    pub variants: BTreeMap<String, BTreeMap<String, syn::Ident>>,
}

/// The errors of calling `typify`.
#[derive(Debug, thiserror::Error)]
pub enum LowerError {
    /// The definitions for `typify` are not valid.
    #[error("the definitions for typify are not valid")]
    Schema(#[source] serde_json::Error),
    /// `typify` rejected the definitions.
    #[error("typify: {0}")]
    Typify(#[from] typify::Error),
    /// The output of `typify` is not valid Rust.
    #[error("typify's output does not parse")]
    Output(#[from] syn::Error),
    /// A type, field or variant is missing in the output of `typify`.
    #[error("typify generated nothing for `{0}`")]
    Missing(String),
}

/// The variant of an open enumeration for values that it does not declare.
const REST: &str = "Other";

/// Lowers all structs and string enumerations of a model.
///
/// # Errors
///
/// Returns an error if `typify` rejects a definition or leaves a part of it out.
pub fn lower(model: &Model) -> Result<Lowered, LowerError> {
    let names = distinct(model.types.iter().map(|def| def.name.as_str()));
    let by_name = model.types.iter().map(|def| def.name.as_str()).zip(&names);
    let references = References(by_name.collect());
    let mut settings = typify::TypeSpaceSettings::default();
    settings.with_struct_builder(false);
    for (schema, rust) in converted() {
        let schema = serde_json::from_value(schema).map_err(LowerError::Schema)?;
        settings.with_conversion(schema, rust, std::iter::empty());
    }
    let mut definitions = Map::new();
    for (def, name) in model.types.iter().zip(&names) {
        let rust = type_ident(&def.name);
        let definition = match &def.kind {
            Kind::Object(object) => references.definition(object),
            Kind::Enum(known) => json!({"type": "string", "enum": spellings(known)}),
            Kind::Union(_) | Kind::Alias(_) | Kind::Native(_) => {
                settings.with_replacement(spelled(name), &rust, std::iter::empty());
                json!({})
            }
        };
        let mut patch = typify::TypeSpacePatch::default();
        settings.with_patch(spelled(name), patch.with_rename(rust));
        definitions.insert(name.clone(), definition);
    }
    let root =
        json!({"$schema": "http://json-schema.org/draft-07/schema#", "definitions": definitions});
    let root: schemars::schema::RootSchema =
        serde_json::from_value(root).map_err(LowerError::Schema)?;
    let mut space = typify::TypeSpace::new(&settings);
    space.add_root_schema(root)?;
    collect(model, syn::parse2(space.to_stream())?)
}

/// Returns the schemas that `typify` gives the types of the support code.
fn converted() -> [(Value, &'static str); 6] {
    [
        (json!({}), "Value"),
        (json!({"type": "object"}), "Object"),
        (
            json!({"type": "object", "additionalProperties": false}),
            "codec::Empty",
        ),
        (null(), "codec::Null"),
        (json!({"type": "number"}), "Number"),
        (json!({"type": "string", "format": "byte"}), "Base64Text"),
    ]
}

/// Returns what stands for the type of `null`: `typify` has its own form of `{"type": "null"}`.
fn null() -> Value {
    json!({"type": "string", "format": "null"})
}

/// The names by which `typify` knows the types.
struct References<'a>(BTreeMap<&'a str, &'a String>);

impl References<'_> {
    /// Returns the definition of a struct.
    fn definition(&self, object: &Object) -> Value {
        let stored = || object.members.iter().filter(|it| it.constant().is_none());
        let properties = stored().map(|it| (it.json.clone(), self.schema(&it.ty)));
        let properties: Map<String, Value> = properties.collect();
        let required = stored().filter(|it| it.required);
        let required: Vec<&String> = required.map(|it| &it.json).collect();
        json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": object.open,
        })
    }

    /// Returns the schema of a value.
    fn schema(&self, ty: &Ty) -> Value {
        match ty {
            Ty::Any | Ty::Const(_) => json!({}),
            Ty::Null => null(),
            Ty::AnyObject => json!({"type": "object"}),
            Ty::EmptyObject => json!({"type": "object", "additionalProperties": false}),
            Ty::Bool => json!({"type": "boolean"}),
            Ty::Int(_) => json!({"type": "integer"}),
            Ty::Number(_) => json!({"type": "number"}),
            Ty::String(_) => json!({"type": "string"}),
            Ty::Base64 => json!({"type": "string", "format": "byte"}),
            Ty::Array(item, _) => json!({"type": "array", "items": self.schema(item)}),
            Ty::Map(item) => json!({"type": "object", "additionalProperties": self.schema(item)}),
            Ty::Nullable(inner) => json!({"oneOf": [self.schema(inner), {"type": "null"}]}),
            Ty::Named(name) => match self.0.get(name.as_str()) {
                Some(name) => json!({"$ref": format!("#/definitions/{}", escape(name))}),
                None => json!({}),
            },
        }
    }
}

/// Returns the name that `typify` gives to a definition or to a value of an enumeration.
fn spelled(name: &str) -> String {
    let apart = |c: char| !is_xid_continue(c);
    let ident = name
        .replace('\'', "")
        .replace(apart, "-")
        .to_upper_camel_case();
    if ident == "Self" {
        "Self_".to_owned()
    } else if ident.starts_with(is_xid_start) {
        ident
    } else {
        format!("X{ident}")
    }
}

/// Returns names that `typify` writes differently. A name that it would write like one before gets
/// a number.
fn distinct<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    // The number of the last name that is written like this one.
    let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
    let mut all = Vec::new();
    for name in names {
        let spelling = spelled(name);
        let mut number = numbers.get(&spelling).copied().unwrap_or(1);
        let mut candidate = name.to_owned();
        while numbers.contains_key(&spelled(&candidate)) {
            number += 1;
            candidate = format!("{name} {number}");
        }
        numbers.insert(spelling, number);
        numbers.entry(spelled(&candidate)).or_insert(1);
        all.push(candidate);
    }
    all
}

/// Returns the values of an enumeration as `typify` gets them.
fn spellings(known: &StringEnum) -> Vec<String> {
    distinct(known.values.iter().map(|(value, _)| value.as_str()))
}

fn collect(model: &Model, file: syn::File) -> Result<Lowered, LowerError> {
    let mut structs = BTreeMap::new();
    let mut enums = BTreeMap::new();
    for item in file.items {
        match item {
            syn::Item::Struct(item) => {
                structs.insert(item.ident.to_string(), item.fields);
            }
            syn::Item::Enum(item) => {
                enums.insert(item.ident.to_string(), item.variants);
            }
            _ => {}
        }
    }
    let mut lowered = Lowered::default();
    for def in &model.types {
        let missing = |part: &str| LowerError::Missing(format!("{}{part}", def.name));
        let rust = type_ident(&def.name);
        match &def.kind {
            Kind::Object(object) => {
                let mut found = BTreeMap::new();
                for field in structs.remove(&rust).iter_mut().flatten() {
                    Plain.visit_type_mut(&mut field.ty);
                    if let Some(ident) = &field.ident {
                        found.insert(json_name(&field.attrs, ident)?, field.ty.clone());
                    }
                }
                let mut fields = BTreeMap::new();
                for member in object.members.iter().filter(|it| it.constant().is_none()) {
                    let json = &member.json;
                    let ty = found
                        .remove(json)
                        .ok_or_else(|| missing(&format!(".{json}")))?;
                    fields.insert(json.clone(), boxed(member, present(member, ty)));
                }
                lowered.fields.insert(def.name.clone(), fields);
            }
            Kind::Enum(known) => {
                let mut found = BTreeMap::new();
                for variant in enums.remove(&rust).into_iter().flatten() {
                    found.insert(json_name(&variant.attrs, &variant.ident)?, variant.ident);
                }
                let taken: BTreeSet<syn::Ident> = found.values().cloned().collect();
                let mut variants = BTreeMap::new();
                for ((value, _), spelling) in known.values.iter().zip(spellings(known)) {
                    let mut ident = found
                        .remove(&spelling)
                        .ok_or_else(|| missing(&format!("={value}")))?;
                    if known.open && ident == REST {
                        ident = free(&format!("{REST}Value"), &taken);
                    }
                    variants.insert(value.clone(), ident);
                }
                lowered.variants.insert(def.name.clone(), variants);
            }
            Kind::Union(_) | Kind::Alias(_) | Kind::Native(_) => {}
        }
    }
    Ok(lowered)
}

/// Returns a name that is not taken: the wanted one, or else with a number.
fn free(wanted: &str, taken: &BTreeSet<syn::Ident>) -> syn::Ident {
    let numbered = (2..).map(|number| quote::format_ident!("{wanted}{number}"));
    let mut all = std::iter::once(quote::format_ident!("{wanted}")).chain(numbered);
    let found = all.find(|ident| !taken.contains(ident));
    found.unwrap_or_else(|| quote::format_ident!("{wanted}"))
}

/// Returns the name in JSON of a field or variant: that of its attribute `serde(rename)`, or else
/// its identifier.
fn json_name(attributes: &[syn::Attribute], ident: &syn::Ident) -> syn::Result<String> {
    let mut name = ident.to_string();
    for attribute in attributes.iter().filter(|it| it.path().is_ident("serde")) {
        attribute.parse_nested_meta(|option| {
            if option.input.peek(syn::Token![=]) {
                let value: syn::LitStr = option.value()?.parse()?;
                if option.path.is_ident("rename") {
                    name = value.value();
                }
            }
            Ok(())
        })?;
    }
    Ok(name)
}

/// Returns the type of a member that is present. An optional one that can be `null` has the same
/// type as a required one in the output of `typify`.
fn present(member: &Member, ty: syn::Type) -> syn::Type {
    match (&member.ty, inside("Option", &ty)) {
        (Ty::Nullable(_), _) | (_, None) => ty,
        (_, Some(inner)) => inner,
    }
}

/// Puts the type of a member in a box if the model says so. `null` needs none.
fn boxed(member: &Member, ty: syn::Type) -> syn::Type {
    if !member.is_boxed() {
        return ty;
    }
    match inside("Option", &ty) {
        Some(inner) => syn::parse_quote!(Option<Box<#inner>>),
        None => syn::parse_quote!(Box<#ty>),
    }
}

/// Returns the last type argument of a type with this name.
fn inside(name: &str, ty: &syn::Type) -> Option<syn::Type> {
    let syn::Type::Path(path) = ty else {
        return None;
    };
    let last = path.path.segments.last().filter(|it| it.ident == name)?;
    let syn::PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return None;
    };
    match arguments.args.last() {
        Some(syn::GenericArgument::Type(inner)) => Some(inner.clone()),
        _ => None,
    }
}

/// Removes boxes and the absolute paths of well-known types, and makes maps those of the support
/// code.
struct Plain;

impl VisitMut for Plain {
    fn visit_type_mut(&mut self, ty: &mut syn::Type) {
        visit_type_mut(self, ty);
        if let Some(inner) = inside("Box", ty) {
            *ty = inner;
        } else if let Some(value) = inside("HashMap", ty) {
            *ty = syn::parse_quote!(Map<#value>);
        } else if let syn::Type::Path(path) = ty
            && path.path.leading_colon.is_some()
            && let Some(last) = path.path.segments.last().cloned()
        {
            path.path = last.into();
        }
    }
}
