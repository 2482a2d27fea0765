//! [`CheckedResource`]: the resource that a URI names.

use std::sync::Arc;

#[cfg(feature = "https-url")]
use mcp_internal::peer_text::PeerText;
use mcp_types::AnyResourceContents;
#[cfg(feature = "sep-2093")]
use mcp_types::Proposal;
#[cfg(feature = "_proposals")]
use mcp_types::Resource;
use mcp_types::json::Map;

use crate::features::catalog::CacheHints;
use crate::features::resources::body::ResourceBody;
#[cfg(feature = "https-url")]
use crate::features::resources::collection::is_collection;
use crate::features::resources::contents;
use crate::features::resources::defined::Defined;
#[cfg(feature = "https-url")]
use crate::features::resources::fixed_body::FixedBody;
use crate::features::resources::handlers::ReadParams;
#[cfg(feature = "sep-2093")]
use crate::features::resources::listed::{ListAt, ResourcePage};
#[cfg(feature = "https-url")]
use crate::features::resources::presigned::PresignedUrl;
#[cfg(feature = "sep-2093")]
use crate::features::resources::rules;
#[cfg(feature = "https-url")]
use crate::features::resources::stream::WantedBytes;
use crate::protocol::core::Context;
#[cfg(feature = "https-url")]
use crate::protocol::error_report::for_log;
use crate::protocol::handler_error::HandlerError;

/// A resource that a URI names, with its definition. Call [`check_access`](Self::check_access) to check that the
/// caller may use it.
pub(crate) struct UncheckedResource(Resolved);

/// A resource that the caller may use.
pub(crate) struct CheckedResource(Resolved);

struct Resolved {
    uri: String,
    definition: Arc<dyn Defined>,
    /// The values of the template's variables in the URI.
    variables: Map<String>,
}

impl Resolved {
    /// Returns `true` if a template matches the URI, and no handler describes the resource.
    #[cfg(feature = "_proposals")]
    fn is_known_by_reading(&self) -> bool {
        self.definition.is_template() && self.definition.describer().is_none()
    }
}

impl UncheckedResource {
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
    pub(crate) async fn check_access(self, cx: &Context) -> Result<CheckedResource, HandlerError> {
        if !self.is_visible(cx) {
            return Err(HandlerError::resource_not_found(self.0.uri));
        }
        if let Some(check) = self.0.definition.access_rules().check(cx) {
            check.await?;
        }
        Ok(CheckedResource(self.0))
    }

    /// Returns `true` if the caller sees the resource.
    pub(crate) fn is_visible(&self, cx: &Context) -> bool {
        self.0.definition.access_rules().is_visible(cx)
    }

    /// Returns the resource as the definition describes it, without the handler that describes.
    #[cfg(feature = "_proposals")]
    pub(crate) fn base_resource(&self) -> Resource {
        self.0.definition.base_resource(&self.0.uri)
    }

    /// Returns `true` if a handler describes the resource.
    #[cfg(feature = "_proposals")]
    pub(crate) fn is_describable(&self) -> bool {
        #[cfg(feature = "https-url")]
        if self.is_presigned() {
            return true;
        }
        self.0.definition.describer().is_some()
    }

    /// Returns `true` if only the handler that reads knows whether the resource exists.
    #[cfg(feature = "_proposals")]
    pub(crate) fn is_known_by_reading(&self) -> bool {
        self.0.is_known_by_reading()
    }

    /// Returns `true` if a handler makes the URL in the description.
    #[cfg(feature = "https-url")]
    pub(crate) fn is_presigned(&self) -> bool {
        let definition = &self.0.definition;
        definition.presigner().is_some() && !definition.is_redirected()
    }

    /// Returns how long caches may keep the contents.
    #[cfg(feature = "https-url")]
    pub(crate) fn hints(&self) -> &CacheHints {
        self.0.definition.hints()
    }

    /// Returns `true` if a URL is issued for the resource.
    #[cfg(feature = "https-url")]
    pub(crate) fn has_url(&self) -> bool {
        self.0.definition.has_url()
    }

    /// Returns `true` if shared caches may store what is served at the URL.
    #[cfg(feature = "https-url")]
    pub(crate) fn is_publicly_cached(&self) -> bool {
        self.0.definition.is_publicly_cached()
    }
}

impl CheckedResource {
    /// Returns how long caches may keep the contents.
    pub(crate) fn hints(&self) -> &CacheHints {
        self.0.definition.hints()
    }

    /// Returns `true` if the resource has one representation.
    #[cfg(feature = "https-url")]
    pub(crate) fn is_single(&self) -> bool {
        let (reader, _) = self.0.definition.reader();
        reader.is_some_and(|reader| reader.is_single)
    }

    /// Returns the contents, if they are part of the definition, so that no handler has to run.
    #[cfg(feature = "https-url")]
    pub(crate) fn fixed_body(&self) -> Option<FixedBody> {
        self.0.definition.fixed_body().cloned()
    }

    /// Returns the description of the resource, without a presigned URL.
    #[cfg(feature = "_proposals")]
    pub(crate) async fn describe(&self, cx: &Context) -> Result<Resource, HandlerError> {
        let resource = self.0.definition.base_resource(&self.0.uri);
        self.described(resource, cx).await
    }

    /// Returns the description of the resource for a client. It still has members that the client must
    /// not see.
    #[cfg(any(feature = "sep-2093", feature = "versioned-resources"))]
    pub(crate) async fn describe_with_url(&self, cx: &Context) -> Result<Resource, HandlerError> {
        let resource = self.0.definition.base_resource(&self.0.uri);
        self.describe_listed_with_url(resource, false, cx).await
    }

    /// As [`describe_with_url`](Self::describe_with_url), for a resource of which a list knows these
    /// members: all but a URL if `is_complete`.
    #[cfg(feature = "_proposals")]
    pub(crate) async fn describe_listed_with_url(
        &self,
        resource: Resource,
        is_complete: bool,
        cx: &Context,
    ) -> Result<Resource, HandlerError> {
        let resource = if is_complete {
            resource
        } else {
            self.described(resource, cx).await?
        };
        #[cfg(feature = "https-url")]
        let resource = self.presigned(resource, cx).await;
        Ok(resource)
    }

    /// Checks that the resource exists. If a template matches its URI, and no handler describes it, only
    /// the handler that reads knows.
    ///
    /// # Errors
    ///
    /// The error of that handler.
    #[cfg(feature = "_proposals")]
    pub(crate) async fn check_exists(&self, cx: &Context) -> Result<(), HandlerError> {
        if !self.0.is_known_by_reading() {
            return Ok(());
        }
        self.body(self.context(cx)).await.map(drop)
    }

    /// Runs the handler that describes, if there is one.
    #[cfg(feature = "_proposals")]
    async fn described(&self, resource: Resource, cx: &Context) -> Result<Resource, HandlerError> {
        let Some(describer) = self.0.definition.describer() else {
            return Ok(resource);
        };
        let mut resource = describer(resource, self.0.variables.clone(), self.context(cx)).await?;
        resource.uri.clone_from(&self.0.uri);
        Ok(resource)
    }

    /// Adds a presigned URL, for a client that may get one.
    #[cfg(feature = "https-url")]
    async fn presigned(&self, mut resource: Resource, cx: &Context) -> Resource {
        let definition = &self.0.definition;
        if !definition.is_redirected()
            && definition.has_url()
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
    #[cfg(feature = "https-url")]
    pub(crate) async fn redirect(&self, resource: &Resource, cx: &Context) -> Option<PresignedUrl> {
        if !self.0.definition.is_redirected() {
            return None;
        }
        self.presign(resource, cx).await
    }

    /// Runs the handler that makes presigned URLs, if there is one.
    #[cfg(feature = "https-url")]
    async fn presign(&self, resource: &Resource, cx: &Context) -> Option<PresignedUrl> {
        let sign = self.0.definition.presigner()?;
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

    /// Returns the URI.
    #[cfg(feature = "sep-2093")]
    pub(crate) fn uri(&self) -> &str {
        &self.0.uri
    }

    /// Returns `true` if a handler lists members.
    #[cfg(feature = "sep-2093")]
    pub(crate) fn is_listable(&self) -> bool {
        self.0.definition.lister().is_some()
    }

    /// Returns the members of the collection.
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

    /// Returns the contents. If the program opted into SEP-2093, contents that violate the rules of
    /// the resource's type are an error.
    pub(crate) async fn read(
        &self,
        cx: &Context,
    ) -> Result<Vec<AnyResourceContents>, HandlerError> {
        #[cfg(feature = "sep-2093")]
        if cx.core().offers(Proposal::Sep2093) {
            let resource = self.describe(cx).await?;
            return self.read_as(&resource, cx).await;
        }
        self.contents(None, cx).await
    }

    /// Returns the contents of a resource that was already described. They get a media type that
    /// only the description has, unless there are several formats.
    #[cfg(any(feature = "sep-2093", feature = "versioned-resources"))]
    pub(crate) async fn read_as(
        &self,
        resource: &Resource,
        cx: &Context,
    ) -> Result<Vec<AnyResourceContents>, HandlerError> {
        let contents = self.contents(resource.size, cx).await?;
        self.checked(contents, resource, cx)
    }

    /// As [`read_as`](Self::read_as), but returns a stream as it is. It begins with the first of the
    /// wanted bytes, or with the first of all.
    #[cfg(feature = "https-url")]
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

    /// Completes contents, and checks them by the rules of the resource's type.
    #[cfg(feature = "_proposals")]
    #[cfg_attr(
        not(feature = "sep-2093"),
        expect(
            clippy::unused_self,
            clippy::unnecessary_wraps,
            unused_variables,
            reason = "rules are those of SEP-2093"
        )
    )]
    fn checked(
        &self,
        mut contents: Vec<AnyResourceContents>,
        resource: &Resource,
        cx: &Context,
    ) -> Result<Vec<AnyResourceContents>, HandlerError> {
        contents::complete(&mut contents, resource);
        #[cfg(feature = "sep-2093")]
        if cx.core().offers(Proposal::Sep2093) {
            rules::check(resource, &contents)?;
            rules::warn_if_untyped(resource, &contents, self.0.definition.untyped_warned());
        }
        Ok(contents)
    }

    /// Returns the context for the handlers of the definition.
    fn context(&self, cx: &Context) -> Context {
        self.0.definition.access_rules().scoped(cx)
    }

    /// Runs the handler that reads. Returns no contents for a collection that only lists its members.
    async fn body(&self, cx: Context) -> Result<ResourceBody, HandlerError> {
        let (Some(reader), mime_type) = self.0.definition.reader() else {
            return Ok(ResourceBody::Contents(Vec::new()));
        };
        let params = ReadParams {
            uri: self.0.uri.clone(),
            mime_type: mime_type.map(str::to_owned),
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
    async fn contents(
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
                let (_, mime_type) = self.0.definition.reader();
                let size = size.and_then(|size| u64::try_from(size).ok());
                stream.collect(&self.0.uri, mime_type, size, cx).await
            }
        }
    }
}
