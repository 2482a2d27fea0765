//! The lists of definitions: [`Definitions`] of a builder, [`Catalogs`] of a server.

use std::sync::Arc;

use crate::features::access::Access;
use crate::features::catalog::{Definition, List};
use crate::features::completing::{Completing, IntoCompletion};
use crate::features::completions::handlers::Completions;
use crate::features::prompts::definition::PromptDef;
use crate::features::resources::catalog::{ResourceCatalog, ResourceDefinitions};
use crate::features::resources::definition::ResourceDef;
use crate::features::resources::templates::definition::TemplateDef;
use crate::features::tools::definition::ToolDef;
#[cfg(feature = "proposals")]
use crate::proposals::https_url::issue::Urls;
#[cfg(feature = "proposals")]
use crate::proposals::resources::Resources;
use crate::protocol::error::BuildError;
use crate::protocol::handler::Handler;

/// The definitions that a builder collects.
#[derive(Default)]
pub(crate) struct Definitions {
    pub(crate) tools: List<ToolDef>,
    pub(crate) resources: List<ResourceDef>,
    pub(crate) templates: List<TemplateDef>,
    pub(crate) prompts: List<PromptDef>,
    pub(crate) completions: Completions,
    /// The number of items on a page; `None` for a single page.
    pub(crate) page_size: Option<std::num::NonZeroUsize>,
    /// The errors that were found so far.
    pub(crate) errors: Vec<BuildError>,
}

/// The lists of a running server, which the program can change.
pub(crate) struct Catalogs {
    pub(crate) tools: Arc<List<ToolDef>>,
    pub(crate) prompts: Arc<List<PromptDef>>,
    pub(crate) resources: Arc<ResourceCatalog>,
    #[cfg(feature = "proposals")]
    pub(crate) urls: Option<Arc<Urls>>,
}

impl Definitions {
    /// Adds the handler that completes an argument of a prompt or template.
    pub(crate) fn complete<M, H>(
        &mut self,
        kind: &'static str,
        name: String,
        argument: String,
        handler: H,
    ) where
        H: Handler<Completing, M>,
        H::Output: IntoCompletion + 'static,
    {
        let added = self.completions.add(kind, name, argument, handler);
        self.check(added);
    }

    /// Records the error of a definition, which `build` returns.
    pub(crate) fn check(&mut self, result: Result<(), BuildError>) {
        self.errors.extend(result.err());
    }

    /// Moves the definitions of a group here, with a prefix for the names of tools and prompts.
    pub(crate) fn merge(&mut self, group: Self, prefix: &str, enter: impl Fn(&mut Access)) {
        self.errors.extend(group.errors);
        self.errors
            .extend(self.tools.merge(group.tools, prefix, &enter));
        self.errors
            .extend(self.prompts.merge(group.prompts, prefix, &enter));
        self.errors
            .extend(self.resources.merge(group.resources, "", &enter));
        self.errors
            .extend(self.templates.merge(group.templates, "", &enter));
        let rename = |kind: &str, name: String| match kind {
            PromptDef::KIND => format!("{prefix}{name}"),
            _ => name,
        };
        let merged = self.completions.merge(group.completions, rename, &enter);
        self.errors.extend(merged);
    }

    /// Applies the settings of tools to those that were added before the setting.
    pub(crate) fn apply_tool_settings(&mut self) {
        if let Some(ignore) = self.tools.ignores_extra_arguments {
            let tools = std::mem::take(&mut self.tools);
            self.tools.hints = tools.hints.clone();
            self.tools.ignores_extra_arguments = Some(ignore);
            self.errors.extend(self.tools.merge(tools, "", |_| {}));
        }
    }

    /// Applies the settings that all lists share, and makes the lists ready to be served.
    pub(crate) fn into_catalogs(
        mut self,
        #[cfg(feature = "proposals")] urls: Option<Arc<Urls>>,
    ) -> (Catalogs, Completions) {
        self.templates.hints = self.resources.hints.clone();
        self.tools.page_size = self.page_size;
        self.prompts.page_size = self.page_size;
        self.resources.page_size = self.page_size;
        self.templates.page_size = self.page_size;
        let definitions = Arc::new(ResourceDefinitions {
            resources: Arc::new(std::mem::take(&mut self.resources)),
            templates: Arc::new(self.templates),
        });
        let resources = ResourceCatalog {
            #[cfg(feature = "proposals")]
            proposals: Arc::new(Resources {
                definitions: Arc::clone(&definitions),
                urls: urls.clone(),
            }),
            definitions,
        };
        let catalogs = Catalogs {
            tools: Arc::new(self.tools),
            prompts: Arc::new(self.prompts),
            resources: Arc::new(resources),
            #[cfg(feature = "proposals")]
            urls,
        };
        (catalogs, self.completions)
    }
}
