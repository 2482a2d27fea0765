//! Connects the proposals with the features: [`RESOURCES`].

use crate::features::proposals::ResourceProposals;

/// The proposals that add to resources.
pub(crate) const RESOURCES: &[&dyn ResourceProposals] = &[
    &super::sep_2093::Annotations,
    &super::versioned_resources::Versions,
];
