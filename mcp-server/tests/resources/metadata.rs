//! SEP-2093: `resources/metadata`, and metadata of contents.

use mcp_server::types::{AnyResourceContents, TextResourceContents};
use mcp_server::{HandlerError, Proposal, ResourceDef, ResourceUri, Server, TemplateDef};
use serde_json::json;

use super::client::Client;
use super::subject::{SEP_2093, not_opted_in, opted_in};

const METADATA: &str = "resources/metadata";

/// Returns clients of the newest revision over both transports, with and without the proposal.
fn newest(server: &Server) -> impl Iterator<Item = Client> {
    let clients = [
        Client::newest(server, &[]),
        Client::newest(server, SEP_2093),
    ];
    clients.into_iter().flatten()
}

#[tokio::test]
async fn metadata_is_returned_without_reading() {
    let (server, reads) = opted_in();
    for mut client in newest(&server) {
        for (uri, expected) in [
            (
                "s:motto",
                json!({
                    "uri": "s:motto", "name": "motto", "title": "Motto",
                    "description": "What we keep in mind", "mimeType": "text/plain", "size": 15,
                    "annotations": { "audience": ["user"] },
                    "icons": [{ "src": "https://example.com/i.png" }],
                    "resourceType": "document", "_meta": { "com.example/key": "value" },
                }),
            ),
            (
                "s:report",
                json!({
                    "uri": "s:report", "name": "report", "title": "Report",
                    "mimeType": "application/pdf", "size": 4, "resourceType": "document",
                    "annotations": { "lastModified": "2026-01-02T03:04:05Z" },
                }),
            ),
            (
                "pages:",
                json!({
                    "uri": "pages:", "name": "pages", "mimeType": "inode/directory",
                    "resourceType": "collection",
                }),
            ),
            (
                "s:untyped",
                json!({ "uri": "s:untyped", "name": "untyped" }),
            ),
            // Found by the handler of a template; the URI is the requested one.
            (
                "pages:c",
                json!({
                    "uri": "pages:c", "name": "c", "description": "One of the pages",
                    "mimeType": "text/markdown", "size": 6, "resourceType": "document",
                }),
            ),
            // Found by the definition of a template.
            (
                "plain:1",
                json!({
                    "uri": "plain:1", "name": "plain", "title": "Plain", "mimeType": "text/plain",
                    "resourceType": "document",
                }),
            ),
        ] {
            let result = client.result(METADATA, json!({ "uri": uri })).await;
            assert_eq!(result["resource"], expected, "{}", client.describe());
            assert_eq!(result["resultType"], "complete");
        }
    }
    assert_eq!(reads.total(), 0, "contents were made");
    let mut client = newest(&server).next().unwrap();
    client
        .result("resources/read", json!({ "uri": "s:report" }))
        .await;
    assert_eq!(reads.total(), 1, "the counter does not count");
}

#[tokio::test]
async fn metadata_of_an_unknown_resource_is_not_found() {
    let (server, _) = opted_in();
    for mut client in newest(&server) {
        for uri in ["other:", "s:mott", "pages:z", "pages:dir/other"] {
            let error = client.error(METADATA, json!({ "uri": uri })).await;
            assert_eq!(error["code"], -32602, "{}: {error}", client.describe());
            assert_eq!(error["data"], json!({ "uri": uri }));
            let read = client.error("resources/read", json!({ "uri": uri })).await;
            assert_eq!(error, read);
        }
        let error = client.error(METADATA, json!({})).await;
        assert_eq!(error["code"], -32602);
        assert!(
            error["message"].as_str().unwrap().contains("uri"),
            "{error}"
        );
    }
}

#[tokio::test]
async fn metadata_method_requires_the_proposal_and_the_newest_revision() {
    for mut client in newest(&not_opted_in()) {
        let error = client.error(METADATA, json!({ "uri": "s:motto" })).await;
        assert_eq!(error["code"], -32601, "{}", client.describe());
    }
    let (server, _) = opted_in();
    for mut client in Client::older(&server, SEP_2093).await {
        let error = client.error(METADATA, json!({ "uri": "s:motto" })).await;
        assert_eq!(error["code"], -32601, "{}", client.describe());
    }
}

#[tokio::test]
async fn contents_include_metadata() {
    let (server, _) = opted_in();
    for mut client in newest(&server) {
        for (uri, contents) in [
            (
                "s:motto",
                json!([{
                    "uri": "s:motto", "name": "motto", "title": "Motto", "mimeType": "text/plain",
                    "description": "What we keep in mind", "size": 15,
                    "annotations": { "audience": ["user"] },
                    "icons": [{ "src": "https://example.com/i.png" }],
                    "resourceType": "document", "text": "Keep it simple.",
                }]),
            ),
            // Two formats of one document: each has its own size, and its own metadata takes
            // precedence.
            (
                "s:report",
                json!([
                    {
                        "uri": "s:report", "name": "report", "title": "Report", "size": 4,
                        "annotations": { "lastModified": "2026-01-02T03:04:05Z" },
                        "mimeType": "application/pdf", "resourceType": "document",
                        "blob": "JVBERg==",
                    },
                    {
                        "uri": "s:report", "name": "report", "title": "Report, text", "size": 15,
                        "annotations": { "lastModified": "2026-01-02T03:04:05Z" },
                        "mimeType": "text/plain", "resourceType": "document",
                        "text": "Figures: ÄÖÜ",
                    },
                ]),
            ),
            (
                "pages:e",
                json!([{
                    "uri": "pages:e", "name": "e", "description": "One of the pages", "size": 6,
                    "mimeType": "text/markdown", "resourceType": "document", "text": "page e",
                }]),
            ),
            // A collection with some of its members, each with its own metadata.
            (
                "pages:",
                json!([
                    {
                        "uri": "pages:a", "name": "a", "description": "One of the pages",
                        "size": 6, "mimeType": "text/markdown", "resourceType": "document",
                        "text": "page a",
                    },
                    {
                        "uri": "pages:b", "name": "B itself", "description": "One of the pages",
                        "size": 6, "mimeType": "text/markdown", "resourceType": "document",
                        "text": "page b",
                    },
                    { "uri": "elsewhere:", "name": "elsewhere:", "size": 5, "text": "other" },
                    {
                        "uri": "pages:c", "name": "c", "description": "One of the pages",
                        "size": 6, "resourceType": "document", "text": "page c",
                    },
                    {
                        "uri": "pages:c", "name": "c", "description": "One of the pages",
                        "size": 1, "mimeType": "image/png", "resourceType": "document",
                        "blob": "Yw==",
                    },
                    {
                        "uri": "pages:", "name": "pages", "size": 8,
                        "resourceType": "collection", "text": "an index",
                    },
                ]),
            ),
            ("s:untyped", json!([])),
        ] {
            let result = client.result("resources/read", json!({ "uri": uri })).await;
            assert_eq!(result["contents"], contents, "{}", client.describe());
        }
    }
}

#[tokio::test]
async fn contents_have_no_metadata_without_the_proposal() {
    let (server, _) = opted_in();
    let mut clients = Client::older(&server, SEP_2093).await;
    let plain = not_opted_in();
    clients.extend(newest(&plain));
    clients.extend(Client::older(&plain, SEP_2093).await);
    for mut client in clients {
        for (uri, contents) in [
            (
                "s:motto",
                json!([{ "uri": "s:motto", "mimeType": "text/plain", "text": "Keep it simple." }]),
            ),
            (
                "s:report",
                json!([
                    { "uri": "s:report", "mimeType": "application/pdf", "blob": "JVBERg==" },
                    { "uri": "s:report", "mimeType": "text/plain", "text": "Figures: ÄÖÜ" },
                ]),
            ),
            (
                "pages:",
                json!([
                    { "uri": "pages:a", "text": "page a" },
                    { "uri": "pages:b", "text": "page b" },
                    { "uri": "elsewhere:", "text": "other" },
                    { "uri": "pages:c", "text": "page c" },
                    { "uri": "pages:c", "mimeType": "image/png", "blob": "Yw==" },
                    { "uri": "pages:", "text": "an index" },
                ]),
            ),
        ] {
            let result = client.result("resources/read", json!({ "uri": uri })).await;
            assert_eq!(result["contents"], contents, "{}", client.describe());
        }
        let mut params = json!({});
        loop {
            let page = client.result("resources/list", params).await;
            for resource in page["resources"].as_array().unwrap() {
                assert!(resource["resourceType"].is_null(), "{}", client.describe());
            }
            if page["nextCursor"].is_null() {
                break;
            }
            params = json!({ "cursor": page["nextCursor"] });
        }
    }
}

#[tokio::test]
async fn media_type_of_the_definition_is_sent_to_every_peer() {
    let (server, _) = opted_in();
    let mut clients = Client::older(&server, &[]).await;
    clients.extend(newest(&server));
    for mut client in clients {
        let result = client
            .result("resources/read", json!({ "uri": "typed:1" }))
            .await;
        assert_eq!(
            result["contents"][0]["mimeType"],
            "text/x-typed",
            "{}",
            client.describe()
        );
    }
}

#[tokio::test]
async fn resource_types_are_listed() {
    let (server, _) = opted_in();
    for mut client in newest(&server) {
        let page = client.result("resources/list", json!({})).await;
        assert_eq!(page["resources"][0]["resourceType"], "document");
        assert_eq!(page["resources"][1]["resourceType"], "document");
        let params = json!({ "cursor": page["nextCursor"] });
        let page = client.result("resources/list", params).await;
        // A resource that lists members is a collection without an explicit type; the last one has
        // no type.
        assert_eq!(page["resources"][0]["resourceType"], "collection");
        assert!(page["resources"][1]["resourceType"].is_null());
    }
}

#[tokio::test]
async fn text_replaced_by_a_handler_has_no_resource_type() {
    let changed = ResourceDef::text("s:a", "a", "A").handler(async || "another one");
    let server = Server::builder("demo", "1.0.0")
        .proposals([Proposal::Sep2093])
        .add_resource(changed)
        .build()
        .unwrap();
    for mut client in newest(&server) {
        let page = client.result("resources/list", json!({})).await;
        assert!(page["resources"][0]["resourceType"].is_null(), "{page}");
    }
}

#[tokio::test]
async fn proposal_is_declared_only_at_the_newest_revision() {
    let (server, _) = opted_in();
    for mut client in newest(&server) {
        let result = client.result("server/discover", json!({})).await;
        let announced = &result["capabilities"]["experimental"];
        assert_eq!(
            *announced,
            json!({ "sep-2093": {} }),
            "{}",
            client.describe()
        );
    }
}

#[tokio::test]
async fn metadata_of_what_only_the_reader_knows_is_not_found() {
    let notes =
        TemplateDef::new("note:{name}", "note").handler(async |ResourceUri(uri): ResourceUri| {
            match &*uri {
                "note:a" => Ok("text"),
                _ => Err(HandlerError::resource_not_found(uri)),
            }
        });
    let server = Server::builder("test", "1")
        .proposals([Proposal::Sep2093])
        .add_resource_template(notes)
        .build()
        .unwrap();
    for mut client in newest(&server) {
        let found = client.result(METADATA, json!({ "uri": "note:a" })).await;
        assert_eq!(found["resource"]["name"], "note");
        let params = json!({ "uri": "note:none" });
        let error = client.error(METADATA, params.clone()).await;
        assert_eq!(error["code"], -32602, "{error}");
        assert_eq!(error, client.error("resources/read", params).await);
    }
}

#[tokio::test]
async fn all_contents_have_a_name() {
    let folder = ResourceDef::new("folder:", "folder")
        .collection()
        .handler(async || {
            ["folder:a/caf%C3%A9.txt", "folder:", "folder:named"]
                .map(|uri| {
                    let contents = TextResourceContents::new(uri, "text");
                    AnyResourceContents::from(match uri {
                        "folder:named" => contents.name("own"),
                        _ => contents,
                    })
                })
                .to_vec()
        });
    let server = Server::builder("test", "1")
        .proposals([Proposal::Sep2093])
        .add_resource(folder)
        .build()
        .unwrap();
    for mut client in newest(&server) {
        let read = client
            .result("resources/read", json!({ "uri": "folder:" }))
            .await;
        let names = read["contents"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| &one["name"]);
        assert_eq!(
            names.collect::<Vec<_>>(),
            ["caf\u{e9}.txt", "folder", "own"]
        );
    }
}
