//! Malformed messages, and the end of input.

use std::time::Duration;

use mcp_server::Limits;

use super::peer::{GatedPeer, call, code, text};

#[tokio::test]
async fn each_malformed_line_gets_one_error_without_its_text() {
    let cases: [(&[u8], i64); 6] = [
        (b"garbage secret", -32700),
        (b"{\"jsonrpc\":\"2.0\",\"secret\"", -32700),
        (b"\xff\xfe secret", -32700),
        (b"{\"secret\":1}", -32600),
        (b"\"secret\"", -32600),
        (
            b"{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"secret\"}",
            -32600,
        ),
    ];
    let mut peer = GatedPeer::new();
    for (line, expected) in cases {
        peer.write(line).await;
        peer.write("\n").await;
        let answer = peer.receive().await;
        assert_eq!(code(&answer), expected, "{answer}");
        assert!(!answer.to_string().contains("secret"), "{answer}");
    }
    peer.send_call(1, "echo", "after").await;
    assert_eq!(text(&peer.receive().await), "after");
    peer.assert_no_more().await;
}

#[tokio::test]
async fn deep_nesting_is_rejected() {
    let mut peer = GatedPeer::new();
    let deep = "[".repeat(100_000) + &"]".repeat(100_000);
    let line = call(1, "echo", "DEEP")
        .to_string()
        .replace("\"DEEP\"", &deep);
    peer.write(line + "\n").await;
    let code = code(&peer.receive().await);
    assert!([-32700, -32600, -32602].contains(&code), "{code}");
    peer.send_call(2, "echo", "after").await;
    assert_eq!(text(&peer.receive().await), "after");
    peer.assert_no_more().await;
}

#[tokio::test]
async fn malformed_responses_are_ignored() {
    let mut peer = GatedPeer::new();
    peer.write("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{},\"error\":{}}\n")
        .await;
    peer.write("{\"jsonrpc\":\"2.0\",\"id\":77,\"result\":{}}\n")
        .await;
    peer.write("{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700,\"message\":\"?\"}}\n")
        .await;
    peer.send_call(1, "echo", "after").await;
    assert_eq!(text(&peer.receive().await), "after");
    peer.assert_no_more().await;
}

#[tokio::test]
async fn too_long_line_gets_an_error_and_reading_continues() {
    let mut limits = Limits::default();
    limits.message_bytes = 1000;
    let mut peer = GatedPeer::with(limits);
    let long = call(1, "echo", &"x".repeat(5000)).to_string();
    peer.write(long + "\n").await;
    assert_eq!(code(&peer.receive().await), -32600);
    peer.send_call(2, "echo", "short").await;
    assert_eq!(text(&peer.receive().await), "short");
    peer.assert_no_more().await;
}

#[tokio::test]
async fn empty_lines_and_carriage_returns_are_ignored() {
    let mut peer = GatedPeer::new();
    peer.write("\n\r\n  \n").await;
    peer.write(format!("{}\r\n\r\n", call(1, "echo", "crlf")))
        .await;
    assert_eq!(text(&peer.receive().await), "crlf");
    peer.assert_no_more().await;
}

#[tokio::test]
async fn message_that_arrives_byte_by_byte_is_handled() {
    let mut peer = GatedPeer::new();
    for byte in format!("{}\n", call(1, "echo", "pieces")).as_bytes() {
        peer.write([*byte]).await;
        tokio::task::yield_now().await;
    }
    assert_eq!(text(&peer.receive().await), "pieces");
    peer.assert_no_more().await;
}

#[tokio::test]
async fn last_line_needs_no_line_feed() {
    let mut peer = GatedPeer::new();
    peer.write(call(1, "echo", "last").to_string()).await;
    let (rest, serving) = peer.end().await;
    assert_eq!(rest.len(), 1);
    assert_eq!(text(&rest[0]), "last");
    serving.expect("served to the end");
}

#[tokio::test]
async fn truncated_last_message_gets_an_error() {
    let mut peer = GatedPeer::new();
    peer.write("{\"jsonrpc\":\"2.0\",").await;
    let (rest, serving) = peer.end().await;
    assert_eq!(rest.len(), 1);
    assert_eq!(code(&rest[0]), -32700);
    serving.expect("served to the end");
}

#[tokio::test]
async fn work_in_flight_finishes_after_the_end_of_input() {
    let mut peer = GatedPeer::new();
    peer.send_call(1, "wait", "gate").await;
    peer.gates.entered("gate").await;
    peer.close_input().await;
    for _ in 0..1000 {
        // The end of input arrives before the handler continues.
        tokio::task::yield_now().await;
    }
    peer.gates.open("gate");
    assert_eq!(text(&peer.receive().await), "gate");
    peer.assert_no_more().await;
}

#[tokio::test]
async fn work_in_flight_ends_with_the_grace_time() {
    let mut limits = Limits::default();
    limits.grace_time = Duration::from_millis(10);
    let mut peer = GatedPeer::with(limits);
    peer.send_call(1, "wait", "gate").await;
    peer.gates.entered("gate").await;
    let gates = peer.gates.clone();
    let (rest, serving) = peer.end().await;
    serving.expect("served to the end");
    assert_eq!(rest.len(), 1);
    assert_eq!(
        (&rest[0]["id"], &rest[0]["error"]["code"]),
        (&1.into(), &(-32603).into())
    );
    gates.left("gate").await;
}
