//! [`Emitter`]: what is generated, and from what.

use crate::hints::Hints;
use crate::lower::{LowerError, Lowered};
use crate::model::{DRAFT, Family, History};
use proc_macro2::TokenStream;
use quote::quote;
use std::collections::BTreeMap;

/// Generates the files of all modules.
pub struct Emitter<'a> {
    pub(super) family: &'a Family,
    pub(super) hints: &'a Hints,
    pub(super) history: History,
    /// The area of each type, by model.
    pub(super) areas: Vec<BTreeMap<String, String>>,
    /// The path of the module with the support code, relative to a file of types.
    pub(super) support: TokenStream,
    pub(super) lowered: Vec<Lowered>,
    /// The name of the module of each model.
    pub(super) modules: Vec<String>,
    /// `true` if the output is one module of another crate.
    pub(super) standalone: bool,
    /// `true` if the support code is a submodule of the output.
    pub(super) has_support: bool,
    pub(super) examples: Examples,
    pub(super) proposals: Vec<Proposal>,
    /// The features of extensions whose messages have the same form at every revision.
    pub(super) any_revision: Vec<String>,
}

/// An example of a type.
#[derive(Clone, Debug)]
pub struct Example {
    /// The value.
    pub value: serde_json::Value,
    /// `true` if the generator drew it from the schema, `false` if it is in `examples.json`.
    pub drawn: bool,
}

/// The examples by revision and type.
pub type Examples = BTreeMap<(String, String), Example>;

/// The errors of generating source files.
#[derive(Debug, thiserror::Error)]
pub enum EmitError {
    /// The lowering failed.
    #[error(transparent)]
    Lower(#[from] LowerError),
    /// A generated file is not valid Rust, which is a bug in the generator.
    #[error("{file}: the generated source does not parse")]
    Source {
        /// The file.
        file: String,
        /// The syntax error.
        #[source]
        source: syn::Error,
    },
    /// A type that the generator does not support.
    #[error("{0}")]
    Unsupported(String),
}

/// What the list says of a proposal.
pub(super) struct Proposal {
    pub(super) name: String,
    pub(super) title: String,
    /// The first revision that the proposal adds to.
    pub(super) since: String,
    /// The Cargo feature.
    pub(super) feature: String,
}

/// Returns the name of a revision's module.
#[must_use]
pub fn module_name(revision: &str) -> String {
    if revision == DRAFT {
        return revision.to_owned();
    }
    let plain: String = revision
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect();
    format!("v{plain}")
}

/// Returns the name of a revision's Cargo feature.
#[must_use]
pub fn feature_name(revision: &str) -> String {
    if revision == DRAFT {
        return revision.to_owned();
    }
    format!("v{revision}")
}

/// Returns the condition under which an item of a proposal exists.
pub(super) fn cfg(features: &[String]) -> Option<TokenStream> {
    match features {
        [] => None,
        [one] => Some(quote! { #[cfg(feature = #one)] }),
        several => Some(quote! { #[cfg(any(#(feature = #several),*))] }),
    }
}
