//! The table of all items of the schema, with the revisions that have them.

use super::super::Emitter;
use crate::model::{Family, Kind, Model};
use proc_macro2::TokenStream;
use quote::quote;
use std::collections::BTreeMap;

impl Emitter<'_> {
    /// Generates the table: types, members, values of enumerations and methods, sorted by name. Each
    /// has a bit for every revision, the lowest for the oldest one.
    pub(super) fn items(&self) -> TokenStream {
        let rows = self
            .lifetimes
            .iter()
            .map(|(name, revisions)| quote! { (#name, #revisions) });
        quote! {
            //! All items of the schema, and the revisions that have them.
            /// The names of types, of members (`Type.member`), of values (`Type=value`) and of methods,
            /// sorted, each with a bit for every revision: the lowest for the oldest one.
            pub(crate) static ITEMS: &[(&str, u32)] = &[#(#rows),*];
        }
    }
}

/// Returns all items with a bit for each revision that has them. The additions of proposals are left
/// out.
pub(in crate::emit) fn lifetimes(family: &Family) -> BTreeMap<String, u32> {
    let mut items = BTreeMap::new();
    for (at, model) in family.models.iter().enumerate() {
        for name in names(model) {
            *items.entry(name).or_default() |= 1 << at;
        }
    }
    items
}

/// Returns the names of all items of a revision.
fn names(model: &Model) -> Vec<String> {
    let mut names = Vec::new();
    for def in model.types.iter().filter(|def| def.features.is_empty()) {
        names.push(def.name.clone());
        match &def.kind {
            Kind::Object(object) => {
                let members = object.members.iter();
                let members = members.filter(|member| member.features.is_empty());
                names.extend(members.map(|member| format!("{}.{}", def.name, member.json)));
            }
            Kind::Enum(known) => {
                let values = known.values.iter();
                names.extend(values.map(|(value, _)| format!("{}={value}", def.name)));
            }
            _ => {}
        }
    }
    let own = |name: &str| model.get(name).is_some_and(|def| def.features.is_empty());
    let messages = model.messages.iter();
    let messages = messages.filter(|message| own(&message.name));
    names.extend(messages.map(|message| message.method.clone()));
    names
}
