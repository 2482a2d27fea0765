//! Settings that cannot work cause warnings when the server is built.

use std::sync::Arc;

use mcp_server::{HttpConfig, Keys, Memory, Server, ServerBuilder, ToolDef};
use tracing::Level;

use crate::support::log::Log;

fn builder() -> ServerBuilder {
    Server::builder("one-of-many", "1")
}

fn keys() -> Keys {
    Keys::from_bytes([7; 32])
}

/// Returns the warnings of a server that is built and converted to a service.
fn warnings(builder: ServerBuilder, config: HttpConfig) -> Vec<String> {
    let log = Log::begin();
    let server = builder.build().expect("the definition is sound");
    drop(server.into_service(config));
    let warnings = log.of(Level::WARN);
    warnings
        .iter()
        .map(|warning| warning.message().to_owned())
        .collect()
}

#[test]
fn shared_store_without_keys_logs_a_warning_that_names_the_setting() {
    let store = || Arc::new(Memory::new());
    let set: [fn(ServerBuilder, Arc<Memory>) -> ServerBuilder; 4] = [
        |builder, store| builder.store(Memory::clone(&store)),
        |builder, store| builder.bus(store),
        |builder, store| builder.value_store(store),
        |builder, store| builder.event_store(store),
    ];
    for set in set {
        let warned = warnings(set(builder(), store()), HttpConfig::new());
        assert_eq!(warned.len(), 1, "{warned:?}");
        assert!(warned[0].contains("`ServerBuilder::keys`"), "{warned:?}");
        let with_keys = set(builder(), store()).keys(keys());
        assert!(warnings(with_keys, HttpConfig::new()).is_empty());
    }
    assert!(warnings(builder(), HttpConfig::new()).is_empty());
}

/// URLs of resources are signed with separate keys.
#[cfg(feature = "proposals")]
#[test]
fn shared_store_without_url_keys_logs_a_warning_that_names_the_setting() {
    use mcp_server::{HttpUrls, Proposal, UrlKeys};

    let urls = || HttpUrls::new("https://files.example.com/r/").expect("a base URL");
    let shared = |urls| {
        let builder = builder().proposals([Proposal::HttpsUrl]).http_urls(urls);
        builder.store(Memory::new()).keys(keys())
    };
    let warned = warnings(shared(urls()), HttpConfig::new());
    assert_eq!(warned.len(), 1, "{warned:?}");
    assert!(warned[0].contains("`HttpUrls::keys`"), "{warned:?}");
    let with_keys = shared(urls().keys(UrlKeys::new([7; 32])));
    assert!(warnings(with_keys, HttpConfig::new()).is_empty());
}

#[test]
fn tools_that_clients_may_refuse_log_warnings() {
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    #[serde(tag = "kind")]
    enum Either {
        One { text: String },
        Two { text: String },
    }

    async fn either(either: Either) -> String {
        match either {
            Either::One { text } | Either::Two { text } => text,
        }
    }

    let tool = |name: &str| ToolDef::new(name).handler(either);
    let warned = warnings(builder().add_tool(tool("either")), HttpConfig::new());
    assert_eq!(warned.len(), 1, "{warned:?}");
    assert!(warned[0].contains("`ToolDef::one_object`"), "{warned:?}");
    let one = |name: &str| builder().add_tool(tool(name).one_object());
    assert!(warnings(one("aZ0_-."), HttpConfig::new()).is_empty());
    for name in ["two words", "caf\u{e9}", "a/b", &"n".repeat(129)] {
        let warned = warnings(one(name), HttpConfig::new());
        assert_eq!(warned.len(), 1, "{name}: {warned:?}");
        assert!(warned[0].contains("name of this tool"), "{warned:?}");
    }

    // A tool that is added while the server runs.
    let server = builder().build().expect("the definition is sound");
    let log = Log::begin();
    server
        .tools()
        .add(tool("late"))
        .expect("a sound definition");
    assert_eq!(log.of(Level::WARN).len(), 1);
}
