//! Params and results of messages at every revision.

mod outcome;

use super::super::feature_name;
use super::super::table::Table;
use super::super::{EmitError, Emitter, File, cfg, checked, print};
use super::revision_ident;
use crate::model::{Kind, MessageKind, Ty, type_ident};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use std::collections::{BTreeMap, BTreeSet};

impl Emitter<'_> {
    /// Generates the conversions of params and results at every revision.
    pub(super) fn versions(&self) -> Result<File, EmitError> {
        let mut steps = Vec::new();
        for older in 0..self.family.models.len().saturating_sub(1) {
            steps.push((
                self.fallibility(older, older + 1)?,
                self.fallibility(older + 1, older)?,
            ));
        }
        let mut tables = String::new();
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
                if wanted && known.insert(self.path_of(at, &name)) {
                    tables.push('\n');
                    tables.push_str(&self.version(at, &name, &steps));
                    if results.contains(&name) {
                        tables.push_str(&self.completion(at, &name));
                    }
                }
            }
        }
        let modules = (0..self.family.models.len()).rev();
        let modules = modules.filter(|at| tables.contains(&format!("{}::", self.modules[*at])));
        let modules = modules.map(|at| {
            let (cfg, module) = (self.revision_cfg(at), format_ident!("{}", self.modules[at]));
            quote! { #cfg use super::#module; }
        });
        let checks = self.revision_checks(tables.contains("LAST"));
        let support = &self.support;
        let start = print::print(&quote! {
            //! The params and results of each message, at every revision that declares them.
            use #support::revision::{VersionError, outcome, versioned};
            use super::Revision;
            #(#modules)*
            #checks
        });
        let start = start.map_err(|source| EmitError::Source {
            file: "versions.rs".into(),
            source,
        })?;
        checked("versions.rs", start + &tables)
    }

    /// Generates the check that rejects revisions that do not have a type or are not compiled.
    fn revision_checks(&self, uses_last: bool) -> TokenStream {
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
        let last = last.filter(|_| uses_last);
        quote! {
            #last

            /// The oldest revision whose feature is enabled.
            const OLDEST: Revision = #oldest;

            /// Returns an error for a revision that does not declare the type, or whose feature is
            /// disabled.
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

    /// Returns `true` if no newer revision has a definition. The draft does not count as newer:
    /// what it shares with the newest revision is a definition of that.
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

    /// Generates the table of the forms that a type has at older revisions.
    fn version(&self, at: usize, name: &str, steps: &[Steps]) -> String {
        let model = &self.family.models[at];
        let features = model.get(name).map(|def| def.features.as_slice());
        let mut chain = self.chain(at, name);
        let plain = self.plain_outcome(at, name);
        if let Some(plain) = &plain {
            chain.retain(|(level, _)| *level >= plain.since);
        }
        let mut table = Table::new("versioned");
        table.condition(self.revision_cfg(at).as_ref());
        table.condition(features.and_then(cfg).as_ref());
        let own = self.path_of(at, name);
        table.line(&format!("{own} = {name:?}, {};", self.range_of(&chain)));
        if let Some(plain) = plain {
            let since = revision_ident(&self.family.models[plain.since].revision);
            table.line(&format!("[before {since}: {}]", plain.variant));
        }
        if let Some(draft) = self.draft_step(&chain) {
            let (up, down) = (steps.last().map(|it| &it.0), steps.last().map(|it| &it.1));
            let first = chain.first().map(|(_, name)| name);
            let to = how(first.and_then(|name| up?.get(name)));
            let from = how(down.and_then(|down| down.get(&draft.name)));
            let (path, revision) = (&draft.path, &draft.revision);
            table.line(&format!("[draft {revision}: {path}, {from}, {to}]"));
        }
        // The forms at older revisions, newest first.
        for pair in chain.windows(2) {
            let [(upper, above), (level, current)] = pair else {
                continue;
            };
            let (high, low) = (self.path_of(*upper, above), self.path_of(*level, current));
            // Revisions that share the type need no step.
            if high == low {
                continue;
            }
            let revision = &self.family.models[*level].revision;
            let (from, to) = (
                how(steps[*level].0.get(current)),
                how(steps[*level].1.get(above)),
            );
            let (feature, revision) = (feature_name(revision), revision_ident(revision));
            table.line(&format!("{revision} {feature:?}: {low}, {from}, {to};"));
        }
        table.finish()
    }

    /// Returns the first and the last revision that have a type.
    fn range_of(&self, chain: &[(usize, String)]) -> String {
        let ends = [chain.last(), chain.first()].into_iter().flatten();
        let mut ends: Vec<String> = ends
            .map(|(level, _)| {
                let revision = revision_ident(&self.family.models[*level].revision);
                format!("Revision::{revision}")
            })
            .collect();
        let first = chain.first();
        if let (Some(oldest), Some((at, name))) = (ends.first_mut(), chain.last())
            && self.is_at_any_revision(*at, name)
        {
            let revision = revision_ident(&self.family.models[0].revision);
            *oldest = format!("Revision::{revision}");
        }
        if let Some(newest) = ends.last_mut()
            && first.is_some_and(|(at, name)| self.drafted(*at, name).is_some())
        {
            "LAST".clone_into(newest);
        }
        ends.join(", ")
    }

    /// Returns `true` if a type belongs to an extension whose messages have the same form at every
    /// revision, older ones than that of its definition included.
    fn is_at_any_revision(&self, at: usize, name: &str) -> bool {
        let def = self.family.models[at].get(name);
        def.is_some_and(|def| {
            let mut features = def.features.iter();
            features.any(|feature| self.any_revision.contains(feature))
        })
    }

    /// Returns the step between the newest revision and the draft, if a chain begins with the
    /// newest revision and the draft has another type.
    fn draft_step(&self, chain: &[(usize, String)]) -> Option<DraftStep> {
        let (at, name) = chain.first()?;
        let (draft, other) = self.drafted(*at, name)?;
        let (own, path) = (self.path_of(*at, name), self.path_of(draft, &other));
        if own == path {
            return None;
        }
        Some(DraftStep {
            name: other,
            path,
            revision: revision_ident(&self.family.models[draft].revision),
        })
    }

    /// Returns the forms of a type from a revision to older ones. A type of the draft is one that
    /// no revision has.
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
    fn path_of(&self, at: usize, name: &str) -> String {
        let home = self.family.home(at, name);
        format!("{}::{}", self.modules[home], type_ident(name))
    }
}

/// The step between a type of the newest revision and that of the draft.
struct DraftStep {
    /// The name and the path of the draft's type.
    name: String,
    path: String,
    /// The identifier of the draft.
    revision: syn::Ident,
}

/// The conversions between a revision and the next one, to newer and to older types, and whether
/// they can fail.
type Steps = (BTreeMap<String, bool>, BTreeMap<String, bool>);

/// Returns the function that converts, by whether the conversion can fail.
fn how(fails: Option<&bool>) -> &'static str {
    if fails == Some(&false) {
        "from"
    } else {
        "try_from"
    }
}
