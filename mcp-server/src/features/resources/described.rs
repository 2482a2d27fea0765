//! What is said of resources and of templates alike.

/// Setters for what the field `$said` is, a resource or a template; the field `$each` is the
/// resource that has what only resources have.
macro_rules! described {
    ($said:ident, $each:ident) => {
        /// A name for people.
        pub fn title(mut self, title: impl Into<String>) -> Self {
            self.$said.title = Some(title.into());
            self
        }

        /// What it is about, for the model.
        pub fn description(mut self, description: impl Into<String>) -> Self {
            self.$said.description = Some(description.into());
            self
        }

        /// The media type of the contents.
        pub fn mime_type(mut self, mime_type: impl Into<String>) -> Self {
            self.$said.mime_type = Some(mime_type.into());
            self
        }

        /// For whom it is, and how important.
        pub fn annotations(mut self, annotations: Annotations) -> Self {
            self.$said.annotations = Some(annotations);
            self
        }

        /// Adds an icon.
        pub fn icon(mut self, icon: Icon) -> Self {
            self.$said.icons.get_or_insert_default().push(icon);
            self
        }

        /// Further data, the `_meta`.
        pub fn meta(mut self, meta: MetaObject) -> Self {
            self.$said.meta = Some(meta);
            self
        }

        /// How long, and for whom, caches may keep what was read. Not at all by default.
        pub fn cache(mut self, ttl: Duration, scope: CacheScope) -> Self {
            self.hints = Hints::new(ttl, scope);
            self
        }

        /// Whether it is a single document or a collection of others, by SEP-2093. What is read of
        /// a document is held to its URI, see the [guide](crate::guide::resources). Where nothing
        /// is said, static text and bytes are documents, a resource that [lists](Self::list) is a
        /// collection, and all else is left open.
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
            self.$each.resource_type = Some(resource_type);
            self
        }

        /// Says that it is a collection, [`resource_type`](Self::resource_type) in one word.
        ///
        /// ```
        /// let shelves = mcp_server::ResourceDef::new("notes://", "shelves").collection();
        /// # drop(shelves);
        /// ```
        #[cfg(feature = "sep-2093")]
        pub fn collection(self) -> Self {
            self.resource_type(mcp_types::ResourceType::Collection)
        }

        /// What sort of thing it is, in a word or two, by the proposal `versioned-resources`.
        ///
        /// ```
        /// use mcp_server::ResourceDef;
        ///
        /// let users = ResourceDef::new("db://users", "users").kind("database_table");
        /// # drop(users);
        /// ```
        #[cfg(feature = "versioned-resources")]
        pub fn kind(mut self, kind: impl Into<String>) -> Self {
            self.$each.kind = Some(kind.into());
            self
        }

        /// A mark of the present contents, which changes with them, by the proposal
        /// `versioned-resources`. What changes by itself has its version from `describe`.
        ///
        /// ```
        /// use mcp_server::ResourceDef;
        ///
        /// let rules = ResourceDef::text("app://rules", "rules", "Be quiet.").version("2");
        /// # drop(rules);
        /// ```
        #[cfg(feature = "versioned-resources")]
        pub fn version(mut self, version: impl Into<String>) -> Self {
            self.$each.version = Some(version.into());
            self
        }

        /// Further facts under names of one's choice, by the proposal `versioned-resources`.
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
            self.$each.metadata = Some(metadata.into());
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

        /// Whether a URL is handed out for it, where the server has [`HttpUrls`](crate::HttpUrls):
        /// so it is, unless said here. Collections never have one.
        #[cfg(feature = "https-url")]
        pub fn http_url(mut self, http_url: bool) -> Self {
            self.http_url = http_url;
            self
        }
    };
}

/// How a definition of either kind answers, the part of [`Defined`](super::defined::Defined) that is
/// the same for both.
macro_rules! defined {
    ($said:ident, $each:ident) => {
        fn hints(&self) -> &Hints {
            &self.hints
        }

        fn rules(&self) -> &Access {
            &self.access
        }

        fn reader(&self) -> (Option<&ReadHandler>, Option<&str>) {
            (self.reader.as_ref(), self.$said.mime_type.as_deref())
        }

        #[cfg(feature = "_proposals")]
        fn describer(&self) -> Option<&DescribeHandler> {
            self.describer.as_ref()
        }

        #[cfg(feature = "pagination")]
        fn lister(&self) -> Option<&ListHandler> {
            self.lister.as_ref()
        }

        /// Collections have none.
        #[cfg(feature = "https-url")]
        fn has_url(&self) -> bool {
            #[cfg(feature = "sep-2093")]
            if self.$each.resource_type == Some(mcp_types::ResourceType::Collection) {
                return false;
            }
            self.http_url
        }
    };
}

pub(crate) use {defined, described};
