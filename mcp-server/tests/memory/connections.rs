//! Memory for connections.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use mcp_server::Server;

use crate::{MEMORY, alone, serve};

/// Longer than any successful operation.
const TIMEOUT: Duration = Duration::from_secs(30);

const CONNECTIONS: usize = 200;

/// The maximum number of bytes for a connection until the head of its first request is complete.
const BEFORE_REQUEST: usize = 4 << 10;

/// The maximum number of bytes that remain for each closed connection: tables that have grown.
const CLOSED: usize = 512;

fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let end = Instant::now() + TIMEOUT;
    while !is_so() {
        assert!(Instant::now() < end, "never: {what}");
        thread::sleep(Duration::from_millis(2));
    }
}

/// Opens connections that send `bytes`, and waits until the server has read these.
fn open(server: &Server, address: SocketAddr, bytes: &[u8]) -> Vec<TcpStream> {
    let connect = |_| {
        let mut stream = TcpStream::connect(address).expect("connected");
        stream.write_all(bytes).expect("written");
        stream
    };
    let streams: Vec<TcpStream> = (0..CONNECTIONS).map(connect).collect();
    wait_until("all connections are accepted", || {
        server.metrics().connections == CONNECTIONS
    });
    // Earlier bytes are read before this request is answered.
    for _ in 0..3 {
        ask(address);
    }
    wait_until("only the others are left", || {
        server.metrics().connections == CONNECTIONS
    });
    streams
}

/// Sends a request that is rejected, and waits for the end of the connection.
fn ask(address: SocketAddr) {
    let mut stream = TcpStream::connect(address).expect("connected");
    stream
        .write_all(b"PUT / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        .expect("written");
    let mut response = String::new();
    stream.read_to_string(&mut response).expect("read");
    assert!(response.starts_with("HTTP/1.1 405"), "{response}");
}

#[test]
fn memory_of_connections_is_small_and_freed_after_their_end() {
    let _guard = alone();
    let server = Server::builder("memory", "1").build().expect("valid");
    let (_runtime, address) = serve(&server);
    ask(address);

    let beginnings: [&[u8]; 4] = [
        b"",
        b"POST /mcp HTTP/1.1\r\nHost: loc",
        b"PRI * HTTP/2",
        // The head of a request and half of its body.
        b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
          Accept: application/json, text/event-stream\r\nContent-Length: 50\r\n\r\n{\"jsonrpc\"",
    ];
    for (number, bytes) in beginnings.into_iter().enumerate() {
        let before = MEMORY.current_usage();
        let streams = open(&server, address, bytes);
        let cost = MEMORY.current_usage().saturating_sub(before) / CONNECTIONS;
        let text = String::from_utf8_lossy(bytes);
        println!("{cost} bytes for each connection that sends {text:?}");
        if number < 3 {
            assert!(cost <= BEFORE_REQUEST, "{cost} bytes for {text:?}");
        }
        drop(streams);
        wait_until("memory is freed when all connections are closed", || {
            let left = MEMORY.current_usage().saturating_sub(before);
            left <= CLOSED * CONNECTIONS
        });
    }
}
