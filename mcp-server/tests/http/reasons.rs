//! The reasons of cancellations in sessions, also if another process gets the cancellation.

use mcp_server::Memory;

use super::legacy::*;
use super::subject::*;
use crate::streams::reasons::waiting;

#[tokio::test]
async fn any_process_of_a_session_passes_the_reason_on() {
    let store = Memory::new();
    let (one, mut reports) = waiting(|builder| builder.store(store.clone()));
    let (two, _reports) = waiting(|builder| builder.store(store.clone()));
    let (at_one, at_two) = (serve(&one), serve(&two));
    let session = start_session(at_one, "2025-11-25").await;
    for (id, address) in [(3, at_one), (4, at_two)] {
        let _raw = start(at_one, &session, &tool(id, "plain")).await;
        soon(reports.begun.recv()).await.expect("begun");
        let text = format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id},"reason":"why {id}"}}}}"#
        );
        let (head, _) = Raw::post(address, &session, &text).await;
        assert_eq!(head.status, 202);
        let reason = soon(reports.reasons.recv()).await.expect("ended");
        assert_eq!(reason, Some(format!("why {id}")));
    }
}
