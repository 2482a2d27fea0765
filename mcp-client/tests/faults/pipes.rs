//! One fault after the other on the same connection.

use std::time::Duration;

use mcp_client::types::Revision;
use mcp_client::{CallError, Limits, TransportError};

use super::pipe::{Server, builder, list, lost, soon};
use super::table::{BATCHES, FAULTS, Fault, MODERN, Then, answer};

async fn each_fault(revision: Revision, faults: impl Iterator<Item = &Fault>) {
    let (client, mut server) = Server::connect(builder(Limits::default()), revision).await;
    for fault in faults {
        let name = fault.name;
        println!("{revision}: {name}");
        let call = list(&client);
        let asked = server.asked("tools/list").await;
        let id = asked["id"].to_string();
        server.write(&(fault.says)(&id)).await;
        server.write(b"\n").await;
        match &fault.then {
            Then::Fails(fails) => {
                let error = soon(call).await.expect("no panic").expect_err(name);
                assert!(fails(&error), "{name}: {error} ({error:?})");
                // What comes now is an answer that nobody waits for.
                server.write(answer(revision, &id).as_bytes()).await;
                server.write(b"\n").await;
            }
            Then::Waits(wrong) => {
                println!("that is {} message", wrong.map_or("a", |_| "no"));
                // Twice: the second is too late.
                let twice = format!("{0}\n{0}\n", answer(revision, &id));
                server.write(twice.as_bytes()).await;
                soon(call).await.expect("no panic").expect(name);
            }
        }
        server.works(&client).await;
    }
    soon(client.close()).await;
}

#[tokio::test]
async fn a_fault_of_the_newest_revision_ends_one_call_at_most() {
    each_fault(Revision::LATEST, FAULTS.iter().chain(MODERN)).await;
}

#[tokio::test]
async fn a_fault_of_the_other_revisions_ends_one_call_at_most() {
    for &revision in Revision::ALL {
        if revision == Revision::V2025_03_26 {
            each_fault(revision, FAULTS.iter().chain(BATCHES)).await;
        } else if !revision.is_modern() {
            each_fault(revision, FAULTS.iter()).await;
        }
    }
}

#[tokio::test]
async fn a_server_that_never_answers_ends_the_call_in_time_and_is_told() {
    for revision in [Revision::LATEST, Revision::V2025_11_25] {
        let (client, mut server) = Server::connect(builder(Limits::default()), revision).await;
        let call = client.tools().one_page().timeout(Duration::from_millis(20));
        let error = soon(call).await.expect_err("no answer");
        assert!(matches!(error, CallError::Timeout { .. }), "{error}");
        let asked = server.asked("tools/list").await;
        let told = server.asked("notifications/cancelled").await;
        assert_eq!(told["params"]["requestId"], asked["id"]);
        server.works(&client).await;
    }
}

#[tokio::test]
async fn a_message_that_is_too_long_ends_the_calls_that_wait_and_they_are_cancelled() {
    let mut limits = Limits::default();
    limits.message_bytes = 10_000;
    for revision in [Revision::LATEST, Revision::V2025_11_25] {
        let (client, mut server) = Server::connect(builder(limits.clone()), revision).await;
        let calls = [list(&client), list(&client)];
        let mut ids = Vec::new();
        for _ in 0..calls.len() {
            ids.push(server.asked("tools/list").await["id"].clone());
        }
        // It need not end for that.
        server.write(&vec![b'{'; 100_000]).await;
        for call in calls {
            let error = soon(call).await.expect("no panic").expect_err("no answer");
            assert!(
                matches!(lost(&error), TransportError::TooLong { limit: 10_000 }),
                "{error}"
            );
        }
        let mut told = Vec::new();
        for _ in 0..ids.len() {
            let cancelled = server.asked("notifications/cancelled").await;
            told.push(cancelled["params"]["requestId"].clone());
        }
        ids.sort_by_key(ToString::to_string);
        told.sort_by_key(ToString::to_string);
        assert_eq!(told, ids);
        server.write(b"}\n").await;
        server.works(&client).await;
    }
}

/// Ends of the server's output: what it said before, and what becomes of the call.
#[tokio::test]
async fn a_server_that_closes_in_the_middle_ends_all_calls() {
    for says in [
        "",
        "{\"jsonrpc\"",
        "\n\n",
        "{\"jsonrpc\":\"2.0\",\"id\":999999,\"result\":{}}",
    ] {
        let builder = builder(Limits::default());
        let (client, mut server) = Server::connect(builder, Revision::LATEST).await;
        let calls = [list(&client), list(&client)];
        for _ in 0..calls.len() {
            server.asked("tools/list").await;
        }
        server.write(says.as_bytes()).await;
        let Server { lines, writer } = server;
        drop(writer);
        for call in calls.into_iter().chain([list(&client)]) {
            let error = soon(call).await.expect("no panic").expect_err("no answer");
            assert!(matches!(lost(&error), TransportError::Closed), "{error}");
        }
        soon(client.close()).await;
        drop(lines);
    }
}

#[tokio::test]
async fn an_answer_at_the_very_end_is_heard() {
    let builder = builder(Limits::default());
    let (client, mut server) = Server::connect(builder, Revision::LATEST).await;
    let call = list(&client);
    let id = server.asked("tools/list").await["id"].to_string();
    server.write(answer(Revision::LATEST, &id).as_bytes()).await;
    drop(server);
    soon(call).await.expect("no panic").expect("a list");
}

#[tokio::test]
async fn a_server_that_reads_no_more_ends_calls_with_an_error() {
    let builder = builder(Limits::default());
    let (client, server) = Server::connect(builder, Revision::LATEST).await;
    let Server { lines, writer } = server;
    drop(lines);
    let error = soon(list(&client)).await.expect("no panic");
    let error = error.expect_err("nobody reads");
    assert!(
        matches!(lost(&error), TransportError::Io(_) | TransportError::Closed),
        "{error}"
    );
    drop(writer);
}
