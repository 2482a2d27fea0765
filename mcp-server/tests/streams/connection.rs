//! The connection as a whole: slow readers, drops, other kinds of streams.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mcp_server::{ByteStream, Extensions, Limits, Principal, ServeError};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, duplex, split};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, sleep, timeout};

use crate::support::peer::Peer;

use super::peer::{GatedPeer, call, cancel, text};
use crate::support::tools::{self, Gates};

/// In memory and on one thread, so that the system is idle when no task can make progress.
#[tokio::test]
async fn server_stops_reading_from_a_peer_that_does_not_read() {
    const REQUESTS: usize = 2_000;
    let mut limits = Limits::default();
    limits.queued_bytes = 10_000;
    let server = tools::server(limits, &Gates::default());
    let (ours, theirs) = duplex(1000);
    let (reader, writer) = split(theirs);
    let serving = tokio::spawn(async move { server.serve(ByteStream::new(reader, writer)).await });
    let (mut reader, mut writer) = split(ours);
    let written = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&written);
    let writing = tokio::spawn(async move {
        for id in 0..REQUESTS {
            let line = format!("{}\n", call(id, "long", "5000"));
            writer.write_all(line.as_bytes()).await.expect("written");
            count.fetch_add(1, Ordering::Relaxed);
        }
        writer.shutdown().await.expect("shut down");
    });
    for _ in 0..100_000 {
        tokio::task::yield_now().await;
    }
    let taken = written.load(Ordering::Relaxed);
    assert!(
        taken < 100,
        "{taken} requests were taken from who reads nothing"
    );
    // The server continues when the peer reads.
    let mut answers = String::new();
    reader.read_to_string(&mut answers).await.expect("readable");
    assert_eq!(answers.lines().count(), REQUESTS);
    writing.await.expect("no panic");
    serving.await.expect("no panic").expect("served to the end");
}

#[tokio::test]
async fn slow_reader_blocks_the_handler_without_loss() {
    let mut limits = Limits::default();
    limits.queued_bytes = 2_000;
    let mut peer = GatedPeer::with(limits);
    peer.send_call(1, "talk", "2000").await;
    for number in 0..2000 {
        let message = peer.receive().await;
        let said = message["params"]["data"].as_str().expect("text");
        assert!(said.starts_with(&format!("{number} ")));
    }
    assert_eq!(text(&peer.receive().await), "2000");
    peer.assert_no_more().await;
}

/// A task that a handler spawned waits for space in the queue when the request is cancelled.
#[tokio::test]
async fn no_notifications_are_sent_after_the_response() {
    let mut limits = Limits::default();
    limits.queued_bytes = 3000;
    let gates = Gates::default();
    let server = tools::server(limits, &gates);
    let (ours, theirs) = duplex(1000);
    let (reader, writer) = split(theirs);
    let serving = tokio::spawn(async move { server.serve(ByteStream::new(reader, writer)).await });
    let (mut reader, mut writer) = split(ours);
    let line = format!("{}\n", call(1, "chatter", "gate"));
    writer.write_all(line.as_bytes()).await.expect("written");
    let mut said = usize::MAX;
    while said != gates.opened("said") || said == 0 {
        said = gates.opened("said");
        // All on one thread: other tasks run until they block.
        for _ in 0..1000 {
            tokio::task::yield_now().await;
        }
    }
    let line = format!("{}\n", cancel(1));
    writer.write_all(line.as_bytes()).await.expect("written");
    gates.left("gate").await;
    writer.shutdown().await.expect("shut down");
    let mut messages = String::new();
    reader
        .read_to_string(&mut messages)
        .await
        .expect("readable");
    assert_eq!(messages.lines().count(), said);
    serving.await.expect("no panic").expect("served to the end");
}

#[tokio::test]
async fn dropping_the_future_cancels_handlers() {
    let mut peer = GatedPeer::new();
    peer.send_call(1, "wait", "gate").await;
    peer.gates.entered("gate").await;
    peer.serving.abort();
    peer.gates.left("gate").await;
    assert_eq!(peer.maybe_receive().await, None);
}

#[tokio::test]
async fn closed_peer_ends_the_connection() {
    let mut peer = GatedPeer::new();
    peer.send_call(1, "wait", "gate").await;
    peer.gates.entered("gate").await;
    let GatedPeer { peer, gates, .. } = peer;
    let serving = peer.disconnect();
    gates.open("gate");
    let error = serving.await.expect("no panic").expect_err("nobody reads");
    assert!(matches!(error, mcp_server::ServeError::Io(_)));
}

#[tokio::test]
async fn tcp_stream_can_be_served() {
    let server = tools::server(Limits::default(), &Gates::default());
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("bound");
    let address = listener.local_addr().expect("an address");
    let serving = tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.expect("accepted");
        let (reader, writer) = socket.split();
        server.serve(ByteStream::new(reader, writer)).await
    });
    let mut socket = TcpStream::connect(address).await.expect("connected");
    let (reader, mut writer) = socket.split();
    let line = format!("{}\n", call(1, "echo", "tcp"));
    writer.write_all(line.as_bytes()).await.expect("written");
    let mut lines = BufReader::new(reader).lines();
    let line = lines.next_line().await.expect("readable").expect("a line");
    assert_eq!(text(&serde_json::from_str(&line).expect("JSON")), "tcp");
    writer.shutdown().await.expect("shut down");
    assert_eq!(lines.next_line().await.expect("readable"), None);
    serving.await.expect("no panic").expect("served to the end");
}

/// A connection in memory with a paused clock that advances when all tasks wait.
fn connect(extensions: Extensions) -> Peer {
    let server = tools::server(Limits::default(), &Gates::default());
    Peer::over(&server, |stream| stream.extensions(extensions))
}

#[tokio::test(start_paused = true)]
async fn connection_without_a_message_times_out() {
    for said in ["", "garbage\n", "{\"jsonrpc\":\"2.0\",\"id\":1,"] {
        let start = Instant::now();
        let mut peer = connect(Extensions::new());
        peer.write(said).await;
        let ended = timeout(Duration::from_secs(3600), &mut peer.serving).await;
        let ended = ended.expect("it ends").expect("no panic");
        let error = ended.expect_err("the connection was silent");
        assert!(matches!(error, ServeError::Silent), "{error:?}");
        assert_eq!(start.elapsed().as_secs(), 60);
        let answered = peer.maybe_receive().await.is_some();
        assert_eq!(answered, said.starts_with("garbage"));
    }
}

#[tokio::test(start_paused = true)]
async fn idle_connection_after_a_message_stays_open() {
    let mut peer = connect(Extensions::new());
    for id in 0..3 {
        peer.send(call(id, "echo", "here")).await;
        assert_eq!(text(&peer.receive().await), "here");
        sleep(Duration::from_secs(100_000)).await;
    }
    peer.assert_no_more().await;
}

#[tokio::test]
async fn handlers_see_the_principal_of_the_connection() {
    for (name, expected) in [(Some("alice"), "alice"), (None, "nobody")] {
        let mut extensions = Extensions::new();
        if let Some(name) = name {
            extensions.insert(Principal(name.to_owned()));
        }
        let mut peer = connect(extensions);
        peer.send(call(1, "who", "")).await;
        assert_eq!(text(&peer.receive().await), expected);
    }
}

#[tokio::test]
async fn requests_that_outlast_the_grace_time_end_with_an_error() {
    let mut limits = Limits::default();
    limits.grace_time = std::time::Duration::from_millis(50);
    for shutdown in [true, false] {
        let mut peer = GatedPeer::with(limits.clone());
        peer.send_call("a", "wait", "never").await;
        peer.gates.entered("never").await;
        let message = if shutdown {
            peer.server.shutdown();
            "the server is shutting down"
        } else {
            peer.close_input().await;
            "the input has ended, and the grace time is over"
        };
        let answer = peer.receive().await;
        assert_eq!(answer["id"], "a");
        assert_eq!(answer["error"]["code"], -32603);
        assert_eq!(answer["error"]["message"], message);
        peer.gates.left("never").await;
        assert_eq!(peer.maybe_receive().await, None);
    }
}

#[tokio::test]
async fn byte_order_mark_before_the_first_message_is_skipped() {
    let mut peer = GatedPeer::new();
    peer.write(b"\xef\xbb\xbf").await;
    peer.send_call(1, "echo", "marked").await;
    assert_eq!(text(&peer.receive().await), "marked");
    peer.assert_no_more().await;
}

#[tokio::test]
async fn second_initialize_is_rejected_with_the_way_out() {
    let mut peer = GatedPeer::new();
    let initialize = serde_json::json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": { "name": "t", "version": "1" },
        },
    });
    peer.send(initialize.clone()).await;
    assert_eq!(
        peer.receive().await["result"]["protocolVersion"],
        "2025-11-25"
    );
    peer.send(initialize).await;
    let error = peer.receive().await["error"].clone();
    assert_eq!(error["code"], -32600);
    let message = error["message"].as_str().expect("a message");
    assert!(
        message.contains("process or connection of its own"),
        "{message}"
    );
    peer.assert_no_more().await;
}
