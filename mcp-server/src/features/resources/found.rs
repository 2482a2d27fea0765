//! [`Found`]: the resource that a URI names.

use std::sync::Arc;

use mcp_types::AnyResourceContents;
#[cfg(feature = "sep-2093")]
use mcp_types::Proposal;
#[cfg(feature = "_proposals")]
use mcp_types::Resource;
use mcp_types::json::Map;

use crate::features::catalog::Hints;
#[cfg(feature = "_proposals")]
use crate::features::resources::contents;
use crate::features::resources::defined::Defined;
#[cfg(feature = "https-url")]
use crate::features::resources::fixed_body::FixedBody;
use crate::features::resources::handlers::ReadParams;
#[cfg(feature = "sep-2093")]
use crate::features::resources::listed::{ListAt, ResourcePage};
#[cfg(feature = "sep-2093")]
use crate::features::resources::rules;
use crate::protocol::core::Context;
use crate::protocol::handler_error::HandlerError;

/// A resource of the server: its URI, and the definition that has it. Before it is used,
/// [`admit`](Self::admit) checks that the caller may.
pub(crate) struct Located(Resolved);

/// A resource that the caller may use.
pub(crate) struct Found(Resolved);

struct Resolved {
    uri: String,
    definition: Arc<dyn Defined>,
    /// What stands in the URI for the variables of a template.
    variables: Map<String>,
}

impl Located {
    pub(crate) fn new(uri: String, definition: Arc<dyn Defined>, variables: Map<String>) -> Self {
        Self(Resolved {
            uri,
            definition,
            variables,
        })
    }

    /// Checks that the caller may use the resource.
    ///
    /// # Errors
    ///
    /// "Resource not found" if the caller does not see the resource, or the error of a guard.
    pub(crate) async fn admit(self, cx: &Context) -> Result<Found, HandlerError> {
        if !self.is_visible(cx) {
            return Err(HandlerError::resource_not_found(self.0.uri));
        }
        if let Some(check) = self.0.definition.rules().check(cx) {
            check.await?;
        }
        Ok(Found(self.0))
    }

    /// Returns `true` if the caller sees the resource.
    pub(crate) fn is_visible(&self, cx: &Context) -> bool {
        self.0.definition.rules().is_visible(cx)
    }

    /// How long what is read may be kept.
    #[cfg(feature = "https-url")]
    pub(crate) fn hints(&self) -> &Hints {
        self.0.definition.hints()
    }

    /// Whether it may be had by a URL.
    #[cfg(feature = "https-url")]
    pub(crate) fn has_url(&self) -> bool {
        self.0.definition.has_url()
    }
}

impl Found {
    /// How long what is read may be kept.
    pub(crate) fn hints(&self) -> &Hints {
        self.0.definition.hints()
    }

    /// The contents, if they are part of the definition: nothing has to run to read them.
    #[cfg(feature = "https-url")]
    pub(crate) fn fixed_body(&self) -> Option<FixedBody> {
        self.0.definition.fixed_body().cloned()
    }

    /// What is said of it, without its contents. Members that the peer must not see are still there.
    #[cfg(feature = "_proposals")]
    pub(crate) async fn describe(&self, cx: &Context) -> Result<Resource, HandlerError> {
        let stated = self.0.definition.stated(&self.0.uri);
        let Some(describer) = self.0.definition.describer() else {
            return Ok(stated);
        };
        let mut resource = describer(stated, self.0.variables.clone(), self.context(cx)).await?;
        resource.uri.clone_from(&self.0.uri);
        Ok(resource)
    }

    /// Its members.
    #[cfg(feature = "sep-2093")]
    pub(crate) async fn list(
        &self,
        at: ListAt,
        cx: &Context,
    ) -> Result<ResourcePage, HandlerError> {
        let Some(lister) = self.0.definition.lister() else {
            return Err(HandlerError::not_a_collection(&self.0.uri));
        };
        let at = at.within(self.0.uri.clone(), self.0.variables.clone());
        lister(at, self.context(cx)).await
    }

    /// What it holds. If the program opted into SEP-2093, contents that break the rules of the
    /// resource's type are an error.
    pub(crate) async fn read(
        &self,
        cx: &Context,
    ) -> Result<Vec<AnyResourceContents>, HandlerError> {
        #[cfg(feature = "sep-2093")]
        if cx.core().offers(Proposal::Sep2093) {
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
        contents::complete(&mut contents, resource);
        #[cfg(feature = "sep-2093")]
        if cx.core().offers(Proposal::Sep2093) {
            rules::check(resource, &contents)?;
        }
        Ok(contents)
    }

    /// The context for the handlers of the definition.
    fn context(&self, cx: &Context) -> Context {
        self.0.definition.rules().scoped(cx)
    }

    async fn contents(&self, cx: &Context) -> Result<Vec<AnyResourceContents>, HandlerError> {
        let (Some(reader), mime_type) = self.0.definition.reader() else {
            return Err(HandlerError::resource_not_found(&self.0.uri));
        };
        let asked = ReadParams {
            uri: self.0.uri.clone(),
            mime_type: mime_type.map(str::to_owned),
        };
        reader(asked, self.0.variables.clone(), self.context(cx))?.await
    }
}
