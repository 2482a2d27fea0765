//! The example `cluster`: two processes on one Redis.

use std::io::BufRead as _;
use std::net::SocketAddr;
use std::process::Command;

use serde_json::json;

use self::issuer::{RESOURCE, TestIssuer};
use self::redis::RedisServer;
use crate::http::legacy::{PING, initialize};
use crate::http::subject::*;
use crate::support::process::{Process, example};

#[expect(dead_code, reason = "other tests control the issuer")]
#[path = "../../oauth/tests/issuer.rs"]
mod issuer;
#[path = "../../stores/tests/redis/server.rs"]
mod redis;

fn start(redis: &RedisServer, issuer: &TestIssuer) -> (Process, SocketAddr) {
    let mut command = Command::new(example("cluster"));
    command
        .env("MCP_STORE", redis.url())
        .env("MCP_KEYS", "0123456789abcdef".repeat(4))
        .env("MCP_ISSUER", &issuer.url)
        .env("MCP_URL", RESOURCE)
        .env("MCP_LISTEN", "127.0.0.1:0");
    let mut process = Process::start(&mut command);
    let mut line = String::new();
    let output = process.stdout.as_mut().expect("piped");
    output.read_line(&mut line).expect("read");
    let address = line
        .trim()
        .strip_prefix("listening on ")
        .expect("an address");
    (process, address.parse().expect("an address"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_processes_of_the_example_serve_one_client() {
    let Some(redis) = RedisServer::start(&[]) else {
        return;
    };
    let issuer = TestIssuer::start().await;
    let (mut one, at_one) = start(&redis, &issuer);
    let (_two, at_two) = start(&redis, &issuer);
    let [ada, bob] = ["ada", "bob"].map(|user| issuer.token(json!({ "sub": user })));
    let add = async |at, token: &str, item| {
        let arguments = format!(r#""arguments":{{"item":"{item}"}}"#);
        let body = call(1, "add").replace(r#""arguments":{}"#, &arguments);
        Raw::post(
            at,
            &with_header(
                call_headers("add"),
                "Authorization",
                &format!("Bearer {token}"),
            ),
            &body,
        )
        .await
    };
    for (at, token, item, cart) in [
        (at_one, &ada, "tea", "\"tea\""),
        (at_two, &ada, "milk", "\"tea, milk\""),
        (at_two, &bob, "salt", "\"salt\""),
    ] {
        let (_, body) = add(at, token, item).await;
        assert!(body.contains(cart), "{body}");
    }
    let headers = with_header(media(), "Authorization", &format!("Bearer {ada}"));
    let (head, _) = Raw::post(at_one, &headers, &initialize("2025-11-25")).await;
    let id = head.get("mcp-session-id").expect("a session").to_owned();

    // One of them is restarted, or not.
    let id_of_one = one.child.id().to_string();
    let signal = Command::new("kill")
        .args(["-s", "TERM", &id_of_one])
        .status();
    assert!(signal.expect("kill runs").success());
    let ended = tokio::task::spawn_blocking(move || one.child.wait());
    assert!(
        soon(ended)
            .await
            .expect("no panic")
            .expect("ended")
            .success()
    );
    let session = with_header(headers, "Mcp-Session-Id", &id);
    let (head, _) = Raw::post(at_two, &session, PING).await;
    assert_eq!(head.status, 200);
    let (_, body) = add(at_two, &ada, "tea").await;
    assert!(body.contains("\"tea, milk, tea\""), "{body}");
}
