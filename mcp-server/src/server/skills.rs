//! [`ServerBuilder::skills`].

use crate::extensions::skills::config::Skills;
use crate::server::builder::ServerBuilder;

impl ServerBuilder {
    /// Offers skills for agents, by the extension `io.modelcontextprotocol/skills`: those in a
    /// folder, or of another [source](crate::SkillSource). The server reads them again when they
    /// change, and announces the changes.
    ///
    /// ```no_run
    /// use mcp_server::Server;
    ///
    /// let server = Server::builder("docs", "1.0.0").skills("skills/").build()?;
    /// # drop(server);
    /// # Ok::<(), mcp_server::BuildErrors>(())
    /// ```
    pub fn skills(mut self, skills: impl Into<Skills>) -> Self {
        match skills.into().into_parts() {
            Ok(parts) => self
                .extension(parts.extension)
                .add_resource_template(parts.template),
            Err(error) => {
                self.registry.errors.push(error);
                self
            }
        }
    }
}
