//! [`Patch`]: the content of a file with additions.

use serde::Deserialize;
use serde_json::{Map, Value};

/// The additions of a proposal or an extension to a schema.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Patch {
    /// The name of the file, for messages.
    #[serde(skip)]
    pub file: String,
    /// The name, which is also the value of the marker.
    pub name: String,
    /// The identifier that peers announce, if it is not the name.
    pub identifier: Option<String>,
    /// The oldest revision to which the patch applies. It applies to all newer ones, too.
    pub since: String,
    /// `true` if peers of older revisions exchange its messages, too, in the same form.
    #[serde(default, rename = "anyRevision")]
    pub any_revision: bool,
    /// The title of the proposal or extension.
    pub title: String,
    /// The address of its description.
    pub source: String,
    /// New types.
    #[serde(default)]
    pub definitions: Map<String, Value>,
    /// New members of existing types. The key is the name of a type, or a pointer below the
    /// definitions without its first slash.
    #[serde(default)]
    pub members: Map<String, Value>,
    /// New variants of existing unions. The key has the form described for `members`; the value is
    /// a list of names of definitions.
    #[serde(default)]
    pub variants: Map<String, Value>,
}

impl Patch {
    /// Returns the Cargo feature of the additions: an extension, which has an identifier, has a
    /// feature of its name, and all proposals have one.
    #[must_use]
    pub fn feature(&self) -> &str {
        match self.identifier {
            Some(_) => &self.name,
            None => "proposals",
        }
    }
}
