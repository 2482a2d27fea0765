//! An `Authenticate` of a program, which has only what the trait requires.

use std::net::SocketAddr;
use std::sync::atomic::Ordering;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use http::{HeaderName, HeaderValue, Response, StatusCode};
use mcp_server::{
    AccessToken, AuthRefusal, AuthRequest, Authenticate, Authenticated, Challenge, Condition, Http,
    HttpConfig, KeyGroup, Keys, Limits, Memory, PublicRoute, Put, PutOutcome, Server,
    ServerBuilder, ToolDef,
};

use super::faulty_store::Faulty;
use super::subject::*;
use crate::support::log::Log;

const NAME: HeaderName = HeaderName::from_static("x-seen");

/// Accepts the keys that tests send, each with another outcome.
struct ApiKeys;

impl Authenticate for ApiKeys {
    async fn authenticate(&self, request: AuthRequest<'_>) -> Result<Authenticated, AuthRefusal> {
        let key = request.parts().headers.get("x-key");
        let token = AccessToken::new("https://keys.example");
        let ada = token.clone().subject("ada").scopes(["files:read"]);
        match key.and_then(|key| key.to_str().ok()) {
            Some("ada") => Ok(Authenticated::new(ada).header(NAME, HeaderValue::from_static("1"))),
            Some("short") => {
                let end = SystemTime::now() + Duration::from_millis(500);
                Ok(Authenticated::new(ada.expires_at(end)))
            }
            Some("nobody") => {
                Ok(Authenticated::new(token).header(NAME, HeaderValue::from_static("2")))
            }
            Some(once) if once.starts_with("once") => {
                let time = Duration::from_secs(60);
                if request
                    .shared()
                    .record_for_other_processes(once, time)
                    .await?
                {
                    return Ok(Authenticated::new(ada));
                }
                Err(AuthRefusal::unauthorized("the key was used before"))
            }
            Some("seal") => {
                let sealed = request.shared().seal("test", "text").expect("sealed");
                let sealed = HeaderValue::try_from(sealed).expect("ASCII");
                Ok(Authenticated::new(ada).header(NAME, sealed))
            }
            Some(sealed)
                if request
                    .shared()
                    .unseal("test", sealed)
                    .is_ok_and(|it| it == "text") =>
            {
                assert!(request.shared().unseal("other", sealed).is_err());
                Ok(Authenticated::new(ada))
            }
            Some("broken") => {
                let refusal = AuthRefusal::new(StatusCode::BAD_GATEWAY, "no answer");
                Err(refusal.cause("the database is gone"))
            }
            _ => {
                let refusal = AuthRefusal::unauthorized("a key is required");
                let refusal = refusal.challenge(&Challenge::new("Key").param("realm", "a\"b"));
                let value = HeaderValue::from_static("soon");
                Err(refusal
                    .challenge(&Challenge::new("Other"))
                    .header(NAME, value))
            }
        }
    }

    fn public_routes(&self) -> Vec<PublicRoute> {
        vec![
            PublicRoute::json("/keys.json", r#"{"own":true}"#),
            PublicRoute::json("/.well-known/keys", r#"{"own":false}"#).of_host(),
            PublicRoute::computed("/issue", 16),
        ]
    }

    /// Counts in the store, and returns the count with what it knows of the request.
    async fn respond(&self, request: AuthRequest<'_>, body: Bytes) -> Response<Bytes> {
        if body == "wait" {
            std::future::pending::<()>().await;
        }
        let shared = request.shared();
        let value = shared.get("issued").await.expect("the store works");
        let count = value.map_or(0, |value| value.value[0]) + 1;
        let put = Put {
            key: "issued",
            value: &[count],
            time_to_live: Duration::from_secs(60),
            condition: Condition::Any,
            group: Some(KeyGroup {
                name: "all",
                most: 1,
            }),
        };
        assert!(matches!(shared.put(put).await, Ok(PutOutcome::Written(_))));
        assert_eq!(
            shared.keys("all", 9).await.expect("the store works"),
            ["issued"]
        );
        let address = request.peer_address().expect("known");
        let method = &request.parts().method;
        let text = format!(
            "{count} {method} {address} {}",
            String::from_utf8_lossy(&body)
        );
        let mut response = Response::new(text.into());
        *response.status_mut() = StatusCode::CREATED;
        response
            .headers_mut()
            .insert(NAME, HeaderValue::from_static("3"));
        response
    }
}

fn scoped(change: impl FnOnce(ServerBuilder) -> ServerBuilder) -> Server {
    let builder = Server::builder("keys", "1")
        .add_tool(
            ToolDef::new("read")
                .scopes(["files:read"])
                .handler(async || "read"),
        )
        .add_tool(
            ToolDef::new("write")
                .scopes(["files:write"])
                .handler(async || "written"),
        );
    change(builder).build().expect("the definition is sound")
}

fn protect(server: &Server) -> SocketAddr {
    serve_with(server, HttpConfig::new().authenticate(ApiKeys))
}

async fn call_as(address: SocketAddr, key: &str, tool: &str) -> (Head, String) {
    let headers = with_header(call_headers(tool), "X-Key", key);
    Raw::post(address, &headers, &call(1, tool)).await
}

#[tokio::test]
async fn refusal_is_the_response() {
    let address = protect(&scoped(|builder| builder));
    let (head, body) = call_as(address, "", "read").await;
    assert_eq!(head.status, 401);
    assert_eq!(head.all("www-authenticate"), ["Key realm=\"a?b\"", "Other"]);
    assert_eq!(head.get("x-seen"), Some("soon"));
    assert_eq!(code(&body), -32600);
    assert!(body.contains("a key is required"), "{body}");
    // The body of a refused request is not read.
    let mut raw = Raw::connect(address).await;
    let head = format!("POST /mcp HTTP/1.1\r\nHost: {address}\r\nContent-Length: 1000\r\n\r\n");
    raw.write(head.as_bytes()).await;
    assert_eq!(raw.head().await.status, 401);
}

#[tokio::test]
async fn scopes_and_headers_of_an_accepted_request_apply() {
    let address = protect(&scoped(|builder| builder));
    let (head, body) = call_as(address, "ada", "read").await;
    assert_eq!(
        (head.status, head.get("x-seen")),
        (200, Some("1")),
        "{body}"
    );
    let (head, body) = call_as(address, "ada", "write").await;
    assert_eq!(head.status, 403, "{body}");
    assert_eq!(
        head.get("www-authenticate"),
        Some("Bearer error=\"insufficient_scope\", scope=\"files:write\"")
    );
}

#[tokio::test]
async fn caller_without_a_name_is_refused() {
    let address = protect(&scoped(|builder| builder));
    let (head, body) = call_as(address, "nobody", "read").await;
    assert_eq!(head.status, 403);
    assert!(body.contains("do not name a user or a client"), "{body}");
    assert_eq!(head.get("x-seen"), Some("2"));
}

#[tokio::test]
async fn later_settings_keep_authentication() {
    let server = scoped(|builder| builder);
    let shared = std::sync::Arc::new(ApiKeys);
    let transport = Http::at("127.0.0.1:0").authenticate(shared);
    let serving = server.serve_http(transport.config(HttpConfig::new()));
    let serving = serving.expect("bound");
    let address = serving.local_addr();
    tokio::spawn(serving);
    assert_eq!(call_as(address, "", "read").await.0.status, 401);
    assert_eq!(call_as(address, "ada", "read").await.0.status, 200);
    // What all clients may read is that of the implementation behind `Arc`.
    let mut raw = Raw::connect(address).await.at("/keys.json");
    assert_eq!(raw.ask("GET", &[], "").await.0.status, 200);
}

#[test]
fn values_of_headers_are_not_shown() {
    let value = || HeaderValue::from_static("secret");
    let accepted = Authenticated::new(AccessToken::new("https://keys.example"));
    let shown = format!("{:?}", accepted.header(NAME, value()));
    let refused = AuthRefusal::unauthorized("no").header(NAME, value());
    assert!(!format!("{shown}{refused:?}").contains("secret"));
}

#[tokio::test]
async fn cause_of_a_refusal_is_logged_and_not_sent() {
    let log = Log::begin();
    let address = protect(&scoped(|builder| builder));
    let (head, body) = call_as(address, "broken", "read").await;
    assert_eq!(head.status, 502);
    assert!(
        body.contains("no answer") && !body.contains("database"),
        "{body}"
    );
    let logged = log.of(tracing::Level::ERROR);
    let fields: Vec<_> = logged
        .iter()
        .filter_map(|it| it.fields.get("error"))
        .collect();
    assert_eq!(fields, ["the database is gone"]);
}

#[tokio::test]
async fn stream_ends_when_the_token_expires() {
    let (server, _probe) = server(|builder| builder);
    let address = protect(&server);
    let headers = with_header(call_headers("say_and_wait"), "X-Key", "short");
    let mut raw = Raw::connect(address).await;
    raw.request("POST", &headers, &call(1, "say_and_wait"))
        .await;
    assert_eq!(raw.head().await.status, 200);
    raw.rest().await;
}

#[tokio::test]
async fn public_routes_need_no_credentials() {
    let address = protect(&scoped(|builder| builder));
    for (path, body) in [
        ("/keys.json", r#"{"own":true}"#),
        ("/.well-known/keys", r#"{"own":false}"#),
    ] {
        let headers = with_header(Vec::new(), "Host", "elsewhere.example");
        let mut raw = Raw::connect(address).await.at(path);
        let (head, found) = raw.ask("GET", &headers, "").await;
        assert_eq!((head.status, found.as_str()), (200, body));
        assert_eq!(head.get("content-type"), Some("application/json"));
        assert_eq!(head.get("access-control-allow-origin"), Some("*"));
        let mut raw = Raw::connect(address).await.at(path);
        let (head, _) = raw.ask("POST", &headers, "").await;
        assert_eq!(
            (head.status, head.get("allow")),
            (405, Some("GET, HEAD, OPTIONS"))
        );
    }
    let mut raw = Raw::connect(address).await.at("/keys");
    assert_eq!(raw.ask("GET", &[], "").await.0.status, 401);
}

#[tokio::test]
async fn computed_route_gets_every_method_without_credentials() {
    let address = protect(&scoped(|builder| builder));
    for (count, method) in ["POST", "GET", "DELETE"].into_iter().enumerate() {
        let mut raw = Raw::connect(address).await.at("/issue");
        let (head, body) = raw.ask(method, &[], "name=ada").await;
        assert_eq!(
            (head.status, head.get("x-seen")),
            (201, Some("3")),
            "{body}"
        );
        assert_eq!(body, format!("{} {method} 127.0.0.1 name=ada", count + 1));
    }
    // Nothing else of the path is public.
    let mut raw = Raw::connect(address).await.at("/issue/1");
    assert_eq!(raw.ask("POST", &[], "").await.0.status, 401);
}

#[tokio::test]
async fn computed_route_is_bounded_in_bytes_and_time() {
    let limits = Limits::default().request_time(Duration::from_millis(200));
    let address = protect(&scoped(|builder| builder.limits(limits)));
    let ask = async |headers: &[_], body: &str| {
        let mut raw = Raw::connect(address).await.at("/issue");
        raw.ask("POST", headers, body).await.0.status
    };
    assert_eq!(ask(&[], &"a".repeat(17)).await, 413);
    assert_eq!(ask(&[], "wait").await, 503);
    let elsewhere = with_header(Vec::new(), "Host", "elsewhere.example");
    assert_eq!(ask(&elsewhere, "").await, 403);
}

#[tokio::test]
async fn requests_that_wait_for_a_computed_route_keep_no_client_from_its_calls() {
    let address = protect(&scoped(|builder| builder));
    let mut waiting = Vec::new();
    for _ in 0..8 {
        let mut raw = Raw::connect(address).await.at("/issue");
        raw.request("POST", &[], "wait").await;
        waiting.push(raw);
    }
    let refused = async || {
        let mut raw = Raw::connect(address).await.at("/issue");
        raw.ask("POST", &[], "").await.0
    };
    let mut head = refused().await;
    // Until all of them have arrived.
    while head.status == 201 {
        head = refused().await;
    }
    assert_eq!(
        (head.status, head.get("access-control-allow-origin")),
        (429, Some("*"))
    );
    assert_eq!(call_as(address, "ada", "read").await.0.status, 200);
}

#[tokio::test]
async fn processes_with_one_store_accept_something_once() {
    let shared = Memory::new();
    let process = || protect(&scoped(|builder| builder.store(shared.clone())));
    let (one, two) = (process(), process());
    assert_eq!(call_as(one, "once-1", "read").await.0.status, 200);
    assert_eq!(call_as(two, "once-1", "read").await.0.status, 401);
    assert_eq!(call_as(two, "once-2", "read").await.0.status, 200);
    let store = Faulty::default();
    store.values_fail.store(true, Ordering::Relaxed);
    let faulty = protect(&scoped(|builder| builder.store(store)));
    let (head, body) = call_as(faulty, "once", "read").await;
    assert_eq!((head.status, head.get("retry-after")), (503, Some("1")));
    assert!(
        body.contains("the store of the server cannot be reached"),
        "{body}"
    );
}

#[tokio::test]
async fn text_that_one_process_sealed_is_opened_by_others_with_the_same_keys() {
    let process = |key| protect(&scoped(|builder| builder.keys(Keys::from_bytes([key; 32]))));
    let (one, two, other) = (process(1), process(1), process(2));
    let (head, _) = call_as(one, "seal", "read").await;
    let sealed = head.get("x-seen").expect("a text");
    assert_eq!(call_as(two, sealed, "read").await.0.status, 200);
    assert_eq!(call_as(other, sealed, "read").await.0.status, 401);
}
