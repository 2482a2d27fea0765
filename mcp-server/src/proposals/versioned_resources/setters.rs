//! The setters of definitions that `versioned-resources` adds.

use crate::proposals::metadata::describe::for_definitions;

for_definitions! {
    /// Sets the kind, a word or two, by the proposal `versioned-resources`.
    ///
    /// ```
    /// use mcp_server::ResourceDef;
    ///
    /// let users = ResourceDef::new("db://users", "users").kind("database_table");
    /// # drop(users);
    /// ```
    pub fn kind(mut self, kind: impl Into<String>) -> Self {
        self.resource.kind = Some(kind.into());
        self
    }

    /// Sets the version, which has to differ after each change of the contents, by the proposal
    /// `versioned-resources`. Set it in `describe` if the contents change while the server runs.
    ///
    /// ```
    /// use mcp_server::ResourceDef;
    ///
    /// let rules = ResourceDef::text("app://rules", "rules", "Be quiet.").version("2");
    /// # drop(rules);
    /// ```
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.resource.version = Some(version.into());
        self
    }

    /// Sets metadata with any members, by the proposal `versioned-resources`.
    ///
    /// ```
    /// use mcp_server::ResourceDef;
    /// use mcp_server::types::json::Object;
    ///
    /// let users = ResourceDef::new("db://users", "users")
    ///     .metadata(Object::from([("owner", "accounts")]));
    /// # drop(users);
    /// ```
    pub fn metadata(mut self, metadata: impl Into<mcp_types::json::Object>) -> Self {
        self.resource.metadata = Some(metadata.into());
        self
    }
}
