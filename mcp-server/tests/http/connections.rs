//! Idle connections, and which of them is closed if there are too many.

use std::sync::Arc;
use std::time::Duration;

use mcp_server::rustls::ServerConfig;
use mcp_server::rustls::crypto::ring::default_provider;
use mcp_server::rustls::pki_types::PrivatePkcs8KeyDer;
use mcp_server::types::{CallToolOutcome, CallToolRequest, CallToolResult};

use mcp_server::{Http, Params, Server};

use super::subject::*;

async fn echo(raw: &mut Raw, id: u32) -> u16 {
    let (head, _) = raw
        .ask("POST", &call_headers("echo"), &call(id, "echo"))
        .await;
    head.status
}

#[tokio::test]
async fn new_connection_evicts_the_longest_idle_one() {
    let (server, mut probe) = server(limits(|limits| limits.connections = 3));
    let address = serve(&server);
    let mut busy = Raw::connect(address).await;
    busy.request("POST", &call_headers("wait"), &call(1, "wait"))
        .await;
    soon(probe.waiting.recv()).await;
    let mut older = Raw::connect(address).await;
    assert_eq!(echo(&mut older, 2).await, 200);
    let mut newer = Raw::connect(address).await;
    assert_eq!(echo(&mut newer, 3).await, 200);

    let mut another = Raw::connect(address).await;
    assert_eq!(echo(&mut another, 4).await, 200);
    assert!(older.is_closed().await);
    assert_eq!(echo(&mut newer, 5).await, 200);
    probe.go.notify_one();
    assert_eq!(busy.head().await.status, 200);
}

#[tokio::test]
async fn silent_connections_do_not_block_new_ones() {
    let (server, _probe) = server(limits(|limits| limits.connections = 4));
    let address = serve(&server);
    let mut silent = Vec::new();
    for at in 0..32 {
        let mut raw = Raw::connect(address).await;
        raw.write([&b""[..], b"POST /mcp HT", b"PRI * HTTP/2.0\r\n"][at % 3])
            .await;
        silent.push(raw);
        let mut good = Raw::connect(address).await;
        assert_eq!(echo(&mut good, 1).await, 200);
    }
}

#[tokio::test]
async fn connection_gets_503_when_all_others_are_active() {
    let (server, mut probe) = server(limits(|limits| limits.connections = 1));
    let address = serve(&server);
    let mut busy = Raw::connect(address).await;
    busy.request("POST", &call_headers("wait"), &call(1, "wait"))
        .await;
    soon(probe.waiting.recv()).await;
    let mut refused = Raw::connect(address).await;
    let (head, body) = refused
        .ask("POST", &call_headers("echo"), &call(2, "echo"))
        .await;
    assert_eq!((head.status, head.get("retry-after")), (503, Some("1")));
    assert_eq!(body, "too many connections\n");
    assert!(refused.is_closed().await);
    probe.go.notify_one();
    assert_eq!(busy.head().await.status, 200);
}

#[tokio::test]
async fn address_at_its_limit_loses_its_own_connections() {
    let (server, _probe) = server(limits(|limits| limits.connections_per_peer = 2));
    let address = serve(&server);
    let mut other = Raw::connect_from("127.0.0.2", address).await;
    assert_eq!(echo(&mut other, 1).await, 200);
    let mut own = Vec::new();
    for id in 0..3 {
        let mut raw = Raw::connect(address).await;
        assert_eq!(echo(&mut raw, id).await, 200);
        own.push(raw);
    }
    assert!(own[0].is_closed().await);
    assert_eq!(echo(&mut own[1], 9).await, 200);
    assert_eq!(echo(&mut other, 9).await, 200);
}

#[tokio::test]
async fn pipelined_requests_do_not_delay_other_connections() {
    const REQUESTS: usize = 8;
    let (sender, mut handled) = tokio::sync::mpsc::unbounded_channel();
    let builder =
        Server::builder("tested", "1").on(move |Params(params): Params<CallToolRequest>| {
            let _ = sender.send(params.name);
            std::future::ready(CallToolOutcome::from(CallToolResult::new([])))
        });
    let server = builder.build().expect("valid");
    let address = serve(&server);
    let mut one = Raw::connect_from("127.0.0.2", address).await;
    let mut other = Raw::connect_from("127.0.0.3", address).await;
    assert_eq!(echo(&mut one, 1).await, 200);
    assert_eq!(echo(&mut other, 1).await, 200);

    soon(handled.recv()).await;
    soon(handled.recv()).await;

    // The server runs on this thread, so it sees both requests at the same time.
    for (raw, tool) in [(&mut one, "one"), (&mut other, "other")] {
        let requests = raw.request_text("POST", &call_headers(tool), &call(2, tool));
        raw.write(requests.repeat(REQUESTS).as_bytes()).await;
    }
    let mut tools = Vec::new();
    for _ in 0..2 * REQUESTS {
        tools.push(soon(handled.recv()).await.expect("handled"));
    }
    for _ in 0..REQUESTS {
        for raw in [&mut one, &mut other] {
            let head = raw.head().await;
            assert_eq!(head.status, 200);
            raw.body(&head).await;
        }
    }
    let in_turn: Vec<_> = tools.chunks(2).map(|pair| pair[0] != pair[1]).collect();
    assert_eq!(in_turn, [true; REQUESTS], "{tools:?}");
}

#[tokio::test]
async fn first_request_that_arrives_byte_by_byte_is_answered() {
    let (server, _probe) = server(|builder| builder);
    let address = serve(&server);
    let mut raw = Raw::connect(address).await;
    let request = raw.request_text("POST", &call_headers("echo"), &call(1, "echo"));
    // Lines may end without a carriage return.
    for request in [request.clone(), request.replace('\r', "")] {
        let mut raw = Raw::connect(address).await;
        for byte in request.as_bytes() {
            raw.write(&[*byte]).await;
            tokio::task::yield_now().await;
        }
        let head = raw.head().await;
        assert_eq!(head.status, 200);
        assert!(raw.body(&head).await.contains("echo"));
        assert_eq!(echo(&mut raw, 2).await, 200);
    }
    // Longer than the part that is read before hyper takes over.
    let long = with_header(call_headers("echo"), "X-Long", &"x".repeat(12 << 10));
    raw.request("POST", &long, &call(3, "echo")).await;
    assert_eq!(raw.head().await.status, 200);
}

#[tokio::test]
async fn http2_preface_that_arrives_byte_by_byte_is_answered() {
    let (server, _probe) = server(|builder| builder);
    let mut raw = Raw::connect(serve(&server)).await;
    for byte in b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0" {
        raw.write(&[*byte]).await;
        tokio::task::yield_now().await;
    }
    while raw.unused().len() < 9 {
        assert!(raw.more().await);
    }
    // The type of the first frame: the settings of the server.
    assert_eq!(raw.unused()[3], 4);
}

#[tokio::test]
async fn bytes_that_are_not_http_are_rejected_before_the_deadline() {
    let (server, _probe) = server(limits(|limits| limits.header_time = Duration::MAX));
    let address = serve(&server);
    // The first bytes of TLS.
    let mut raw = Raw::connect(address).await;
    raw.write(b"\x16\x03\x01\x02").await;
    assert_eq!(raw.head().await.status, 400);
}

#[tokio::test]
async fn connection_without_a_complete_first_request_is_closed() {
    let (server, _probe) = server(limits(|limits| {
        limits.header_time = Duration::from_millis(100);
    }));
    let address = serve(&server);
    for begun in [
        &b""[..],
        b"POST /mcp HTTP/1.1\r\nHost: loc",
        b"PRI * HTTP/2",
    ] {
        let mut raw = Raw::connect(address).await;
        raw.write(begun).await;
        assert!(raw.is_closed().await, "{begun:?}");
    }
}

#[tokio::test]
async fn connection_that_ends_before_its_first_request_is_closed_without_a_response() {
    let (server, _probe) = server(limits(|limits| limits.header_time = Duration::MAX));
    let address = serve(&server);
    for beginning in [
        "",
        "POST /mcp HT",
        "PRI * HTTP/2.0\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\n",
    ] {
        let mut raw = Raw::connect(address).await;
        raw.write(beginning.as_bytes()).await;
        raw.finish().await;
        assert!(raw.is_closed().await, "{beginning:?}");
        assert_eq!(raw.unused(), b"", "{beginning:?}");
    }
}

#[tokio::test]
async fn tls_handshake_and_first_request_share_a_deadline() {
    let (server, _probe) = server(limits(|limits| {
        limits.header_time = Duration::from_millis(100);
    }));
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("made");
    let key = PrivatePkcs8KeyDer::from(made.signing_key.serialize_der());
    let tls = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key.into())
        .expect("key and certificate fit");
    let https = server.serve_http(Http::at("127.0.0.1:0").tls(Arc::new(tls)));
    let https = https.expect("bound");
    let address = https.local_addr();
    tokio::spawn(https);
    // The head of a TLS record that is never completed.
    for begun in [&b""[..], b"\x16\x03\x01\x02\x00"] {
        let mut raw = Raw::connect(address).await;
        raw.write(begun).await;
        assert!(raw.is_closed().await, "{begun:?}");
    }
}

#[tokio::test]
async fn idle_http2_connection_is_closed() {
    let (server, _probe) = server(limits(|limits| {
        limits.connection_idle_time = Duration::from_millis(100);
    }));
    let mut raw = Raw::connect(serve(&server)).await;
    // The preface and empty settings, then pings: no request is sent, except for the first.
    raw.write(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0")
        .await;
    raw.write(REQUEST).await;
    while !raw.is_closed().await {}
}

/// The complete head of a GET without a host on stream 1, with headers of HPACK's static table.
const REQUEST: &[u8] = b"\0\0\x03\x01\x05\0\0\0\x01\x82\x86\x84";

#[cfg(target_os = "linux")]
#[tokio::test]
async fn accepted_connections_have_tcp_keep_alive() {
    let (server, _probe) = server(|builder| builder);
    let address = serve(&server);
    let mut raw = Raw::connect(address).await;
    assert_eq!(echo(&mut raw, 1).await, 200);
    assert!(keeps_alive(address, raw.port()), "no keep-alive timer");
}

/// Returns `true` if the server's socket has the keep-alive timer of the kernel, according to
/// proc(5).
#[cfg(target_os = "linux")]
fn keeps_alive(server: std::net::SocketAddr, client: u16) -> bool {
    let table = std::fs::read_to_string("/proc/net/tcp").expect("readable");
    let ports = (format!(":{:04X}", server.port()), format!(":{client:04X}"));
    let mut lines = table.lines().map(|line| line.split_whitespace());
    lines.any(|mut columns| {
        let local = columns.nth(1).unwrap_or_default();
        let remote = columns.next().unwrap_or_default();
        let timer = columns.nth(2).unwrap_or_default();
        local.ends_with(&ports.0) && remote.ends_with(&ports.1) && timer.starts_with("02:")
    })
}
