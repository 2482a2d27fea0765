//! Announcement of proposals by their names in `capabilities.experimental`, and the error code that
//! one of them needs.

use crate::json::{Map, Object};
use crate::{JsonObject, Proposal, Revision};

/// The error code of "Not Modified": the response to `resources/get` if the client already has the
/// current version. `data` has the resource's `uri` and `version`.
///
/// The proposal defines the error without a number. The specification requires new codes to be
/// outside the range -32768 to -32000, which JSON-RPC reserves. This code is the HTTP status with
/// the same meaning.
#[cfg(feature = "proposals")]
pub const NOT_MODIFIED: i64 = 304;

/// The `experimental` member of the capabilities of either side.
type Experimental = Option<Map<JsonObject>>;

impl Proposal {
    /// Returns `true` if the proposal adds to a revision.
    #[must_use]
    pub fn extends(self, revision: Revision) -> bool {
        revision >= self.since()
    }

    /// Announces the proposal. An existing entry with its name is left unchanged.
    pub fn announce(self, experimental: &mut Experimental) {
        let announced = experimental.get_or_insert_default();
        if !announced.contains_key(self.as_str()) {
            announced.insert(self.as_str(), Object::new());
        }
    }

    /// Removes the announcement, for a peer of an older revision. Restores the state before
    /// [`announce`](Self::announce).
    pub fn withdraw(self, experimental: &mut Experimental) {
        if let Some(announced) = experimental {
            announced.remove(self.as_str());
        }
        if experimental.as_ref().is_some_and(Map::is_empty) {
            *experimental = None;
        }
    }

    /// Returns `true` if a side announces the proposal.
    #[must_use]
    pub fn is_announced(self, experimental: &Experimental) -> bool {
        let announced = experimental.as_ref();
        announced.is_some_and(|announced| announced.contains_key(self.as_str()))
    }
}
