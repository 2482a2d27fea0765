//! [`ResolvedResource`]: the resource that a URI names.

use std::collections::HashSet;
use std::pin::Pin;
use std::sync::Mutex;

use mcp_types::AnyResourceContents;
use mcp_types::json::Map;
use mcp_types::peer_text::PeerText;

use crate::features::catalog::CacheHints;
use crate::features::resources::contents;
use crate::features::resources::contents::body::ResourceBody;
use crate::features::resources::defined::Defined;
use crate::features::resources::handlers::{ReadParams, with_resource};
use crate::protocol::core::Context;
use crate::protocol::dispatch::error_report::for_log;
use crate::protocol::error::handler_error::HandlerError;
use crate::util::join::join;
use crate::util::lock::lock;

/// A resource that a URI names, with its definition. Call [`check_access`](Self::check_access) to
/// check that the caller may use it.
pub(crate) struct ResolvedResource {
    pub(crate) uri: String,
    pub(crate) definition: Defined,
    /// The values of the template's variables in the URI.
    pub(crate) variables: Map<String>,
}

/// The maximum number of guards that run for one request at the same time.
pub(crate) const CONCURRENT: usize = 16;

/// The resources that a request was admitted to, so that their guards run once for it, however often
/// its response names them. Attached to the context of requests with many resources.
#[derive(Default)]
pub(crate) struct AdmittedResources(Mutex<HashSet<String>>);

impl AdmittedResources {
    fn contains(&self, uri: &str) -> bool {
        lock(&self.0).contains(uri)
    }

    fn add(&self, uri: &str) {
        lock(&self.0).insert(uri.to_owned());
    }
}

/// A resource that the caller may use.
pub(crate) struct AuthorizedResource(pub(crate) ResolvedResource);

impl ResolvedResource {
    /// Checks that the caller may read the resource, as [`check`](Self::check).
    pub(crate) async fn check_access(
        self,
        cx: &Context,
    ) -> Result<AuthorizedResource, HandlerError> {
        self.check(cx).await?;
        Ok(AuthorizedResource(self))
    }

    /// Checks that the caller may read the resource. Call this before the response tells anything of
    /// the resource: a caller that may not read it must not learn that it exists.
    ///
    /// # Errors
    ///
    /// "Resource not found" if the caller does not see the resource or a guard forbids to read it.
    /// Any other error of a guard, such as a missing scope.
    pub(crate) async fn check(&self, cx: &Context) -> Result<(), HandlerError> {
        let access = self.definition.access_rules();
        if !access.is_visible(cx) {
            return Err(HandlerError::resource_not_found(&*self.uri));
        }
        let admitted = cx.value::<AdmittedResources>();
        if admitted.is_some_and(|admitted| admitted.contains(&self.uri)) {
            return Ok(());
        }
        let check = if access.names_resource() {
            access.check_all(&with_resource(cx, &self.uri, self.variables.clone()))
        } else {
            access.check_all(cx)
        };
        let Some(check) = check else {
            return Ok(());
        };
        check.await.map_err(|error| {
            if !error.is_forbidden() && !error.is_not_found() {
                return error;
            }
            let (uri, error) = (PeerText(&self.uri), for_log(&error));
            tracing::debug!(%uri, %error, "a guard hides a resource from a caller");
            HandlerError::resource_not_found(&*self.uri)
        })?;
        if let Some(admitted) = admitted {
            admitted.add(&self.uri);
        }
        Ok(())
    }

    /// Returns `true` if the caller sees the resource.
    #[cfg(feature = "proposals")]
    pub(crate) fn is_visible(&self, cx: &Context) -> bool {
        self.definition.access_rules().is_visible(cx)
    }
}

impl AuthorizedResource {
    /// Returns how long caches may keep the contents. If not everybody may read the resource, or one
    /// whose contents they have, they must not be shared. `is_closed` says of which URIs this is true.
    pub(crate) fn hints(
        &self,
        contents: &[AnyResourceContents],
        is_closed: impl Fn(&str) -> bool,
    ) -> CacheHints {
        let mut others = contents.iter().filter(|own| own.uri() != self.0.uri);
        let restricted = !self.0.definition.access_rules().is_open()
            || others.any(|other| is_closed(other.uri()));
        self.0.definition.hints().of(restricted)
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
            #[cfg(feature = "proposals")]
            ResourceBody::Stream(_) => {}
        }
        Ok(body)
    }

    /// Returns the contents. `size` is the number of bytes, if the description has it.
    pub(crate) async fn contents(
        &self,
        #[cfg_attr(
            not(feature = "proposals"),
            expect(unused_variables, reason = "only URLs come with streams")
        )]
        size: Option<i64>,
        cx: &Context,
    ) -> Result<Vec<AnyResourceContents>, HandlerError> {
        match self.body(self.context(cx)).await? {
            ResourceBody::Contents(contents) => Ok(self.readable(contents, cx).await),
            #[cfg(feature = "proposals")]
            ResourceBody::Stream(stream) => {
                let mime_type = self.0.definition.mime_type();
                let size = size.and_then(|size| u64::try_from(size).ok());
                stream.collect(&self.0.uri, mime_type, size, cx).await
            }
        }
    }

    /// Removes contents of other resources, such as the members of a collection, that the caller may
    /// not read.
    async fn readable(
        &self,
        contents: Vec<AnyResourceContents>,
        cx: &Context,
    ) -> Vec<AnyResourceContents> {
        let Some(access) = &cx.core().routes.resource_access else {
            return contents;
        };
        let mut readable = Vec::with_capacity(contents.len());
        for chunk in contents.chunks(CONCURRENT) {
            let checks = chunk.iter().map(|contents| {
                Box::pin(async move {
                    contents.uri() == self.0.uri || access.admits(contents.uri(), cx).await
                }) as Pin<Box<dyn Future<Output = bool> + Send + '_>>
            });
            readable.extend(join(checks.collect()).await);
        }
        let mut readable = readable.into_iter();
        let mut contents = contents;
        contents.retain(|_| readable.next().unwrap_or_default());
        contents
    }
}
