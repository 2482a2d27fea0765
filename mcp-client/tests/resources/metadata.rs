//! SEP-2093: metadata without contents, and collections.

use mcp_client::types::ResourceType;
use mcp_client::{CallError, Client, Proposal};
use serde_json::json;

use super::script::{Script, modern, soon};

async fn connect() -> (Client, Script) {
    let builder = Client::builder("test", "1.0.0").proposals([Proposal::Sep2093]);
    modern(builder, &["sep-2093"]).await
}

#[tokio::test]
async fn metadata_is_requested_without_contents() {
    let (client, mut script) = connect().await;
    let asking = async { soon(client.read_resource_metadata("demo:a")).await };
    let (answer, asked) = tokio::join!(
        asking,
        script.answer_next(json!({"result": {"resultType": "complete", "resource": {
            "uri": "demo:a", "name": "a", "resourceType": "document", "size": 7,
        }}}))
    );
    assert_eq!(asked["method"], "resources/metadata");
    assert_eq!(asked["params"]["uri"], "demo:a");
    let resource = answer.expect("an answer").resource;
    assert_eq!(resource.size, Some(7));
    assert_eq!(resource.resource_type, Some(ResourceType::Document));
}

#[tokio::test]
async fn resources_of_an_unknown_type_are_listed_and_read() {
    let (client, mut script) = connect().await;
    let reading = async { soon(client.read_resource("demo:a")).await };
    let contents = json!({"result": {"resultType": "complete", "ttlMs": 0, "cacheScope": "private",
        "contents": [{"uri": "demo:a", "text": "a", "resourceType": "mailbox"}],
    }});
    let (answer, _) = tokio::join!(reading, script.answer_next(contents));
    let result = answer.expect("contents");
    let contents = result.contents_of("demo:a");
    let resource_type = contents.resource_type().expect("a type");
    assert_eq!(resource_type.as_str(), "mailbox");
    assert_eq!(result.text(), "a");
    let listing = async { soon(client.resources().all()).await };
    let page = json!({"result": {"resultType": "complete", "ttlMs": 0, "cacheScope": "private",
        "resources": [{"uri": "demo:a", "name": "a", "resourceType": "mailbox"}],
    }});
    let (listed, _) = tokio::join!(listing, script.answer_next(page));
    let listed = listed.expect("a list").items;
    assert_eq!(listed[0].resource_type.as_ref(), Some(&resource_type));
}

#[tokio::test]
async fn unknown_metadata_method_is_an_error() {
    let (client, mut script) = connect().await;
    let asking = async { soon(client.read_resource_metadata("demo:a")).await };
    let error = json!({"error": {"code": -32601, "message": "no such method"}});
    let (answer, _) = tokio::join!(asking, script.answer_next(error));
    match answer {
        Err(CallError::Refused { method, source, .. }) => {
            assert_eq!((&*method, source.code), ("resources/metadata", -32601));
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn every_page_of_a_collection_is_requested_with_its_uri() {
    let (client, mut script) = connect().await;
    let members = client.resources_in("demo:all").expect("spoken");
    let page = |name: &str, next: Option<&str>| {
        let mut page = json!({
            "resultType": "complete", "ttlMs": 0, "cacheScope": "private",
            "resources": [{"uri": format!("demo:{name}"), "name": name}],
        });
        if let Some(next) = next {
            page["nextCursor"] = next.into();
        }
        json!({ "result": page })
    };
    let serving = async {
        let first = script.answer_next(page("a", Some("2"))).await;
        let second = script.answer_next(page("b", None)).await;
        (first, second)
    };
    let (listed, (first, second)) = tokio::join!(async { soon(members.all()).await }, serving);
    let listed = listed.expect("a list");
    let uris: Vec<_> = listed.items.iter().map(|item| &*item.uri).collect();
    assert_eq!(uris, ["demo:a", "demo:b"]);
    assert_eq!(first["params"]["uri"], "demo:all");
    assert_eq!(first["params"].get("cursor"), None);
    assert_eq!(second["params"]["uri"], "demo:all");
    assert_eq!(second["params"]["cursor"], "2");
}
