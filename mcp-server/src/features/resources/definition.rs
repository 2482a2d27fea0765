//! [`ResourceDef`]: the definition of one resource.

use std::borrow::Cow;
use std::time::Duration;

use mcp_types::uri::canonical;
use mcp_types::{
    Annotations, CacheScope, Cursor, Icon, ListResourcesResult, MetaObject, Resource, Revision,
};

use super::defined::Defined;
use super::described::{defined, described};
#[cfg(feature = "https-url")]
use super::fixed_body::FixedBody;
use super::handlers;
#[cfg(feature = "_proposals")]
use super::handlers::DescribeHandler;
#[cfg(feature = "pagination")]
use super::handlers::ListHandler;
#[cfg(feature = "https-url")]
use super::handlers::PresignHandler;
use super::handlers::{ReadHandler, ReadParams};
use crate::features::access::{Access, access_setters};
use crate::features::catalog::{CacheHints, Definition, ListItem};
use crate::features::definition_error::{DefinitionError, check_icons};
use crate::features::resources::body::{IntoBody, ResourceBody};
#[cfg(feature = "versioned-resources")]
use crate::features::resources::content_version::FixedVersion;
use crate::features::resources::fixed_contents::FixedContents;
use crate::protocol::changes::Change;
#[cfg(feature = "_proposals")]
use crate::protocol::handler::IntoResult;
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
    resource: Resource,
    hints: CacheHints,
    access: Access,
    #[cfg(feature = "https-url")]
    http_url: bool,
    #[cfg(feature = "https-url")]
    public_http_cache: bool,
    #[cfg(feature = "https-url")]
    presign_on_request: bool,
    #[cfg(feature = "https-url")]
    presigner: Option<PresignHandler>,
    reader: Option<ReadHandler>,
    #[cfg(feature = "_proposals")]
    describer: Option<DescribeHandler>,
    /// `true` if the log has a warning of contents of other resources without a type.
    #[cfg(feature = "sep-2093")]
    untyped_warned: std::sync::atomic::AtomicBool,
    #[cfg(feature = "pagination")]
    lister: Option<ListHandler>,
    /// The contents, if they are part of the definition.
    fixed: Option<FixedContents>,
    #[cfg(feature = "versioned-resources")]
    fixed_version: Option<FixedVersion>,
    #[cfg(feature = "https-url")]
    fixed_body: Option<FixedBody>,
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
            #[cfg(feature = "https-url")]
            http_url: true,
            #[cfg(feature = "https-url")]
            public_http_cache: false,
            #[cfg(feature = "https-url")]
            presign_on_request: false,
            #[cfg(feature = "https-url")]
            presigner: None,
            reader: None,
            #[cfg(feature = "_proposals")]
            describer: None,
            #[cfg(feature = "sep-2093")]
            untyped_warned: std::sync::atomic::AtomicBool::default(),
            #[cfg(feature = "pagination")]
            lister: None,
            fixed: None,
            #[cfg(feature = "versioned-resources")]
            fixed_version: None,
            #[cfg(feature = "https-url")]
            fixed_body: None,
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

    described!(resource, resource);
    access_setters!();

    /// Sets the size in bytes.
    pub fn size(mut self, bytes: u64) -> Self {
        self.resource.size = i64::try_from(bytes).ok();
        self
    }

    /// Sets the [handler](Handler) that reads the resource: an async function of extractors, such as
    /// [`ResourceUri`](crate::ResourceUri). A collection, which has a handler that lists its members,
    /// needs none: reading it then returns no contents.
    pub fn handler<M, H>(mut self, handler: H) -> Self
    where
        H: Handler<NoArguments, M>,
        H::Output: IntoBody + 'static,
    {
        self.access.require(&handler);
        self.reader = Some(handlers::reader(handler, |_, _| Ok(NoArguments)));
        self.fixed = None;
        #[cfg(feature = "versioned-resources")]
        {
            self.fixed_version = None;
        }
        #[cfg(feature = "https-url")]
        {
            self.fixed_body = None;
        }
        self
    }

    /// Sets the contents and their size.
    fn fixed(self, fixed: FixedContents) -> Self {
        let mut this = self.size(fixed.as_bytes().len() as u64);
        #[cfg(feature = "versioned-resources")]
        {
            this.fixed_version = Some(FixedVersion::new(fixed.clone()));
        }
        #[cfg(feature = "https-url")]
        {
            this.fixed_body = Some(FixedBody::new(fixed.clone()));
        }
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
        #[cfg(feature = "versioned-resources")]
        if self.resource.version != other.resource.version {
            return true;
        }
        let is_fixed = self.fixed.is_some() || other.fixed.is_some();
        let other_type = self.resource.mime_type != other.resource.mime_type;
        is_fixed && (other_type || self.fixed != other.fixed)
    }

    /// Sets the handler that completes the description of the resource, for example with its size
    /// or the time of its last change: an async function of the [`Resource`] of the definition and of
    /// extractors. It cannot change the URI.
    ///
    /// It runs for `resources/metadata` of SEP-2093, for `resources/get` and notifications of changes
    /// of `versioned-resources`, for URLs and links of `https-url`, and under SEP-2093 also before
    /// `resources/read`. If the program opted into one of these proposals, it also runs for each
    /// resource of a list: for up to 16 of them at the same time, and for at most 5 seconds each.
    /// It does not run for resources that a handler lists as
    /// [complete](crate::ResourcePage::complete), nor in programs without these proposals.
    ///
    /// ```
    /// use mcp_server::types::Resource;
    /// use mcp_server::{HandlerError, ResourceDef};
    ///
    /// async fn describe(log: Resource) -> Result<Resource, HandlerError> {
    ///     let size = std::fs::metadata("app.log")?.len();
    ///     Ok(log.size(i64::try_from(size)?))
    /// }
    ///
    /// let log = ResourceDef::new("app://log", "log")
    ///     .handler(async || std::fs::read_to_string("app.log"))
    ///     .describe(describe);
    /// # drop(log);
    /// ```
    #[cfg(feature = "_proposals")]
    pub fn describe<M, H>(mut self, handler: H) -> Self
    where
        H: Handler<Resource, M>,
        H::Output: IntoResult<Resource> + 'static,
    {
        self.access.require(&handler);
        self.describer = Some(handlers::of_resource(handler));
        self
    }

    /// Returns the version of contents that are part of the definition.
    #[cfg(feature = "versioned-resources")]
    pub(crate) fn fixed_version(&self) -> Option<String> {
        let fixed = self.fixed_version.as_ref()?;
        Some(fixed.get(&self.resource.uri, self.resource.mime_type.as_deref()))
    }
}

impl Defined for ResourceDef {
    defined!(resource, resource);

    #[cfg(feature = "https-url")]
    fn fixed_body(&self) -> Option<&FixedBody> {
        self.fixed_body.as_ref()
    }

    #[cfg(feature = "_proposals")]
    fn base_resource(&self, _: &str) -> Resource {
        self.resource.clone()
    }
}

impl Definition for ResourceDef {
    const KIND: &'static str = "resource";
    const IS_RESOURCE: bool = true;

    fn key(&self) -> &str {
        &self.resource.uri
    }

    fn canonical_key(key: &str) -> Cow<'_, str> {
        canonical(key)
    }

    fn check(&mut self) -> Result<(), DefinitionError> {
        let has_handler = self.reader.is_some();
        #[cfg(feature = "pagination")]
        let has_handler = has_handler || self.lister.is_some();
        if !has_handler {
            return Err("the resource has no handler".into());
        }
        uri_syntax::check(&self.resource.uri).map_err(|error| error.to_string())?;
        self.resource.uri = canonical(&self.resource.uri).into_owned();
        check_icons(self.resource.icons.as_ref())?;
        #[cfg(feature = "sep-2093")]
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

    fn access(&self) -> &Access {
        &self.access
    }

    fn access_mut(&mut self) -> &mut Access {
        &mut self.access
    }
}

impl ListItem for ResourceDef {
    type Item = Resource;
    type Page = ListResourcesResult;

    fn item(&self, _: Revision) -> Resource {
        self.resource.clone()
    }

    fn page(items: Vec<Resource>, hints: &CacheHints, next: Option<Cursor>) -> ListResourcesResult {
        let mut page = ListResourcesResult::new(items, hints.ttl_ms, hints.scope);
        page.next_cursor = next;
        page
    }
}
