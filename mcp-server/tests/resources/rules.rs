//! SEP-2093: rules for the contents of documents and collections. Contents that violate them are
//! withheld.

use mcp_server::types::{
    AnyResourceContents, Proposal, Resource, ResourceType, TextResourceContents,
};
use mcp_server::{HandlerError, ResourceDef, ResourceUri, Server, TemplateDef};
use serde_json::json;
use tracing::Level;

use super::client::Client;
use super::subject::SEP_2093;
use crate::support::log::{Log, Logged};

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
    let log = Log::begin();
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
            let errors = log.of(Level::ERROR);
            let [error] = errors.as_slice() else {
                panic!("{}: {uri}: {errors:?}", client.describe());
            };
            assert_eq!(error.fields.get("uri"), Some(uri));
            let broken = error.fields.get("rule").unwrap();
            assert!(broken.contains(rule), "{error:?}");
        }
        for (uri, count) in RIGHT {
            let result = client.result("resources/read", json!({ "uri": uri })).await;
            let contents = result["contents"].as_array().unwrap();
            assert_eq!(contents.len(), count, "{}: {uri}", client.describe());
        }
        assert!(log.of(Level::ERROR).is_empty());
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
    let log = Log::begin();
    let [mut client, _] = Client::newest(&server, &[]);
    client
        .result("resources/metadata", json!({ "uri": "d:good" }))
        .await;
    let spans = log.requests();
    assert_eq!(spans.len(), 1);
    assert_eq!(spans[0].get("otel.name"), Some("resources/metadata"));
    assert_eq!(spans[0].get("mcp.resource.uri"), Some("d:good"));
}

/// Returns the warnings and errors since the last call.
fn warnings(log: &Log) -> Vec<Logged> {
    let events = log.events().into_iter();
    events.filter(|event| event.level <= Level::WARN).collect()
}

#[tokio::test]
async fn contents_of_others_without_a_type_are_logged_once_for_each_definition() {
    let log = Log::begin();
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
    let warned = warnings(&log);
    let [first, second] = warned.as_slice() else {
        panic!("{warned:?}");
    };
    for (warning, uri) in [(first, "u:mixed"), (second, "t:1")] {
        assert_eq!(warning.fields.get("uri"), Some(uri), "{warning:?}");
        let foreign = warning.fields.get("foreign");
        assert_eq!(foreign, Some("d:other"), "{warning:?}");
        assert!(warning.message().contains("`collection()`"), "{warning:?}");
    }
    let program = self::server([]);
    let [mut client, _] = Client::newest(&program, SEP_2093);
    client
        .result("resources/read", json!({ "uri": "u:mixed" }))
        .await;
    assert!(warnings(&log).is_empty());
}
