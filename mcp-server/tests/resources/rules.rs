//! SEP-2093: rules for the contents of documents and collections. Contents that violate them are
//! withheld.

use std::sync::{Arc, Mutex};

use mcp_server::types::{
    AnyResourceContents, Proposal, Resource, ResourceType, TextResourceContents,
};
use mcp_server::{HandlerError, ResourceDef, ResourceUri, Server, TemplateDef};
use serde_json::json;
use tracing::Level;
use tracing::subscriber::DefaultGuard;

use crate::client::Client;
use crate::collect::Collected;
use crate::subject::SEP_2093;

type Contents = Vec<AnyResourceContents>;

fn text(uri: &str) -> AnyResourceContents {
    TextResourceContents::new(uri, "never to be seen").into()
}

/// A resource whose contents have these URIs.
fn with_contents(uri: &'static str, uris: &'static [&'static str]) -> ResourceDef {
    ResourceDef::new(uri, uri)
        .handler(move || async move { uris.iter().map(|uri| text(uri)).collect::<Contents>() })
}

fn server(proposals: impl IntoIterator<Item = Proposal>) -> Server {
    let document = |uri, uris| with_contents(uri, uris).resource_type(ResourceType::Document);
    Server::builder("test", "1")
        .proposals(proposals)
        .add_resource(document("d:empty", &[]))
        .add_resource(document("d:foreign", &["d:other"]))
        .add_resource(document("d:mixed", &["d:mixed", "d:other"]))
        .add_resource(document("d:good", &["d:good", "d:good"]))
        .add_resource(with_contents("c:empty", &[]).collection())
        .add_resource(with_contents("c:mixed", &["c:mixed", "d:other"]).collection())
        .add_resource(with_contents("u:empty", &[]))
        .add_resource(with_contents("u:mixed", &["d:other", "u:mixed"]))
        // Only the description, or only the contents, has the type.
        .add_resource(with_contents("d:described", &["d:other"]).describe(
            |resource: Resource| async { resource.resource_type(ResourceType::Document) },
        ))
        .resource(
            "d:contents",
            "contents",
            |ResourceUri(uri): ResourceUri| async move {
                let own = TextResourceContents::new(uri, "never to be seen");
                vec![
                    own.resource_type(ResourceType::Document).into(),
                    text("d:other"),
                ]
            },
        )
        .add_resource_template(
            TemplateDef::new("t:{x}", "template")
                .resource_type(ResourceType::Document)
                .handler(async || Ok::<Contents, HandlerError>(vec![text("d:other")])),
        )
        .build()
        .unwrap()
}

const WRONG: [(&str, &str); 6] = [
    ("d:empty", "at least one element"),
    ("d:foreign", "not `d:other`"),
    ("d:mixed", "not `d:other`"),
    ("d:described", "not `d:other`"),
    ("d:contents", "not `d:other`"),
    ("t:1", "not `d:other`"),
];

const RIGHT: [(&str, usize); 5] = [
    ("d:good", 2),
    ("c:empty", 0),
    ("c:mixed", 2),
    ("u:empty", 0),
    ("u:mixed", 2),
];

#[tokio::test]
async fn contents_that_violate_the_proposal_are_not_sent() {
    let server = server([Proposal::Sep2093]);
    let mut clients = Client::older(&server, &[]).await;
    clients.extend(Client::newest(&server, &[]));
    clients.extend(Client::newest(&server, SEP_2093));
    let log = Collected::begin();
    for mut client in clients {
        for (uri, rule) in WRONG {
            let answer = client
                .request("resources/read", json!({ "uri": uri }))
                .await;
            assert_eq!(
                answer["error"]["code"],
                -32603,
                "{}: {uri}",
                client.describe()
            );
            assert!(!answer.to_string().contains("never to be seen"), "{answer}");
            assert!(!answer.to_string().contains("d:other"), "{answer}");
            let errors = log.errors();
            let [(fields, _)] = errors.as_slice() else {
                panic!("{}: {uri}: {errors:?}", client.describe());
            };
            assert_eq!(fields.get("uri"), Some(uri));
            assert!(fields.get("rule").unwrap().contains(rule), "{fields:?}");
        }
        for (uri, count) in RIGHT {
            let result = client.result("resources/read", json!({ "uri": uri })).await;
            let contents = result["contents"].as_array().unwrap();
            assert_eq!(contents.len(), count, "{}: {uri}", client.describe());
        }
        assert!(log.errors().is_empty());
    }
}

#[tokio::test]
async fn contents_are_not_checked_without_the_proposal() {
    for proposals in [&[][..], &[Proposal::VersionedResources]] {
        let server = server(proposals.iter().copied());
        let mut clients = Client::older(&server, SEP_2093).await;
        clients.extend(Client::newest(&server, SEP_2093));
        for mut client in clients {
            for (uri, count) in [("d:empty", 0), ("d:mixed", 2), ("t:1", 1)] {
                let result = client.result("resources/read", json!({ "uri": uri })).await;
                let contents = result["contents"].as_array().unwrap();
                assert_eq!(contents.len(), count, "{}: {uri}", client.describe());
            }
        }
    }
}

#[tokio::test]
async fn requests_for_metadata_are_traced_with_the_uri() {
    let server = server([Proposal::Sep2093]);
    let log = Collected::begin();
    let [mut client, _] = Client::newest(&server, &[]);
    client
        .result("resources/metadata", json!({ "uri": "d:good" }))
        .await;
    let spans = log.spans();
    assert_eq!(spans.len(), 1);
    assert_eq!(spans[0].get("otel.name"), Some("resources/metadata"));
    assert_eq!(spans[0].get("mcp.resource.uri"), Some("d:good"));
}

/// The text of the log.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    /// Collects the warnings of this thread until the guard is dropped.
    fn begin(&self) -> DefaultGuard {
        let log = self.clone();
        let subscriber = tracing_subscriber::fmt().with_max_level(Level::WARN);
        let subscriber = subscriber.with_writer(move || log.clone());
        tracing::subscriber::set_default(subscriber.with_ansi(false).finish())
    }

    fn lines(&self) -> Vec<String> {
        let bytes = std::mem::take(&mut *self.0.lock().unwrap());
        let text = String::from_utf8(bytes).unwrap();
        text.lines().map(str::to_owned).collect()
    }
}

impl std::io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn contents_of_others_without_a_type_are_logged_once_for_each_definition() {
    let log = Log::default();
    let _guard = log.begin();
    let others = async || vec![text("d:other")];
    let server = Server::builder("test", "1")
        .proposals([Proposal::Sep2093])
        .add_resource(with_contents("u:mixed", &["d:other", "u:mixed"]))
        .add_resource(with_contents("u:own", &["u:own", "u:own"]))
        .add_resource(with_contents("u:empty", &[]))
        .add_resource(with_contents("c:mixed", &["c:mixed", "d:other"]).collection())
        .add_resource_template(TemplateDef::new("t:{x}", "template").handler(others))
        .build()
        .unwrap();
    let mut clients = Client::older(&server, &[]).await;
    clients.extend(Client::newest(&server, SEP_2093));
    for client in &mut clients {
        for uri in ["u:mixed", "u:own", "u:empty", "c:mixed", "t:1", "t:2"] {
            client.result("resources/read", json!({ "uri": uri })).await;
        }
    }
    let lines = log.lines();
    let [first, second] = lines.as_slice() else {
        panic!("{lines:?}");
    };
    for (line, uri) in [(first, "uri=u:mixed"), (second, "uri=t:1")] {
        assert!(
            line.contains(uri) && line.contains("foreign=d:other"),
            "{line}"
        );
        assert!(line.contains("`collection()`"), "{line}");
    }
    let program = self::server([]);
    let [mut client, _] = Client::newest(&program, SEP_2093);
    client
        .result("resources/read", json!({ "uri": "u:mixed" }))
        .await;
    assert!(log.lines().is_empty());
}
