//! Conversions between a revision and the next one.
//!
//! In a conversion to a newer revision, a member that only the older revision has is stored in
//! `extra`. The conversion to an older revision restores it from there, and drops members that only
//! the newer revision has. So a conversion to a newer revision and back does not change a value.

mod conversion;
mod converted;
mod direction;
mod hinted;
mod object;
mod union;
mod value;

use super::messages::is_own;
use super::table::{Table, inline};
use super::{EmitError, Emitter, File, cfg, checked, print};
use crate::model::{Kind, Model, Ty, TypeDef, type_ident};
use conversion::Conversion;
use converted::through_json;
use direction::Direction;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

impl Emitter<'_> {
    /// Generates the conversions between a model and the next newer one: a file for each direction.
    /// There is no file if there is no newer model, or if it has the same types.
    pub(super) fn conversions(&self, older: usize) -> Result<Vec<File>, EmitError> {
        let newer = older + 1;
        let mut files = Vec::new();
        if newer < self.family.models.len() {
            files.extend(self.conversion_file("upgrade", older, newer)?);
            files.extend(self.conversion_file("downgrade", newer, older)?);
        }
        Ok(files)
    }

    fn conversion_file(
        &self,
        name: &str,
        from: usize,
        to: usize,
    ) -> Result<Option<File>, EmitError> {
        let mut tables = String::new();
        for table in self.direction(from, to).generate()? {
            tables.push('\n');
            tables.push_str(&table);
        }
        if tables.is_empty() {
            return Ok(None);
        }
        let (old, new) = (
            format_ident!("{}", self.modules[from.min(to)]),
            format_ident!("{}", self.modules[from.max(to)]),
        );
        let support = &self.support;
        let about = format!(
            " Conversions from {} to {}.",
            self.family.models[from].revision, self.family.models[to].revision
        );
        let path = format!("{name}.rs");
        let starts_path = |names: &[&str]| -> Vec<syn::Ident> {
            let used = names.iter().filter(|name| starts_path(&tables, name));
            used.map(|name| format_ident!("{name}")).collect()
        };
        let mut names = vec![format_ident!("self")];
        names.extend(starts_path(&["ConvertError"]));
        if names.len() == 1 && tables.contains("<_, ConvertError>") {
            names.push(format_ident!("ConvertError"));
        }
        let plain = starts_path(&["Map", "Number", "Object", "Value", "codec"]);
        let (codec, plain): (Vec<_>, Vec<_>) = plain.into_iter().partition(|name| name == "codec");
        let mut codec_names: Vec<TokenStream> = Vec::new();
        codec_names.extend(codec.iter().map(|_| quote! { self }));
        codec_names.extend(plain.iter().map(|name| quote! { #name }));
        let codec =
            (!codec_names.is_empty()).then(|| quote! { use #support::codec::{#(#codec_names),*}; });
        let start = print::print(&quote! {
            #![doc = #about]
            use super::super::{#new as new, #old as old};
            #codec
            use #support::convert::{#(#names),*};
        });
        let start = start.map_err(|source| EmitError::Source {
            file: path.clone(),
            source,
        })?;
        Ok(Some(checked(&path, start + &tables)?))
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
            open: RefCell::default(),
            steps: Cell::default(),
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
    fn generate(&mut self) -> Result<Vec<String>, EmitError> {
        loop {
            let mut changed = false;
            let mut items = Vec::new();
            for name in self.fails.keys().cloned().collect::<Vec<_>>() {
                let Some(target) = self.counterpart(&name) else {
                    continue;
                };
                let converted = self.definition(&name, &target)?;
                if converted.fails() && !self.fails[&name] {
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
    // Without it, the conversions would take three quarters of the time to build the crate of the types.
    fn item(&self, name: &str, target: &str, conversion: &Conversion) -> String {
        let (from, to) = (
            inline(&self.path(true, name)),
            inline(&self.path(false, target)),
        );
        let features = self.source().get(name).map(|def| &def.features);
        let cfg = features.and_then(|features| cfg(features));
        let mut table = Table::new(match conversion {
            Conversion::Object(_) => "convert::object_conversion",
            Conversion::Union(_) => "convert::union_conversion",
            Conversion::Value(_) => "convert::conversion",
        });
        table.condition(cfg.as_ref());
        let how = if conversion.fails() {
            "TryFrom"
        } else {
            "From"
        };
        let head = format!("{how}(from: {from}) -> {to}");
        match conversion {
            Conversion::Object(object) => object.rows(&head, &mut table),
            Conversion::Union(union) => union.rows(&head, self.target(), &mut table),
            Conversion::Value(value) => {
                table.line(&format!("{head};"));
                table.line(&inline(&value.tokens));
            }
        }
        table.finish()
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

    fn definition(&self, name: &str, target: &str) -> Result<Conversion, EmitError> {
        let (Some(def), Some(target)) = (
            self.generated_def(self.from, name),
            self.generated_def(self.to, target),
        ) else {
            return Err(EmitError::Unsupported(format!(
                "{name} or {target} is not a type"
            )));
        };
        match (&def.kind, &target.kind) {
            (Kind::Object(a), Kind::Object(b)) => {
                Ok(Conversion::Object(self.object(def, a, target, b)?))
            }
            (Kind::Enum(a), Kind::Enum(b)) => Ok(Conversion::Value(self.string_enum(
                (name, a),
                (&target.name, b),
                &quote! { from },
            ))),
            _ => {
                let to = Ty::Named(target.name.clone());
                let converted = match def.kind {
                    Kind::Union(ref union) => {
                        let variants = union.variants.len();
                        if let Some(union) = self.search(variants, || self.union(name, &to)) {
                            return Ok(Conversion::Union(union));
                        }
                        None
                    }
                    _ => self.search(1, || {
                        let from = Ty::Named(name.to_owned());
                        self.convert_to_variant(&from, &to, &[], &quote! { from })
                    }),
                };
                Ok(Conversion::Value(converted.unwrap_or_else(|| {
                    self.add_loss(format!(
                        "`{name}` is an error unless it is valid in both revisions"
                    ));
                    through_json(&quote! { from })
                })))
            }
        }
    }

    fn add_loss(&self, text: String) {
        self.losses.borrow_mut().insert(text);
    }
}

/// Returns `true` if a text has a path that starts with a name.
fn starts_path(text: &str, name: &str) -> bool {
    let path = format!("{name}::");
    text.match_indices(&path).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        before.is_none_or(|c| !c.is_alphanumeric() && c != ':' && c != '_')
    })
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
