//! The interface to `typify`: passes plain structs and string enumerations, and gets syntax trees
//! back.
//!
//! `typify` panics or flattens types if a schema is not plain (`allOf`, unions, nullable lists). So
//! it gets a schema that is generated from the model: every member is required, every union and
//! native type is replaced, and names need no change. It returns the Rust types of fields and the
//! variants of enumerations; later stages add everything else.

use crate::model::{Bounds, Kind, Model, StringEnum, Ty, type_ident, variant_ident};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use syn::visit_mut::{VisitMut, visit_path_segment_mut, visit_type_mut};

/// The field types of structs and the variant names of enumerations, by type name.
#[derive(Debug, Default)]
pub struct Lowered {
    /// The types of the members, by their names in JSON.
    pub fields: BTreeMap<String, BTreeMap<String, syn::Type>>,
    /// The variant names of the values.
    pub variants: BTreeMap<String, BTreeMap<String, syn::Ident>>,
}

/// The errors of calling `typify`.
#[derive(Debug, thiserror::Error)]
pub enum LowerError {
    /// The generated schema is not valid.
    #[error("the schema generated for typify is not valid")]
    Schema(#[source] serde_json::Error),
    /// `typify` rejected the schema.
    #[error("typify: {0}")]
    Typify(#[from] typify::Error),
    /// The output of `typify` is not valid Rust.
    #[error("typify's output does not parse")]
    Output(#[from] syn::Error),
    /// A type is missing in the output of `typify`.
    #[error("typify generated nothing for `{0}`")]
    Missing(String),
}

/// The prefix of the names passed to `typify`, so that it does not change them.
const MARK: &str = "Def";

/// The variant of an open enumeration for values that it does not declare.
const REST: &str = "Other";

/// Lowers all structs and string enumerations of a model.
///
/// # Errors
///
/// Returns an error if `typify` rejects the schema.
pub fn lower(model: &Model) -> Result<Lowered, LowerError> {
    let mut definitions = Map::new();
    let mut settings = typify::TypeSpaceSettings::default();
    settings.with_struct_builder(false);
    for (at, def) in model.types.iter().enumerate() {
        let name = format!("{MARK}{at}");
        match &def.kind {
            Kind::Object(object) => {
                let mut properties = Map::new();
                for (at, member) in object.members.iter().enumerate() {
                    let ty = if member.is_boxed() {
                        &in_list(&member.ty)
                    } else {
                        &member.ty
                    };
                    properties.insert(format!("f{at}"), plain(model, ty));
                }
                let required: Vec<&String> = properties.keys().collect();
                definitions.insert(
                    name,
                    json!({"type": "object", "required": required, "properties": properties}),
                );
            }
            Kind::Enum(known) => {
                let values = distinct(known);
                definitions.insert(name, json!({"type": "string", "enum": values}));
            }
            Kind::Union(_) | Kind::Alias(_) | Kind::Native(_) => {
                settings.with_replacement(&name, type_ident(&def.name), std::iter::empty());
                definitions.insert(name, json!({"type": "object", "properties": {"x": {}}}));
            }
        }
    }
    for native in ["Value", "Object", "Number", "Base64Text", "Empty"] {
        let name = format!("{MARK}{native}");
        settings.with_replacement(&name, native, std::iter::empty());
        definitions.insert(name, json!({"type": "object", "properties": {"x": {}}}));
    }
    let root =
        json!({"$schema": "http://json-schema.org/draft-07/schema#", "definitions": definitions});
    let root: schemars::schema::RootSchema =
        serde_json::from_value(root).map_err(LowerError::Schema)?;
    let mut space = typify::TypeSpace::new(&settings);
    space.add_root_schema(root)?;
    let file: syn::File = syn::parse2(space.to_stream())?;
    collect(model, &file)
}

/// Returns a type with its innermost part in a list. The list becomes a `Box` afterwards. So
/// `typify` finds no type that contains itself, and does not decide by itself where to put boxes.
fn in_list(ty: &Ty) -> Ty {
    match ty {
        Ty::Nullable(inner) => Ty::Nullable(Box::new(in_list(inner))),
        other => Ty::Array(Box::new(other.clone()), Bounds::default()),
    }
}

/// Returns the plain schema of a value.
fn plain(model: &Model, ty: &Ty) -> Value {
    let native = |name: &str| json!({"$ref": format!("#/definitions/{MARK}{name}")});
    match ty {
        Ty::Any | Ty::Null | Ty::Const(_) => native("Value"),
        Ty::AnyObject => native("Object"),
        Ty::EmptyObject => native("Empty"),
        Ty::Bool => json!({"type": "boolean"}),
        Ty::Int(_) => json!({"type": "integer", "format": "int64"}),
        Ty::Number(_) => native("Number"),
        Ty::String(_) => json!({"type": "string"}),
        Ty::Base64 => native("Base64Text"),
        Ty::Array(item, _) => json!({"type": "array", "items": plain(model, item)}),
        Ty::Map(item) => json!({"type": "object", "additionalProperties": plain(model, item)}),
        Ty::Nullable(inner) => json!({"oneOf": [plain(model, inner), {"type": "null"}]}),
        Ty::Named(name) => match model.index.get(name) {
            Some(at) => json!({"$ref": format!("#/definitions/{MARK}{at}")}),
            None => native("Value"),
        },
    }
}

/// Returns the values of an enumeration, from which `typify` gets the names of the variants. A
/// value with the same name as another one gets a number.
fn distinct(known: &StringEnum) -> Vec<String> {
    let mut taken = BTreeSet::new();
    let mut values = Vec::new();
    for (value, _) in &known.values {
        let numbered = (2..).map(|number| format!("{value} {number}"));
        let mut candidates = std::iter::once(value.clone()).chain(numbered);
        values.extend(candidates.find(|candidate| taken.insert(variant_ident(candidate))));
    }
    values
}

fn collect(model: &Model, file: &syn::File) -> Result<Lowered, LowerError> {
    let mut lowered = Lowered::default();
    let mut names = Renames(BTreeMap::new());
    for (at, def) in model.types.iter().enumerate() {
        names.0.insert(format!("{MARK}{at}"), type_ident(&def.name));
    }
    let at_of = |ident: &syn::Ident| ident.to_string().strip_prefix(MARK)?.parse::<usize>().ok();
    for item in &file.items {
        match item {
            syn::Item::Struct(item) => {
                let Some(def) = at_of(&item.ident).and_then(|at| model.types.get(at)) else {
                    continue;
                };
                let Kind::Object(object) = &def.kind else {
                    continue;
                };
                let mut fields = BTreeMap::new();
                for field in &item.fields {
                    let place = field.ident.as_ref().and_then(|ident| {
                        ident.to_string().strip_prefix('f')?.parse::<usize>().ok()
                    });
                    let Some(member) = place.and_then(|at| object.members.get(at)) else {
                        continue;
                    };
                    let mut ty = field.ty.clone();
                    names.visit_type_mut(&mut ty);
                    if member.is_boxed() {
                        ListToBox.visit_type_mut(&mut ty);
                    }
                    fields.insert(member.json.clone(), ty);
                }
                lowered.fields.insert(def.name.clone(), fields);
            }
            syn::Item::Enum(item) => {
                let Some(def) = at_of(&item.ident).and_then(|at| model.types.get(at)) else {
                    continue;
                };
                let Kind::Enum(known) = &def.kind else {
                    continue;
                };
                let variants = known
                    .values
                    .iter()
                    .zip(&item.variants)
                    .map(|((value, _), variant)| {
                        let mut ident = variant.ident.clone();
                        if known.open && ident == REST {
                            ident = quote::format_ident!("{REST}Value");
                        }
                        (value.clone(), ident)
                    })
                    .collect();
                lowered.variants.insert(def.name.clone(), variants);
            }
            _ => {}
        }
    }
    for def in &model.types {
        let found = match def.kind {
            Kind::Object(_) => lowered.fields.contains_key(&def.name),
            Kind::Enum(_) => lowered.variants.contains_key(&def.name),
            _ => true,
        };
        if !found {
            return Err(LowerError::Missing(def.name.clone()));
        }
    }
    Ok(lowered)
}

/// Restores the names of types, and removes the paths of well-known types.
struct Renames(BTreeMap<String, String>);

impl VisitMut for Renames {
    fn visit_type_mut(&mut self, ty: &mut syn::Type) {
        visit_type_mut(self, ty);
        let syn::Type::Path(path) = ty else { return };
        let Some(mut last) = path.path.segments.last().cloned() else {
            return;
        };
        if let Some(name) = self.0.get(&last.ident.to_string()) {
            last.ident = syn::Ident::new(name, last.ident.span());
        }
        if last.ident == "HashMap" {
            // `Map` keeps the order of its members; its keys are always strings.
            last.ident = syn::Ident::new("Map", last.ident.span());
            if let syn::PathArguments::AngleBracketed(arguments) = &mut last.arguments {
                let value = arguments.args.last().cloned();
                arguments.args = value.into_iter().collect();
            }
        }
        let plain = last.ident.to_string();
        path.path = last.into();
        if plain == "Empty" {
            path.path.segments.insert(
                0,
                syn::Ident::new("codec", proc_macro2::Span::call_site()).into(),
            );
        }
    }
}

/// Replaces `Vec` by `Box`.
struct ListToBox;

impl VisitMut for ListToBox {
    fn visit_path_segment_mut(&mut self, segment: &mut syn::PathSegment) {
        if segment.ident == "Vec" {
            segment.ident = syn::Ident::new("Box", segment.ident.span());
        }
        visit_path_segment_mut(self, segment);
    }
}
