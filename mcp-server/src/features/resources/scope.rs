//! [`Scope`]: the params of `resources/list` other than the cursor.

use std::num::NonZeroUsize;

use mcp_types::json::Map;

use crate::features::catalog::Definition;
use crate::features::resources::definition::ResourceDef;
use crate::features::resources::listed::ListAt;

/// Which resources are listed: all of them, unless a proposal selects some. Cursors are bound to
/// it.
#[derive(Default)]
pub(crate) struct Scope {
    /// The collection whose members are listed (SEP-2093).
    pub(crate) collection: Option<String>,
    /// The filter (`versioned-resources`) in its canonical form.
    pub(crate) filter: Option<String>,
    #[cfg(feature = "proposals")]
    pub(crate) criteria: Option<crate::features::resources::listed::filter::ResourceFilter>,
}

impl Scope {
    /// Returns the params of a handler that lists.
    pub(crate) fn list_at(&self, after: Option<String>, size: Option<NonZeroUsize>) -> ListAt {
        ListAt {
            collection: self.collection.clone(),
            after,
            size,
            #[cfg(feature = "proposals")]
            filter: self.criteria.clone(),
            variables: Map::new(),
        }
    }

    /// Returns the bytes that a cursor of this list is bound to. Lengths separate the parts.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = ResourceDef::KIND.as_bytes().to_vec();
        for part in [&self.collection, &self.filter] {
            match part {
                None => bytes.push(0),
                Some(part) => {
                    bytes.push(1);
                    bytes.extend((part.len() as u64).to_be_bytes());
                    bytes.extend(part.as_bytes());
                }
            }
        }
        bytes
    }
}
