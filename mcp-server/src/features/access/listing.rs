//! `listing_setters`: the setters of what lists have of all definitions.

/// Defines the setters of what a list has of every definition. The field `$definition` is the listed
/// type.
macro_rules! listing_setters {
    ($definition:ident) => {
        /// Sets a name for people.
        pub fn title(mut self, title: impl Into<String>) -> Self {
            self.$definition.title = Some(title.into());
            self
        }

        /// Adds an icon. Its media type and sizes are checked when the definition is added.
        pub fn icon(mut self, icon: mcp_types::Icon) -> Self {
            self.$definition.icons.get_or_insert_default().push(icon);
            self
        }

        /// Sets further data, the `_meta`.
        pub fn meta(mut self, meta: mcp_types::MetaObject) -> Self {
            self.$definition.meta = Some(meta);
            self
        }
    };
}

pub(crate) use listing_setters;
