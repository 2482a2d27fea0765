//! The URLs of resources that a URI names, and reading them for downloads.

use std::sync::Arc;

use mcp_types::Resource;
use mcp_types::peer_text::PeerText;

use crate::features::resources::contents::body::{IntoBody, ResourceBody};
use crate::features::resources::contents::stream::{ResourceStream, WantedBytes};
use crate::features::resources::defined::Defined;
use crate::features::resources::resolved::{AuthorizedResource, ResolvedResource};
use crate::proposals::https_url::fixed_body::{FixedBody, LazyFixedBody};
use crate::proposals::https_url::presigned::PresignedUrl;
use crate::proposals::https_url::setters::UrlSettings;
use crate::proposals::metadata::metadata_view::is_collection;
use crate::protocol::core::Context;
use crate::protocol::dispatch::error_report::for_log;
use crate::protocol::error::handler_error::HandlerError;

impl ResolvedResource {
    pub(crate) fn url_settings(&self) -> &UrlSettings {
        self.definition.extras().get()
    }

    /// Returns `true` if a URL is issued for the resource. Collections have none.
    pub(crate) fn has_url(&self) -> bool {
        let is_collection = match &self.definition {
            Defined::Resource(definition) => is_collection(&definition.resource),
            Defined::Template(definition) => is_collection(&definition.resource),
        };
        !self.url_settings().has_no_url && !is_collection
    }

    /// Returns `true` if a handler makes the URL in the description.
    pub(crate) fn is_presigned(&self) -> bool {
        let settings = self.url_settings();
        settings.presigner.is_some() && !settings.presign_on_request
    }
}

impl AuthorizedResource {
    /// Returns the contents, if they are part of the definition, so that no handler has to run.
    pub(crate) fn fixed_body(&self) -> Option<Arc<FixedBody>> {
        match &self.0.definition {
            Defined::Resource(definition) => {
                let body: &LazyFixedBody = definition.extras.get();
                Some(body.of(definition.fixed.as_ref()?))
            }
            Defined::Template(_) => None,
        }
    }

    /// Adds a presigned URL, for a client that may get one.
    pub(crate) async fn presigned(&self, mut resource: Resource, cx: &Context) -> Resource {
        if !self.0.url_settings().presign_on_request
            && self.0.has_url()
            && cx.offered(mcp_types::Proposal::HttpsUrl)
            && resource.http_url.is_none()
            && !is_collection(&resource)
            && let Some(presigned) = self.presign(&resource, cx).await
        {
            resource.http_url = Some(presigned.url);
            resource.http_url_expires_at = Some(presigned.expires_at);
        }
        resource
    }

    /// Returns the URL to which the one of this server redirects.
    pub(crate) async fn redirect(&self, resource: &Resource, cx: &Context) -> Option<PresignedUrl> {
        if !self.0.url_settings().presign_on_request {
            return None;
        }
        self.presign(resource, cx).await
    }

    /// Runs the handler that makes presigned URLs, if there is one.
    async fn presign(&self, resource: &Resource, cx: &Context) -> Option<PresignedUrl> {
        let sign = self.0.url_settings().presigner.as_ref()?;
        let presigned = sign(resource.clone(), self.0.variables.clone(), self.context(cx));
        match presigned.await {
            Ok(presigned) => presigned,
            Err(error) => {
                let (uri, error) = (PeerText(&resource.uri), for_log(&error));
                tracing::warn!(%uri, %error, "no presigned URL was made for a resource");
                None
            }
        }
    }

    /// Returns the contents of a resource that was already described, or a stream as it is. The
    /// stream begins with the first of the wanted bytes, or with the first of all.
    pub(crate) async fn open_as(
        &self,
        resource: &Resource,
        wanted: WantedBytes,
        cx: &Context,
    ) -> Result<ResourceBody, HandlerError> {
        let body = self.body(self.context(cx).with_value(wanted)).await?;
        let ResourceBody::Contents(contents) = body else {
            return Ok(body);
        };
        Ok(self.checked(contents, resource, cx)?.into())
    }
}

impl From<ResourceStream> for ResourceBody {
    fn from(stream: ResourceStream) -> Self {
        Self::Stream(stream)
    }
}

impl IntoBody for ResourceStream {
    const IS_SINGLE: bool = true;

    fn into_body(self, _: &str, _: Option<&str>) -> Result<ResourceBody, HandlerError> {
        Ok(self.into())
    }
}

impl<E: Into<HandlerError>> IntoBody for Result<ResourceStream, E> {
    const IS_SINGLE: bool = true;

    fn into_body(self, _: &str, _: Option<&str>) -> Result<ResourceBody, HandlerError> {
        Ok(self.map_err(Into::into)?.into())
    }
}
