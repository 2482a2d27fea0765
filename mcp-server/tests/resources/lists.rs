//! `resources/list`: handlers that list, pages, and cursors.

use std::num::NonZeroUsize;

use mcp_server::types::Resource;
use mcp_server::{Context, HandlerError, ListAt, Listed, ResourceDef, Server, TemplateDef};
use serde_json::{Value, json};

use crate::peer::Peer;

/// Lists `count` resources, each with its number in the name.
fn numbered(scheme: &'static str, count: usize) -> TemplateDef {
    TemplateDef::new(format!("{scheme}:{{number}}"), "numbered")
        .handler(|uri: String, (): (), _: Context| async move { Ok(uri) })
        .list(move |at: ListAt, _: Context| async move {
            let start = match at.after.as_deref().map(str::parse::<usize>) {
                None => 0,
                Some(last) => last? + 1,
            };
            let mut listed = Listed::default();
            for number in start..count {
                let name = format!("{scheme}{number}");
                let uri = format!("{scheme}:{number}");
                listed.resources.push(Resource::new(uri, name));
                if at.is_full(&listed) && number + 1 < count {
                    return Ok(listed.next(number.to_string()));
                }
            }
            Ok(listed)
        })
}

fn fixed(name: &str) -> ResourceDef {
    ResourceDef::text(format!("s:{name}"), name, "text")
}

fn server(page: usize) -> Server {
    Server::builder("test", "1")
        .page_size(NonZeroUsize::new(page).unwrap())
        .add_resource(fixed("s0"))
        .add_resource(fixed("s1"))
        .add_resource_template(numbered("a", 3))
        .resource_template(
            "silent:{x}",
            "silent",
            |_: String, (): (), _: Context| async { Ok("not listed") },
        )
        .add_resource_template(numbered("b", 2))
        // Listed by the template, too.
        .add_resource(ResourceDef::text("a:1", "own", "text"))
        .build()
        .unwrap()
}

fn names(page: &Value) -> Vec<String> {
    let resources = page["resources"].as_array().unwrap();
    let name = |resource: &Value| resource["name"].as_str().unwrap().to_owned();
    resources.iter().map(name).collect()
}

#[tokio::test]
async fn every_resource_is_listed_once_whatever_the_size_of_pages() {
    for size in 1..=9 {
        let server = server(size);
        for mut peer in [
            Peer::modern(&server),
            Peer::legacy(&server, "2025-06-18").await,
            Peer::legacy(&server, "2024-11-05").await,
        ] {
            let (mut all, mut params) = (Vec::new(), json!({}));
            loop {
                let page = peer.result("resources/list", params).await;
                assert!(names(&page).len() <= size, "{page}");
                all.extend(names(&page));
                if page["nextCursor"].is_null() {
                    break;
                }
                params = json!({ "cursor": page["nextCursor"] });
            }
            let expected = ["s0", "s1", "own", "a0", "a2", "b0", "b1"];
            assert_eq!(all, expected, "pages of {size}");
        }
    }
}

#[tokio::test]
async fn a_handler_that_fails_says_so() {
    let failing = TemplateDef::new("f:{x}", "failing")
        .handler(|uri: String, (): (), _: Context| async move { Ok(uri) })
        .list(|_: ListAt, _: Context| async { Err(HandlerError::internal("no such table")) });
    let server = Server::builder("test", "1").add_resource_template(failing);
    let server = server.build().unwrap();
    let error = Peer::modern(&server)
        .error("resources/list", json!({}))
        .await;
    assert_eq!(error, (-32603, "no such table".to_owned()));
}
