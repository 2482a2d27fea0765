//! Many kinds of invalid messages on the same connection.

use std::time::Duration;

use mcp_client::types::Revision;
use mcp_client::{CallError, Limits, TransportError};

use super::pipe::{Script, builder, list, soon, transport_error};
use crate::support::faults::{BATCHES, FAULTS, Fault, MODERN, Outcome, answer};

async fn each_fault(revision: Revision, faults: impl Iterator<Item = &Fault>) {
    let (client, mut server) = Script::piped(builder(Limits::default()), revision).await;
    for fault in faults {
        let name = fault.name;
        println!("{revision}: {name}");
        let call = list(&client);
        let asked = server.receive_request("tools/list").await;
        let id = asked["id"].to_string();
        server.write(&(fault.says)(&id)).await;
        server.write(b"\n").await;
        match &fault.then {
            Outcome::Fails(fails) => {
                let error = soon(call).await.expect("no panic").expect_err(name);
                assert!(fails(&error), "{name}: {error} ({error:?})");
                // A response arrives after its call has ended.
                server.write(answer(revision, &id).as_bytes()).await;
                server.write(b"\n").await;
            }
            Outcome::Waits(wrong) => {
                println!("that is {} message", wrong.map_or("a", |_| "no"));
                // The response is sent twice: the second one is too late.
                let twice = format!("{0}\n{0}\n", answer(revision, &id));
                server.write(twice.as_bytes()).await;
                soon(call).await.expect("no panic").expect(name);
            }
        }
        server.assert_works(&client).await;
    }
    soon(client.close()).await;
}

#[tokio::test]
async fn malformed_message_of_the_newest_revision_ends_at_most_one_call() {
    each_fault(Revision::LATEST, FAULTS.iter().chain(MODERN)).await;
}

#[tokio::test]
async fn malformed_message_of_older_revisions_ends_at_most_one_call() {
    for &revision in Revision::ALL {
        if revision == Revision::V2025_03_26 {
            each_fault(revision, FAULTS.iter().chain(BATCHES)).await;
        } else if !revision.is_modern() {
            each_fault(revision, FAULTS.iter()).await;
        }
    }
}

#[tokio::test]
async fn unanswered_call_times_out_and_is_cancelled() {
    for revision in [Revision::LATEST, Revision::V2025_11_25] {
        let (client, mut server) = Script::piped(builder(Limits::default()), revision).await;
        let call = client.tools().one_page().timeout(Duration::from_millis(20));
        let error = soon(call).await.expect_err("no answer");
        assert!(matches!(error, CallError::Timeout { .. }), "{error}");
        let asked = server.receive_request("tools/list").await;
        let received = server.receive_request("notifications/cancelled").await;
        assert_eq!(received["params"]["requestId"], asked["id"]);
        server.assert_works(&client).await;
    }
}

#[tokio::test]
async fn too_long_message_fails_and_cancels_pending_calls() {
    let mut limits = Limits::default();
    limits.message_bytes = 10_000;
    for revision in [Revision::LATEST, Revision::V2025_11_25] {
        let (client, mut server) = Script::piped(builder(limits.clone()), revision).await;
        let calls = [list(&client), list(&client)];
        let mut ids = Vec::new();
        for _ in 0..calls.len() {
            ids.push(server.receive_request("tools/list").await["id"].clone());
        }
        // The server need not exit.
        server.write(&vec![b'{'; 100_000]).await;
        for call in calls {
            let error = soon(call).await.expect("no panic").expect_err("no answer");
            assert!(
                matches!(
                    transport_error(&error),
                    TransportError::TooLong { limit: 10_000 }
                ),
                "{error}"
            );
        }
        let mut received = Vec::new();
        for _ in 0..ids.len() {
            let cancelled = server.receive_request("notifications/cancelled").await;
            received.push(cancelled["params"]["requestId"].clone());
        }
        ids.sort_by_key(ToString::to_string);
        received.sort_by_key(ToString::to_string);
        assert_eq!(received, ids);
        server.write(b"}\n").await;
        server.assert_works(&client).await;
    }
}

/// Ways in which the server's output ends: the preceding bytes, and the outcome of the call.
#[tokio::test]
async fn closed_connection_ends_all_calls() {
    for says in [
        "",
        "{\"jsonrpc\"",
        "\n\n",
        "{\"jsonrpc\":\"2.0\",\"id\":999999,\"result\":{}}",
    ] {
        let builder = builder(Limits::default());
        let (client, mut server) = Script::piped(builder, Revision::LATEST).await;
        let calls = [list(&client), list(&client)];
        for _ in 0..calls.len() {
            server.receive_request("tools/list").await;
        }
        server.write(says.as_bytes()).await;
        let Script { lines, writer, .. } = server;
        drop(writer);
        for call in calls.into_iter().chain([list(&client)]) {
            let error = soon(call).await.expect("no panic").expect_err("no answer");
            assert!(
                matches!(transport_error(&error), TransportError::Closed),
                "{error}"
            );
        }
        soon(client.close()).await;
        drop(lines);
    }
}

#[tokio::test]
async fn response_right_before_the_end_is_delivered() {
    let builder = builder(Limits::default());
    let (client, mut server) = Script::piped(builder, Revision::LATEST).await;
    let call = list(&client);
    let id = server.receive_request("tools/list").await["id"].to_string();
    server.write(answer(Revision::LATEST, &id).as_bytes()).await;
    drop(server);
    soon(call).await.expect("no panic").expect("a list");
}

#[tokio::test]
async fn closed_input_of_the_server_fails_calls() {
    let builder = builder(Limits::default());
    let (client, server) = Script::piped(builder, Revision::LATEST).await;
    let Script { lines, writer, .. } = server;
    drop(lines);
    let error = soon(list(&client)).await.expect("no panic");
    let error = error.expect_err("nobody reads");
    assert!(
        matches!(
            transport_error(&error),
            TransportError::Io(_) | TransportError::Closed
        ),
        "{error}"
    );
    drop(writer);
}
