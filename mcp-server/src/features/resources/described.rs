//! The setters and methods that definitions of resources and of templates have in common.

/// Defines the setters. The field `$definition` is the resource or the template, the field
/// `$resource` is the resource with the members that templates do not have.
macro_rules! described {
    ($definition:ident, $resource:ident) => {
        /// Sets a name for people.
        pub fn title(mut self, title: impl Into<String>) -> Self {
            self.$definition.title = Some(title.into());
            self
        }

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

        /// Adds an icon. Its media type and sizes are checked when the definition is added.
        pub fn icon(mut self, icon: Icon) -> Self {
            self.$definition.icons.get_or_insert_default().push(icon);
            self
        }

        /// Sets further data, the `_meta`.
        pub fn meta(mut self, meta: MetaObject) -> Self {
            self.$definition.meta = Some(meta);
            self
        }

        /// Sets for how long, and for whom, caches may keep the contents: not at all by default.
        pub fn cache(mut self, ttl: Duration, scope: CacheScope) -> Self {
            self.hints = CacheHints::new(ttl, scope);
            self
        }

        /// Sets the type by SEP-2093: a document, or a collection of other resources. The contents of
        /// a document may only have its own URI, see the [guide](crate::guide::resources). Without
        /// this call, static text and bytes are documents, a resource that [lists](Self::list) is a
        /// collection, and others have no type.
        ///
        /// ```
        /// use mcp_server::types::ResourceType;
        /// use mcp_server::ResourceDef;
        ///
        /// let page = ResourceDef::new("wiki://news", "news").resource_type(ResourceType::Document);
        /// let wiki = ResourceDef::new("wiki://", "wiki").resource_type(ResourceType::Collection);
        /// # drop((page, wiki));
        /// ```
        #[cfg(feature = "sep-2093")]
        pub fn resource_type(mut self, resource_type: mcp_types::ResourceType) -> Self {
            self.$resource.resource_type = Some(resource_type);
            self
        }

        /// Makes this a collection: short for [`resource_type`](Self::resource_type).
        ///
        /// ```
        /// let shelves = mcp_server::ResourceDef::new("notes://", "shelves").collection();
        /// # drop(shelves);
        /// ```
        #[cfg(feature = "sep-2093")]
        pub fn collection(self) -> Self {
            self.resource_type(mcp_types::ResourceType::Collection)
        }

        /// Sets the kind, a word or two, by the proposal `versioned-resources`.
        ///
        /// ```
        /// use mcp_server::ResourceDef;
        ///
        /// let users = ResourceDef::new("db://users", "users").kind("database_table");
        /// # drop(users);
        /// ```
        #[cfg(feature = "versioned-resources")]
        pub fn kind(mut self, kind: impl Into<String>) -> Self {
            self.$resource.kind = Some(kind.into());
            self
        }

        /// Sets the version, which has to differ after each change of the contents, by the proposal
        /// `versioned-resources`. Set it in `describe` if the contents change while the server runs.
        ///
        /// ```
        /// use mcp_server::ResourceDef;
        ///
        /// let rules = ResourceDef::text("app://rules", "rules", "Be quiet.").version("2");
        /// # drop(rules);
        /// ```
        #[cfg(feature = "versioned-resources")]
        pub fn version(mut self, version: impl Into<String>) -> Self {
            self.$resource.version = Some(version.into());
            self
        }

        /// Sets metadata with any members, by the proposal `versioned-resources`.
        ///
        /// ```
        /// use mcp_server::ResourceDef;
        /// use mcp_server::types::json::Object;
        ///
        /// let users = ResourceDef::new("db://users", "users")
        ///     .metadata(Object::from([("owner", "accounts")]));
        /// # drop(users);
        /// ```
        #[cfg(feature = "versioned-resources")]
        pub fn metadata(mut self, metadata: impl Into<mcp_types::json::Object>) -> Self {
            self.$resource.metadata = Some(metadata.into());
            self
        }

        /// Sets the handler that lists resources: those of a template, or the members of a
        /// collection. An async function of [`ListAt`](crate::ListAt), which says what to list and
        /// has an example, and of extractors; it returns a [`ResourcePage`](crate::ResourcePage).
        #[cfg(feature = "pagination")]
        pub fn list<M, H>(mut self, handler: H) -> Self
        where
            H: crate::Handler<crate::ListAt, M>,
            H::Output: crate::IntoResult<crate::ResourcePage> + 'static,
        {
            self.access.require(&handler);
            let convert = crate::IntoResult::into_result;
            self.lister = Some(crate::protocol::handler::boxed(handler, convert));
            self
        }

        /// Sets whether a URL is issued for it, if the server has [`HttpUrls`](crate::HttpUrls):
        /// `true` by default. Collections never have one.
        #[cfg(feature = "https-url")]
        pub fn http_url(mut self, http_url: bool) -> Self {
            self.http_url = http_url;
            self
        }

        /// Sets a handler that makes the `httpUrl`, such as a presigned URL of an object store, in
        /// place of one that this server serves: an async function of the described [`Resource`] and
        /// of extractors, which returns an `Option` of a [`PresignedUrl`](crate::PresignedUrl). If it
        /// returns `None`, or fails, the resource has a URL of this server, if the server has
        /// [`HttpUrls`](crate::HttpUrls).
        ///
        /// It runs whenever the resource is described to a client, after the guards of the resource
        /// have admitted the client. The store serves the URL without asking them again. It must
        /// serve the bytes that `resources/read` returns.
        ///
        /// ```
        /// use std::time::{Duration, SystemTime};
        ///
        /// use mcp_server::types::Resource;
        /// use mcp_server::{HandlerError, PresignedUrl, ResourceDef};
        /// # fn sign(_: &str, _: Duration) -> String { String::new() }
        ///
        /// async fn presign(film: Resource) -> Result<Option<PresignedUrl>, HandlerError> {
        ///     let valid = Duration::from_secs(900);
        ///     let url = sign(&film.uri, valid); // by the library of the store
        ///     Ok(Some(PresignedUrl::new(url, SystemTime::now() + valid)?))
        /// }
        ///
        /// let film = ResourceDef::new("film://one", "film")
        ///     .handler(async || "the same bytes")
        ///     .presign(presign);
        /// # drop(film);
        /// ```
        #[cfg(feature = "https-url")]
        pub fn presign<M, H>(mut self, handler: H) -> Self
        where
            H: crate::Handler<Resource, M>,
            H::Output: crate::IntoResult<Option<crate::PresignedUrl>> + 'static,
        {
            self.access.require(&handler);
            self.presigner = Some(handlers::of_resource(handler));
            self
        }

        /// Keeps the URL of this server in descriptions, which then redirects to the
        /// [presigned](Self::presign) one (307): the handler runs for requests of the URL and not for
        /// descriptions. Guards hold for each of these requests, and the URL is as stable as that of
        /// other resources, so that caches can use it. The client has to follow redirects.
        ///
        /// Needs [`HttpUrls`](crate::HttpUrls).
        #[cfg(feature = "https-url")]
        pub fn presign_on_request(mut self, on_request: bool) -> Self {
            self.presign_on_request = on_request;
            self
        }

        /// Lets caches that several clients share, such as those of a content delivery network, store
        /// what is served at the URL: `Cache-Control: public`. The time is that of
        /// [`cache`](Self::cache), and at most until the URL expires.
        ///
        /// By default, only the cache of the client that sent the request may store the response. A
        /// shared cache answers requests itself, so neither the guards nor the handlers of the
        /// resource run. While the stored bytes are fresh, everybody who has the URL gets them, even
        /// after the URL was revoked.
        ///
        /// ```
        /// use std::time::Duration;
        ///
        /// use mcp_server::ResourceDef;
        /// use mcp_server::types::CacheScope;
        ///
        /// let logo = ResourceDef::bytes("demo://logo", "logo", *b"\x89PNG...")
        ///     .cache(Duration::from_secs(600), CacheScope::Public)
        ///     .public_http_cache(true);
        /// # drop(logo);
        /// ```
        #[cfg(feature = "https-url")]
        pub fn public_http_cache(mut self, is_public: bool) -> Self {
            self.public_http_cache = is_public;
            self
        }
    };
}

/// Defines the methods of [`Defined`](super::defined::Defined) that are the same for resources and
/// templates.
macro_rules! defined {
    ($definition:ident, $resource:ident) => {
        fn hints(&self) -> &CacheHints {
            &self.hints
        }

        fn access_rules(&self) -> &Access {
            &self.access
        }

        fn reader(&self) -> (Option<&ReadHandler>, Option<&str>) {
            (self.reader.as_ref(), self.$definition.mime_type.as_deref())
        }

        #[cfg(feature = "sep-2093")]
        fn untyped_warned(&self) -> &std::sync::atomic::AtomicBool {
            &self.untyped_warned
        }

        #[cfg(feature = "_proposals")]
        fn describer(&self) -> Option<&DescribeHandler> {
            self.describer.as_ref()
        }

        #[cfg(feature = "pagination")]
        fn lister(&self) -> Option<&ListHandler> {
            self.lister.as_ref()
        }

        /// Collections have no URL.
        #[cfg(feature = "https-url")]
        fn has_url(&self) -> bool {
            #[cfg(feature = "sep-2093")]
            if self.$resource.resource_type == Some(mcp_types::ResourceType::Collection) {
                return false;
            }
            self.http_url
        }

        #[cfg(feature = "https-url")]
        fn presigner(&self) -> Option<&PresignHandler> {
            self.presigner.as_ref()
        }

        #[cfg(feature = "https-url")]
        fn is_redirected(&self) -> bool {
            self.presign_on_request
        }

        #[cfg(feature = "https-url")]
        fn is_publicly_cached(&self) -> bool {
            self.public_http_cache
        }
    };
}

pub(crate) use {defined, described};
