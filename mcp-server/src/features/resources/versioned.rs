//! [`Versioned`]: contents together with what else the handler knows of the resource.

use mcp_types::AnyResourceContents;
#[cfg(feature = "sep-2093")]
use mcp_types::ResourceType;
use mcp_types::json::Object;

use crate::features::resources::contents::IntoContents;
use crate::protocol::handler_error::HandlerError;

/// Contents and the version of the resource, by the proposal `versioned-resources`: the result of a
/// handler that reads both in one step, so that they belong together. The resource needs no handler
/// that [describes](crate::ResourceDef::describe) it, unless lists and metadata have to tell the version
/// without the contents.
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
    version: String,
    kind: Option<String>,
    metadata: Option<Object>,
    #[cfg(feature = "sep-2093")]
    resource_type: Option<ResourceType>,
}

impl<C: IntoContents> Versioned<C> {
    /// Combines contents with the version of the resource. Versions are compared for equality only.
    pub fn new(contents: C, version: impl Into<String>) -> Self {
        Self {
            contents,
            version: version.into(),
            kind: None,
            metadata: None,
            #[cfg(feature = "sep-2093")]
            resource_type: None,
        }
    }

    /// Sets the kind of the resource.
    pub fn kind(mut self, kind: impl Into<String>) -> Self {
        self.kind = Some(kind.into());
        self
    }

    /// Sets metadata with any members.
    pub fn metadata(mut self, metadata: impl Into<Object>) -> Self {
        self.metadata = Some(metadata.into());
        self
    }

    /// Sets the type of the resource, by SEP-2093.
    #[cfg(feature = "sep-2093")]
    pub fn resource_type(mut self, resource_type: ResourceType) -> Self {
        self.resource_type = Some(resource_type);
        self
    }
}

/// Sets the members of all contents with the requested URI. Members that the contents have already
/// stay.
impl<C: IntoContents> IntoContents for Versioned<C> {
    fn into_contents(
        self,
        uri: &str,
        mime_type: Option<&str>,
    ) -> Result<Vec<AnyResourceContents>, HandlerError> {
        macro_rules! set {
            ($contents:ident: $($member:ident)*) => {
                $($contents.$member = $contents.$member.take().or_else(|| self.$member.clone());)*
            };
        }
        let mut contents = self.contents.into_contents(uri, mime_type)?;
        for own in contents.iter_mut().filter(|own| own.uri() == uri) {
            match own {
                AnyResourceContents::Text(text) => {
                    text.version.get_or_insert_with(|| self.version.clone());
                    set!(text: kind metadata);
                    #[cfg(feature = "sep-2093")]
                    set!(text: resource_type);
                }
                AnyResourceContents::Blob(blob) => {
                    blob.version.get_or_insert_with(|| self.version.clone());
                    set!(blob: kind metadata);
                    #[cfg(feature = "sep-2093")]
                    set!(blob: resource_type);
                }
                _ => {}
            }
        }
        Ok(contents)
    }
}
