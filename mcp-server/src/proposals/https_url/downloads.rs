//! The URLs of resources that a URI names, and reading them for downloads.

use mcp_types::Resource;
use mcp_types::peer_text::PeerText;

use crate::features::catalog::CacheHints;
use crate::features::resources::body::{IntoBody, ResourceBody};
use crate::features::resources::defined::Defined;
use crate::features::resources::resolved::{CheckedResource, Resolved, UncheckedResource};
use crate::features::resources::stream::{ResourceStream, WantedBytes};
use crate::proposals::https_url::fixed_body::{FixedBody, LazyFixedBody};
use crate::proposals::https_url::presigned::PresignedUrl;
use crate::proposals::https_url::setters::UrlSettings;
use crate::proposals::resources::collection::is_collection;
#[cfg(feature = "templates")]
use crate::proposals::resources::describe::TemplateMembers;
use crate::protocol::core::Context;
use crate::protocol::error_report::for_log;
use crate::protocol::handler_error::HandlerError;

impl Resolved {
    fn url_settings(&self) -> &UrlSettings {
        self.definition.extras().get()
    }

    /// Returns `true` if a URL is issued for the resource. Collections have none.
    fn has_url(&self) -> bool {
        let resource = match &self.definition {
            Defined::Resource(definition) => &definition.resource,
            #[cfg(feature = "templates")]
            Defined::Template(definition) => &definition.extras.get::<TemplateMembers>().0,
        };
        !self.url_settings().has_no_url && !is_collection(resource)
    }
}

impl UncheckedResource {
    /// Returns `true` if a handler makes the URL in the description.
    pub(crate) fn is_presigned(&self) -> bool {
        let settings = self.0.url_settings();
        settings.presigner.is_some() && !settings.presign_on_request
    }

    /// Returns how long caches may keep the contents.
    pub(crate) fn hints(&self) -> &CacheHints {
        self.0.definition.hints()
    }

    /// Returns `true` if a URL is issued for the resource.
    pub(crate) fn has_url(&self) -> bool {
        self.0.has_url()
    }

    /// Returns `true` if shared caches may store what is served at the URL.
    pub(crate) fn is_publicly_cached(&self) -> bool {
        self.0.url_settings().public_http_cache
    }
}

impl CheckedResource {
    /// Returns `true` if the resource has one representation.
    pub(crate) fn is_single(&self) -> bool {
        let reader = self.0.definition.reader();
        reader.is_some_and(|reader| reader.is_single)
    }

    /// Returns the contents, if they are part of the definition, so that no handler has to run.
    pub(crate) fn fixed_body(&self) -> Option<FixedBody> {
        match &self.0.definition {
            Defined::Resource(definition) => {
                let body: &LazyFixedBody = definition.extras.get();
                Some(body.of(definition.fixed.as_ref()?))
            }
            #[cfg(feature = "templates")]
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

    /// Returns the contents of a resource that was already described, or a stream as it is. The stream
    /// begins with the first of the wanted bytes, or with the first of all.
    pub(crate) async fn open_as(
        &self,
        resource: &Resource,
        wanted: WantedBytes,
        cx: &Context,
    ) -> Result<ResourceBody, HandlerError> {
        match self.body(self.context(cx).with_value(wanted)).await? {
            ResourceBody::Contents(contents) => {
                let contents = self.checked(contents, resource, cx)?;
                Ok(ResourceBody::Contents(contents))
            }
            stream @ ResourceBody::Stream(_) => Ok(stream),
        }
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
