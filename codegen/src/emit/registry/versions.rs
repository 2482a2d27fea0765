//! Params and results of messages at every revision.

mod outcome;

use super::super::{EmitError, Emitter, cfg, used};
use super::{feature_name, revision_ident};
use crate::model::{Kind, MessageKind, Ty, type_ident};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use std::collections::{BTreeMap, BTreeSet};

impl Emitter<'_> {
    /// Generates the conversions of params and results at every revision.
    pub(super) fn versions(&self) -> Result<TokenStream, EmitError> {
        let mut steps = Vec::new();
        for older in 0..self.family.models.len().saturating_sub(1) {
            steps.push((
                self.fallibility(older, older + 1)?,
                self.fallibility(older + 1, older)?,
            ));
        }
        let mut items = Vec::new();
        let mut known = BTreeSet::new();
        for at in (0..self.family.models.len()).rev() {
            let model = &self.family.models[at];
            let mut names = BTreeSet::new();
            let mut results = BTreeSet::new();
            // Types used by messages that no newer revision has, although a newer revision has
            // the types.
            let mut last = BTreeSet::new();
            for message in &model.messages {
                let mut message_types = BTreeSet::new();
                if let Some((ty, _)) = &message.params {
                    message_types.extend(self.own_name(at, ty));
                }
                message_types.insert(message.name.clone());
                if let MessageKind::Request(ty) = &message.kind
                    && let Some(name) = self.own_name(at, ty)
                {
                    let plain = self.plain_outcome(at, &name).map(|plain| plain.result);
                    message_types.extend(plain.clone());
                    results.extend(plain);
                    results.insert(name.clone());
                    message_types.insert(name);
                }
                if self.is_last(at, &message.name) {
                    last.extend(message_types.clone());
                }
                names.extend(message_types);
            }
            let hinted = self.hints.versioned.iter();
            names.extend(hinted.filter(|name| model.get(name).is_some()).cloned());
            for name in names {
                let wanted = self.is_last(at, &name) || last.contains(&name);
                if wanted && known.insert(self.path_of(at, &name).to_string()) {
                    items.push(self.version(at, &name, &steps));
                    if results.contains(&name) {
                        items.push(self.completion(at, &name));
                    }
                }
            }
        }
        let items = quote! { #(#items)* };
        let error = used(&["ConvertError"], &items);
        let checks = self.revision_checks(&items);
        Ok(quote! {
            //! The params and results of each message, at every revision that declares them.
            #(use crate::convert::#error;)*
            use crate::json::{self, Writer};
            use crate::message::Outcome;
            use crate::revision::{VersionError, Versioned};
            use super::Revision;
            #items
            #checks
        })
    }

    /// Generates the check that rejects revisions that do not have a type or are not compiled.
    fn revision_checks(&self, items: &TokenStream) -> TokenStream {
        let mut oldest = TokenStream::new();
        for model in self.family.revisions().iter().rev() {
            let revision = revision_ident(&model.revision);
            oldest = if oldest.is_empty() {
                quote! { { Revision::#revision } }
            } else {
                let feature = feature_name(&model.revision);
                quote! {
                    if cfg!(feature = #feature) { Revision::#revision } else #oldest
                }
            };
        }
        let last = self.family.draft().map(|at| {
            let draft = revision_ident(&self.family.models[at].revision);
            quote! {
                /// The last revision that has the types of the newest one.
                #[cfg(feature = "draft")]
                const LAST: Revision = Revision::#draft;
                #[cfg(not(feature = "draft"))]
                const LAST: Revision = Revision::LATEST;
            }
        });
        let last = last.filter(|_| !used(&["LAST"], items).is_empty());
        quote! {
            #last

            /// The oldest revision whose feature is enabled.
            const OLDEST: Revision = #oldest;

            /// Returns an error for a revision that does not declare the type, or whose feature is disabled.
            fn check_revision(
                kind: &'static str,
                revision: Revision,
                oldest: Revision,
                newest: Revision,
            ) -> Result<(), VersionError> {
                if revision >= oldest.max(OLDEST) && revision <= newest {
                    Ok(())
                } else {
                    Err(VersionError::unmapped(kind, revision))
                }
            }
        }
    }

    /// Returns `true` if no newer revision has a definition. The draft does not count as newer: what it
    /// shares with the newest revision is a definition of that.
    fn is_last(&self, at: usize, name: &str) -> bool {
        if Some(at) == self.family.draft() {
            return self.below(at, name).is_none();
        }
        at == self.newest() || self.above(at, name).is_none()
    }

    /// Returns the name that a definition of a model has in the draft, if the model is the newest
    /// revision and the draft has the definition.
    fn drafted(&self, at: usize, name: &str) -> Option<(usize, String)> {
        let draft = self.family.draft().filter(|draft| at + 1 == *draft)?;
        Some((draft, self.above(at, name)?))
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

    fn version(&self, at: usize, name: &str, steps: &[Steps]) -> TokenStream {
        if let Some(plain) = self.plain_outcome(at, name) {
            return self.outcome(at, name, &plain, steps);
        }
        let model = &self.family.models[at];
        let features = model
            .get(name)
            .map(|def| def.features.clone())
            .unwrap_or_default();
        let (cfg_type, cfg_revision) = (cfg(&features), self.revision_cfg(at));
        let own = self.path_of(at, name);
        let chain = self.chain(at, name);
        let decode_body = self.decode_body(name, &chain, steps);
        let encode_body = self.encode_body(name, &chain, steps);
        quote! {
            #cfg_revision
            #cfg_type
            impl Versioned for #own {
                #[inline]
                fn decode_at(revision: Revision, text: &str) -> Result<Self, VersionError> {
                    #decode_body
                }
                #[inline]
                fn write_at(self, revision: Revision, out: &mut Writer<'_>) -> Result<(), VersionError> {
                    #encode_body
                }
            }
        }
    }

    /// Generates the body that decodes a type at a revision: decodes the form of that revision and
    /// converts it step by step.
    fn decode_body(&self, name: &str, chain: &[(usize, String)], steps: &[Steps]) -> TokenStream {
        let mut body = quote! { json::from_str(text)? };
        for pair in chain.windows(2).rev() {
            let [(upper, above), (level, current)] = pair else {
                continue;
            };
            let (high, low) = (self.path_of(*upper, above), self.path_of(*level, current));
            // Revisions that share the type need no step.
            if high.to_string() == low.to_string() {
                continue;
            }
            let (cfg, step) = (
                self.revision_cfg(*level),
                step(&high, steps[*level].0.get(current)),
            );
            let revision = revision_ident(&self.family.models[*level].revision);
            body = quote! {
                match revision {
                    #cfg
                    older if older <= Revision::#revision => {
                        let value: #low = #body;
                        #step
                    }
                    _ => json::from_str(text)?,
                }
            };
        }
        let check = self.revision_check(name, chain);
        let draft = self.draft_step(chain).map(|draft| {
            let fails = steps.last().and_then(|(_, down)| down.get(&draft.name));
            let (path, revision, step) = (&draft.path, &draft.revision, step(&draft.own, fails));
            quote! {
                #[cfg(feature = "draft")]
                if revision == Revision::#revision {
                    let value: #path = json::from_str(text)?;
                    return Ok(#step);
                }
            }
        });
        quote! {
            #check
            #draft
            Ok(#body)
        }
    }

    /// Returns the step between the newest revision and the draft, if a chain begins with the newest
    /// revision and the draft has another type.
    fn draft_step(&self, chain: &[(usize, String)]) -> Option<DraftStep> {
        let (at, name) = chain.first()?;
        let (draft, other) = self.drafted(*at, name)?;
        let (own, path) = (self.path_of(*at, name), self.path_of(draft, &other));
        if own.to_string() == path.to_string() {
            return None;
        }
        Some(DraftStep {
            own,
            name: other,
            path,
            revision: revision_ident(&self.family.models[draft].revision),
        })
    }

    /// Generates the check that rejects revisions that do not have a type.
    fn revision_check(&self, name: &str, chain: &[(usize, String)]) -> TokenStream {
        let ends = [chain.last(), chain.first()].into_iter().flatten();
        let mut ends: Vec<TokenStream> = ends
            .map(|(level, _)| {
                let revision = revision_ident(&self.family.models[*level].revision);
                quote! { Revision::#revision }
            })
            .collect();
        let first = chain.first();
        if let Some(newest) = ends.last_mut()
            && first.is_some_and(|(at, name)| self.drafted(*at, name).is_some())
        {
            *newest = quote! { LAST };
        }
        quote! { check_revision(#name, revision, #(#ends),*)?; }
    }

    /// Generates the body that encodes a type at a revision: converts it step by step to the form
    /// of that revision.
    fn encode_body(&self, name: &str, chain: &[(usize, String)], steps: &[Steps]) -> TokenStream {
        let mut body = TokenStream::new();
        if let Some(draft) = self.draft_step(chain) {
            let (up, first) = (steps.last().map(|(up, _)| up), chain.first());
            let fails = first.and_then(|(_, name)| up?.get(name));
            let (revision, step) = (&draft.revision, step(&draft.path, fails));
            body.extend(quote! {
                #[cfg(feature = "draft")]
                if revision == Revision::#revision {
                    return Ok(out.write(&#step)?);
                }
            });
        }
        for (depth, (level, current)) in chain.iter().enumerate() {
            let high = depth.checked_sub(1).and_then(|before| chain.get(before));
            if let Some((upper, above)) = high {
                let low = self.path_of(*level, current);
                // Revisions that share the type need no step.
                if self.path_of(*upper, above).to_string() != low.to_string() {
                    let cfg = self.revision_cfg(*level);
                    let own = revision_ident(&self.family.models[*upper].revision);
                    let step = step(&low, steps[*level].1.get(above));
                    body.extend(quote! {
                        #cfg
                        if revision >= Revision::#own {
                            return Ok(out.write(&value)?);
                        }
                        #cfg
                        let value = #step;
                    });
                }
            }
        }
        let check = self.revision_check(name, chain);
        quote! {
            #check
            let value = self;
            #body
            Ok(out.write(&value)?)
        }
    }

    /// Returns the forms of a type from a revision to older ones. A type of the draft is one that no
    /// revision has.
    fn chain(&self, at: usize, name: &str) -> Vec<(usize, String)> {
        let mut chain = vec![(at, name.to_owned())];
        while let Some((level, current)) = chain.last()
            && *level > 0
            && let Some(below) = self.below(*level, current)
        {
            chain.push((level - 1, below));
        }
        chain
    }

    /// Returns the path of the Rust type for a name of a revision.
    fn path_of(&self, at: usize, name: &str) -> TokenStream {
        let home = self.family.home(at, name);
        let (module, ident) = (
            format_ident!("{}", self.modules[home]),
            format_ident!("{}", type_ident(name)),
        );
        quote! { super::#module::#ident }
    }
}

/// The step between a type of the newest revision and that of the draft.
struct DraftStep {
    /// The path of the newest revision's type.
    own: TokenStream,
    /// The name and the path of the draft's type.
    name: String,
    path: TokenStream,
    /// The identifier of the draft.
    revision: syn::Ident,
}

/// The conversions between a revision and the next one, to newer and to older types, and whether
/// they can fail.
type Steps = (BTreeMap<String, bool>, BTreeMap<String, bool>);

fn step(target: &TokenStream, fails: Option<&bool>) -> TokenStream {
    if fails == Some(&false) {
        quote! { #target::from(value) }
    } else {
        quote! { #target::try_from(value)? }
    }
}
