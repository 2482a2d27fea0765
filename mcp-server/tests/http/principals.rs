//! Sessions, streams, channels and cursors belong to the principal that created them.

use std::net::SocketAddr;
use std::time::Duration;

use axum::extract::Request;
use axum::middleware::{self, Next};
use mcp_server::{
    Condition, HttpConfig, Memory, Principal, PromptDef, Put, ResourceDef, Server, ValueStore as _,
};

use super::legacy::*;
use super::subject::*;
use crate::support::apps::serve_app;

type Headers = Vec<(&'static str, String)>;

/// Mounts the endpoint in axum behind a layer that authenticates by the header `X-User`. Without
/// the header a request has no principal.
pub(crate) async fn mount(server: &Server, config: HttpConfig) -> SocketAddr {
    let authenticate = middleware::from_fn(|mut request: Request, next: Next| async move {
        let user = request.headers().get("x-user");
        if let Some(user) = user.map(|user| user.to_str().expect("ASCII").to_owned()) {
            request.extensions_mut().insert(Principal(user));
        }
        next.run(request).await
    });
    let service = server.clone().into_service(config);
    let app = axum::Router::new()
        .fallback_service(service)
        .layer(authenticate);
    serve_app(app).await
}

/// Adds the header of a user. An empty name means no authentication.
fn with_user(headers: &Headers, user: &str) -> Headers {
    with_header(headers.clone(), "X-User", user)
}

/// Starts a session as a user. The returned headers have the session but not the user.
async fn start_session_as(address: SocketAddr, user: &str) -> Headers {
    let headers = with_user(&media(), user);
    let (head, body) = Raw::post(address, &headers, &initialize("2025-11-25")).await;
    assert_eq!(head.status, 200, "{body}");
    let id = head.get("mcp-session-id").expect("a session").to_owned();
    with_header(media(), "Mcp-Session-Id", &id)
}

/// Returns the status of a request. The body may be a stream, so it is not read.
async fn status(address: SocketAddr, method: &str, headers: &Headers, body: &str) -> u16 {
    let mut raw = Raw::connect(address).await;
    raw.request(method, headers, body).await;
    raw.head().await.status
}

#[tokio::test]
async fn another_principal_gets_404_in_every_method_of_a_session() {
    let (server, _probe) = server(|builder| builder);
    let address = mount(&server, HttpConfig::default()).await;
    for (owner, others) in [("ann", ["bob", ""]), ("", ["ann", "bob"])] {
        let session = start_session_as(address, owner).await;
        for other in others {
            let headers = with_user(&session, other);
            assert_eq!(
                status(address, "POST", &headers, PING).await,
                404,
                "{other}"
            );
            assert_eq!(status(address, "GET", &headers, "").await, 404, "{other}");
            assert_eq!(
                status(address, "DELETE", &headers, "").await,
                404,
                "{other}"
            );
        }
        // The attempts of others did not end the session.
        let headers = with_user(&session, owner);
        assert_eq!(status(address, "POST", &headers, PING).await, 200);
        assert_eq!(status(address, "GET", &headers, "").await, 200);
        assert_eq!(status(address, "DELETE", &headers, "").await, 204);
    }
}

#[tokio::test]
async fn another_principal_cannot_resume_a_stream() {
    let (server, _probe) = server(|builder| builder);
    let address = mount(&server, HttpConfig::default()).await;
    let session = start_session_as(address, "ann").await;
    let mut raw = start(address, &with_user(&session, "ann"), &tool(1, "say")).await;
    let head = raw.head().await;
    let said = raw.body(&head).await;
    let resume = with_header(session, "Last-Event-ID", ids(&said)[0]);
    for other in ["bob", ""] {
        assert_eq!(
            status(address, "GET", &with_user(&resume, other), "").await,
            404
        );
    }
    let (head, rest) = Raw::connect(address)
        .await
        .ask("GET", &with_user(&resume, "ann"), "")
        .await;
    assert_eq!(head.status, 200);
    assert!(rest.contains("\"said\""), "{rest}");
}

#[tokio::test]
async fn another_principal_cannot_answer_or_cancel_a_request() {
    let (server, mut probe) = server(|builder| builder);
    let address = mount(&server, HttpConfig::default()).await;
    let session = start_session_as(address, "ann").await;
    let _raw = start(address, &with_user(&session, "ann"), &tool(4, "wait")).await;
    soon(probe.waiting.recv()).await;
    let cancelled =
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":4}}"#;
    let stranger = with_user(&session, "bob");
    assert_eq!(status(address, "POST", &stranger, cancelled).await, 404);
    assert!(probe.dropped.try_recv().is_err(), "the request goes on");
    let owner = with_user(&session, "ann");
    assert_eq!(status(address, "POST", &owner, cancelled).await, 202);
    assert_eq!(soon(probe.dropped.recv()).await.as_deref(), Some("wait"));
}

#[tokio::test]
async fn another_process_enforces_the_principal_of_a_session() {
    let store = Memory::new();
    let (one, mut probe) = server(|builder| builder.store(store.clone()));
    let (two, _probe) = server(|builder| builder.store(store.clone()));
    let at_one = mount(&one, HttpConfig::new()).await;
    let at_two = mount(&two, HttpConfig::new()).await;
    for (owner, other) in [("ann", "bob"), ("ann", ""), ("", "ann")] {
        let session = start_session_as(at_one, owner).await;
        let (owned, foreign) = (with_user(&session, owner), with_user(&session, other));
        // Before and after the other process has loaded the session.
        assert_eq!(status(at_two, "POST", &foreign, PING).await, 404);
        assert_eq!(status(at_two, "POST", &owned, PING).await, 200);
        assert_eq!(status(at_two, "POST", &foreign, PING).await, 404);

        // Responses of the owner reach the handler that waits for them in the first process.
        let mut raw = start(at_one, &owned, &tool(5, "ask")).await;
        let head = raw.head().await;
        let read = raw.chunks_until("roots/list").await;
        let (_, id) = read.split_once(r#""id":"#).expect("an id");
        let id: String = id.chars().take_while(char::is_ascii_digit).collect();
        let answer = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"roots":[]}}}}"#);
        assert_eq!(status(at_two, "POST", &foreign, &answer).await, 404);
        assert_eq!(status(at_two, "POST", &owned, &answer).await, 202);
        assert!(raw.body(&head).await.contains("\"0 roots\""));

        let _raw = start(at_one, &owned, &tool(4, "wait")).await;
        soon(probe.waiting.recv()).await;
        cancel(at_two, &owned, 4).await;
        assert_eq!(soon(probe.dropped.recv()).await.as_deref(), Some("wait"));
    }
}

#[tokio::test]
async fn stored_session_without_a_principal_rejects_principals() {
    const OLDER: &str = "0123456789abcdef0123456789abcdef";

    let store = Memory::new();
    let (server, _probe) = server(|builder| builder.store(store.clone()));
    let address = mount(&server, HttpConfig::new()).await;
    let record = r#"{"version":1,"revision":"2025-11-25","client_info":{"name":"t","version":"1"},"capabilities":{},"level":1,"resources":[],"used":18446744073709551615}"#;
    let key = format!("session:{OLDER}");
    let put = Put {
        key: &key,
        value: record.as_bytes(),
        time_to_live: Duration::from_secs(60),
        condition: Condition::Absent,
        group: None,
    };
    store.put(put).await.expect("stored");
    let session = with_header(media(), "Mcp-Session-Id", OLDER);
    assert_eq!(
        status(address, "POST", &with_user(&session, "ann"), PING).await,
        404
    );
    assert_eq!(status(address, "POST", &session, PING).await, 200);
}

#[tokio::test]
async fn another_principal_cannot_post_to_a_channel() {
    let (server, _probe) = server(|builder| builder);
    let address = mount(&server, HttpConfig::new().http_sse("/sse")).await;
    for (owner, others) in [("ann", ["bob", ""]), ("", ["ann", "bob"])] {
        let mut stream = Raw::connect(address).await.at("/sse");
        let accept = with_header(Vec::new(), "Accept", "text/event-stream");
        stream.request("GET", &with_user(&accept, owner), "").await;
        assert_eq!(stream.head().await.status, 200);
        let first = stream.chunk().await;
        let path = first.trim_end().rsplit_once(' ').expect("an address").1;
        let json = with_header(media(), "Accept", "");
        let post = async |user: &str| {
            let mut raw = Raw::connect(address).await.at(path);
            raw.ask("POST", &with_user(&json, user), PING)
                .await
                .0
                .status
        };
        for other in others {
            assert_eq!(post(other).await, 404, "{other}");
        }
        assert_eq!(post(owner).await, 202);
        let read = stream.chunks_until("\"id\":5").await;
        assert_eq!(read.matches("\"id\":5").count(), 1, "{read}");
    }
}

#[tokio::test]
async fn cursor_of_another_principal_is_rejected() {
    let resource =
        |name: &str| ResourceDef::new(format!("test://{name}"), name).handler(async || "text");
    let prompt = |name: &str| PromptDef::new(name).handler(async || "hello");
    let (server, _probe) = server(|builder| {
        builder
            .page_size(1)
            .add_resource(resource("a"))
            .add_resource(resource("b"))
            .add_prompt(prompt("a"))
            .add_prompt(prompt("b"))
    });
    let address = mount(&server, HttpConfig::default()).await;
    for method in ["resources/list", "prompts/list"] {
        for (owner, others) in [("ann", ["bob", ""]), ("", ["ann", "bob"])] {
            let list = async |user: &str, cursor: Option<&str>| {
                let cursor = cursor.map(|cursor| format!("\"cursor\":\"{cursor}\","));
                let cursor = cursor.unwrap_or_default();
                let body = format!(
                    r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{{cursor}{META}}}}}"#
                );
                let headers = with_header(media(), "MCP-Protocol-Version", "2026-07-28");
                let headers = with_header(headers, "Mcp-Method", method);
                let (_, body) = Raw::post(address, &with_user(&headers, user), &body).await;
                serde_json::from_str::<serde_json::Value>(&body).expect("JSON")
            };
            let first = list(owner, None).await;
            let cursor = first["result"]["nextCursor"].as_str().expect("a cursor");
            for other in others {
                let refused = list(other, Some(cursor)).await;
                assert_eq!(refused["error"]["code"], -32602, "{method} {other}");
            }
            let second = list(owner, Some(cursor)).await;
            assert!(second["result"].is_object(), "{method}: {second}");
        }
    }
}
