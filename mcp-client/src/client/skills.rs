//! [`Client::skills`].

use super::handle::Client;
use crate::extensions::skills::SkillsHost;

impl Client {
    /// Returns the skills of the server, by the extension `io.modelcontextprotocol/skills`. `server`
    /// is the host's own label of the server, which is part of the identity of its skills. Do not
    /// use the name by which the server introduces itself.
    #[must_use]
    pub fn skills(&self, server: impl Into<String>) -> SkillsHost {
        SkillsHost::new(self.shared.clone(), server.into())
    }
}
