//! [`SkillId`]: the identity of a skill.

use std::fmt;

use mcp_types::peer_text::PeerText;

/// The identity of a skill: the host's label of the server, and the URI of its `SKILL.md`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub struct SkillId {
    /// The label of the server.
    pub server: String,
    /// The URI of the `SKILL.md`.
    pub uri: String,
}

impl fmt::Display for SkillId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` of `{}`", PeerText(&self.uri), self.server)
    }
}
