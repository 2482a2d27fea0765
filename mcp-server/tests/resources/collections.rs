//! SEP-2093: `resources/list` with the URI of a collection.

use mcp_server::types::Resource;
use mcp_server::{ListAt, Proposal, ResourceDef, ResourcePage, Server};
use serde_json::{Value, json};

use super::client::Client;
use super::subject::{PAGES, SEP_2093, not_opted_in, opted_in};

fn names(page: &Value) -> Vec<&str> {
    let resources = page["resources"].as_array().unwrap().iter();
    resources
        .map(|resource| resource["name"].as_str().unwrap())
        .collect()
}

/// Returns the pages of a collection's members.
async fn pages(client: &mut Client, uri: &str) -> Vec<Value> {
    let mut pages = Vec::new();
    let mut params = json!({ "uri": uri });
    loop {
        let page = client.result("resources/list", params).await;
        let cursor = page["nextCursor"].clone();
        pages.push(page);
        if cursor.is_null() {
            return pages;
        }
        params = json!({ "uri": uri, "cursor": cursor });
    }
}

#[tokio::test]
async fn members_are_listed_page_by_page() {
    let (server, reads) = opted_in();
    let clients = [
        Client::newest(&server, &[]),
        Client::newest(&server, SEP_2093),
    ];
    for mut client in clients.into_iter().flatten() {
        let pages = pages(&mut client, "pages:").await;
        let sizes: Vec<_> = pages.iter().map(|page| names(page).len()).collect();
        assert_eq!(sizes, [2, 2, 1], "{}", client.describe());
        let all: Vec<_> = pages.iter().flat_map(names).collect();
        assert_eq!(all, PAGES);
        assert_eq!(pages[0]["resources"][0]["resourceType"], "document");

        // A collection of a template.
        let pages = self::pages(&mut client, "pages:dir/sub").await;
        let all: Vec<_> = pages.iter().flat_map(names).collect();
        assert_eq!(all, ["dir/sub/1", "dir/sub/2", "dir/sub/3"]);
        assert_eq!(pages.len(), 3);
    }
    assert_eq!(reads.total(), 0, "contents were made");
}

#[tokio::test]
async fn collection_without_a_reader_lists_its_members_and_has_no_contents() {
    let members = |_: ListAt| async { ResourcePage::new([Resource::new("row:1", "one")]) };
    let server = Server::builder("test", "1")
        .proposals([Proposal::Sep2093])
        .add_resource(ResourceDef::new("rows:", "rows").list(members))
        .build()
        .unwrap();
    let clients = [
        Client::newest(&server, &[]),
        Client::newest(&server, SEP_2093),
    ];
    for mut client in clients.into_iter().flatten() {
        let uri = json!({ "uri": "rows:" });
        let page = client.result("resources/list", uri.clone()).await;
        assert_eq!(names(&page), ["one"], "{}", client.describe());
        let read = client.result("resources/read", uri.clone()).await;
        assert_eq!(read["contents"], json!([]), "{}", client.describe());
        let metadata = client.result("resources/metadata", uri).await;
        assert_eq!(metadata["resource"]["resourceType"], "collection");
    }
    for mut client in Client::older(&server, &[]).await {
        let read = client.result("resources/read", json!({ "uri": "rows:" }));
        assert_eq!(read.await["contents"], json!([]));
    }
}

#[tokio::test]
async fn listing_distinguishes_non_collections_and_unknown_resources() {
    let (server, _) = opted_in();
    for mut client in Client::newest(&server, &[]) {
        // Static, dynamic, found by the handler of a template, found by the definition of a
        // template.
        for uri in ["s:motto", "s:report", "s:untyped", "pages:a", "plain:1"] {
            let error = client.error("resources/list", json!({ "uri": uri })).await;
            assert_eq!(error["code"], -32602, "{uri}: {error}");
            let message = error["message"].as_str().unwrap();
            assert_eq!(message, "$.uri: this resource is not a collection", "{uri}");
            assert_eq!(error["data"], json!({ "uri": uri }));
        }
        for uri in ["other:", "pages:dir/other"] {
            let error = client.error("resources/list", json!({ "uri": uri })).await;
            assert_eq!(error["code"], -32602, "{uri}: {error}");
            assert_eq!(error["message"], "resource not found", "{uri}");
            assert_eq!(error["data"], json!({ "uri": uri }));
        }
    }
}

#[tokio::test]
async fn cursors_of_another_list_are_rejected() {
    let (server, _) = opted_in();
    let other = opted_in().0;
    for mut client in Client::newest(&server, SEP_2093) {
        let all = client.result("resources/list", json!({})).await["nextCursor"].take();
        let params = json!({ "uri": "pages:" });
        let page = client.result("resources/list", params.clone()).await["nextCursor"].take();
        let sub = json!({ "uri": "pages:dir/sub" });
        let sub = client.result("resources/list", sub).await["nextCursor"].take();
        let [mut foreign, _] = Client::newest(&other, &[]);
        let foreign = foreign.result("resources/list", params).await["nextCursor"].take();
        let mut changed = page.as_str().unwrap().to_owned();
        let middle = changed.len() / 2;
        let last = if changed.remove(middle) == 'A' {
            'B'
        } else {
            'A'
        };
        changed.insert(middle, last);
        for (uri, cursor) in [
            (Some("pages:"), &all),
            (Some("pages:"), &sub),
            (Some("pages:"), &foreign),
            (Some("pages:"), &json!(changed)),
            (Some("pages:"), &json!("")),
            (Some("pages:dir/sub"), &page),
            (None, &page),
            (None, &sub),
        ] {
            let mut params = json!({ "cursor": cursor });
            if let Some(uri) = uri {
                params["uri"] = json!(uri);
            }
            let error = client.error("resources/list", params).await;
            assert_eq!(error["code"], -32602, "{error}");
            let message = error["message"].as_str().unwrap();
            assert!(message.starts_with("$.cursor"), "{message}");
        }
    }
}

#[tokio::test]
async fn uri_is_ignored_without_the_proposal() {
    let (server, _) = opted_in();
    let plain = not_opted_in();
    let mut clients = Client::older(&server, SEP_2093).await;
    clients.extend(Client::newest(&plain, SEP_2093));
    for mut client in clients {
        for uri in ["pages:", "other:"] {
            let page = client.result("resources/list", json!({ "uri": uri })).await;
            assert_eq!(names(&page), ["motto", "report"], "{}", client.describe());
        }
    }
}
