//! Describes resources that a URI names, and reads them by their description.

use mcp_types::{AnyResourceContents, Resource};

use crate::features::resources::defined::Defined;
use crate::features::resources::resolved::{AuthorizedResource, ResolvedResource};
use crate::proposals::metadata::describe::{Describer, ResourceHandler};
use crate::proposals::metadata::metadata_view::is_collection;
use crate::proposals::resources::Resources;
use crate::proposals::resources::finish::finish;
use crate::proposals::sep_2093::rules;
use crate::protocol::core::Context;
use crate::protocol::error::handler_error::HandlerError;

impl ResolvedResource {
    /// Returns the resource as the definition describes it, without the handler that describes.
    pub(crate) fn base_resource(&self) -> Resource {
        match &self.definition {
            Defined::Resource(definition) => definition.resource.clone(),
            Defined::Template(definition) => {
                let template = definition.template.clone();
                let mut resource = definition.resource.clone();
                resource.uri.clone_from(&self.uri);
                resource.name = template.name;
                resource.title = template.title;
                resource.description = template.description;
                resource.mime_type = template.mime_type;
                resource.icons = template.icons;
                resource.annotations = template.annotations;
                resource.meta = template.meta;
                resource
            }
        }
    }

    fn describer(&self) -> Option<&ResourceHandler<Resource>> {
        self.definition.extras().get::<Describer>().0.as_ref()
    }

    /// Returns `true` if only the handler that reads knows whether the resource exists: a template
    /// matches the URI, and no handler describes the resource.
    pub(crate) fn is_known_by_reading(&self) -> bool {
        !matches!(self.definition, Defined::Resource(_)) && self.describer().is_none()
    }

    /// Returns `true` if a handler describes the resource.
    pub(crate) fn is_describable(&self) -> bool {
        if self.is_presigned() {
            return true;
        }
        self.describer().is_some()
    }
}

impl AuthorizedResource {
    /// Returns the description of the resource, without a presigned URL.
    pub(crate) async fn describe(&self, cx: &Context) -> Result<Resource, HandlerError> {
        self.described(self.0.base_resource(), cx).await
    }

    /// Returns the description of the resource as the client may see it.
    pub(crate) async fn describe_for_client(
        &self,
        cx: &Context,
        resources: &Resources,
    ) -> Result<Resource, HandlerError> {
        let resource = self.0.base_resource();
        let described = self.describe_listed_with_url(resource, false, cx);
        let mut resource = described.await?;
        finish(&mut resource, cx, resources);
        Ok(resource)
    }

    /// Completes the description of a resource of which a list knows these members: all but a URL
    /// if `is_complete`. It still has members that the client must not see.
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
        let resource = self.versioned(resource, cx);
        let resource = self.presigned(resource, cx).await;
        Ok(resource)
    }

    /// Checks that the resource exists. If a template matches its URI, and no handler describes it,
    /// only the handler that reads knows.
    ///
    /// # Errors
    ///
    /// The error of that handler.
    pub(crate) async fn check_exists(&self, cx: &Context) -> Result<(), HandlerError> {
        if !self.0.is_known_by_reading() {
            return Ok(());
        }
        self.body(self.context(cx)).await.map(drop)
    }

    /// Runs the handler that describes, if there is one.
    async fn described(&self, resource: Resource, cx: &Context) -> Result<Resource, HandlerError> {
        let Some(describe) = self.0.describer() else {
            return Ok(resource);
        };
        let mut resource = describe(resource, self.0.variables.clone(), self.context(cx)).await?;
        resource.uri.clone_from(&self.0.uri);
        Ok(resource)
    }

    /// Returns the contents. If the program opted into SEP-2093, contents that violate the rules of
    /// the resource's type are an error.
    pub(crate) async fn read(
        &self,
        cx: &Context,
    ) -> Result<Vec<AnyResourceContents>, HandlerError> {
        if cx.core().offers(mcp_types::Proposal::Sep2093) {
            let resource = self.describe(cx).await?;
            return self.read_as(&resource, cx).await;
        }
        self.contents(None, cx).await
    }

    /// Returns the contents of a resource that was already described. They get a media type that
    /// only the description has, unless there are several formats.
    pub(crate) async fn read_as(
        &self,
        resource: &Resource,
        cx: &Context,
    ) -> Result<Vec<AnyResourceContents>, HandlerError> {
        let contents = self.contents(resource.size, cx).await?;
        self.checked(contents, resource, cx)
    }

    /// Completes contents, and checks them by the rules of the resource's type.
    pub(crate) fn checked(
        &self,
        mut contents: Vec<AnyResourceContents>,
        resource: &Resource,
        cx: &Context,
    ) -> Result<Vec<AnyResourceContents>, HandlerError> {
        complete(&mut contents, resource);
        if cx.core().offers(mcp_types::Proposal::Sep2093) {
            rules::check(resource, &contents)?;
            let warned = self.0.definition.extras().get::<rules::UntypedWarned>();
            rules::warn_if_untyped(resource, &contents, warned);
        }
        Ok(contents)
    }
}

/// Gives contents the media type of their resource, if they are the only element of the resource
/// and have none. The media type of a collection is not that of an index in it.
fn complete(contents: &mut [AnyResourceContents], resource: &Resource) {
    if is_collection(resource) {
        return;
    }
    let own = contents.iter_mut().filter_map(|contents| match contents {
        AnyResourceContents::Text(text) => Some((&text.uri, &mut text.mime_type)),
        AnyResourceContents::Blob(blob) => Some((&blob.uri, &mut blob.mime_type)),
        _ => None,
    });
    let mut own = own.filter(|(uri, _)| **uri == resource.uri);
    if let (Some((_, mime_type @ None)), None) = (own.next(), own.next()) {
        mime_type.clone_from(&resource.mime_type);
    }
}
