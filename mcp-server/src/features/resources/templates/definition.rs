//! [`TemplateDef`]: the definition of a resource template.

use std::time::Duration;

#[cfg(feature = "_proposals")]
use mcp_types::Resource;
use mcp_types::json::Map;
use mcp_types::{
    Annotations, CacheScope, Cursor, Icon, ListResourceTemplatesResult, MetaObject,
    ResourceTemplate, Revision,
};

use super::template::Template;
use crate::features::access::{Access, access_setters};
use crate::features::catalog::{CacheHints, Definition, ListItem};
use crate::features::definition_error::{DefinitionError, check_icons};
use crate::features::resources::body::IntoBody;
use crate::features::resources::defined::Defined;
use crate::features::resources::defined::TEMPLATE;
use crate::features::resources::described::{defined, described};
use crate::features::resources::handlers;
#[cfg(feature = "_proposals")]
use crate::features::resources::handlers::DescribeHandler;
#[cfg(feature = "pagination")]
use crate::features::resources::handlers::ListHandler;
#[cfg(feature = "https-url")]
use crate::features::resources::handlers::PresignHandler;
use crate::features::resources::handlers::ReadHandler;
use crate::features::resources::variables::TemplateVariables;
use crate::protocol::changes::Change;
use crate::protocol::handler::Handler;
#[cfg(feature = "_proposals")]
use crate::protocol::handler::IntoResult;

/// The definition of a resource template with all its properties: one definition for all resources
/// whose URIs the template matches.
///
/// ```
/// use mcp_server::types::json::Map;
/// use mcp_server::{Server, TemplateDef};
///
/// let pages = TemplateDef::new("wiki://{+path}{?lang}", "page")
///     .title("Page")
///     .mime_type("text/markdown")
///     .handler(|variables: Map<String>| async move {
///         let lang = variables.get("lang").map_or("en", String::as_str);
///         format!("# {:?} in {lang}", variables.get("path"))
///     });
/// let server = Server::builder("wiki", "1.0.0").add_resource_template(pages).build()?;
/// # drop(server);
/// # Ok::<(), mcp_server::BuildErrors>(())
/// ```
#[must_use = "a definition does nothing until it is added"]
pub struct TemplateDef {
    template: ResourceTemplate,
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
    matcher: Option<Template>,
    reader: Option<ReadHandler>,
    /// The members of each resource that templates do not have.
    #[cfg(feature = "_proposals")]
    resource: Resource,
    #[cfg(feature = "_proposals")]
    describer: Option<DescribeHandler>,
    /// `true` if the log has a warning of contents of other resources without a type.
    #[cfg(feature = "sep-2093")]
    untyped_warned: std::sync::atomic::AtomicBool,
    #[cfg(feature = "pagination")]
    lister: Option<ListHandler>,
}

impl TemplateDef {
    /// Creates the definition of a resource template. It needs a [handler](Self::handler).
    ///
    /// All operators of RFC 6570 are supported: `{a}`, `{+a}`, `{#a}`, `{.a}`, `{/a}`, `{;a}`,
    /// `{?a,b}`, `{&a}`. Templates that cannot be matched unambiguously are rejected when the server
    /// is built: prefixes (`{a:3}`), explosion (`{a*}`), a variable that occurs twice, and two
    /// expressions with nothing between them.
    pub fn new(template: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            template: ResourceTemplate::new(template, name),
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
            matcher: None,
            reader: None,
            #[cfg(feature = "_proposals")]
            resource: Resource::new("", ""),
            #[cfg(feature = "_proposals")]
            describer: None,
            #[cfg(feature = "sep-2093")]
            untyped_warned: std::sync::atomic::AtomicBool::default(),
            #[cfg(feature = "pagination")]
            lister: None,
        }
    }

    described!(template, resource);
    access_setters!();

    /// Sets the [handler](Handler) that reads the resources of the template: an async function of
    /// the variables, if it needs them, and of extractors, such as
    /// [`ResourceUri`](crate::ResourceUri).
    ///
    /// The variables are decoded, and parsed as the fields of their type, a struct or a map of
    /// strings. The client chooses them: they may contain `../`.
    pub fn handler<P, M, H>(mut self, handler: H) -> Self
    where
        P: TemplateVariables,
        H: Handler<P, M>,
        H::Output: IntoBody + 'static,
    {
        self.access.require(&handler);
        self.reader = Some(handlers::reader(handler, P::from_variables));
        self
    }

    /// Sets the handler that describes a resource of the template without reading it: an async
    /// function of a [`Resource`], which has the URI and the members of the definition, and of
    /// extractors, such as [`Variables`](crate::Variables). It adds the name, the size or the time of
    /// the last change.
    ///
    /// If the URI names no resource, it returns [`HandlerError::resource_not_found`]. Without this
    /// handler, the definition describes every resource of the template, and the resource is read for
    /// `resources/metadata`, and for links that get a URL, to know whether it exists. It runs for the
    /// same requests as the one [of a resource](crate::ResourceDef::describe).
    ///
    /// ```
    /// use mcp_server::types::Resource;
    /// use mcp_server::{HandlerError, TemplateDef, Variables};
    /// use serde::Deserialize;
    ///
    /// #[derive(Deserialize)]
    /// struct Page {
    ///     number: u32,
    /// }
    ///
    /// async fn describe(
    ///     resource: Resource,
    ///     Variables(page): Variables<Page>,
    /// ) -> Result<Resource, HandlerError> {
    ///     if page.number > 300 {
    ///         return Err(HandlerError::resource_not_found(resource.uri));
    ///     }
    ///     Ok(resource.title(format!("Page {}", page.number)))
    /// }
    ///
    /// let pages = TemplateDef::new("book://{number}", "page")
    ///     .handler(|page: Page| async move { format!("This is page {}.", page.number) })
    ///     .describe(describe);
    /// # drop(pages);
    /// ```
    ///
    /// [`HandlerError::resource_not_found`]: crate::HandlerError::resource_not_found
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

    /// Returns the variables of a URI, if the template matches it.
    pub(crate) fn matches(&self, uri: &str) -> Option<Map<String>> {
        self.matcher.as_ref()?.matches(uri)
    }

    /// Returns `true` if the template has a variable with this name.
    pub(crate) fn has_variable(&self, name: &str) -> bool {
        let matcher = self.matcher.as_ref();
        matcher.is_some_and(|matcher| matcher.names().contains(&name))
    }

    /// Returns `true` if a handler lists the resources.
    #[cfg(feature = "pagination")]
    pub(crate) fn lists(&self) -> bool {
        self.lister.is_some()
    }
}

impl Defined for TemplateDef {
    defined!(template, resource);

    #[cfg(feature = "_proposals")]
    fn is_template(&self) -> bool {
        true
    }

    #[cfg(feature = "_proposals")]
    fn base_resource(&self, uri: &str) -> Resource {
        let template = self.template.clone();
        let mut resource = self.resource.clone();
        uri.clone_into(&mut resource.uri);
        resource.name = template.name;
        resource.title = template.title;
        resource.description = template.description;
        resource.mime_type = template.mime_type;
        resource.icons = template.icons;
        resource.annotations = template.annotations;
        resource.meta = template.meta;
        resource
    }
}

impl Definition for TemplateDef {
    const KIND: &'static str = TEMPLATE;
    const IS_RESOURCE: bool = true;

    fn key(&self) -> &str {
        &self.template.uri_template
    }

    fn check(&mut self) -> Result<(), DefinitionError> {
        if self.reader.is_none() {
            return Err("the template has no handler".into());
        }
        check_icons(self.template.icons.as_ref())?;
        let matcher = Template::parse(&self.template.uri_template);
        self.matcher = Some(matcher.map_err(|error| error.to_string())?);
        Ok(())
    }

    fn change() -> Change {
        Change::Resources
    }

    fn access(&self) -> &Access {
        &self.access
    }

    fn access_mut(&mut self) -> &mut Access {
        &mut self.access
    }
}

impl ListItem for TemplateDef {
    type Item = ResourceTemplate;
    type Page = ListResourceTemplatesResult;

    fn item(&self, _: Revision) -> ResourceTemplate {
        self.template.clone()
    }

    fn page(
        items: Vec<ResourceTemplate>,
        hints: &CacheHints,
        next: Option<Cursor>,
    ) -> ListResourceTemplatesResult {
        let mut page = ListResourceTemplatesResult::new(items, hints.ttl_ms, hints.scope);
        page.next_cursor = next;
        page
    }
}
