//! What definitions of resources and of templates have in common.

/// The kind of a resource template, as errors call it.
pub(crate) const TEMPLATE: &str = "resource template";

/// Defines the setters. The field `$definition` is the resource or the template.
macro_rules! described {
    ($definition:ident) => {
        crate::features::access::listing_setters!($definition);

        /// Sets the description, for the model.
        pub fn description(mut self, description: impl Into<String>) -> Self {
            self.$definition.description = Some(description.into());
            self
        }

        /// Sets the media type of the contents.
        pub fn mime_type(mut self, mime_type: impl Into<String>) -> Self {
            self.$definition.mime_type = Some(mime_type.into());
            self
        }

        /// Sets annotations: the audience and the priority.
        pub fn annotations(mut self, annotations: Annotations) -> Self {
            self.$definition.annotations = Some(annotations);
            self
        }

        /// Sets for how long, and for whom, caches may keep the contents: not at all by default.
        pub fn cache(mut self, ttl: Duration, scope: CacheScope) -> Self {
            self.hints = CacheHints::new(ttl, scope);
            self
        }

        /// Sets the handler that lists resources: those of a template, or the members of a
        /// collection. An async function of [`ListAt`](crate::ListAt), which says what to list and
        /// has an example, and of extractors; it returns a [`ResourcePage`](crate::ResourcePage).
        pub fn list<M, H>(mut self, handler: H) -> Self
        where
            H: crate::Handler<crate::ListAt, M>,
            H::Output: crate::IntoResult<crate::ResourcePage> + 'static,
        {
            self.access.require_without_resource(&handler);
            let convert = crate::IntoResult::into_result;
            self.lister = Some(crate::protocol::handler::boxed(handler, convert));
            self
        }
    };
}

pub(crate) use described;
