//! Messages that only older revisions define, by their types.

use crate::support::soon;

use super::{builder, connect_to};
use mcp_client::CallError;
use mcp_client::types::Revision;
use mcp_client::types::v2025_11_25::{
    ListTasksRequest, LoggingLevel, PingRequest, RootsListChangedNotification, SetLevelRequest,
    SetLevelRequestParams, SubscribeRequest, SubscribeRequestParams,
};
use mcp_server::{ResourceDef, Server};

fn server() -> Server {
    let rules = ResourceDef::text("x://rules", "rules", "...");
    let server = Server::builder("old", "1.0.0").add_resource(rules).build();
    server.expect("the definition is valid")
}

#[tokio::test]
async fn removed_messages_are_sent_to_servers_of_older_revisions() {
    for &revision in Revision::ALL
        .iter()
        .filter(|&&revision| !revision.is_modern())
    {
        let client = connect_to(server(), builder().revision(revision)).await;
        let pinged = soon(client.request::<PingRequest>(None)).await;
        pinged.expect("an answer");
        let level = SetLevelRequestParams::new(LoggingLevel::Error);
        let set = soon(client.request::<SetLevelRequest>(level)).await;
        set.expect("an answer");
        let watched = SubscribeRequestParams::new("x://rules");
        let watched = soon(client.request::<SubscribeRequest>(watched)).await;
        watched.expect("an answer");
        let received = soon(client.notify::<RootsListChangedNotification>(None)).await;
        received.expect("the server reads");
    }
}

#[tokio::test]
async fn missing_messages_are_rejected_without_a_request() {
    let client = connect_to(server(), builder()).await;
    let pinged = soon(client.request::<PingRequest>(None)).await;
    assert!(
        matches!(&pinged, Err(CallError::Refused { source, .. }) if source.code == -32601),
        "{pinged:?}"
    );
    let level = SetLevelRequestParams::new(LoggingLevel::Error);
    let set = soon(client.request::<SetLevelRequest>(level)).await;
    assert!(matches!(set, Err(CallError::Params { .. })), "{set:?}");

    let client = connect_to(server(), builder().revision(Revision::V2025_11_25)).await;
    let listed = soon(client.request::<ListTasksRequest>(None)).await;
    assert!(
        matches!(&listed, Err(CallError::Refused { source, .. }) if source.code == -32601),
        "{listed:?}"
    );
}
