//! [`Defined`]: the definition of the resource with a URI.

use std::sync::Arc;

use mcp_types::Completion;

use crate::features::access::Access;
use crate::features::catalog::CacheHints;
use crate::features::completing::Completing;
use crate::features::resources::definition::ResourceDef;
#[cfg(feature = "pagination")]
use crate::features::resources::handlers::ListHandler;
use crate::features::resources::handlers::ReadHandler;
#[cfg(feature = "templates")]
use crate::features::resources::templates::definition::TemplateDef;
use crate::protocol::core::Context;
use crate::protocol::handler::HandlerFuture;

/// The definition of a resource, or of a template that matches its URI.
pub(crate) enum Defined {
    Resource(Arc<ResourceDef>),
    #[cfg(feature = "templates")]
    Template(Arc<TemplateDef>),
}

/// Evaluates an expression with the definition of either kind.
macro_rules! with_definition {
    ($defined:expr, $definition:ident => $value:expr) => {
        match $defined {
            Defined::Resource($definition) => $value,
            #[cfg(feature = "templates")]
            Defined::Template($definition) => $value,
        }
    };
}

impl Defined {
    /// Returns how long caches may keep the contents.
    pub(crate) fn hints(&self) -> &CacheHints {
        with_definition!(self, definition => &definition.hints)
    }

    /// Returns who may use it.
    pub(crate) fn access_rules(&self) -> &Access {
        with_definition!(self, definition => &definition.access)
    }

    /// Returns the handler that reads.
    pub(crate) fn reader(&self) -> Option<&ReadHandler> {
        with_definition!(self, definition => definition.reader.as_ref())
    }

    /// Starts the handler that completes a variable; `None` if there is none.
    #[cfg_attr(
        not(feature = "templates"),
        expect(unused_variables, reason = "only templates have variables")
    )]
    pub(crate) fn complete_variable(
        &self,
        variable: &str,
        typing: &Completing,
        cx: &Context,
    ) -> Option<HandlerFuture<Completion>> {
        match self {
            Self::Resource(_) => None,
            #[cfg(feature = "templates")]
            Self::Template(definition) => definition.complete_variable(variable, typing, cx),
        }
    }

    /// Returns the media type of the contents.
    pub(crate) fn mime_type(&self) -> Option<&str> {
        match self {
            Self::Resource(definition) => definition.resource.mime_type.as_deref(),
            #[cfg(feature = "templates")]
            Self::Template(definition) => definition.template.mime_type.as_deref(),
        }
    }

    /// Returns the handler that lists.
    #[cfg(feature = "pagination")]
    pub(crate) fn lister(&self) -> Option<&ListHandler> {
        with_definition!(self, definition => definition.lister.as_ref())
    }

    /// Returns what proposals store in the definition.
    #[cfg(feature = "_proposals")]
    pub(crate) fn extras(&self) -> &crate::util::lazy_type_map::LazyTypeMap {
        with_definition!(self, definition => &definition.extras)
    }
}
