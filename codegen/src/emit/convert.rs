//! Conversions between a revision and the next one.
//!
//! In a conversion to a newer revision, a member that only the older revision has is stored in
//! `extra`. The conversion to an older revision restores it from there, and drops members that only
//! the newer revision has. So a conversion to a newer revision and back does not change a value.

mod object;
mod union;
mod value;

use super::messages::is_own;
use super::{EmitError, Emitter, cfg, used};
use crate::model::{Kind, Model, Ty, TypeDef, type_ident};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// One direction of the conversion between two adjacent revisions.
struct Direction<'a> {
    emitter: &'a Emitter<'a>,
    /// The indices of the models.
    from: usize,
    to: usize,
    /// The source names of the conversions in this direction, and whether each can fail.
    fails: BTreeMap<String, bool>,
    /// What the conversions lose, set or reject, one line for each member or variant.
    losses: RefCell<BTreeSet<String>>,
}

/// An expression, and whether it can fail.
struct Converted {
    tokens: TokenStream,
    fails: bool,
}

impl Converted {
    fn infallible(tokens: TokenStream) -> Self {
        Self {
            tokens,
            fails: false,
        }
    }

    fn fallible(tokens: TokenStream) -> Self {
        Self {
            tokens,
            fails: true,
        }
    }
}

impl Emitter<'_> {
    /// Generates the conversions between a model and the next newer one, in both directions. Returns
    /// `None` if there is no newer one, or if it has the same types.
    pub(super) fn conversions(&self, older: usize) -> Result<Option<TokenStream>, EmitError> {
        let newer = older + 1;
        if newer >= self.family.models.len() {
            return Ok(None);
        }
        let mut items = Vec::new();
        for (from, to) in [(older, newer), (newer, older)] {
            let mut direction = self.direction(from, to);
            items.extend(direction.generate()?);
        }
        if items.is_empty() {
            return Ok(None);
        }
        let (old, new) = (
            format_ident!("{}", self.modules[older]),
            format_ident!("{}", self.modules[newer]),
        );
        let support = &self.support;
        let about = format!(
            " Conversions between {} and {}.",
            self.family.models[older].revision, self.family.models[newer].revision
        );
        let items = quote! { #(#items)* };
        let plain = used(&["Extra", "Map", "Number", "Object", "Value"], &items);
        let plain = (!plain.is_empty()).then(|| quote! { use #support::codec::{#(#plain),*}; });
        let module = used(&["convert"], &items)
            .into_iter()
            .map(|_| quote! { self });
        let error = used(&["ConvertError"], &items).into_iter();
        let imports: Vec<TokenStream> = module.chain(error.map(|name| quote! { #name })).collect();
        let imports = (!imports.is_empty()).then(|| {
            quote! { use #support::convert::{#(#imports),*}; }
        });
        Ok(Some(quote! {
            #![doc = #about]
            use super::super::{#new as new, #old as old};
            #plain
            #imports
            #items
        }))
    }

    /// Returns what the conversions between a model and the next newer one lose, set or reject.
    pub(crate) fn conversion_losses(&self, older: usize) -> Result<Vec<String>, EmitError> {
        let mut lines = Vec::new();
        for (from, to) in [(older, older + 1), (older + 1, older)] {
            let mut direction = self.direction(from, to);
            direction.generate()?;
            let (from, to) = (&direction.source().revision, &direction.target().revision);
            let losses = direction.losses.borrow();
            lines.extend(losses.iter().map(|loss| format!("{from} to {to}: {loss}")));
        }
        Ok(lines)
    }

    fn direction(&self, from: usize, to: usize) -> Direction<'_> {
        let older = from.min(to);
        let names = self
            .pairs(older)
            .into_iter()
            .map(|(old, new)| if from == older { old } else { new });
        Direction {
            emitter: self,
            from,
            to,
            fails: names.map(|name| (name, false)).collect(),
            losses: RefCell::default(),
        }
    }

    /// Returns the source names of the conversions in one direction, and whether each can fail.
    pub(super) fn fallibility(
        &self,
        from: usize,
        to: usize,
    ) -> Result<BTreeMap<String, bool>, EmitError> {
        let mut direction = self.direction(from, to);
        direction.generate()?;
        Ok(direction.fails)
    }

    /// Returns the types of the older revision that differ in the newer one, with their names
    /// there.
    pub(super) fn pairs(&self, older: usize) -> Vec<(String, String)> {
        let (old, new) = (&self.family.models[older], &self.family.models[older + 1]);
        old.types
            .iter()
            .filter(|def| {
                let is_home = self.family.is_home(older, &def.name);
                let is_shared = self.family.is_shared_upwards(older, &def.name);
                is_home && !is_shared && is_own(&def.kind)
            })
            .filter_map(|def| {
                let name = self.renamed(older, &def.name);
                let other = new.get(&name)?;
                let same = other.features.is_empty() || other.features == def.features;
                (is_own(&other.kind) && same).then(|| (def.name.clone(), name))
            })
            .collect()
    }

    /// Returns the name of an older definition in the next revision.
    pub(super) fn renamed(&self, older: usize, name: &str) -> String {
        let newer = &self.family.models[older + 1].revision;
        self.hints.new_name(newer, name).to_owned()
    }
}

impl Direction<'_> {
    fn upward(&self) -> bool {
        self.from < self.to
    }

    fn source(&self) -> &Model {
        &self.emitter.family.models[self.from]
    }

    fn target(&self) -> &Model {
        &self.emitter.family.models[self.to]
    }

    /// Returns the name that a source definition has in the target, or `None` if it does not exist
    /// there.
    fn counterpart(&self, name: &str) -> Option<String> {
        if self.upward() {
            return Some(self.emitter.renamed(self.from, name));
        }
        let older = &self.emitter.family.models[self.to];
        let found = older
            .types
            .iter()
            .find(|def| self.emitter.renamed(self.to, &def.name) == name);
        found.map(|def| def.name.clone())
    }

    /// Returns a definition as it is generated: a shared type has the members that proposals add to
    /// it in the revision whose module defines it.
    fn generated_def(&self, model: usize, name: &str) -> Option<&TypeDef> {
        let family = &self.emitter.family;
        family.models[family.home(model, name)].get(name)
    }

    /// Generates all conversions. Repeats until it is known which of them can fail.
    fn generate(&mut self) -> Result<Vec<TokenStream>, EmitError> {
        loop {
            let mut changed = false;
            let mut items = Vec::new();
            for name in self.fails.keys().cloned().collect::<Vec<_>>() {
                let Some(target) = self.counterpart(&name) else {
                    continue;
                };
                let converted = self.definition(&name, &target)?;
                if converted.fails && !self.fails[&name] {
                    self.fails.insert(name.clone(), true);
                    changed = true;
                }
                items.push(self.item(&name, &target, &converted));
            }
            if !changed {
                return Ok(items);
            }
        }
    }

    // With `#[inline]`, a conversion is compiled to machine code only in the crates that call it.
    // Without it, the conversions would take three quarters of the time to build `mcp-types`.
    fn item(&self, name: &str, target: &str, converted: &Converted) -> TokenStream {
        let (from, to) = (self.path(true, name), self.path(false, target));
        let body = &converted.tokens;
        let features = self.source().get(name).map(|def| &def.features);
        let cfg = features.and_then(|features| cfg(features));
        if converted.fails {
            quote! {
                #cfg
                impl TryFrom<#from> for #to {
                    type Error = ConvertError;
                    #[inline]
                    fn try_from(from: #from) -> Result<Self, ConvertError> { Ok({ #body }) }
                }
            }
        } else {
            quote! {
                #cfg
                impl From<#from> for #to {
                    #[inline]
                    fn from(from: #from) -> Self { #body }
                }
            }
        }
    }

    fn path(&self, source: bool, name: &str) -> TokenStream {
        let module = if source == self.upward() {
            quote! { old }
        } else {
            quote! { new }
        };
        let ident = format_ident!("{}", type_ident(name));
        quote! { #module::#ident }
    }

    fn definition(&self, name: &str, target: &str) -> Result<Converted, EmitError> {
        let (Some(def), Some(target)) = (
            self.generated_def(self.from, name),
            self.generated_def(self.to, target),
        ) else {
            return Err(EmitError::Unsupported(format!(
                "{name} or {target} is not a type"
            )));
        };
        match (&def.kind, &target.kind) {
            (Kind::Object(a), Kind::Object(b)) => self.object(def, a, target, b),
            (Kind::Enum(a), Kind::Enum(b)) => {
                Ok(self.string_enum((name, a), (&target.name, b), &quote! { from }))
            }
            _ => {
                let to = Ty::Named(target.name.clone());
                let converted = match def.kind {
                    Kind::Union(_) => self.match_variants(name, &to, &quote! { from }),
                    _ => self.convert_to_variant(
                        &Ty::Named(name.to_owned()),
                        &to,
                        &[],
                        &quote! { from },
                    ),
                };
                Ok(converted.unwrap_or_else(|| {
                    self.add_loss(format!(
                        "`{name}` is an error unless it is valid in both revisions"
                    ));
                    through_json(&quote! { from })
                }))
            }
        }
    }

    fn add_loss(&self, text: String) {
        self.losses.borrow_mut().insert(text);
    }
}

/// Converts by encoding and decoding, which fails if the value is not valid in the target.
fn through_json(expression: &TokenStream) -> Converted {
    Converted::fallible(quote! { convert::through_json(&#expression)? })
}

/// Returns a conversion of `value` as a function.
fn function(value: &TokenStream) -> TokenStream {
    match value.to_string().as_str() {
        "value . into ()" => quote! { Into::into },
        "Value :: Object (value)" => quote! { Value::Object },
        _ => quote! { |value| #value },
    }
}

/// Returns a fallible conversion of `value` as a function.
fn try_function(value: &TokenStream) -> TokenStream {
    if value.to_string() == "value . try_into () ?" {
        quote! { TryInto::try_into }
    } else {
        quote! { |value| Ok::<_, ConvertError>(#value) }
    }
}

/// Returns `true` if a type can be converted to its counterpart in the next revision: they are the
/// same type, or there are conversions.
pub(super) fn step_exists(emitter: &Emitter<'_>, older: usize, name: &str, other: &str) -> bool {
    let family = emitter.family;
    let (old, new) = (&family.models[older], &family.models[older + 1]);
    match (
        old.get(name).map(|def| &def.kind),
        new.get(other).map(|def| &def.kind),
    ) {
        (Some(Kind::Alias(a)), Some(Kind::Alias(b))) => match (old.resolve(a), new.resolve(b)) {
            (Ty::Named(a), Ty::Named(b)) => {
                emitter.renamed(older, a) == *b && step_exists(emitter, older, a, b)
            }
            (a, b) => a == b && is_leaf(a),
        },
        (Some(Kind::Native(a)), Some(Kind::Native(b))) => a == b,
        (Some(a), Some(b)) if is_own(a) && is_own(b) => {
            family.is_shared_upwards(older, name)
                || emitter.pairs(older).iter().any(|pair| pair.0 == name)
        }
        _ => false,
    }
}

/// Returns `true` if a type contains no named type.
fn is_leaf(ty: &Ty) -> bool {
    let mut leaf = true;
    ty.walk(&mut |_| leaf = false);
    leaf
}
