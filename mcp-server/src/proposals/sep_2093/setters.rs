//! The setters of definitions that SEP-2093 adds.

use crate::proposals::metadata::describe::for_definitions;

for_definitions! {
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
    pub fn resource_type(mut self, resource_type: mcp_types::ResourceType) -> Self {
        self.resource.resource_type = Some(resource_type);
        self
    }

    /// Makes this a collection: short for [`resource_type`](Self::resource_type).
    ///
    /// ```
    /// let shelves = mcp_server::ResourceDef::new("notes://", "shelves").collection();
    /// # drop(shelves);
    /// ```
    pub fn collection(self) -> Self {
        self.resource_type(mcp_types::ResourceType::Collection)
    }
}
