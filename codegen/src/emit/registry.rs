//! What spans all revisions: the list of revisions, types by name, messages at any revision.

use super::convert::step_exists;
use super::{EmitError, Emitter, File, cfg, file, module_name, used};
use crate::model::{Kind, MessageKind, Model, Ty, type_ident};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use std::collections::{BTreeMap, BTreeSet};

impl Emitter<'_> {
    /// The files beside the modules of the revisions.
    ///
    /// # Errors
    ///
    /// When a file does not parse, which is a fault of the generator.
    pub fn root(&self) -> Result<Vec<File>, EmitError> {
        Ok(vec![
            file("mod.rs", &self.revisions())?,
            file("registry.rs", &self.registry())?,
            file("versions.rs", &self.versions()?)?,
        ])
    }

    fn newest(&self) -> usize {
        self.family.models.len().saturating_sub(1)
    }

    /// The condition under which a revision is compiled: the newest always is.
    fn revision_cfg(&self, at: usize) -> Option<TokenStream> {
        (at != self.newest()).then(|| {
            let feature = feature_name(&self.family.models[at].revision);
            quote! { #[cfg(feature = #feature)] }
        })
    }

    fn revisions(&self) -> TokenStream {
        let modules = (0..=self.newest()).rev().map(|at| {
            let (cfg, module) = (self.revision_cfg(at), format_ident!("{}", self.modules[at]));
            quote! { #cfg pub mod #module; }
        });
        let texts: Vec<&String> = self
            .family
            .models
            .iter()
            .map(|model| &model.revision)
            .collect();
        let idents: Vec<syn::Ident> = self
            .family
            .models
            .iter()
            .map(|model| revision_ident(&model.revision))
            .collect();
        let latest = &idents[self.newest()];
        let docs = texts
            .iter()
            .map(|text| super::docs::lines(&format!("Revision {text}.")));
        quote! {
            //! The revisions of the specification, oldest to newest.
            #(#modules)*
            #[cfg(feature = "registry")]
            pub(crate) mod registry;
            mod versions;
            /// A revision of the specification. Older ones are smaller.
            #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
            #[non_exhaustive]
            pub enum Revision { #(#docs #idents,)* }
            impl Revision {
                /// All revisions, oldest first.
                pub const ALL: &'static [Self] = &[#(Self::#idents),*];
                /// The newest revision.
                pub const LATEST: Self = Self::#latest;
                /// The text that names the revision on the wire.
                #[must_use]
                pub fn as_str(self) -> &'static str {
                    match self { #(Self::#idents => #texts,)* }
                }
            }
        }
    }

    fn registry(&self) -> TokenStream {
        let tables = (0..=self.newest()).rev().map(|at| {
            let model = &self.family.models[at];
            let cfg = self.revision_cfg(at);
            let name = format_ident!("{}", self.modules[at].to_uppercase());
            let rows = model
                .types
                .iter()
                .map(|def| self.registry_row(at, model, &def.name));
            let about = super::docs::lines(&format!("Types of {}.", model.revision));
            quote! { #about #cfg static #name: &[Entry] = &[#(#rows),*]; }
        });
        let arms = (0..=self.newest()).map(|at| {
            let (cfg, revision) = (
                self.revision_cfg(at),
                revision_ident(&self.family.models[at].revision),
            );
            let name = format_ident!("{}", self.modules[at].to_uppercase());
            quote! { #cfg Revision::#revision => #name }
        });
        let modules = (0..=self.newest()).map(|at| {
            let (cfg, module) = (self.revision_cfg(at), format_ident!("{}", self.modules[at]));
            quote! { #cfg use super::#module; }
        });
        quote! {
            //! All types of all revisions by name.
            use crate::registry::Entry;
            use super::Revision;
            #(#modules)*
            /// The types of a revision; none if its feature is off.
            pub(crate) fn entries(revision: Revision) -> &'static [Entry] {
                match revision {
                    #(#arms,)*
                    #[allow(unreachable_patterns, reason = "unreachable with all features")]
                    _ => &[],
                }
            }
            #(#tables)*
        }
    }

    fn registry_row(&self, at: usize, model: &Model, name: &str) -> TokenStream {
        let Some(def) = model.get(name) else {
            return TokenStream::new();
        };
        let cfg = cfg(&def.features);
        let module = format_ident!("{}", self.modules[at]);
        let ident = format_ident!("{}", type_ident(name));
        let home = &self.family.models[self.family.home(at, name)].revision;
        let published = def.published && def.features.is_empty();
        let mut row = quote! { Entry::of::<#module::#ident>(#name, #home, #published) };
        if at < self.newest()
            && let Some(other) = self.above(at, name)
        {
            let above = format_ident!("{}", self.modules[at + 1]);
            let counterpart = format_ident!("{}", type_ident(&other));
            row = quote! { #row.next::<#module::#ident, #above::#counterpart>(#other) };
        }
        quote! { #cfg #row }
    }

    /// The type of the next revision that this one is converted to.
    pub(super) fn above(&self, at: usize, name: &str) -> Option<String> {
        let other = self.renamed(at, name);
        let (old, new) = (&self.family.models[at], &self.family.models[at + 1]);
        let target = new.get(&other)?;
        if !target.features.is_empty() || !old.get(name)?.features.is_empty() {
            return None;
        }
        step_exists(self, at, name, &other).then_some(other)
    }

    /// The type of the revision before that this one is converted to.
    pub(super) fn below(&self, at: usize, name: &str) -> Option<String> {
        let older = &self.family.models[at - 1];
        older
            .types
            .iter()
            .find(|def| {
                self.above(at - 1, &def.name)
                    .is_some_and(|other| other == name)
            })
            .map(|def| def.name.clone())
    }

    /// Parameters and results at every revision.
    fn versions(&self) -> Result<TokenStream, EmitError> {
        let mut steps = Vec::new();
        for older in 0..self.newest() {
            steps.push((
                self.fallible(older, older + 1)?,
                self.fallible(older + 1, older)?,
            ));
        }
        let mut items = Vec::new();
        for at in (0..=self.newest()).rev() {
            let model = &self.family.models[at];
            let mut names = BTreeSet::new();
            for message in &model.messages {
                if let Some((ty, _)) = &message.params {
                    names.extend(self.own_name(at, ty));
                }
                names.insert(message.name.clone());
                if let MessageKind::Request(ty) = &message.kind
                    && let Some(name) = self.own_name(at, ty)
                {
                    names.extend(self.plain_outcome(at, &name).map(|(_, result)| result));
                    names.insert(name);
                }
            }
            for name in names {
                let newest = at == self.newest() || self.above(at, &name).is_none();
                if newest {
                    items.push(self.version(at, &name, &steps));
                }
            }
        }
        let items = quote! { #(#items)* };
        let error = used(&["ConvertError"], &items);
        Ok(quote! {
            //! Parameters and results of messages at every revision that has them.
            #(use crate::convert::#error;)*
            use crate::json;
            use crate::revision::{VersionError, Versioned};
            use super::Revision;
            #items
        })
    }

    fn own_name(&self, at: usize, ty: &Ty) -> Option<String> {
        let model = &self.family.models[at];
        match model.resolve(ty) {
            Ty::Named(name) => {
                let def = model.get(name)?;
                matches!(def.kind, Kind::Object(_) | Kind::Union(_)).then(|| name.clone())
            }
            _ => None,
        }
    }

    /// The variant of a result that older revisions answer the same request with: where one of
    /// them knows a single outcome, a newer one may know several.
    fn plain_outcome(&self, at: usize, name: &str) -> Option<(String, String)> {
        let (model, older) = (
            &self.family.models[at],
            &self.family.models[at.checked_sub(1)?],
        );
        let Kind::Union(union) = &model.get(name)?.kind else {
            return None;
        };
        let result = |message: &crate::model::Message| match &message.kind {
            MessageKind::Request(ty) => Some(ty.clone()),
            MessageKind::Notification => None,
        };
        let answers = |ty: &Ty| self.own_name(at, ty).as_deref() == Some(name);
        let request = model
            .messages
            .iter()
            .find(|message| result(message).is_some_and(|ty| answers(&ty)))?;
        let before = older
            .messages
            .iter()
            .find(|message| message.name == request.name)?;
        let before = self.own_name(at - 1, &result(before)?)?;
        let above = self.above(at - 1, &before)?;
        union.variants.iter().find_map(|variant| {
            (variant.ty == Ty::Named(above.clone())).then(|| (variant.ident.clone(), above.clone()))
        })
    }

    /// A result with several outcomes: older revisions know the plain one.
    fn outcome(&self, at: usize, name: &str, variant: &str) -> TokenStream {
        let (own, cfg) = (self.path_of(at, name), self.revision_cfg(at));
        let revision = revision_ident(&self.family.models[at].revision);
        let variant_ident = format_ident!("{variant}");
        quote! {
            #cfg
            impl Versioned for #own {
                fn decode_at(revision: Revision, text: &str) -> Result<Self, VersionError> {
                    match revision {
                        Revision::#revision => Ok(json::from_str(text)?),
                        older => Versioned::decode_at(older, text).map(Self::#variant_ident),
                    }
                }
                fn encode_at(self, revision: Revision) -> Result<String, VersionError> {
                    match (revision, self) {
                        (Revision::#revision, outcome) => Ok(serde_json::to_string(&outcome)?),
                        (older, Self::#variant_ident(result)) => result.encode_at(older),
                        (older, _) => {
                            Err(ConvertError::no_variant(#name, "an outcome other than the plain one", older.as_str()).into())
                        }
                    }
                }
            }
        }
    }

    fn version(&self, at: usize, name: &str, steps: &[Steps]) -> TokenStream {
        if let Some((variant, _)) = self.plain_outcome(at, name) {
            return self.outcome(at, name, &variant);
        }
        let model = &self.family.models[at];
        let features = model
            .get(name)
            .map(|def| def.features.clone())
            .unwrap_or_default();
        let (cfg_type, cfg_revision) = (cfg(&features), self.revision_cfg(at));
        let own = self.path_of(at, name);
        let chain = self.chain(at, name, &features);
        let mut reads = Vec::new();
        let mut writes = Vec::new();
        let mut up: Vec<TokenStream> = Vec::new();
        let mut down: Vec<TokenStream> = Vec::new();
        let mut lowest = own.clone();
        for (depth, (level, current)) in chain.iter().enumerate() {
            if let Some((upper, above)) = depth.checked_sub(1).and_then(|before| chain.get(before))
            {
                let (high, low) = (self.path_of(*upper, above), self.path_of(*level, current));
                // Revisions that share the type need no step.
                if high.to_string() != low.to_string() {
                    let (rise, fall) = &steps[*level];
                    up.insert(0, step(&high, rise.get(current)));
                    down.push(step(&low, fall.get(above)));
                    lowest = low;
                }
            }
            let (cfg, revision) = (
                self.revision_cfg(*level),
                revision_ident(&self.family.models[*level].revision),
            );
            reads.push(if up.is_empty() {
                quote! { #cfg Revision::#revision => Ok(json::from_str(text)?), }
            } else {
                quote! {
                    #cfg
                    Revision::#revision => {
                        let value: #lowest = json::from_str(text)?;
                        #(#up)*
                        Ok(value)
                    }
                }
            });
            writes.push(if down.is_empty() {
                quote! { #cfg Revision::#revision => Ok(serde_json::to_string(&self)?), }
            } else {
                quote! {
                    #cfg
                    Revision::#revision => {
                        let value = self;
                        #(#down)*
                        Ok(serde_json::to_string(&value)?)
                    }
                }
            });
        }
        let complete = chain.len() == self.family.models.len();
        let rest = if complete {
            quote! {
                #[allow(unreachable_patterns, reason = "unreachable with all features")]
                other => Err(VersionError::unmapped(#name, other)),
            }
        } else {
            quote! { other => Err(VersionError::unmapped(#name, other)), }
        };
        quote! {
            #cfg_revision
            #cfg_type
            impl Versioned for #own {
                fn decode_at(revision: Revision, text: &str) -> Result<Self, VersionError> {
                    match revision { #(#reads)* #rest }
                }
                fn encode_at(self, revision: Revision) -> Result<String, VersionError> {
                    match revision { #(#writes)* #rest }
                }
            }
        }
    }

    /// The forms of a type from a revision downwards.
    fn chain(&self, at: usize, name: &str, features: &[String]) -> Vec<(usize, String)> {
        let mut chain = vec![(at, name.to_owned())];
        while let Some((level, current)) = chain.last()
            && *level > 0
            && features.is_empty()
            && let Some(below) = self.below(*level, current)
        {
            chain.push((level - 1, below));
        }
        chain
    }

    /// The path of the type that stands for a name of a revision.
    fn path_of(&self, at: usize, name: &str) -> TokenStream {
        let home = self.family.home(at, name);
        let (module, ident) = (
            format_ident!("{}", self.modules[home]),
            format_ident!("{}", type_ident(name)),
        );
        quote! { super::#module::#ident }
    }
}

/// The conversions between a revision and the next, up and down, and whether they can fail.
type Steps = (BTreeMap<String, bool>, BTreeMap<String, bool>);

fn step(target: &TokenStream, fails: Option<&bool>) -> TokenStream {
    if fails == Some(&false) {
        quote! { let value = #target::from(value); }
    } else {
        quote! { let value = #target::try_from(value)?; }
    }
}

fn revision_ident(revision: &str) -> syn::Ident {
    let name = module_name(revision);
    format_ident!("V{}", &name[1..])
}

/// The cargo feature of a revision.
#[must_use]
pub fn feature_name(revision: &str) -> String {
    format!("v{revision}")
}
