//! [`Versioned`]: contents together with the version and other members of the resource.

use mcp_types::json::Object;
use mcp_types::uri::is_equivalent;
use mcp_types::{AnyResourceContents, Resource, ResourceType};

use crate::features::resources::contents::IntoContents;
use crate::proposals::metadata::describe::for_definitions;
use crate::proposals::metadata::metadata_view::read_metadata;
use crate::protocol::error::handler_error::HandlerError;

/// Contents and the version of the resource, by the proposal `versioned-resources`: the result of a
/// handler that reads both in one step, so that they belong together. The resource needs no handler
/// that [describes](crate::ResourceDef::describe) it, unless lists and metadata must contain the
/// version without the contents.
///
/// Without a version, one is derived from the contents.
///
/// ```
/// use mcp_server::{HandlerError, ResourceDef, Versioned};
///
/// /// A row of a database.
/// struct Row {
///     text: String,
///     revision: u64,
/// }
///
/// async fn select() -> Result<Row, HandlerError> {
///     Ok(Row { text: "Hello".into(), revision: 7 })
/// }
///
/// let greeting = ResourceDef::new("db://greeting", "greeting").handler(async || {
///     let row = select().await?;
///     Ok::<_, HandlerError>(Versioned::new(row.text, row.revision.to_string()).kind("row"))
/// });
/// # drop(greeting);
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Versioned<C> {
    contents: C,
    /// The members that the handler sets, without URI and name.
    resource: Resource,
}

impl<C: IntoContents> Versioned<C> {
    /// Combines contents with the version of the resource. Versions are compared for equality only.
    pub fn new(contents: C, version: impl Into<String>) -> Self {
        Self {
            contents,
            resource: Resource::new("", "").version(version),
        }
    }

    /// Sets the kind of the resource.
    pub fn kind(mut self, kind: impl Into<String>) -> Self {
        self.resource.kind = Some(kind.into());
        self
    }

    /// Sets metadata with any members.
    pub fn metadata(mut self, metadata: impl Into<Object>) -> Self {
        self.resource.metadata = Some(metadata.into());
        self
    }

    /// Sets the type of the resource, by SEP-2093.
    pub fn resource_type(mut self, resource_type: ResourceType) -> Self {
        self.resource.resource_type = Some(resource_type);
        self
    }
}

/// Sets the members of all contents with the requested URI. Members that the contents have already
/// stay.
impl<C: IntoContents> IntoContents for Versioned<C> {
    const IS_SINGLE: bool = C::IS_SINGLE;

    fn into_contents(
        self,
        uri: &str,
        mime_type: Option<&str>,
    ) -> Result<Vec<AnyResourceContents>, HandlerError> {
        let mut contents = self.contents.into_contents(uri, mime_type)?;
        let own = contents
            .iter_mut()
            .filter(|own| is_equivalent(own.uri(), uri));
        for mut view in own.filter_map(read_metadata) {
            view.fill_version(&self.resource);
        }
        Ok(contents)
    }
}

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
