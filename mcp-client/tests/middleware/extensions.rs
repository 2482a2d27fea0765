//! Extensions of the protocol.

use mcp_client::types::json::{self, Map, Object, Writer};
use mcp_client::types::revision::{VersionError, Versioned};
use mcp_client::types::rpc::ErrorObject;
use mcp_client::types::v2025_11_25::{PingRequest, TaskStatusNotification};
use mcp_client::types::{
    LoggingMessageNotification, Notification, Outcome, Request, Revision, Sender,
};
use mcp_client::{Client, ClientBuilder, ClientExtension, ConnectError, ExtensionError};
use mcp_server::{Params, Server};
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::sync::mpsc;

use super::{Record, Way, builder};
use crate::support::script::Script;
use crate::support::soon;

const AUDIT: &str = "com.example/audit";

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Note {
    text: String,
}

impl Versioned for Note {
    fn decode_at(_: Revision, text: &str) -> Result<Self, VersionError> {
        Ok(json::from_str(text)?)
    }

    fn write_at(self, _: Revision, out: &mut Writer<'_>) -> Result<(), VersionError> {
        Ok(out.write(&self)?)
    }
}

impl Outcome for Note {
    type Complete = Self;

    fn complete(self) -> Result<Self, Box<Self>> {
        Ok(self)
    }
}

/// Both sides send it.
struct NoteRequest;

impl Request for NoteRequest {
    const METHOD: &'static str = "com.example/note";
    const SENDER: Sender = Sender::Both;
    type Params = Note;
    type Result = Note;
}

struct NotedNotification;

impl Notification for NotedNotification {
    const METHOD: &'static str = "notifications/com.example/noted";
    const SENDER: Sender = Sender::Server;
    type Params = Note;
}

/// Params and results of handlers need no form in each revision.
#[derive(Clone, Serialize, Deserialize)]
struct Plain {
    text: String,
}

struct PlainRequest;

impl Request for PlainRequest {
    const METHOD: &'static str = "com.example/plain";
    const SENDER: Sender = Sender::Server;
    type Params = Plain;
    type Result = Plain;
}

struct PlainNotification;

impl Notification for PlainNotification {
    const METHOD: &'static str = "notifications/com.example/plain";
    const SENDER: Sender = Sender::Server;
    type Params = Plain;
}

/// Answers notes of the server, and fails for empty ones.
fn audit() -> ClientExtension {
    ClientExtension::new(AUDIT).on_request::<NoteRequest, _>(|note| async move {
        if note.text.is_empty() {
            return Err(ErrorObject::invalid_params("no text").into());
        }
        let text = format!("client: {}", note.text);
        Ok(Note { text })
    })
}

#[derive(Debug, PartialEq, Deserialize)]
struct Settings {
    level: u8,
}

#[tokio::test]
async fn extension_of_both_sides_has_settings_and_methods_at_every_revision() {
    let settings = Object::from([("level", 3)]);
    let extensions = Map::from([(AUDIT, settings)]);
    let server = Server::builder("audited", "1.0.0")
        .capabilities(|all| all.extensions(extensions))
        .on::<NoteRequest, _, _>(async |Params(note): Params<NoteRequest>| Note {
            text: format!("server: {}", note.text),
        })
        .build()
        .expect("the definition is valid");
    for way in Way::ALL {
        for &revision in Revision::ALL {
            let record = Record::default();
            let builder = builder().revision(revision);
            let builder = builder.extension(audit().layer(record.layer("audit")));
            let client = way.connect(&server, builder).await;
            if revision.is_modern() {
                let announced: Option<Settings> = client.server_extension(AUDIT).expect("settings");
                assert_eq!(announced, Some(Settings { level: 3 }), "{way:?} {revision}");
            }
            record.take();
            let note = Note {
                text: "hello".to_owned(),
            };
            let noted = soon(client.request::<NoteRequest>(note)).await;
            assert_eq!(noted.expect("a result").text, "server: hello");
            assert_eq!(
                record.take(),
                [
                    "audit ToServer com.example/note",
                    "audit com.example/note true"
                ],
                "{way:?} {revision}"
            );
        }
    }
}

#[tokio::test]
async fn extensions_are_announced_in_both_eras() {
    let extended = || {
        let audit = audit().settings(&json!({"level": 3}));
        let plain = ClientExtension::new("com.example/plain");
        builder().extension(audit).extension(plain)
    };
    let expected = json!({AUDIT: {"level": 3}, "com.example/plain": {}});
    let theirs = r#"{"extensions":{"com.example/audit":{"level":4}}}"#;
    let check = |client: &Client| {
        let announced: Option<Settings> = client.server_extension(AUDIT).expect("settings");
        assert_eq!(announced, Some(Settings { level: 4 }));
        let other: Option<Settings> = client.server_extension("com.example/x").expect("none");
        assert_eq!(other, None);
        let other = client.server_extension::<Vec<u8>>(AUDIT);
        other.expect_err("another type");
    };
    let (client, script) = Script::modern(extended(), theirs).await;
    let meta = &script.hello["params"]["_meta"];
    let capabilities = &meta["io.modelcontextprotocol/clientCapabilities"];
    assert_eq!(capabilities["extensions"], expected);
    check(&client);
    for revision in ["2025-11-25", "2024-11-05"] {
        let (client, script) = Script::legacy(extended(), revision, theirs).await;
        let capabilities = &script.hello["params"]["capabilities"];
        assert_eq!(capabilities["extensions"], expected, "{revision}");
        check(&client);
    }
}

#[tokio::test]
async fn requests_and_notifications_of_the_server_are_handled() {
    let (sender, mut notes) = mpsc::unbounded_channel();
    let audit = audit()
        .on_notification::<PlainNotification>(move |note| {
            let _ = sender.send(note);
        })
        .on_request::<PlainRequest, _>(|plain| async { Ok(plain) });
    let layered = audit.clone().layer(Record::default().layer("layer"));
    for audit in [audit, layered] {
        let builder = builder().extension(audit);
        let (_client, mut script) = Script::legacy(builder, "2025-11-25", "{}").await;
        for (id, params) in [(1, r#"{"text":"hi"}"#), (2, r#"{"text":""}"#), (3, "{}")] {
            script
                .send(format!(
                    r#"{{"jsonrpc":"2.0","id":{id},"method":"com.example/note","params":{params}}}"#
                ))
                .await;
            let answer = script.read().await;
            assert_eq!(answer["id"], id);
            if id == 1 {
                assert_eq!(answer["result"], json!({"text": "client: hi"}), "{answer}");
            } else {
                assert_eq!(answer["error"]["code"], -32602, "{answer}");
            }
        }
        script
            .send(r#"{"jsonrpc":"2.0","method":"notifications/com.example/plain","params":{"text":"noted"}}"#)
            .await;
        let note = soon(notes.recv()).await.expect("a note");
        assert_eq!(note.text, "noted");
    }
}

#[test]
fn extension_is_shown_by_its_identifier() {
    let shown = format!("ClientExtension {{ identifier: {AUDIT:?}, .. }}");
    assert_eq!(format!("{:?}", audit()), shown);
}

#[tokio::test]
async fn invalid_extensions_are_errors_before_anything_is_sent() {
    let identifier = AUDIT.to_owned();
    let key = "com.example/trace".to_owned();
    let reserved = "io.modelcontextprotocol/trace".to_owned();
    let method = NoteRequest::METHOD;
    let cases = [
        (
            vec![audit(), ClientExtension::new(AUDIT)],
            ExtensionError::Duplicate {
                identifier: identifier.clone(),
            },
        ),
        (
            vec![
                ClientExtension::new(AUDIT)
                    .on_request::<PingRequest, _>(|_| async { Err("not called".into()) }),
            ],
            ExtensionError::CoreMethod {
                identifier: identifier.clone(),
                method: "ping",
            },
        ),
        (
            vec![ClientExtension::new(AUDIT).on_notification::<LoggingMessageNotification>(|_| ())],
            ExtensionError::CoreMethod {
                identifier: identifier.clone(),
                method: "notifications/message",
            },
        ),
        (
            vec![
                ClientExtension::new("com.example/other")
                    .on_request::<NoteRequest, _>(|note| async move { Ok(note) }),
                audit(),
            ],
            ExtensionError::DuplicateMethod {
                identifier: identifier.clone(),
                method,
            },
        ),
        (
            vec![
                ClientExtension::new("com.example/other").meta_key(&key),
                audit().meta_key(&key),
            ],
            ExtensionError::DuplicateMetaKey {
                identifier: identifier.clone(),
                key: key.clone(),
            },
        ),
        (
            vec![audit().meta_key("trace")],
            ExtensionError::MetaKey {
                identifier: identifier.clone(),
                key: "trace".to_owned(),
            },
        ),
        (
            vec![audit().meta_key("dev.mcp/trace")],
            ExtensionError::ReservedMetaKey {
                identifier: identifier.clone(),
                key: "dev.mcp/trace".to_owned(),
            },
        ),
        (
            vec![audit().meta_key(&reserved)],
            ExtensionError::ReservedMetaKey {
                identifier,
                key: reserved.clone(),
            },
        ),
    ];
    for (extensions, expected) in cases {
        let builder = extensions
            .into_iter()
            .fold(builder(), ClientBuilder::extension);
        assert_eq!(rejected(builder).await, expected);
    }
    let twice = audit().on_notification::<NotedNotification>(|_| ());
    let builder = builder().on_notification::<NotedNotification>(|_| ());
    let found = rejected(builder.extension(twice)).await;
    assert!(
        matches!(found, ExtensionError::DuplicateMethod { .. }),
        "{found:?}"
    );
}

/// Returns why a client has an invalid extension.
async fn rejected(builder: ClientBuilder) -> ExtensionError {
    let (transport, mut script) = Script::new();
    let failed = soon(builder.connect(transport)).await.map(drop);
    assert!(script.ended().await, "nothing was sent");
    match failed {
        Err(ConnectError::Extension(error)) => error,
        other => panic!("expected an invalid extension: {other:?}"),
    }
}

#[tokio::test]
async fn identifiers_are_a_prefix_and_a_name() {
    for identifier in [
        "audit",
        "/audit",
        "com.example/",
        "com..example/audit",
        "com.1example/audit",
        "com.example-/audit",
        "com.example/-audit",
        "com.example/audit.",
        "com.example/au/dit",
        "com.exa mple/audit",
        "com.example/aüdit",
    ] {
        let found = rejected(builder().extension(ClientExtension::new(identifier))).await;
        let expected = ExtensionError::Identifier {
            identifier: identifier.to_owned(),
        };
        assert_eq!(found, expected);
    }
    for identifier in [
        "com.example/a",
        "c.ex-1/A_b.c-2",
        "io.modelcontextprotocol/ui",
    ] {
        let key = format!("{identifier}.key");
        let extension = ClientExtension::new(identifier).meta_key(key);
        let (_client, script) = Script::modern(builder().extension(extension), "{}").await;
        let meta = &script.hello["params"]["_meta"];
        let capabilities = &meta["io.modelcontextprotocol/clientCapabilities"];
        assert_eq!(capabilities["extensions"][identifier], json!({}));
    }
}

#[tokio::test]
async fn settings_have_to_be_an_object() {
    let refused = rejected(builder().extension(ClientExtension::new(AUDIT).settings(&3))).await;
    assert!(
        matches!(refused, ExtensionError::Settings { .. }),
        "{refused:?}"
    );
}

#[tokio::test]
async fn official_extensions_have_their_own_methods_only() {
    let tasks = |identifier| {
        ClientExtension::new(identifier).on_notification::<TaskStatusNotification>(|_| ())
    };
    let official = builder().extension(tasks("io.modelcontextprotocol/tasks"));
    Script::modern(official, "{}").await;
    for other in ["io.modelcontextprotocol/ui", "com.example/tasks"] {
        let found = rejected(builder().extension(tasks(other))).await;
        let expected = ExtensionError::CoreMethod {
            identifier: other.to_owned(),
            method: TaskStatusNotification::METHOD,
        };
        assert_eq!(found, expected);
    }
}
