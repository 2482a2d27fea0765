//! What one caller began, no other one can use; and it ends with the token.

use std::net::SocketAddr;
use std::time::{Duration, SystemTime};

use mcp_server::{AccessToken, HttpConfig, Principal, PromptDef, Server};
use mcp_server_oauth::OAuth;
use mcp_testkit::http::legacy::*;
use mcp_testkit::http::subject::*;
use serde_json::json;
use tokio::net::TcpListener;

use super::setup::*;

async fn status(address: SocketAddr, method: &str, headers: &Headers, body: &str) -> u16 {
    let mut raw = Raw::connect(address).await;
    raw.request(method, headers, body).await;
    raw.head().await.status
}

/// Starts a session with a token. The returned headers have the session but no token.
async fn start_with(address: SocketAddr, token: &str) -> Headers {
    let headers = with_token(media(), token);
    let (head, body) = Raw::post(address, &headers, &initialize("2025-11-25")).await;
    assert_eq!(head.status, 200, "{body}");
    let id = head.get("mcp-session-id").expect("a session").to_owned();
    with_header(media(), "Mcp-Session-Id", &id)
}

/// Tokens of callers who are not Ada.
fn others(issuer: &TestIssuer, second: &TestIssuer) -> [String; 4] {
    [
        issuer.token(json!({ "sub": "bob" })),
        // A client that calls itself like the user.
        issuer.token(json!({ "sub": null, "client_id": "ada" })),
        // The user of the same name at another issuer.
        second.token(json!({})),
        issuer.token(json!({ "sub": "Ada" })),
    ]
}

#[tokio::test]
async fn session_and_its_events_belong_to_the_caller() {
    let (issuer, second) = (TestIssuer::start().await, TestIssuer::start().await);
    let (server, _probe) = server(|builder| builder);
    let address = protect(&server, trusting(&issuer).issuer(&*second.url));
    let ada = issuer.token(json!({}));
    let session = start_with(address, &ada).await;
    let mut raw = start(address, &with_token(session.clone(), &ada), &tool(1, "say")).await;
    let head = raw.head().await;
    let said = raw.body(&head).await;
    let resume = with_header(session.clone(), "Last-Event-ID", ids(&said)[0]);
    for other in others(&issuer, &second) {
        let foreign = with_token(session.clone(), &other);
        assert_eq!(status(address, "POST", &foreign, PING).await, 404);
        assert_eq!(status(address, "GET", &foreign, "").await, 404);
        assert_eq!(status(address, "DELETE", &foreign, "").await, 404);
        let foreign = with_token(resume.clone(), &other);
        assert_eq!(status(address, "GET", &foreign, "").await, 404);
    }
    assert_eq!(status(address, "POST", &session, PING).await, 401);
    assert_eq!(status(address, "GET", &resume, "").await, 401);
    // A renewed token of the same user, from another client.
    let renewed = issuer.token(json!({ "exp": now() + 900, "jti": "2", "client_id": "c2" }));
    for token in [&ada, &renewed] {
        let owned = with_token(session.clone(), token);
        assert_eq!(status(address, "POST", &owned, PING).await, 200);
        let (head, rest) = Raw::connect(address)
            .await
            .ask("GET", &with_token(resume.clone(), token), "")
            .await;
        assert_eq!(head.status, 200);
        assert!(rest.contains("\"said\""), "{rest}");
    }
}

#[tokio::test]
async fn channel_belongs_to_the_caller() {
    let (issuer, second) = (TestIssuer::start().await, TestIssuer::start().await);
    let (server, _probe) = server(|builder| builder);
    let oauth = trusting(&issuer).issuer(&*second.url);
    let address = protect_with(&server, oauth, HttpConfig::new().http_sse("/sse"));
    let ada = issuer.token(json!({}));
    let mut stream = Raw::connect(address).await.at("/sse");
    let accept = with_header(Vec::new(), "Accept", "text/event-stream");
    stream.request("GET", &with_token(accept, &ada), "").await;
    assert_eq!(stream.head().await.status, 200);
    let first = stream.chunk().await;
    let path = first
        .trim_end()
        .rsplit_once(' ')
        .expect("an address")
        .1
        .to_owned();
    let post = async |token: &str| {
        let mut raw = Raw::connect(address).await.at(&path);
        raw.ask("POST", &with_token(media(), token), PING)
            .await
            .0
            .status
    };
    for other in others(&issuer, &second) {
        assert_eq!(post(&other).await, 404);
    }
    assert_eq!(post(&ada).await, 202);
}

/// Sends a request of the modern era, and returns the message of the response.
async fn ask(
    address: SocketAddr,
    token: &str,
    method: &'static str,
    name: &str,
    params: &str,
) -> serde_json::Value {
    let headers = with_header(call_headers(name), "Mcp-Method", method);
    let body =
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{{params}{META}}}}}"#);
    let (_, body) = Raw::post(address, &with_token(headers, token), &body).await;
    serde_json::from_str(&body).expect("JSON")
}

#[tokio::test]
async fn cursor_belongs_to_the_caller() {
    let (issuer, second) = (TestIssuer::start().await, TestIssuer::start().await);
    let prompt = |name: &str| PromptDef::new(name).handler(async || "hello");
    let (server, _probe) = server(|builder| {
        let builder = builder.page_size(1);
        builder.add_prompt(prompt("a")).add_prompt(prompt("b"))
    });
    let address = protect(&server, trusting(&issuer).issuer(&*second.url));
    let ada = issuer.token(json!({}));
    let first = ask(address, &ada, "prompts/list", "", "").await;
    let cursor = first["result"]["nextCursor"].as_str().expect("a cursor");
    let params = format!(r#""cursor":"{cursor}","#);
    for other in others(&issuer, &second) {
        let refused = ask(address, &other, "prompts/list", "", &params).await;
        assert_eq!(refused["error"]["code"], -32602, "{refused}");
    }
    let renewed = issuer.token(json!({ "jti": "2" }));
    let second = ask(address, &renewed, "prompts/list", "", &params).await;
    assert_eq!(second["result"]["prompts"][0]["name"], "b", "{second}");
}

#[tokio::test]
async fn state_of_a_question_belongs_to_the_caller() {
    let (issuer, second) = (TestIssuer::start().await, TestIssuer::start().await);
    let server = Server::builder("asking", "1")
        .tool("roots", "Counts roots", async |cx: mcp_server::Context| {
            cx.roots()
                .await
                .map(|roots| format!("{} roots", roots.len()))
        })
        .build()
        .expect("sound");
    let address = protect(&server, trusting(&issuer).issuer(&*second.url));
    let ada = issuer.token(json!({}));
    let meta = META.replace("Capabilities\":{}", "Capabilities\":{\"roots\":{}}");
    let call = async |token: &str, more: &str| {
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"roots","arguments":{{}},{more}{meta}}}}}"#
        );
        let headers = with_token(call_headers("roots"), token);
        let (_, body) = Raw::post(address, &headers, &body).await;
        serde_json::from_str::<serde_json::Value>(&body).expect("JSON")
    };
    let asked = call(&ada, "").await;
    let state = asked["result"]["requestState"].as_str().expect("a state");
    let (id, _) = asked["result"]["inputRequests"]
        .as_object()
        .and_then(|requests| requests.iter().next())
        .expect("a question");
    let answers =
        format!(r#""requestState":"{state}","inputResponses":{{"{id}":{{"roots":[]}}}},"#);
    for other in others(&issuer, &second) {
        let refused = call(&other, &answers).await;
        assert_eq!(refused["error"]["code"], -32602, "{refused}");
    }
    let renewed = issuer.token(json!({ "jti": "2" }));
    let done = call(&renewed, &answers).await;
    assert_eq!(done["result"]["content"][0]["text"], "0 roots", "{done}");
}

#[tokio::test]
async fn handlers_get_the_token_and_the_principal() {
    let issuer = TestIssuer::start().await;
    let server = Server::builder("whoami", "1")
        .tool(
            "who",
            "Tells who calls",
            async |token: AccessToken, Principal(name): Principal| {
                let tenant = token
                    .claims
                    .get("tenant")
                    .and_then(|tenant| tenant.as_str());
                let thing = (
                    token.subject,
                    token.client_id,
                    token.scopes,
                    tenant.map(str::to_owned),
                );
                format!("{thing:?} {name}")
            },
        )
        .build()
        .expect("sound");
    let address = protect(&server, trusting(&issuer));
    let token = issuer.token(json!({ "tenant": "t1" }));
    let answer = ask(address, &token, "tools/call", "who", r#""name":"who","#).await;
    let expected = format!(
        r#"(Some("ada"), Some("c1"), ["files:read"], Some("t1")) {} sub ada"#,
        issuer.url
    );
    assert_eq!(answer["result"]["content"][0]["text"], expected);
    // In a stack of the program.
    let oauth = trusting(&issuer).build().expect("sound");
    let paths = oauth.metadata_paths();
    let service = server.into_service(HttpConfig::new().authenticate(oauth));
    let mut app = axum::Router::new().route_service("/mcp", service.clone());
    for path in &paths {
        app = app.route_service(path, service.clone());
    }
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("bound");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move { axum::serve(listener, app).await });
    let answer = ask(address, &token, "tools/call", "who", r#""name":"who","#).await;
    assert_eq!(answer["result"]["content"][0]["text"], expected);
    let (head, _) = Raw::post(address, &call_headers("who"), &call(1, "who")).await;
    assert_eq!(head.status, 401);
    for path in paths {
        let (head, _) = Raw::connect(address)
            .await
            .at(&path)
            .ask("GET", &[], "")
            .await;
        assert_eq!(head.status, 200, "{path}");
    }
}

/// A token that expires within two seconds, the leeway for clocks included.
fn short(issuer: &TestIssuer) -> String {
    issuer.token(json!({ "exp": now() - 58 }))
}

#[tokio::test]
async fn streams_end_when_the_token_does() {
    let issuer = TestIssuer::start().await;
    let (server, mut probe) = server(|builder| builder);
    let config = HttpConfig::new().http_sse("/sse");
    let address = protect_with(&server, trusting(&issuer), config);
    let token = short(&issuer);

    // A request of the modern era is cancelled.
    let headers = with_token(call_headers("say_and_wait"), &token);
    let mut modern = Raw::connect(address).await;
    modern
        .request("POST", &headers, &call(1, "say_and_wait"))
        .await;
    assert_eq!(modern.head().await.status, 200);
    // A request in a session goes on.
    let session = start_with(address, &token).await;
    let mut legacy = start(
        address,
        &with_token(session.clone(), &token),
        &tool(1, "say_and_wait"),
    )
    .await;
    assert_eq!(legacy.head().await.status, 200);
    let mut announcements = listen(address, &with_token(session.clone(), &token)).await;
    let mut channel = Raw::connect(address).await.at("/sse");
    let accept = with_header(Vec::new(), "Accept", "text/event-stream");
    channel
        .request("GET", &with_token(accept, &token), "")
        .await;
    assert_eq!(channel.head().await.status, 200);

    modern.rest().await;
    let begun = legacy.rest().await;
    announcements.rest().await;
    channel.rest().await;
    assert_eq!(
        soon(probe.dropped.recv()).await.as_deref(),
        Some("say_and_wait")
    );
    let expired = with_token(session.clone(), &token);
    assert_eq!(status(address, "POST", &expired, PING).await, 401);

    // With a new token the client resumes the stream.
    let fresh = issuer.token(json!({}));
    let last = *ids(&begun).last().expect("an event");
    let resume = with_header(with_token(session, &fresh), "Last-Event-ID", last);
    let mut resumed = Raw::connect(address).await;
    resumed.request("GET", &resume, "").await;
    assert_eq!(resumed.head().await.status, 200);
    probe.go.notify_waiters();
    let rest = resumed.chunks_until("\"id\":1").await;
    assert!(rest.contains("said and waited"), "{rest}");
}

#[tokio::test]
async fn response_in_one_piece_is_not_cut_off() {
    let issuer = TestIssuer::start().await;
    let (server, mut probe) = server(|builder| builder);
    let address = protect(&server, trusting(&issuer));
    let headers = with_token(call_headers("wait"), &short(&issuer));
    let mut raw = Raw::connect(address).await;
    raw.request("POST", &headers, &call(1, "wait")).await;
    soon(probe.waiting.recv()).await;
    tokio::time::sleep(Duration::from_millis(2_500)).await;
    probe.go.notify_waiters();
    let head = raw.head().await;
    assert_eq!(head.status, 200);
    assert!(raw.body(&head).await.contains("waited"));
}

#[tokio::test]
async fn stream_of_a_token_without_an_end_goes_on() {
    let (server, mut probe) = server(|builder| builder);
    let issuer = "https://auth.example";
    let ada = AccessToken::new(issuer).subject("ada").audience([RESOURCE]);
    // Windows has fewer times than other systems.
    let far = [u64::MAX >> 1, 900_000_000_000].map(Duration::from_secs);
    let mut far = far.into_iter();
    let far = far.find_map(|since| SystemTime::UNIX_EPOCH.checked_add(since));
    let far = ada.clone().expires_at(far.expect("a time"));
    let tokens = mcp_server_oauth::StaticTokens::new(issuer)
        .token("endless", ada)
        // The latest time that there is.
        .token("far", far);
    let address = protect(&server, OAuth::builder(RESOURCE).verifier(tokens));
    for token in ["endless", "far"] {
        let mut raw = Raw::connect(address).await;
        let headers = with_token(call_headers("say_and_wait"), token);
        raw.request("POST", &headers, &call(1, "say_and_wait"))
            .await;
        soon(probe.waiting.recv()).await;
        probe.go.notify_waiters();
        let head = raw.head().await;
        assert!(raw.body(&head).await.contains("said and waited"), "{token}");
    }
}
