//! Files that change while the server runs.

use std::fs;
use std::time::Duration;

use mcp_server::Server;
use mcp_skills::{OfferSkills as _, Skills};
use serde_json::{Value, json};
use tempfile::tempdir;

use crate::{read, server, uris, write, write_skill};
use mcp_testkit::peer::{Peer, soon};

const FILE: &str = "skill://a/file.md";

async fn listed_digest(peer: &mut Peer) -> Value {
    let uri = "skill://a/SKILL.md";
    let result = peer.result("skills/get", json!({ "uri": uri })).await;
    let files = result["skill"]["resources"].as_array().unwrap();
    let file = files.iter().find(|file| file["uri"] == FILE).unwrap();
    file["digest"].clone()
}

/// Subscribes to the list and to the file, and returns the peer after the acknowledgement.
async fn subscribed(server: &Server) -> Peer {
    let mut peer = Peer::modern(server);
    peer.start(
        "subscriptions/listen",
        json!({ "notifications": {
        "resourcesListChanged": true, "resourceSubscriptions": [FILE],
    } }),
    )
    .await;
    let first = peer.receive().await;
    assert_eq!(
        first["method"], "notifications/subscriptions/acknowledged",
        "{first}"
    );
    peer
}

async fn receive_changes(peer: &mut Peer) {
    let mut methods = Vec::new();
    for _ in 0..2 {
        let received = peer.receive().await;
        methods.push(received["method"].as_str().unwrap().to_owned());
    }
    methods.sort();
    let expected = [
        "notifications/resources/list_changed",
        "notifications/resources/updated",
    ];
    assert_eq!(methods, expected);
}

#[tokio::test]
async fn changes_are_listed_and_announced() {
    let root = tempdir().unwrap();
    write_skill(root.path(), "a");
    write(root.path(), "a/file.md", "one");
    let server = server(root.path());
    let mut peer = Peer::modern(&server);
    let before = listed_digest(&mut peer).await;
    let mut subscriber = subscribed(&server).await;
    // The same size.
    write(root.path(), "a/file.md", "two");
    receive_changes(&mut subscriber).await;
    assert_ne!(listed_digest(&mut peer).await, before);
    assert_eq!(read(&mut peer, FILE).await["text"], "two");
    fs::remove_dir_all(root.path().join("a")).unwrap();
    receive_changes(&mut subscriber).await;
    assert!(uris(&mut peer).await.is_empty());
}

#[tokio::test]
async fn content_that_changed_after_the_list_is_listed_before_it_is_served() {
    let root = tempdir().unwrap();
    write_skill(root.path(), "a");
    write(root.path(), "a/file.md", "one");
    // The next check for changes is not soon.
    let skills = Skills::folder(root.path())
        .unwrap()
        .check_every(Duration::from_secs(3600));
    let server = Server::builder("test", "1").skills(skills).build().unwrap();
    let mut peer = Peer::modern(&server);
    let before = listed_digest(&mut peer).await;
    let mut subscriber = subscribed(&server).await;
    write(root.path(), "a/file.md", "two, and more");
    assert_eq!(listed_digest(&mut peer).await, before);
    assert_eq!(read(&mut peer, FILE).await["text"], "two, and more");
    assert_ne!(listed_digest(&mut peer).await, before);
    receive_changes(&mut subscriber).await;
    fs::remove_file(root.path().join("a/file.md")).unwrap();
    assert_eq!(
        peer.error("resources/read", json!({ "uri": FILE })).await.0,
        -32602
    );
}

#[test]
fn server_that_was_built_without_a_runtime_notices_changes_after_the_first_request() {
    let root = tempdir().unwrap();
    write_skill(root.path(), "a");
    write(root.path(), "a/file.md", "one");
    let server = server(root.path());
    for content in ["two", "three"] {
        // The task of the first runtime ends with it.
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        runtime.unwrap().block_on(async {
            let mut peer = Peer::modern(&server);
            listed_digest(&mut peer).await;
            let mut subscriber = subscribed(&server).await;
            write(root.path(), "a/file.md", content);
            receive_changes(&mut subscriber).await;
        });
    }
}

// Windows does not replace a folder that is open.
#[cfg(unix)]
#[tokio::test]
async fn replaced_folder_is_read_by_its_path() {
    let root = tempdir().unwrap();
    let skills = root.path().join("skills");
    write_skill(&skills, "a");
    let server = server(&skills);
    let mut peer = Peer::modern(&server);
    assert_eq!(uris(&mut peer).await, ["skill://a/SKILL.md"]);
    write_skill(&root.path().join("new"), "b");
    fs::rename(&skills, root.path().join("old")).unwrap();
    fs::rename(root.path().join("new"), &skills).unwrap();
    soon(async {
        while uris(&mut peer).await != ["skill://b/SKILL.md"] {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
    let text = read(&mut peer, "skill://b/SKILL.md").await["text"].clone();
    assert!(text.as_str().unwrap().contains("About b"), "{text}");
}
