//! [`ResourceDef`] and [`TemplateDef`]: definitions of resources.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use mcp_types::json::Map;
use mcp_types::{
    Annotations, AnyResourceContents, CacheScope, Cursor, Icon, ListResourceTemplatesResult,
    ListResourcesResult, MetaObject, Resource, ResourceTemplate, Revision,
};
use serde::de::DeserializeOwned;

use super::IntoContents;
use super::template::Template;
use crate::changes::Change;
use crate::context::Context;
use crate::error::{HandlerError, short};
use crate::lists::{Definition, Features, Hints, Kept, List};
use crate::params;

/// A handler at work.
pub(super) type Running =
    Pin<Box<dyn Future<Output = Result<Vec<AnyResourceContents>, HandlerError>> + Send>>;

/// What every handler is told: the URI, and the media type of the definition.
struct Asked {
    uri: String,
    mime_type: Option<String>,
}

type Handler = Box<dyn Fn(Asked, Context) -> Running + Send + Sync>;

type TemplateHandler =
    Box<dyn Fn(Asked, Map<String>, Context) -> Result<Running, HandlerError> + Send + Sync>;

/// What is said of resources and templates alike.
macro_rules! described {
    ($inner:ident) => {
        /// A name for people.
        pub fn title(mut self, title: impl Into<String>) -> Self {
            self.$inner.title = Some(title.into());
            self
        }

        /// What it is about, for the model.
        pub fn description(mut self, description: impl Into<String>) -> Self {
            self.$inner.description = Some(description.into());
            self
        }

        /// The media type of the contents.
        pub fn mime_type(mut self, mime_type: impl Into<String>) -> Self {
            self.$inner.mime_type = Some(mime_type.into());
            self
        }

        /// For whom it is, and how important.
        pub fn annotations(mut self, annotations: Annotations) -> Self {
            self.$inner.annotations = Some(annotations);
            self
        }

        /// Adds an icon.
        pub fn icon(mut self, icon: Icon) -> Self {
            self.$inner.icons.get_or_insert_default().push(icon);
            self
        }

        /// Further data, the `_meta`.
        pub fn meta(mut self, meta: MetaObject) -> Self {
            self.$inner.meta = Some(meta);
            self
        }

        /// How long, and for whom, caches may keep what was read. Not at all by default.
        pub fn cache(mut self, ttl: Duration, scope: CacheScope) -> Self {
            self.hints = Hints::new(ttl, scope);
            self
        }

        pub(super) fn hints(&self) -> &Hints {
            &self.hints
        }
    };
}

/// A resource with all that can be said of it.
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
/// # Ok::<(), mcp_server::BuildError>(())
/// ```
#[must_use = "a definition does nothing until it is added"]
pub struct ResourceDef {
    resource: Resource,
    hints: Hints,
    handler: Option<Handler>,
}

impl ResourceDef {
    /// Begins the definition of a resource; it needs a [handler](Self::handler).
    pub fn new(uri: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            resource: Resource::new(uri, name),
            hints: Hints::default(),
            handler: None,
        }
    }

    /// A resource that is this text. Its size is known.
    pub fn text(uri: impl Into<String>, name: impl Into<String>, text: impl Into<String>) -> Self {
        let text = text.into();
        Self::new(uri, name)
            .bytes_in_all(text.len())
            .fixed(move |asked| {
                text.as_str()
                    .into_contents(&asked.uri, asked.mime_type.as_deref())
            })
    }

    /// A resource that is these bytes. Its size is known.
    pub fn bytes(
        uri: impl Into<String>,
        name: impl Into<String>,
        bytes: impl Into<Vec<u8>>,
    ) -> Self {
        let bytes = bytes.into();
        Self::new(uri, name)
            .bytes_in_all(bytes.len())
            .fixed(move |asked| {
                bytes
                    .as_slice()
                    .into_contents(&asked.uri, asked.mime_type.as_deref())
            })
    }

    described!(resource);

    /// The size in bytes.
    pub fn size(mut self, bytes: u64) -> Self {
        self.resource.size = i64::try_from(bytes).ok();
        self
    }

    fn bytes_in_all(self, bytes: usize) -> Self {
        self.size(bytes as u64)
    }

    /// What runs when the resource is read.
    pub fn handler<F, C>(
        mut self,
        handler: impl Fn(String, Context) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<C, HandlerError>> + Send + 'static,
        C: IntoContents,
    {
        self.handler = Some(Box::new(move |asked, cx| {
            run(handler(asked.uri.clone(), cx), asked)
        }));
        self
    }

    fn fixed(
        mut self,
        contents: impl Fn(&Asked) -> Vec<AnyResourceContents> + Send + Sync + 'static,
    ) -> Self {
        self.handler = Some(Box::new(move |asked, _| {
            Box::pin(std::future::ready(Ok(contents(&asked))))
        }));
        self
    }

    pub(super) fn start(&self, uri: String, cx: Context) -> Result<Running, HandlerError> {
        let Some(handler) = &self.handler else {
            return Err(HandlerError::resource_not_found(uri));
        };
        let mime_type = self.resource.mime_type.clone();
        Ok(handler(Asked { uri, mime_type }, cx))
    }
}

/// A resource template with all that can be said of it.
///
/// ```
/// use mcp_server::types::json::Map;
/// use mcp_server::{Context, Server, TemplateDef};
///
/// let pages = TemplateDef::new("wiki://{+path}{?lang}", "page")
///     .title("Page")
///     .mime_type("text/markdown")
///     .handler(|_uri, variables: Map<String>, _: Context| async move {
///         let lang = variables.get("lang").map_or("en", String::as_str);
///         Ok(format!("# {:?} in {lang}", variables.get("path")))
///     });
/// let server = Server::builder("wiki", "1.0.0").add_resource_template(pages).build()?;
/// # drop(server);
/// # Ok::<(), mcp_server::BuildError>(())
/// ```
#[must_use = "a definition does nothing until it is added"]
pub struct TemplateDef {
    template: ResourceTemplate,
    hints: Hints,
    matcher: Option<Template>,
    handler: Option<TemplateHandler>,
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
            matcher: None,
            handler: None,
        }
    }

    described!(template);

    /// What runs when a resource of the template is read: gets its URI and the variables.
    pub fn handler<P, F, C>(
        mut self,
        handler: impl Fn(String, P, Context) -> F + Send + Sync + 'static,
    ) -> Self
    where
        P: DeserializeOwned + 'static,
        F: Future<Output = Result<C, HandlerError>> + Send + 'static,
        C: IntoContents,
    {
        self.handler = Some(Box::new(move |asked, variables, cx| {
            let variables: P = params::decode(variables).map_err(|error| {
                let uri = short(&asked.uri);
                HandlerError::invalid_params(format!("variables of `{uri}`: {error}"))
            })?;
            Ok(run(handler(asked.uri.clone(), variables, cx), asked))
        }));
        self
    }

    /// The variables of a URI that the template makes.
    pub(super) fn matches(&self, uri: &str) -> Option<Map<String>> {
        self.matcher.as_ref()?.matches(uri)
    }

    pub(crate) fn variables(&self) -> impl Iterator<Item = &str> {
        self.matcher.iter().flat_map(Template::names)
    }

    pub(super) fn start(
        &self,
        uri: String,
        variables: Map<String>,
        cx: Context,
    ) -> Result<Running, HandlerError> {
        let Some(handler) = &self.handler else {
            return Err(HandlerError::resource_not_found(uri));
        };
        let mime_type = self.template.mime_type.clone();
        handler(Asked { uri, mime_type }, variables, cx)
    }
}

fn run<F, C>(answer: F, asked: Asked) -> Running
where
    F: Future<Output = Result<C, HandlerError>> + Send + 'static,
    C: IntoContents,
{
    Box::pin(async move {
        let contents = answer.await?;
        Ok(contents.into_contents(&asked.uri, asked.mime_type.as_deref()))
    })
}

impl Definition for ResourceDef {
    const KIND: &'static str = "resource";

    fn key(&self) -> &str {
        &self.resource.uri
    }

    fn check(&mut self) -> Result<(), String> {
        if self.handler.is_none() {
            return Err("the resource has no handler".to_owned());
        }
        if !has_scheme(&self.resource.uri) {
            return Err("this is no URI: it does not begin with a scheme".to_owned());
        }
        Ok(())
    }

    fn change() -> Change {
        Change::Resources
    }
}

impl Definition for TemplateDef {
    const KIND: &'static str = "resource template";

    fn key(&self) -> &str {
        &self.template.uri_template
    }

    fn check(&mut self) -> Result<(), String> {
        if self.handler.is_none() {
            return Err("the template has no handler".to_owned());
        }
        let matcher = Template::parse(&self.template.uri_template);
        self.matcher = Some(matcher.map_err(|error| error.to_string())?);
        Ok(())
    }

    fn change() -> Change {
        Change::Resources
    }
}

/// Whether a text begins as a URI does (RFC 3986, 3.1).
fn has_scheme(uri: &str) -> bool {
    uri.split_once(':').is_some_and(|(scheme, _)| {
        scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme
                .chars()
                .all(|other| other.is_ascii_alphanumeric() || "+-.".contains(other))
    })
}

impl Kept for ResourceDef {
    type Item = Resource;
    type Page = ListResourcesResult;

    fn list(features: &Features) -> &List<Self> {
        &features.resources
    }

    fn item(&self, _: Revision) -> Resource {
        self.resource.clone()
    }

    fn page(items: Vec<Resource>, hints: &Hints, next: Option<Cursor>) -> ListResourcesResult {
        let mut page = ListResourcesResult::new(items, hints.ttl_ms, hints.scope);
        page.next_cursor = next;
        page
    }
}

impl Kept for TemplateDef {
    type Item = ResourceTemplate;
    type Page = ListResourceTemplatesResult;

    fn list(features: &Features) -> &List<Self> {
        &features.templates
    }

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
