//! [`Change`], and [`Announced`]: a change with the params of its notification.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// A change that peers can subscribe to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Change {
    /// The list of tools changed.
    Tools,
    /// The list of prompts changed.
    Prompts,
    /// The lists of resources and resource templates changed.
    Resources,
    /// The resource with this URI, or a part of it, changed.
    Resource(String),
}

/// A change, and what the params of its notification have beside it.
#[derive(Clone, Debug)]
pub(crate) struct Announced {
    pub(crate) change: Change,
    pub(crate) params: ChangeParams,
    /// `true` if the server does not know what changed, for example after a gap in the messages of
    /// other processes, and therefore announces all subscribed resources. This says nothing about any
    /// of them, so it is also sent to clients that may not read the resource.
    pub(crate) is_unknown: bool,
}

impl Announced {
    /// A change with these params.
    pub(crate) fn new(change: Change, params: ChangeParams) -> Self {
        Self {
            change,
            params,
            is_unknown: false,
        }
    }

    /// Returns the announcement for a client that may not read the resource; `None` if it must not be
    /// notified.
    pub(crate) fn for_everybody(self) -> Option<Self> {
        self.is_unknown.then_some(Self {
            params: None,
            ..self
        })
    }
}

/// Members of params, such as `_meta`: the text of an object, which all subscribers share.
pub(crate) type ChangeParams = Option<Arc<RawValue>>;

impl From<Change> for Announced {
    fn from(change: Change) -> Self {
        Self::new(change, None)
    }
}

/// Adds a change to those that wait. A change that already waits gets the params of the newest
/// announcement that has any.
///
/// Returns the former entry, if there was one.
pub(crate) fn add_pending(
    pending: &mut BTreeMap<Change, ChangeParams>,
    change: Change,
    params: ChangeParams,
) -> Option<ChangeParams> {
    match pending.entry(change) {
        Entry::Vacant(entry) => {
            entry.insert(params);
            None
        }
        Entry::Occupied(mut entry) if params.is_some() => Some(entry.insert(params)),
        Entry::Occupied(entry) => Some(entry.get().clone()),
    }
}

/// Returns the size of params in bytes.
pub(crate) fn params_bytes(params: &ChangeParams) -> usize {
    params.as_ref().map_or(0, |params| params.get().len())
}
