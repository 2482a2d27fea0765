//! What the server declared about subscriptions.

use crate::protocol::core::Core;

/// Returns `true` if the server declared that it announces changes of the list of resources.
#[cfg(feature = "proposals")]
pub(crate) fn lists_change(core: &Core) -> bool {
    let resources = core.capabilities().resources.as_ref();
    resources.is_some_and(|resources| resources.list_changed == Some(true))
}

/// Returns `true` if the server declared that it announces changes of single resources.
pub(crate) fn can_subscribe(core: &Core) -> bool {
    let resources = core.capabilities().resources.as_ref();
    resources.is_some_and(|resources| resources.subscribe == Some(true))
}
