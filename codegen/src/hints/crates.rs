//! The crates for which sources are generated.

use serde::Deserialize;
use std::collections::BTreeMap;

/// The names of crates and modules in generated sources.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub struct Crates {
    /// The crate of the types, as other crates and examples refer to it.
    pub types: String,
    /// The client whose methods are generated.
    pub client: Client,
}

/// A client with a method for each request.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub struct Client {
    /// The file of the methods, relative to the sources of its crate.
    pub file: String,
    /// What the file imports, as in `use`.
    pub imports: Vec<String>,
    /// Required members of params that the client sets itself, each with the method of the client
    /// that returns its value.
    pub supplied: BTreeMap<String, String>,
}

impl Default for Crates {
    fn default() -> Self {
        Self {
            types: "crate".into(),
            client: Client::default(),
        }
    }
}
