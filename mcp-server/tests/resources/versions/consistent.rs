//! The version and the size in a result are those of its contents, although they change at any
//! time.

use std::sync::{Arc, Mutex};

use mcp_server::types::Resource;
use mcp_server::{ListAt, Proposal, ResourceDef, ResourcePage, Server, Versioned};
use serde_json::{Value, json};

use super::get::{get, not_modified};
use crate::support::peer::Peer;

/// A text whose first reads each come after a write. Its version is the number of writes, and its
/// size, too.
#[derive(Clone, Default)]
struct Written(Arc<Mutex<(usize, usize)>>);

impl Written {
    /// Writes before each of the next `reads`.
    fn write_before(&self, reads: usize) {
        self.0.lock().unwrap().1 = reads;
    }

    fn writes(&self) -> usize {
        self.0.lock().unwrap().0
    }

    fn read(&self) -> (String, String) {
        let mut state = self.0.lock().unwrap();
        if state.1 > 0 {
            *state = (state.0 + 1, state.1 - 1);
        }
        ("x".repeat(state.0), state.0.to_string())
    }

    fn definition(&self, uri: &str) -> ResourceDef {
        let described = self.clone();
        ResourceDef::new(uri, "written").describe(move |resource: Resource| {
            let writes = described.writes();
            let size = i64::try_from(writes).unwrap();
            std::future::ready(resource.version(writes.to_string()).size(size))
        })
    }
}

#[tokio::test]
async fn version_and_size_are_those_of_the_contents() {
    let written = Written::default();
    let (plain, versioned) = (written.clone(), written.clone());
    let server = Server::builder("test", "1")
        .proposals([Proposal::VersionedResources, Proposal::Sep2093])
        .add_resource(
            written
                .definition("d:plain")
                .handler(move || std::future::ready(plain.read().0)),
        )
        .add_resource(written.definition("d:versioned").handler(move || {
            let (text, version) = versioned.read();
            std::future::ready(Versioned::new(text, version))
        }))
        .build()
        .unwrap();
    let mut peer = Peer::modern(&server);
    for uri in ["d:plain", "d:versioned"] {
        for reads in [0, 1, 2, 100] {
            written.write_before(reads);
            let answer = get(&mut peer, uri, &Value::Null).await;
            let result = &answer["result"];
            let text = result["contents"]["content"].as_str().unwrap();
            assert_eq!(result["resource"]["size"], text.len(), "{uri} {answer}");
            let version = result["resource"]["version"].as_str().unwrap();
            // The version of contents that change each time is derived from them.
            let is_derived = uri == "d:plain" && reads == 100;
            let expected = text.len().to_string();
            assert_eq!(version != expected, is_derived, "{uri} {reads} {answer}");
            written.write_before(reads);
            let read = peer.result("resources/read", json!({ "uri": uri })).await;
            let contents = &read["contents"][0];
            let text = contents["text"].as_str().unwrap();
            assert_eq!(contents["size"], text.len(), "{uri} {read}");
            let version = contents["version"].as_str().unwrap();
            assert_eq!(
                version != text.len().to_string(),
                is_derived,
                "{uri} {read}"
            );
        }
    }
    // What the client has is compared with what is sent.
    written.write_before(0);
    let current = json!(written.writes().to_string());
    let answer = get(&mut peer, "d:plain", &current).await;
    assert_eq!(answer["error"], not_modified("d:plain", &current));
}

#[tokio::test]
async fn collection_without_contents_is_an_error_whatever_version_the_client_has() {
    let folder = ResourceDef::new("d:", "folder")
        .list(async |_: ListAt| ResourcePage::new([]))
        .version("1");
    let server = Server::builder("test", "1")
        .proposals([Proposal::VersionedResources, Proposal::Sep2093])
        .add_resource(folder)
        .build()
        .unwrap();
    let mut peer = Peer::modern(&server);
    for version in [Value::Null, json!("0"), json!("1")] {
        let answer = get(&mut peer, "d:", &version).await;
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
    }
}
