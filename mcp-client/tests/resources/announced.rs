//! Declaration and negotiation of proposals.

use mcp_client::{CallError, Client, ClientBuilder, Proposal};

use super::script::{legacy, modern};

fn builder() -> ClientBuilder {
    Client::builder("test", "1.0.0").proposals(Proposal::ALL.iter().copied())
}

#[tokio::test]
async fn proposals_are_declared_in_every_modern_request() {
    let (client, script) = modern(builder(), &["sep-2093"]).await;
    let meta = &script.hello["params"]["_meta"];
    let announced = &meta["io.modelcontextprotocol/clientCapabilities"]["experimental"];
    assert_eq!(
        *announced,
        serde_json::json!({"https-url": {}, "sep-2093": {}, "versioned-resources": {}})
    );
    assert!(client.negotiated(Proposal::Sep2093));
    assert!(
        !client.negotiated(Proposal::VersionedResources),
        "the server does not"
    );

    let (client, script) = modern(Client::builder("test", "1.0.0"), &["sep-2093"]).await;
    let capabilities =
        &script.hello["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"];
    assert_eq!(*capabilities, serde_json::json!({}));
    assert!(
        !client.negotiated(Proposal::Sep2093),
        "the program does not"
    );
}

#[tokio::test]
async fn proposals_are_not_declared_to_legacy_servers() {
    let (client, script) = legacy(builder()).await;
    let capabilities = &script.hello["params"]["capabilities"];
    assert_eq!(*capabilities, serde_json::json!({}));
    assert!(!client.negotiated(Proposal::Sep2093));
}

#[tokio::test]
async fn request_that_the_server_would_misunderstand_is_not_sent() {
    let (client, _script) = modern(builder(), &[]).await;
    let fault = client.resources_in("demo:all").expect_err("not supported");
    let CallError::NotNegotiated { method, proposal } = &fault else {
        panic!("{fault}");
    };
    assert_eq!((*method, *proposal), ("resources/list", Proposal::Sep2093));
    let fault = client.resources_where([("kind", "file")]);
    let fault = fault.expect_err("not supported").to_string();
    assert!(fault.contains("versioned-resources"), "{fault}");
}
