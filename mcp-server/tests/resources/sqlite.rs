//! The example `sqlite`: rows of a database as resources.

#[expect(dead_code, reason = "the tests do not start the program")]
#[path = "../../examples/sqlite.rs"]
mod example;

use std::net::SocketAddr;

use mcp_server::{Http, HttpUrls, Server};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::client::Client;
use super::versions::http::Messages;
use crate::support::exchange::{self, Reply};
use crate::support::peer::Peer;

const ALL: &[&str] = &["https-url", "sep-2093", "versioned-resources"];
const PUBLIC: &str = "https://notes.example.com";
const CHANGED: &str = "notifications/resources/content_changed";

/// A server with seven notes, of which every second one is a recipe.
struct Notes {
    server: Server,
    address: SocketAddr,
    _folder: TempDir,
}

impl Notes {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let database = example::Database::open(&folder.path().join("notes.db")).unwrap();
        let builder = Server::builder("sqlite", "1")
            .page_size(2)
            .http_urls(HttpUrls::new(format!("{PUBLIC}/notes/")).unwrap());
        let server = example::add_notes(builder, database).build().unwrap();
        let http = server.serve_http(Http::at("127.0.0.1:0")).unwrap();
        let address = http.local_addr();
        tokio::spawn(http);
        let notes = Self {
            server,
            address,
            _folder: folder,
        };
        let mut peer = Peer::modern(&notes.server);
        for number in 1..=7 {
            let kind = if number % 2 == 0 { "recipe" } else { "list" };
            let text = format!("note {number}: ä");
            let note = json!({ "name": format!("n{number}"), "kind": kind, "text": text });
            let written = peer.call("write", note).await;
            assert_eq!(written["isError"], Value::Null, "{written}");
        }
        notes
    }

    /// Returns a client over a pipe and one over HTTP.
    fn clients(&self) -> [Client; 2] {
        Client::newest(&self.server, ALL)
    }

    /// Requests the URL of a resource.
    async fn fetch(&self, resource: &Value, headers: &[(&str, &str)]) -> Reply {
        let url = resource["httpUrl"].as_str();
        let path = url.and_then(|url| url.strip_prefix(PUBLIC));
        let path = path.unwrap_or_else(|| panic!("no URL: {resource}"));
        exchange::get(self.address, path, headers).await
    }
}

/// Writes a note with the tool. Returns the link in its result.
async fn write(client: &mut Client, name: &str, kind: &str, text: &str) -> Value {
    let note = json!({ "name": name, "kind": kind, "text": text });
    let params = json!({ "name": "write", "arguments": note });
    let mut written = client.result("tools/call", params).await;
    written["content"][0].take()
}

/// Returns the names on each page of a list.
async fn pages(client: &mut Client, mut params: Value) -> Vec<Vec<String>> {
    let mut pages = Vec::new();
    loop {
        let page = client.result("resources/list", params.clone()).await;
        let listed = page["resources"].as_array().expect("resources").iter();
        let name = |note: &Value| note["name"].as_str().expect("a name").to_owned();
        pages.push(listed.map(name).collect());
        match page.get("nextCursor") {
            Some(cursor) => params["cursor"] = cursor.clone(),
            None => return pages,
        }
    }
}

#[tokio::test]
async fn database_selects_the_rows_of_each_page() {
    let notes = Notes::new().await;
    for mut client in notes.clients() {
        let all = pages(&mut client, json!({})).await;
        let expected = [&["n1", "n2"][..], &["n3", "n4"], &["n5", "n6"], &["n7"]];
        assert_eq!(all, expected, "{}", client.describe());
        // Full pages: the rows that do not match were not even read.
        let filter = json!({ "filter": { "kind": ["list", "poem"] } });
        let lists = pages(&mut client, filter).await;
        assert_eq!(lists, [["n1", "n3"], ["n5", "n7"]], "{}", client.describe());
        let filter = json!({ "filter": { "kind": "recipe", "uriPrefix": "note://n4" } });
        let selected = pages(&mut client, filter).await.concat();
        assert_eq!(selected, ["n4"], "{}", client.describe());
    }
}

#[tokio::test]
async fn row_has_one_representation_in_all_methods() {
    let notes = Notes::new().await;
    let uri = json!({ "uri": "note://n2" });
    for mut client in notes.clients() {
        let way = client.describe();
        let page = client.result("resources/list", json!({})).await;
        let listed = &page["resources"][1];
        let version = listed["version"].as_str().unwrap_or_default();
        assert_eq!(version.len(), 16, "{way}: {listed}");
        let metadata = client.result("resources/metadata", uri.clone()).await;
        let got = client.result("resources/get", uri.clone()).await;
        let read = client.result("resources/read", uri.clone()).await;
        assert_eq!(read["contents"][0]["text"], "note 2: ä", "{way}");
        assert_eq!(got["contents"]["content"], "note 2: ä", "{way}");
        for resource in [
            listed,
            &metadata["resource"],
            &got["resource"],
            &read["contents"][0],
        ] {
            for (member, value) in [
                ("name", json!("n2")),
                ("kind", json!("recipe")),
                ("version", json!(version)),
                ("size", json!(10)),
                ("mimeType", json!("text/plain")),
                ("resourceType", json!("document")),
            ] {
                assert_eq!(resource[member], value, "{way}: {resource}");
            }
            assert!(resource["httpUrl"].is_string(), "{way}: {resource}");
        }
        for method in ["resources/read", "resources/get", "resources/metadata"] {
            let error = client.error(method, json!({ "uri": "note://none" })).await;
            assert_eq!(error["code"], -32602, "{way}, {method}: {error}");
        }
    }
}

/// A stream of notifications.
enum Changes {
    Pipe(Peer),
    Http(Messages),
}

impl Changes {
    /// Subscribes to a note and to the list, over a pipe and over HTTP.
    async fn of(notes: &Notes, uri: &str) -> [Self; 2] {
        let method = "subscriptions/listen";
        let wanted = json!({ "resourcesListChanged": true, "resourceSubscriptions": [uri] });
        let params = super::versions::speaking(json!({ "notifications": wanted }));
        let mut peer = Peer::modern(&notes.server);
        peer.start(method, params.clone()).await;
        let stream = Messages::post(notes.address, method, params).await;
        let mut both = [Self::Pipe(peer), Self::Http(stream)];
        for changes in &mut both {
            let first = changes.next().await;
            assert_eq!(first["method"], "notifications/subscriptions/acknowledged");
        }
        both
    }

    async fn next(&mut self) -> Value {
        match self {
            Self::Pipe(peer) => peer.receive().await,
            Self::Http(stream) => stream.next().await,
        }
    }
}

#[tokio::test]
async fn change_is_notified_and_outdates_the_known_version() {
    let notes = Notes::new().await;
    let mut both = Changes::of(&notes, "note://n3").await;
    let uri = json!({ "uri": "note://n3" });
    for mut client in notes.clients() {
        let way = client.describe();
        let got = client.result("resources/get", uri.clone()).await;
        let old = got["resource"]["version"].clone();
        let known = json!({ "uri": "note://n3", "version": old });
        let error = client.error("resources/get", known.clone()).await;
        assert_eq!(error["code"], 304, "{way}: {error}");
        assert_eq!(error["data"], known, "{way}: {error}");

        let text = format!("written over {way}");
        let link = write(&mut client, "n3", "list", &text).await;
        assert_eq!(link["uri"], "note://n3", "{way}: {link}");
        let mut new = Value::Null;
        for changes in &mut both {
            let change = changes.next().await;
            assert_eq!(change["method"], CHANGED, "{way}: {change}");
            let resource = &change["params"]["resource"];
            assert_eq!(resource["uri"], "note://n3", "{way}: {change}");
            new = resource["version"].clone();
            assert!(new.is_string() && new != old, "{way}: {change}");
        }
        let got = client.result("resources/get", known).await;
        assert_eq!(got["contents"]["content"], text.as_str(), "{way}");
        assert_eq!(got["resource"]["version"], new, "{way}");
    }
    // A new note changes the list.
    for (mut client, name) in notes.clients().into_iter().zip(["x", "y"]) {
        write(&mut client, name, "list", "new").await;
        for changes in &mut both {
            let change = changes.next().await;
            assert_eq!(
                change["method"], "notifications/resources/list_changed",
                "{change}"
            );
        }
        let listed = pages(&mut client, json!({})).await.concat();
        assert!(listed.iter().any(|listed| listed == name), "{listed:?}");
    }
}

#[tokio::test]
async fn url_serves_the_text_until_it_changes() {
    let notes = Notes::new().await;
    for mut client in notes.clients() {
        let way = client.describe();
        let uri = json!({ "uri": "note://n5" });
        let read = client.result("resources/read", uri.clone()).await;
        let resource = &read["contents"][0];
        let reply = notes.fetch(resource, &[]).await;
        assert_eq!(reply.status, 200, "{way}");
        assert_eq!(resource["text"], reply.text(), "{way}");
        let media_type = reply.get("content-type");
        assert_eq!(media_type, "text/plain; charset=utf-8", "{way}");
        let condition = [("If-None-Match", reply.get("etag"))];
        let again = notes.fetch(resource, &condition).await;
        assert_eq!(again.status, 304, "{way}");
        assert_eq!(again.text(), "", "{way}");

        let text = format!("written over {way}");
        let link = write(&mut client, "n5", "list", &text).await;
        for resource in [resource, &link] {
            let reply = notes.fetch(resource, &condition).await;
            assert_eq!(reply.status, 200, "{way}");
            assert_eq!(reply.text(), text, "{way}");
        }
    }
}

#[tokio::test]
async fn invalid_name_is_an_error_of_the_tool() {
    let notes = Notes::new().await;
    for mut client in notes.clients() {
        for name in ["", "A", "a b", "a%2Fb"] {
            let note = json!({ "name": name, "kind": "list", "text": "" });
            let params = json!({ "name": "write", "arguments": note });
            let written = client.result("tools/call", params).await;
            assert_eq!(written["isError"], true, "{name:?}: {written}");
            let listed = pages(&mut client, json!({})).await.concat();
            assert_eq!(listed.len(), 7, "{name:?}: {listed:?}");
        }
    }
}
