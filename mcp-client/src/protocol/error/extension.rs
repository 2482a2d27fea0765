//! [`ExtensionError`]: why a client cannot have an extension.

/// Why a client cannot have an [`ClientExtension`](crate::ClientExtension).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExtensionError {
    /// The identifier is invalid.
    #[error(
        "invalid identifier `{identifier}` of an extension, expected a reversed domain, `/` and a name, such as `com.example/audit`"
    )]
    Identifier {
        /// The identifier.
        identifier: String,
    },
    /// The settings cannot be encoded, or their JSON is not an object.
    #[error("invalid settings of the extension `{identifier}`: {source}")]
    Settings {
        /// The identifier.
        identifier: String,
        /// What is wrong with them.
        source: mcp_types::error::DecodeError,
    },
    /// Two extensions have the same identifier, or the capabilities of the client already
    /// declare it.
    #[error("the extension `{identifier}` is declared twice")]
    Duplicate {
        /// The identifier.
        identifier: String,
    },
    /// The protocol itself defines the method, in one of its revisions.
    #[error("the extension `{identifier}` cannot handle `{method}`, which the protocol defines")]
    CoreMethod {
        /// The identifier of the extension.
        identifier: String,
        /// The method of the request or notification.
        method: &'static str,
    },
    /// The method has another handler, of an extension or of the client.
    #[error("the extension `{identifier}` cannot handle `{method}`, which has another handler")]
    DuplicateMethod {
        /// The identifier of the extension.
        identifier: String,
        /// The method of the request or notification.
        method: &'static str,
    },
    /// The key of `_meta` is invalid.
    #[error(
        "invalid key `{key}` of `_meta` in the extension `{identifier}`, expected a reversed domain, `/` and a name, such as `com.example/trace`"
    )]
    MetaKey {
        /// The identifier of the extension.
        identifier: String,
        /// The key.
        key: String,
    },
    /// The prefix of the key of `_meta` is that of the protocol.
    #[error("the key `{key}` of `_meta` in the extension `{identifier}` is reserved")]
    ReservedMetaKey {
        /// The identifier of the extension.
        identifier: String,
        /// The key.
        key: String,
    },
    /// The key of `_meta` belongs to two extensions.
    #[error("the key `{key}` of `_meta` in the extension `{identifier}` is declared twice")]
    DuplicateMetaKey {
        /// The identifier of the extension.
        identifier: String,
        /// The key.
        key: String,
    },
}
