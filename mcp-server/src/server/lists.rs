//! The lists of a running server, and the start of a definition.

use crate::features::list_handle::ListHandle;
use crate::features::prompts::definition::PromptDef;
use crate::features::resources::definition::ResourceDef;
use crate::features::resources::templates::definition::TemplateDef;
use crate::features::tools::definition::ToolDef;
use crate::server::builder::ServerBuilder;
use crate::server::handle::Server;

impl Server {
    /// Creates a builder for a server with this name and version.
    pub fn builder(name: impl Into<String>, version: impl Into<String>) -> ServerBuilder {
        ServerBuilder::new(name.into(), version.into())
    }

    /// Returns the list of tools, which can be changed.
    #[must_use]
    pub fn tools(&self) -> ListHandle<'_, ToolDef> {
        ListHandle::new(&self.core, &self.catalogs.tools)
    }

    /// Returns the list of resources, which can be changed.
    #[must_use]
    pub fn resources(&self) -> ListHandle<'_, ResourceDef> {
        ListHandle::new(&self.core, &self.catalogs.resources.definitions.resources)
    }

    /// Returns the list of prompts, which can be changed.
    #[must_use]
    pub fn prompts(&self) -> ListHandle<'_, PromptDef> {
        ListHandle::new(&self.core, &self.catalogs.prompts)
    }

    /// Returns the list of resource templates, which can be changed.
    #[must_use]
    pub fn resource_templates(&self) -> ListHandle<'_, TemplateDef> {
        ListHandle::new(&self.core, &self.catalogs.resources.definitions.templates)
    }
}
