//! [`ResourceDef`]: the definition of one resource.

use std::borrow::Cow;
use std::time::Duration;

use mcp_types::uri::canonical;
use mcp_types::{Annotations, CacheScope, ListResourcesResult, Resource};

use super::described::described;
use super::handlers::{self, ListHandler, ReadHandler, ReadParams};
use crate::features::access::{Access, access_getters, access_setters};
use crate::features::catalog::{CacheHints, Definition, list_item};
use crate::features::definition_error::{DefinitionError, check_icons};
use crate::features::resources::contents::FixedContents;
use crate::features::resources::contents::body::{IntoBody, ResourceBody};
use crate::protocol::changes::Change;
use crate::protocol::handler::requirements::HandlerSubject;
use crate::protocol::handler::{Handler, NoArguments};
use crate::util::uri_syntax;

/// The definition of a resource with all its properties.
///
/// ```
/// use std::time::Duration;
///
/// use mcp_server::types::{Annotations, CacheScope, Icon, Role};
/// use mcp_server::{ResourceDef, Server};
///
/// let logo = ResourceDef::bytes("demo://logo", "logo", *b"\x89PNG...")
///     .title("Logo")
///     .mime_type("image/png")
///     .annotations(Annotations::new().audience([Role::User]))
///     .icon(Icon::new("https://example.com/icon.png"))
///     .cache(Duration::from_secs(3600), CacheScope::Public);
/// let server = Server::builder("demo", "1.0.0").add_resource(logo).build()?;
/// # drop(server);
/// # Ok::<(), mcp_server::BuildErrors>(())
/// ```
#[must_use = "a definition does nothing until it is added"]
pub struct ResourceDef {
    pub(crate) resource: Resource,
    pub(crate) hints: CacheHints,
    pub(crate) access: Access,
    pub(crate) reader: Option<ReadHandler>,
    pub(crate) lister: Option<ListHandler>,
    /// The contents, if they are part of the definition.
    pub(crate) fixed: Option<FixedContents>,
    pub(crate) error: Option<DefinitionError>,
    /// What proposals store.
    #[cfg(feature = "proposals")]
    pub(crate) extras: crate::util::lazy_type_map::LazyTypeMap,
}

impl ResourceDef {
    /// Creates the definition of a resource. It needs a [handler](Self::handler).
    ///
    /// Requests for equivalent URIs get this resource, which is listed with the
    /// [canonical](mcp_types::uri::canonical) one: spaces and letters outside of ASCII are
    /// percent-encoded. Other text that is not a URI is rejected when the server is built.
    pub fn new(uri: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            resource: Resource::new(uri, name),
            hints: CacheHints::default(),
            access: Access::default(),
            reader: None,
            lister: None,
            fixed: None,
            error: None,
            #[cfg(feature = "proposals")]
            extras: crate::util::lazy_type_map::LazyTypeMap::default(),
        }
    }

    /// Creates the definition of a resource with this text as its contents. Sets the size.
    pub fn text(uri: impl Into<String>, name: impl Into<String>, text: impl Into<String>) -> Self {
        Self::new(uri, name).fixed(FixedContents::Text(text.into().into()))
    }

    /// Creates the definition of a resource with these bytes as its contents. Sets the size.
    pub fn bytes(
        uri: impl Into<String>,
        name: impl Into<String>,
        bytes: impl Into<Vec<u8>>,
    ) -> Self {
        Self::new(uri, name).fixed(FixedContents::Bytes(bytes.into().into()))
    }

    described!(resource);
    access_setters!();

    /// Sets the size in bytes.
    pub fn size(mut self, bytes: u64) -> Self {
        self.resource.size = i64::try_from(bytes).ok();
        self
    }

    /// Sets the [handler](Handler) that reads the resource: an async function of extractors, such
    /// as [`ResourceUri`](crate::ResourceUri). A collection, which has a handler that lists its
    /// members, needs none: reading it then returns no contents.
    pub fn handler<M, H>(mut self, handler: H) -> Self
    where
        H: Handler<NoArguments, M>,
        H::Output: IntoBody + 'static,
    {
        self.access.require(&handler);
        self.reader = Some(handlers::reader(handler, |_, _| Ok(NoArguments)));
        self.fixed = None;
        self
    }

    /// Sets the contents and their size.
    fn fixed(self, fixed: FixedContents) -> Self {
        let mut this = self.size(fixed.as_bytes().len() as u64);
        let contents = fixed.clone();
        this.fixed = Some(fixed);
        this.reader = Some(ReadHandler {
            read: Box::new(move |params: ReadParams, _, _| {
                let contents = contents.contents(&params.uri, params.mime_type.as_deref());
                let body = ResourceBody::Contents(vec![contents]);
                Ok(Box::pin(std::future::ready(Ok(body))))
            }),
            is_single: true,
        });
        this
    }

    /// Returns `true` if clients that have the contents of another definition of this resource have
    /// to read it again. The contents that handlers make are not compared.
    fn has_other_contents(&self, other: &Self) -> bool {
        #[cfg(feature = "proposals")]
        if self.resource.version != other.resource.version {
            return true;
        }
        let is_fixed = self.fixed.is_some() || other.fixed.is_some();
        let other_type = self.resource.mime_type != other.resource.mime_type;
        is_fixed && (other_type || self.fixed != other.fixed)
    }
}

impl Definition for ResourceDef {
    const KIND: &'static str = "resource";
    const SUBJECT: HandlerSubject = HandlerSubject::Resource;

    fn key(&self) -> &str {
        &self.resource.uri
    }

    fn canonical_key(key: &str) -> Cow<'_, str> {
        canonical(key)
    }

    fn check(&mut self) -> Result<(), DefinitionError> {
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        if self.reader.is_none() && self.lister.is_none() {
            return Err("the resource has no handler".into());
        }
        uri_syntax::check(&self.resource.uri).map_err(|error| error.to_string())?;
        self.resource.uri = canonical(&self.resource.uri).into_owned();
        check_icons(self.resource.icons.as_ref())?;
        #[cfg(feature = "proposals")]
        if self.resource.resource_type.is_none() {
            self.resource.resource_type = match (&self.lister, &self.fixed) {
                (Some(_), _) => Some(mcp_types::ResourceType::Collection),
                (None, Some(_)) => Some(mcp_types::ResourceType::Document),
                (None, None) => None,
            };
        }
        Ok(())
    }

    fn change() -> Change {
        Change::Resources
    }

    fn content_change(&self, replaced: Option<&Self>) -> Option<Change> {
        let changed = replaced.is_none_or(|replaced| self.has_other_contents(replaced));
        changed.then(|| Change::Resource(self.resource.uri.clone()))
    }

    fn has_uri(&self, uri: &str) -> bool {
        self.resource.uri == uri
    }

    access_getters!();
}

list_item!(ResourceDef, resource: Resource, ListResourcesResult);
