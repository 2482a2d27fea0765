//! [`Defined`]: the definition of the resource with a URI.

use std::sync::Arc;

use crate::features::access::Access;
use crate::features::catalog::{CacheHints, Definition as _};
use crate::features::resources::definition::ResourceDef;
use crate::features::resources::handlers::{ListHandler, ReadHandler};
use crate::features::resources::templates::definition::TemplateDef;

/// The definition of a resource, or of a template that matches its URI.
pub(crate) enum Defined {
    Resource(Arc<ResourceDef>),
    Template(Arc<TemplateDef>),
}

/// Evaluates an expression with the definition of either kind.
macro_rules! with_definition {
    ($defined:expr, $definition:ident => $value:expr) => {
        match $defined {
            Defined::Resource($definition) => $value,
            Defined::Template($definition) => $value,
        }
    };
}

impl Defined {
    /// Returns the URI, or the template.
    pub(crate) fn key(&self) -> &str {
        with_definition!(self, definition => definition.key())
    }

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

    /// Returns the media type of the contents.
    pub(crate) fn mime_type(&self) -> Option<&str> {
        match self {
            Self::Resource(definition) => definition.resource.mime_type.as_deref(),
            Self::Template(definition) => definition.template.mime_type.as_deref(),
        }
    }

    /// Returns the handler that lists.
    pub(crate) fn lister(&self) -> Option<&ListHandler> {
        with_definition!(self, definition => definition.lister.as_ref())
    }

    /// Returns what proposals store in the definition.
    #[cfg(feature = "proposals")]
    pub(crate) fn extras(&self) -> &crate::util::lazy_type_map::LazyTypeMap {
        with_definition!(self, definition => &definition.extras)
    }
}
