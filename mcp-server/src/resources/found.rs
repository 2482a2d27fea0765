//! [`Found`]: what a URI is answered by.

use std::sync::Arc;

use mcp_types::AnyResourceContents;
#[cfg(feature = "sep-2093")]
use mcp_types::Proposal;
#[cfg(feature = "_proposals")]
use mcp_types::Resource;
use mcp_types::json::Map;

use super::handlers::Asked;
#[cfg(feature = "sep-2093")]
use super::{ListAt, Listed};
use super::{ResourceDef, TemplateDef};
use crate::context::Context;
use crate::error::HandlerError;
use crate::lists::Hints;
use crate::server::Server;

/// A resource of the server: its URI, and the definition that has it.
#[derive(Clone)]
pub(crate) struct Found {
    uri: String,
    definition: Defined,
}

#[derive(Clone)]
enum Defined {
    Resource(Arc<ResourceDef>),
    Template(Arc<TemplateDef>, Map<String>),
}

/// The resource that has a URI, or else one of the first template that makes it.
pub(crate) fn locate(server: &Server, uri: &str) -> Option<Found> {
    let features = &server.inner.features;
    let definition = if let Some(resource) = features.resources.get(uri) {
        Defined::Resource(resource)
    } else {
        let fits = |template: &Arc<TemplateDef>| {
            let variables = template.matches(uri)?;
            Some(Defined::Template(Arc::clone(template), variables))
        };
        features.templates.find(fits)?
    };
    Some(Found {
        uri: uri.to_owned(),
        definition,
    })
}

/// The same, where the peer asks for it.
pub(super) fn find(server: &Server, uri: &str) -> Result<Found, HandlerError> {
    locate(server, uri).ok_or_else(|| HandlerError::resource_not_found(uri))
}

impl Found {
    /// How long what is read may be kept.
    pub(crate) fn hints(&self) -> &Hints {
        match &self.definition {
            Defined::Resource(resource) => resource.hints(),
            Defined::Template(template, _) => template.hints(),
        }
    }

    /// Whether it may be had by a URL.
    #[cfg(feature = "https-url")]
    pub(crate) fn has_url(&self) -> bool {
        match &self.definition {
            Defined::Resource(resource) => resource.has_url(),
            Defined::Template(template, _) => template.has_url(),
        }
    }

    /// What is said of it, without its contents. Not [finished](super::finish) yet.
    #[cfg(feature = "_proposals")]
    pub(crate) async fn describe(&self, cx: &Context) -> Result<Resource, HandlerError> {
        let (stated, variables, describer) = match &self.definition {
            Defined::Resource(resource) => (resource.stated(), Map::new(), resource.describer()),
            Defined::Template(template, variables) => (
                template.stated(&self.uri),
                variables.clone(),
                template.describer(),
            ),
        };
        let Some(describer) = describer else {
            return Ok(stated);
        };
        let mut resource = describer(stated, variables, cx.clone())?.await?;
        resource.uri.clone_from(&self.uri);
        Ok(resource)
    }

    /// Its members.
    #[cfg(feature = "sep-2093")]
    pub(super) async fn list(&self, at: ListAt, cx: &Context) -> Result<Listed, HandlerError> {
        let (lister, variables) = match &self.definition {
            Defined::Resource(resource) => (resource.lister(), Map::new()),
            Defined::Template(template, variables) => (template.lister(), variables.clone()),
        };
        let Some(lister) = lister else {
            return Err(HandlerError::not_a_collection(&self.uri));
        };
        lister(at.within(self.uri.clone(), variables), cx.clone()).await
    }

    /// What it holds. If the program opted into SEP-2093, contents that break the rules of the
    /// resource's type are an error.
    pub(crate) async fn read(
        &self,
        cx: &Context,
    ) -> Result<Vec<AnyResourceContents>, HandlerError> {
        #[cfg(feature = "sep-2093")]
        if cx.server().offers(Proposal::Sep2093) {
            let resource = self.describe(cx).await?;
            return self.read_as(&resource, cx).await;
        }
        self.contents(cx).await
    }

    /// What it holds, where it is described already. A media type that only the description knows
    /// is said, unless there are several formats.
    #[cfg(feature = "_proposals")]
    pub(crate) async fn read_as(
        &self,
        resource: &Resource,
        cx: &Context,
    ) -> Result<Vec<AnyResourceContents>, HandlerError> {
        let mut contents = self.contents(cx).await?;
        super::contents::complete(&mut contents, resource);
        #[cfg(feature = "sep-2093")]
        if cx.server().offers(Proposal::Sep2093) {
            super::rules::check(resource, &contents)?;
        }
        Ok(contents)
    }

    async fn contents(&self, cx: &Context) -> Result<Vec<AnyResourceContents>, HandlerError> {
        let (reader, variables, mime_type) = match &self.definition {
            Defined::Resource(resource) => {
                let (reader, mime_type) = resource.reader();
                (reader, Map::new(), mime_type)
            }
            Defined::Template(template, variables) => {
                let (reader, mime_type) = template.reader();
                (reader, variables.clone(), mime_type)
            }
        };
        let Some(reader) = reader else {
            return Err(HandlerError::resource_not_found(&self.uri));
        };
        let asked = Asked {
            uri: self.uri.clone(),
            variables,
            mime_type: mime_type.map(str::to_owned),
        };
        reader(asked, cx.clone())?.await
    }
}
