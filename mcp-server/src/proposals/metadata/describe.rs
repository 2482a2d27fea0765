//! `describe`: the handlers that describe resources, and the data of definitions for them.

use mcp_types::Resource;
use mcp_types::json::Map;

use crate::features::resources::definition::ResourceDef;
use crate::features::resources::handlers::with_resource;
use crate::features::resources::templates::definition::TemplateDef;
use crate::protocol::core::Context;
use crate::protocol::handler::{Handler, HandlerFuture, IntoResult, boxed, requirements_of};

/// A handler of a resource with its type erased, which describes the resource or makes its URL. The
/// map has the variables of a template.
pub(crate) type ResourceHandler<T> =
    Box<dyn Fn(Resource, Map<String>, Context) -> HandlerFuture<T> + Send + Sync>;

/// The handler of a definition that describes.
#[derive(Default)]
pub(crate) struct Describer(pub(crate) Option<ResourceHandler<Resource>>);

/// Erases the type of a handler of a resource.
pub(crate) fn of_resource<M, H, T: 'static>(handler: H) -> ResourceHandler<T>
where
    H: Handler<Resource, M>,
    H::Output: IntoResult<T> + 'static,
{
    let names_resource = requirements_of(&handler).resource.is_some();
    let handler = boxed(handler, H::Output::into_result);
    Box::new(move |resource, variables, cx| {
        let cx = if names_resource {
            with_resource(&cx, &resource.uri, variables)
        } else {
            cx
        };
        handler(resource, cx)
    })
}

impl ResourceDef {
    /// Sets the handler that completes the description of the resource, for example with its size
    /// or the time of its last change: an async function of the [`Resource`] of the definition and
    /// of extractors. It cannot change the URI.
    ///
    /// It runs for `resources/metadata` of SEP-2093, for `resources/get` and notifications of
    /// changes of `versioned-resources`, for URLs of `https-url`, and under SEP-2093 also before
    /// `resources/read`. If the program opted into one of these proposals, it also runs for each
    /// resource of a list, and for the target of each link in the result of a tool or in a prompt:
    /// for up to 16 of them at the same time, and for at most 5 seconds each. It does not run for resources that a handler lists as
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
    pub fn describe<M, H>(mut self, handler: H) -> Self
    where
        H: Handler<Resource, M>,
        H::Output: IntoResult<Resource> + 'static,
    {
        self.access.require(&handler);
        self.extras.change(|describer: &mut Describer| {
            describer.0 = Some(of_resource(handler));
        });
        self
    }
}

impl TemplateDef {
    /// Sets the handler that describes a resource of the template without reading it: an async
    /// function of a [`Resource`], which has the URI and the members of the definition, and of
    /// extractors, such as [`Variables`](crate::Variables). It adds the name, the size or the time
    /// of the last change.
    ///
    /// If the URI names no resource, it returns [`HandlerError::resource_not_found`]. Without this
    /// handler, the definition describes every resource of the template, and the resource is read
    /// for `resources/metadata`, and for links that get a URL, to know whether it exists. It runs
    /// for the same requests as the one [of a resource](crate::ResourceDef::describe).
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
    pub fn describe<M, H>(mut self, handler: H) -> Self
    where
        H: Handler<Resource, M>,
        H::Output: IntoResult<Resource> + 'static,
    {
        self.access.require(&handler);
        self.extras.change(|describer: &mut Describer| {
            describer.0 = Some(of_resource(handler));
        });
        self
    }
}

/// Defines methods of the definitions of resources and of templates.
macro_rules! for_definitions {
    ($($methods:tt)*) => {
        impl crate::ResourceDef {
            $($methods)*
        }

        impl crate::TemplateDef {
            $($methods)*
        }
    };
}

pub(crate) use for_definitions;
