//! Sessions of the revisions from 2025-03-26 to 2025-11-25.

use std::time::Duration;

use super::legacy::*;
use super::subject::*;

#[tokio::test]
async fn session_works_from_initialize_to_delete() {
    let (server, _probe) = server(|builder| builder);
    let address = serve(&server);
    let session = start_session(address, "2025-11-25").await;
    let (head, body) = Raw::post(address, &session, PING).await;
    assert_eq!(
        (head.status, body.as_str()),
        (200, r#"{"jsonrpc":"2.0","id":5,"result":{}}"#)
    );
    let (head, body) = Raw::post(address, &session, &tool(1, "echo")).await;
    assert_eq!(head.get("content-type"), Some("application/json"));
    assert!(
        body.contains("\"echo\"") && !body.contains("resultType"),
        "{body}"
    );
    let unknown = r#"{"jsonrpc":"2.0","id":6,"method":"unknown/method"}"#;
    let (head, body) = Raw::post(address, &session, unknown).await;
    assert_eq!((head.status, code(&body)), (200, -32601));
    // Both eras on one endpoint.
    let (head, _) = Raw::post(address, &call_headers("echo"), &call(1, "echo")).await;
    assert_eq!(head.status, 200);

    let (head, _) = Raw::connect(address)
        .await
        .ask("DELETE", &session, "")
        .await;
    assert_eq!(head.status, 204);
    let (head, _) = Raw::post(address, &session, PING).await;
    assert_eq!(head.status, 404);
    let (head, _) = Raw::connect(address).await.ask("GET", &session, "").await;
    assert_eq!(head.status, 404);
}

#[tokio::test]
async fn request_with_missing_session_or_wrong_version_is_rejected() {
    let (server, _probe) = server(|builder| builder);
    let address = serve(&server);
    let session = start_session(address, "2025-06-18").await;
    let (head, _) = Raw::post(address, &media(), &tool(1, "echo")).await;
    assert_eq!(head.status, 400);
    for method in ["GET", "DELETE"] {
        let (head, _) = Raw::connect(address).await.ask(method, &media(), "").await;
        assert_eq!(head.status, 400, "{method}");
    }
    for (version, status) in [
        ("", 200),
        ("2025-03-26", 200),
        ("2000-01-01", 400),
        ("x", 400),
    ] {
        let headers = with_header(session.clone(), "MCP-Protocol-Version", version);
        let (head, _) = Raw::post(address, &headers, PING).await;
        assert_eq!(head.status, status, "{version}");
    }
    let headers = with_header(session.clone(), "Mcp-Session-Id", "guessed");
    let (head, _) = Raw::post(address, &headers, PING).await;
    assert_eq!(head.status, 404);
}

#[tokio::test]
async fn batches_are_accepted_only_at_their_revision() {
    let (server, _probe) = server(|builder| builder);
    let address = serve(&server);
    let batch = format!("[{PING},{}]", tool(1, "echo"));
    let session = start_session(address, "2025-03-26").await;
    let (head, body) = Raw::post(address, &session, &batch).await;
    assert_eq!(head.status, 200);
    let answers: Vec<serde_json::Value> = serde_json::from_str(&body).expect("an array");
    assert_eq!(answers.len(), 2, "{body}");
    let received = r#"[{"jsonrpc":"2.0","method":"notifications/whatever"}]"#;
    let (head, _) = Raw::post(address, &session, received).await;
    assert_eq!(head.status, 202);
    let session = start_session(address, "2025-06-18").await;
    let (head, body) = Raw::post(address, &session, &batch).await;
    assert_eq!((head.status, code(&body)), (400, -32600));
}

#[tokio::test]
async fn idle_sessions_expire_and_are_evicted() {
    let (idle, _probe) = server(limits(|limits| limits.session_idle_time = Duration::ZERO));
    let address = serve(&idle);
    let (head, _) = Raw::post(address, &media(), &initialize("2025-11-25")).await;
    let id = head.get("mcp-session-id").expect("a session").to_owned();
    let (head, _) = Raw::post(address, &with_header(media(), "Mcp-Session-Id", &id), PING).await;
    assert_eq!(head.status, 404);

    let (few, mut probe) = server(limits(|limits| limits.sessions = 1));
    let address = serve(&few);
    let first = start_session(address, "2025-11-25").await;
    let second = start_session(address, "2025-11-25").await;
    let (head, _) = Raw::post(address, &first, PING).await;
    assert_eq!(head.status, 404, "the idle session was not evicted");
    let mut raw = Raw::connect(address).await;
    raw.request("POST", &second, &tool(1, "wait")).await;
    soon(probe.waiting.recv()).await;
    let (head, _) = Raw::post(address, &media(), &initialize("2025-11-25")).await;
    assert_eq!(head.status, 503, "the busy session was evicted");
}

#[tokio::test]
async fn modern_request_ignores_the_session_id() {
    let (server, _probe) = server(|builder| builder);
    let address = serve(&server);
    let session = start_session(address, "2025-11-25").await;
    let id = &session.iter().find(|(name, _)| *name == "Mcp-Session-Id");
    let known = id.map(|(_, id)| id.clone()).expect("a session");
    for id in [&*known, "guessed"] {
        let headers = with_header(call_headers("echo"), "Mcp-Session-Id", id);
        let (head, _) = Raw::post(address, &headers, &call(1, "echo")).await;
        assert_eq!(head.status, 200, "{id}");
        assert!(head.get("mcp-session-id").is_none());
        for version in ["", "2025-11-25"] {
            let headers = with_header(headers.clone(), "MCP-Protocol-Version", version);
            let (head, body) = Raw::post(address, &headers, &call(1, "echo")).await;
            assert_eq!((head.status, code(&body)), (400, -32020), "{id} {version}");
            assert!(body.contains("\"id\":1"), "{body}");
        }
        let headers = with_header(headers, "MCP-Protocol-Version", "2099-01-01");
        let newer = call(1, "echo").replace("2026-07-28", "2099-01-01");
        let (head, body) = Raw::post(address, &headers, &newer).await;
        assert_eq!((head.status, code(&body)), (400, -32022), "{id}");
    }
}
