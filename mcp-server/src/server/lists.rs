//! The lists of a running server, and how a server is defined.

use crate::features::list_handle::ListHandle;
use crate::features::prompts::definition::PromptDef;
use crate::features::resources::definition::ResourceDef;
#[cfg(feature = "templates")]
use crate::features::resources::templates::definition::TemplateDef;
use crate::features::tools::definition::ToolDef;
use crate::server::builder::ServerBuilder;
use crate::server::handle::Server;

impl Server {
    /// Begins the definition of a server with this name and version.
    pub fn builder(name: impl Into<String>, version: impl Into<String>) -> ServerBuilder {
        ServerBuilder::new(name.into(), version.into())
    }

    /// The list of tools, to change it.
    #[must_use]
    pub fn tools(&self) -> ListHandle<'_, ToolDef> {
        ListHandle::new(&self.core, &self.catalogs.tools)
    }

    /// The list of resources, to change it.
    #[must_use]
    pub fn resources(&self) -> ListHandle<'_, ResourceDef> {
        ListHandle::new(&self.core, &self.catalogs.resources.resources)
    }

    /// The list of prompts, to change it.
    #[must_use]
    pub fn prompts(&self) -> ListHandle<'_, PromptDef> {
        ListHandle::new(&self.core, &self.catalogs.prompts)
    }

    /// The list of resource templates, to change it.
    #[cfg(feature = "templates")]
    #[must_use]
    pub fn resource_templates(&self) -> ListHandle<'_, TemplateDef> {
        ListHandle::new(&self.core, &self.catalogs.resources.templates)
    }
}
