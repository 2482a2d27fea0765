//! Connects the proposals with the features: [`RESOURCES`].

use crate::features::proposals::ResourceProposals;

/// The enabled proposals that add to resources.
pub(crate) const RESOURCES: &[&dyn ResourceProposals] = &[
    #[cfg(feature = "sep-2093")]
    &super::sep_2093::Annotations,
    #[cfg(feature = "versioned-resources")]
    &super::versioned_resources::Versions,
];
