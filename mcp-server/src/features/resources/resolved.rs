//! [`ResolvedResource`]: the resource that a URI names.

use mcp_types::AnyResourceContents;
use mcp_types::json::Map;

use crate::features::catalog::CacheHints;
use crate::features::resources::contents;
use crate::features::resources::contents::body::ResourceBody;
use crate::features::resources::defined::Defined;
use crate::features::resources::handlers::ReadParams;
use crate::protocol::core::Context;
use crate::protocol::error::handler_error::HandlerError;

/// A resource that a URI names, with its definition. Call [`check_access`](Self::check_access) to
/// check that the caller may use it.
pub(crate) struct ResolvedResource {
    pub(crate) uri: String,
    pub(crate) definition: Defined,
    /// The values of the template's variables in the URI.
    pub(crate) variables: Map<String>,
}

/// A resource that the caller may use.
pub(crate) struct AuthorizedResource(pub(crate) ResolvedResource);

impl ResolvedResource {
    /// Checks that the caller may use the resource.
    ///
    /// # Errors
    ///
    /// "Resource not found" if the caller does not see the resource, or the error of a guard.
    pub(crate) async fn check_access(
        self,
        cx: &Context,
    ) -> Result<AuthorizedResource, HandlerError> {
        if !self.is_visible(cx) {
            return Err(HandlerError::resource_not_found(self.uri));
        }
        if let Some(check) = self.definition.access_rules().check(cx) {
            check.await?;
        }
        Ok(AuthorizedResource(self))
    }

    /// Returns `true` if the caller sees the resource.
    pub(crate) fn is_visible(&self, cx: &Context) -> bool {
        self.definition.access_rules().is_visible(cx)
    }
}

impl AuthorizedResource {
    /// Returns how long caches may keep the contents.
    pub(crate) fn hints(&self) -> &CacheHints {
        self.0.definition.hints()
    }

    /// Returns the context for the handlers of the definition.
    pub(crate) fn context(&self, cx: &Context) -> Context {
        self.0.definition.access_rules().scoped(cx)
    }

    /// Runs the handler that reads. Returns no contents for a collection that only lists its
    /// members.
    pub(crate) async fn body(&self, cx: Context) -> Result<ResourceBody, HandlerError> {
        let Some(reader) = self.0.definition.reader() else {
            return Ok(ResourceBody::Contents(Vec::new()));
        };
        let params = ReadParams {
            uri: self.0.uri.clone(),
            mime_type: self.0.definition.mime_type().map(str::to_owned),
        };
        let mut body = (reader.read)(params, self.0.variables.clone(), cx)?.await?;
        match &mut body {
            ResourceBody::Contents(contents) => contents::make_canonical(contents),
            #[cfg(feature = "https-url")]
            ResourceBody::Stream(_) => {}
        }
        Ok(body)
    }

    /// Returns the contents. `size` is the number of bytes, if the description has it.
    pub(crate) async fn contents(
        &self,
        #[cfg_attr(
            not(feature = "https-url"),
            expect(unused_variables, reason = "only URLs come with streams")
        )]
        size: Option<i64>,
        cx: &Context,
    ) -> Result<Vec<AnyResourceContents>, HandlerError> {
        match self.body(self.context(cx)).await? {
            ResourceBody::Contents(contents) => Ok(contents),
            #[cfg(feature = "https-url")]
            ResourceBody::Stream(stream) => {
                let mime_type = self.0.definition.mime_type();
                let size = size.and_then(|size| u64::try_from(size).ok());
                stream.collect(&self.0.uri, mime_type, size, cx).await
            }
        }
    }
}
