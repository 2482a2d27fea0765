//! [`TemplateDef`]: the definition of all resources whose URIs a template makes.

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
use crate::features::catalog::{Definition, Hints, ListItem};
use crate::features::definition_error::DefinitionError;
use crate::features::resources::contents::IntoContents;
use crate::features::resources::defined::Defined;
use crate::features::resources::defined::TEMPLATE;
use crate::features::resources::described::{defined, described};
use crate::features::resources::handlers;
#[cfg(feature = "_proposals")]
use crate::features::resources::handlers::DescribeHandler;
#[cfg(feature = "pagination")]
use crate::features::resources::handlers::ListHandler;
use crate::features::resources::handlers::ReadHandler;
use crate::features::resources::variables::TemplateVariables;
use crate::protocol::changes::Change;
use crate::protocol::handler::Handler;
#[cfg(feature = "_proposals")]
use crate::protocol::handler::IntoResult;

/// A resource template with all that can be said of it.
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
    hints: Hints,
    access: Access,
    #[cfg(feature = "https-url")]
    http_url: bool,
    matcher: Option<Template>,
    reader: Option<ReadHandler>,
    /// What is said of each resource and cannot be said of a template.
    #[cfg(feature = "_proposals")]
    each: Resource,
    #[cfg(feature = "_proposals")]
    describer: Option<DescribeHandler>,
    #[cfg(feature = "pagination")]
    lister: Option<ListHandler>,
}

impl TemplateDef {
    /// Begins the definition of a resource template; it needs a [handler](Self::handler).
    ///
    /// All operators of RFC 6570 are understood: `{a}`, `{+a}`, `{#a}`, `{.a}`, `{/a}`, `{;a}`,
    /// `{?a,b}`, `{&a}`. What cannot be taken apart again is refused when the definition is added:
    /// prefixes (`{a:3}`), explosion (`{a*}`), a variable that stands twice, and two expressions
    /// with nothing between them.
    pub fn new(template: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            template: ResourceTemplate::new(template, name),
            hints: Hints::default(),
            access: Access::default(),
            #[cfg(feature = "https-url")]
            http_url: true,
            matcher: None,
            reader: None,
            #[cfg(feature = "_proposals")]
            each: Resource::new("", ""),
            #[cfg(feature = "_proposals")]
            describer: None,
            #[cfg(feature = "pagination")]
            lister: None,
        }
    }

    described!(template, each);
    access_setters!();

    /// Sets the [handler](Handler) that reads the resources of the template: an async function of
    /// the variables, if it needs them, and of extractors. [`ResourceUri`](crate::ResourceUri) is the
    /// URI.
    ///
    /// The variables are decoded and parsed as their type asks for, a struct or a map of texts. They
    /// come from the client: `../` may be among them.
    pub fn handler<P, M, H>(mut self, handler: H) -> Self
    where
        P: TemplateVariables,
        H: Handler<P, M>,
        H::Output: IntoContents + 'static,
    {
        self.access.require(&handler);
        self.reader = Some(handlers::reader(handler, P::from_variables));
        self
    }

    /// Sets the handler that describes a resource of the template without reading it: an async
    /// function of a [`Resource`] with the URI and what the definition says of all resources, and of
    /// extractors, which completes it with name, size or the time of the last change.
    /// [`Variables`](crate::Variables) are those of the template.
    ///
    /// A URI that there is no resource for is a [`HandlerError::resource_not_found`]. Without this
    /// handler the definition says everything, of every URI that the template makes. It runs when
    /// that [of a resource](crate::ResourceDef::describe) does.
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
        self.describer = Some(handlers::describer(handler));
        self
    }

    /// The variables of a URI that the template makes.
    pub(crate) fn matches(&self, uri: &str) -> Option<Map<String>> {
        self.matcher.as_ref()?.matches(uri)
    }

    /// Whether it has a variable of that name.
    pub(crate) fn has_variable(&self, name: &str) -> bool {
        let matcher = self.matcher.as_ref();
        matcher.is_some_and(|matcher| matcher.names().contains(&name))
    }

    /// Whether it lists its resources.
    #[cfg(feature = "pagination")]
    pub(crate) fn lists(&self) -> bool {
        self.lister.is_some()
    }
}

impl Defined for TemplateDef {
    defined!(template, each);

    #[cfg(feature = "_proposals")]
    fn stated(&self, uri: &str) -> Resource {
        let template = self.template.clone();
        let mut resource = self.each.clone();
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
        hints: &Hints,
        next: Option<Cursor>,
    ) -> ListResourceTemplatesResult {
        let mut page = ListResourceTemplatesResult::new(items, hints.ttl_ms, hints.scope);
        page.next_cursor = next;
        page
    }
}
