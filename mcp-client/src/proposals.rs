//! Proposals on the newest revision, behind the Cargo feature `proposals`.

pub(crate) mod https_url;
mod sep_2093;
pub(crate) mod versioned_resources;

use crate::features::proposals::ResourceProposals;

/// The proposals that add to resources.
pub(crate) const RESOURCES: &[&dyn ResourceProposals] =
    &[&sep_2093::Annotations, &versioned_resources::Versions];
