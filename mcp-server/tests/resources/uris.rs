//! The length limit of URIs in the methods of the proposals.

use mcp_server::types::json::Map;
use mcp_server::{Proposal, ResourceUri, Server, TemplateDef};
use serde_json::json;

use super::client::Client;

#[tokio::test]
async fn long_uri_is_rejected_in_every_method_of_the_proposals() {
    let all = TemplateDef::new("x:{+rest}", "x")
        .handler(|_: Map<String>, ResourceUri(uri): ResourceUri| async move { uri });
    let server = Server::builder("test", "1")
        .proposals([Proposal::Sep2093, Proposal::VersionedResources])
        .add_resource_template(all)
        .build()
        .unwrap();
    let long = format!("x:{}", "a".repeat(8 << 10));
    let announced = &["sep-2093", "versioned-resources"];
    for mut client in Client::newest(&server, announced) {
        let way = client.describe();
        let one = json!({ "uri": long });
        let several = json!({ "uris": ["x:1", long] });
        for (method, params, place) in [
            ("resources/metadata", &one, "$.uri"),
            ("resources/get", &one, "$.uri"),
            ("resources/list", &one, "$.uri"),
            ("resources/subscribe", &several, "$.uris[1]"),
            ("resources/unsubscribe", &several, "$.uris[1]"),
        ] {
            // HTTP requests have no common connection, so subscriptions are not available.
            if place == "$.uris[1]" && way.starts_with("HTTP") {
                continue;
            }
            let answer = client.request(method, params.clone()).await;
            let error = &answer["error"];
            assert_eq!(error["code"], -32602, "{way} {method}: {answer}");
            let expected = format!("{place}: the URI has 8194 bytes, the limit is 8192");
            assert_eq!(error["message"], expected, "{way} {method}");
        }
    }
}
