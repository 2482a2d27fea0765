//! The table of the revisions that have each part of the schemas.

use super::{EmitError, Emitter};
use crate::model::MOST_REVISIONS;
use proc_macro2::{Literal, TokenStream};
use quote::quote;
use std::str::FromStr;

impl Emitter<'_> {
    /// Generates the table. Revisions whose Cargo feature is disabled are in it, too.
    pub(super) fn items(&self) -> Result<TokenStream, EmitError> {
        let count = self.family.models.len();
        if count > MOST_REVISIONS {
            return Err(EmitError::Unsupported(format!(
                "{count} revisions: the table of items has {MOST_REVISIONS} bits"
            )));
        }
        let rows = self.history.parts().map(|(name, presence)| {
            // One digit for each revision, the newest first.
            let mask = format!("0b{:0count$b}", presence.bits());
            Literal::from_str(&mask)
                .map(|mask| quote! { (#name, #mask) })
                .map_err(|error| EmitError::Unsupported(format!("{mask}: {error}")))
        });
        let rows = rows.collect::<Result<Vec<_>, _>>()?;
        Ok(quote! {
            //! The revisions that have each part of the schemas.
            /// The names in ascending order, and the revisions as bits. Bit 0 stands for the oldest
            /// revision, and the bit behind that of the newest one for the draft, if there is one.
            pub(crate) static ITEMS: &[(&str, u32)] = &[#(#rows),*];
        })
    }
}
