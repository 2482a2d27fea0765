//! How proposals are announced: under their names in `capabilities.experimental`; and the error code
//! that one of them needs.

use crate::json::{Map, Object};
use crate::{JsonObject, Proposal};

/// The error code of "Not Modified": what `resources/get` is answered with where the version that the
/// client has is the current one. `data` has the resource's `uri` and `version`.
///
/// The proposal names the error and gives it no number. The specification asks for new codes to be
/// outside what JSON-RPC reserves, -32768 to -32000; this one is the HTTP status that means the
/// same.
#[cfg(feature = "versioned-resources")]
pub const NOT_MODIFIED: i64 = 304;

/// The `experimental` of capabilities, of either side.
type Experimental = Option<Map<JsonObject>>;

impl Proposal {
    /// Announces the proposal. What stands under its name already is left as it is.
    pub fn announce(self, experimental: &mut Experimental) {
        let announced = experimental.get_or_insert_default();
        if !announced.contains_key(self.as_str()) {
            announced.insert(self.as_str(), Object::new());
        }
    }

    /// Takes the announcement back, for a peer of an older revision; nothing stays behind that
    /// was not there before [`announce`](Self::announce).
    pub fn withdraw(self, experimental: &mut Experimental) {
        if let Some(announced) = experimental {
            announced.remove(self.as_str());
        }
        if experimental.as_ref().is_some_and(Map::is_empty) {
            *experimental = None;
        }
    }

    /// Whether a side announces the proposal.
    #[must_use]
    pub fn is_announced(self, experimental: &Experimental) -> bool {
        let announced = experimental.as_ref();
        announced.is_some_and(|announced| announced.contains_key(self.as_str()))
    }
}
