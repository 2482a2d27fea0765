//! The keys of `_meta` that the specification names.

/// The prefix of the keys that the specification defines. Programs use a domain of their own.
pub const PREFIX: &str = "io.modelcontextprotocol/";

/// The revision that the sender of a request follows. Every request of a
/// [modern](crate::Revision::is_modern) client has it.
pub const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";

/// The name and version of the client that sends a request, an
/// [`Implementation`](crate::Implementation).
pub const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";

/// The capabilities of the client that sends a request,
/// [`ClientCapabilities`](crate::ClientCapabilities).
pub const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

/// The least level of the log messages that the client wants to receive for a request, a
/// [`LoggingLevel`](crate::LoggingLevel).
pub const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";

/// The name and version of the server that sends a result, an
/// [`Implementation`](crate::Implementation).
pub const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

/// The subscription to which a notification belongs: the id of the request
/// `subscriptions/listen`.
pub const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";

/// The task to which a message belongs, in revision 2025-11-25.
pub const RELATED_TASK: &str = "io.modelcontextprotocol/related-task";

/// The token of the progress notifications that the sender of a request wants to receive, a
/// [`ProgressToken`](crate::id::ProgressToken).
pub const PROGRESS_TOKEN: &str = "progressToken";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Item;
    use std::collections::BTreeSet;

    #[test]
    fn every_key_of_the_schemas_is_a_constant() {
        let declared: BTreeSet<&str> = Item::all()
            .filter_map(|item| item.name().split_once('.'))
            .filter(|(owner, _)| owner.ends_with("MetaObject"))
            .map(|(_, key)| key)
            .collect();
        let constants = [
            PROTOCOL_VERSION,
            CLIENT_INFO,
            CLIENT_CAPABILITIES,
            LOG_LEVEL,
            SERVER_INFO,
            SUBSCRIPTION_ID,
            PROGRESS_TOKEN,
        ];
        assert_eq!(declared, BTreeSet::from(constants));
        let own = constants.iter().filter(|key| **key != PROGRESS_TOKEN);
        assert!(
            own.chain([&RELATED_TASK])
                .all(|key| key.starts_with(PREFIX))
        );
    }
}
