//! [`AreaItems`]: what is generated for the types of an area.

use super::cfg;
use super::scope::Item;
use proc_macro2::TokenStream;
use std::collections::BTreeSet;

/// The items of an area.
#[derive(Default)]
pub(super) struct AreaItems {
    pub(super) tokens: TokenStream,
    pub(super) codecs: String,
    /// The proposals that add the types; empty if one type is part of the schema itself.
    features: Option<BTreeSet<String>>,
}

impl AreaItems {
    pub(super) fn push(&mut self, features: &[String], item: &Item) {
        self.tokens.extend(item.definition.clone());
        if !item.codec.is_empty() {
            self.codecs.push('\n');
            self.codecs.push_str(&item.codec);
        }
        let known = self.features.take();
        self.features = Some(match known {
            Some(known) if known.is_empty() || features.is_empty() => BTreeSet::new(),
            known => {
                let mut known = known.unwrap_or_default();
                known.extend(features.iter().cloned());
                known
            }
        });
    }

    /// Returns the condition under which the area has types.
    pub(super) fn cfg(&self) -> Option<TokenStream> {
        let features = self.features.iter().flatten().cloned();
        cfg(&features.collect::<Vec<_>>())
    }
}
