//! The list of the names of members.

use std::collections::BTreeSet;

use quote::quote;

use super::{EmitError, Emitter, File, file};
use crate::model::Kind;

impl Emitter<'_> {
    /// Generates the list of all names of members that types of any revision declare.
    ///
    /// # Errors
    ///
    /// Returns an error if the generated file does not parse, which is a bug in the generator.
    pub fn names(&self) -> Result<File, EmitError> {
        let types = self.family.models.iter().flat_map(|model| &model.types);
        let objects = types.filter_map(|def| match &def.kind {
            Kind::Object(object) => Some(object),
            _ => None,
        });
        let names: BTreeSet<&String> = objects
            .flat_map(|object| object.members.iter().map(|member| &member.json))
            .collect();
        let names = names.into_iter();
        file(
            "json/names/declared.rs",
            &quote! {
                //! The names of the members that types declare.
                /// The names in ascending order. Those of proposals are in it, too.
                pub(super) const DECLARED: &[&str] = &[#(#names),*];
            },
        )
    }
}
