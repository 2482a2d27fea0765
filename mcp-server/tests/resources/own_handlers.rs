//! Programs that handle the requests for resources themselves, with `ServerBuilder::on`.

use mcp_server::types::{
    CacheScope, ListResourcesRequest, ListResourcesResult, ReadResourceMetadataRequest,
    ReadResourceMetadataResult, Resource,
};
use mcp_server::{BuildError, Params, Proposal, ResourceDef, Server, ServerBuilder};
use serde_json::json;

use super::client::Client;

fn lists() -> ServerBuilder {
    Server::builder("test", "1").on(|_: Params<ListResourcesRequest>| async {
        ListResourcesResult::new([Resource::new("d:a", "a")], 0, CacheScope::Private)
    })
}

#[test]
fn announced_method_without_a_handler_is_rejected() {
    for (proposal, missing) in [
        (Proposal::Sep2093, "resources/metadata"),
        (Proposal::VersionedResources, "resources/get"),
    ] {
        let errors = lists().proposals([proposal]).build().unwrap_err();
        let [error @ BuildError::MissingHandler { method, .. }] = errors.errors() else {
            panic!("{errors}");
        };
        assert_eq!(*method, missing);
        let text = error.to_string();
        assert!(text.contains(proposal.as_str()), "{text}");
        // The server answers if it has definitions, or no resources at all.
        let defined = ResourceDef::text("d:b", "b", "text");
        let defined = lists().proposals([proposal]).add_resource(defined);
        assert!(defined.build().is_ok());
        assert!(
            Server::builder("test", "1")
                .proposals([proposal])
                .build()
                .is_ok()
        );
    }
    assert!(lists().proposals([Proposal::HttpsUrl]).build().is_ok());
    assert!(lists().build().is_ok());
}

#[tokio::test]
async fn handler_of_the_program_answers_the_announced_method() {
    let server = lists()
        .proposals([Proposal::Sep2093])
        .on(
            |Params(params): Params<ReadResourceMetadataRequest>| async move {
                ReadResourceMetadataResult::new(Resource::new(params.uri, "mine"))
            },
        )
        .build()
        .unwrap();
    for mut client in Client::newest(&server, &["sep-2093"]) {
        let params = json!({ "uri": "d:a" });
        let result = client.result("resources/metadata", params).await;
        assert_eq!(result["resource"]["name"], "mine");
    }
}
