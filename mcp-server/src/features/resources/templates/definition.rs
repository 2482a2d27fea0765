//! [`TemplateDef`]: the definition of a resource template.

use std::time::Duration;

use mcp_types::json::Map;
use mcp_types::{
    Annotations, CacheScope, Completion, ListResourceTemplatesResult, ResourceTemplate,
};

use super::template::Template;
use crate::features::access::{Access, access_getters, access_setters};
use crate::features::catalog::{CacheHints, Definition, list_item};
use crate::features::completing::{Completing, IntoCompletion, OwnCompletions};
use crate::features::definition_error::{DefinitionError, check_icons};
use crate::features::resources::contents::body::IntoBody;
use crate::features::resources::described::{TEMPLATE, described};
use crate::features::resources::handlers::{self, ListHandler, ReadHandler};
use crate::features::resources::request::TemplateVariables;
use crate::protocol::changes::Change;
use crate::protocol::core::Context;
use crate::protocol::handler::requirements::HandlerSubject;
use crate::protocol::handler::{Handler, HandlerFuture};

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
    pub(crate) template: ResourceTemplate,
    pub(crate) hints: CacheHints,
    completions: OwnCompletions,
    pub(crate) access: Access,
    matcher: Option<Template>,
    pub(crate) reader: Option<ReadHandler>,
    pub(crate) lister: Option<ListHandler>,
    /// The members of each resource that templates do not have.
    #[cfg(feature = "proposals")]
    pub(crate) resource: mcp_types::Resource,
    /// What proposals store.
    #[cfg(feature = "proposals")]
    pub(crate) extras: crate::util::lazy_type_map::LazyTypeMap,
}

impl TemplateDef {
    /// Creates the definition of a resource template. It needs a [handler](Self::handler).
    ///
    /// All operators of RFC 6570 are supported: `{a}`, `{+a}`, `{#a}`, `{.a}`, `{/a}`, `{;a}`,
    /// `{?a,b}`, `{&a}`. Templates that cannot be matched unambiguously are rejected when the
    /// server is built: prefixes (`{a:3}`), explosion (`{a*}`), a variable that occurs twice, and
    /// two expressions with nothing between them.
    ///
    /// The values of the variables are text of the client, percent-decoded: a value may contain `/`
    /// and control characters, or be `..`, also for `{a}`, which no `/` of the URI is part of. The
    /// URIs `note://%2e%2e` and `note://..%2Fkeys` match `note://{name}`. A handler that makes the
    /// name of a file or a key of a value has to check it first.
    pub fn new(template: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            template: ResourceTemplate::new(template, name),
            hints: CacheHints::default(),
            completions: OwnCompletions::default(),
            access: Access::default(),
            matcher: None,
            reader: None,
            lister: None,
            #[cfg(feature = "proposals")]
            resource: mcp_types::Resource::new("", ""),
            #[cfg(feature = "proposals")]
            extras: crate::util::lazy_type_map::LazyTypeMap::default(),
        }
    }

    described!(template);
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

    /// Completes a variable of the template, as
    /// [`ServerBuilder::complete_resource`](crate::ServerBuilder::complete_resource) does: also
    /// for a definition that is added while the server runs. A handler for another variable is an
    /// error in the definition.
    ///
    /// If nothing is completed when the server is built, its capability has to be declared:
    /// `.capabilities(|c| c.completions(Object::new()))`.
    pub fn complete<M, H>(mut self, variable: impl Into<String>, handler: H) -> Self
    where
        H: Handler<Completing, M>,
        H::Output: IntoCompletion + 'static,
    {
        self.access.require_without_resource(&handler);
        self.completions.add(variable.into(), handler);
        self
    }

    /// Returns `true` if a variable is completed.
    pub(crate) fn completes(&self) -> bool {
        !self.completions.is_empty()
    }

    /// Starts the handler that completes a variable; `None` if the template has no such handler.
    pub(crate) fn complete_variable(
        &self,
        variable: &str,
        typing: &Completing,
        cx: &Context,
    ) -> Option<HandlerFuture<Completion>> {
        let handler = self.completions.get(variable)?;
        Some(handler(typing.clone(), self.access.scoped(cx)))
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

    /// Returns `true` if all variables of the template have a value.
    pub(crate) fn has_all(&self, variables: &Map<String>) -> bool {
        let matcher = self.matcher.as_ref();
        let names = matcher.map(|matcher| matcher.names()).unwrap_or_default();
        names.into_iter().all(|name| variables.contains_key(name))
    }
}

impl Definition for TemplateDef {
    const KIND: &'static str = TEMPLATE;
    const SUBJECT: HandlerSubject = HandlerSubject::Template;

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
        self.completions.check(|name| self.has_variable(name))
    }

    fn change() -> Change {
        Change::Resources
    }

    fn has_uri(&self, uri: &str) -> bool {
        self.matches(uri).is_some()
    }

    access_getters!();
}

list_item!(TemplateDef, template: ResourceTemplate, ListResourceTemplatesResult);
