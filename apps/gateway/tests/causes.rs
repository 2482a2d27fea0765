//! What clients and the operator of a gateway read about an upstream that cannot be used.

use std::future::IntoFuture as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_client::{ByteStream, ChildProcess, ClientBuilder, Http, Limits};
use mcp_gateway::{Gateway, Upstream};
use mcp_server::types::Revision;
use mcp_server::{HttpConfig, Server};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use crate::support::{client, soon};

/// Serves the same response to each request, and returns the URL.
async fn answering(response: &str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("bound");
    let address = listener.local_addr().expect("an address");
    let response = response.to_owned();
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            let response = response.clone();
            tokio::spawn(async move {
                // A request of a test fits into one packet.
                let mut request = [0; 8 << 10];
                let _ = socket.read(&mut request).await;
                let _ = socket.write_all(response.as_bytes()).await;
            });
        }
    });
    format!("http://{address}/mcp")
}

/// Starts a gateway. Also returns what its operator reads.
async fn reporting(upstream: Upstream) -> (Gateway, Arc<Mutex<Vec<String>>>) {
    let reports = Arc::<Mutex<Vec<String>>>::default();
    let noted = Arc::clone(&reports);
    let gateway = Gateway::builder("gateway", "1")
        .upstream(upstream.lazy())
        .on_report(move |report| noted.lock().expect("no panic").push(report.to_string()))
        .build();
    (gateway.await.expect("valid"), reports)
}

/// Calls a tool of an upstream, and returns the error of the client, what the operator reads, and the
/// fault in the status.
async fn failing(upstream: Upstream, tool: &'static str) -> [String; 3] {
    let (gateway, reports) = reporting(upstream).await;
    let client = client(&gateway, Revision::LATEST).await;
    let error = soon(client.call_tool(tool)).await.expect_err("it fails");
    let [status] = &*gateway.status() else {
        panic!("one upstream");
    };
    let fault = status.fault.as_ref().expect("a fault").to_string();
    // The same fault is reported once.
    let _ = soon(client.call_tool(tool)).await.expect_err("it fails");
    let reports = reports.lock().expect("no panic");
    assert_eq!(reports.len(), 1, "{reports:?}");
    [error.to_string(), reports.concat(), fault]
}

#[tokio::test]
async fn answers_of_http_servers_are_named() {
    let page = "<html>log in</html>";
    for (head, expected) in [
        (
            "401 Unauthorized\r\nWWW-Authenticate: Bearer",
            "requires a login (HTTP status 401)",
        ),
        ("403 Forbidden", "denies access (HTTP status 403)"),
        (
            "429 Too Many Requests\r\nRetry-After: 17",
            "accepts no more requests now (HTTP status 429): retry after 17 s",
        ),
        ("502 Bad Gateway", "failed with the HTTP status 502"),
        (
            "302 Found\r\nLocation: /login",
            "redirects to another address, as for a login (HTTP status 302)",
        ),
        (
            "200 OK\r\nContent-Type: text/html",
            "answered with a web page instead of a message, as for a login",
        ),
    ] {
        let size = page.len();
        let response =
            format!("HTTP/1.1 {head}\r\nContent-Length: {size}\r\nConnection: close\r\n\r\n{page}");
        let url = answering(&response).await;
        let upstream = Upstream::connecting("web", move || Http::new(&*url));
        for text in failing(upstream, "any").await {
            assert!(text.contains(expected), "{head}: {text}");
        }
    }
}

#[tokio::test]
async fn server_that_does_not_run_is_named() {
    let free = TcpListener::bind("127.0.0.1:0").await.expect("bound");
    let url = format!("http://{}/mcp", free.local_addr().expect("an address"));
    drop(free);
    let upstream = Upstream::connecting("web", move || Http::new(&*url));
    for text in failing(upstream, "any").await {
        assert!(text.contains("cannot be reached"), "{text}");
    }
}

#[tokio::test]
async fn faults_of_programs_are_named() {
    let missing = || ChildProcess::new("/nowhere/mcp-gateway-test");
    let missing = failing(Upstream::connecting("program", missing), "any").await;
    for text in &missing {
        assert!(text.contains("its program was not found"), "{text}");
    }
    // Only the operator reads which one.
    let [error, report, _] = &missing;
    assert!(report.contains("/nowhere/mcp-gateway-test"), "{report}");
    assert!(!error.contains("nowhere"), "{error}");
    let (shell, script) = if cfg!(windows) {
        ("cmd", ["/c", "echo secret>&2& exit 3"])
    } else {
        ("sh", ["-c", "echo secret >&2; exit 3"])
    };
    let exits = move || ChildProcess::new(shell).args(script);
    let exited = failing(Upstream::connecting("program", exits), "any").await;
    for text in &exited {
        assert!(text.contains("has exited"), "{text}");
    }
    assert!(!exited[0].contains("secret"), "{exited:?}");
}

#[tokio::test]
async fn result_that_is_too_large_is_named() {
    const LIMIT: usize = 1 << 20;

    fn limited(builder: ClientBuilder) -> ClientBuilder {
        let mut limits = Limits::default();
        limits.message_bytes = LIMIT;
        builder.limits(limits)
    }

    let large = Server::builder("large", "1")
        .tool("large", "Returns much", async || "x".repeat(LIMIT + 1))
        .build()
        .expect("valid");
    let serving = large.serve_http(mcp_server::Http::at("127.0.0.1:0").config(HttpConfig::new()));
    let serving = serving.expect("bound");
    let url = format!("http://{}/mcp", serving.local_addr());
    let serving = tokio::spawn(serving.into_future());
    let in_memory = |revision| {
        let server = large.clone();
        Upstream::new("large", move |builder| {
            let stream = ByteStream::of(server.in_memory());
            async move { limited(builder).revision(revision).connect(stream).await }
        })
    };
    let upstreams = [
        in_memory(Revision::LATEST),
        in_memory(Revision::V2025_11_25),
        Upstream::new("large", move |builder| {
            let http = Http::new(&*url);
            async move { limited(builder).connect(http).await }
        }),
    ];
    for upstream in upstreams {
        for text in failing(upstream, "large").await {
            let expected = "sent a message that is too large: more than ";
            assert!(text.contains(expected), "{text}");
        }
    }
    serving.abort();
}

#[tokio::test]
async fn operator_reads_that_an_upstream_can_be_used_again() {
    let is_up = Arc::<AtomicBool>::default();
    let server = Server::builder("a", "1").tool("name", "Returns the name", async || "a");
    let server = server.build().expect("valid");
    let up = Arc::clone(&is_up);
    let upstream = Upstream::new("a", move |builder: ClientBuilder| {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        if up.load(Ordering::SeqCst) {
            let (server, stream) = (server.clone(), mcp_server::ByteStream::of(theirs));
            tokio::spawn(async move { server.serve(stream).await });
        }
        async move { builder.connect(ByteStream::of(ours)).await }
    });
    let (gateway, reports) = reporting(upstream).await;
    let client = client(&gateway, Revision::LATEST).await;
    soon(client.call_tool("name")).await.expect_err("not there");
    is_up.store(true, Ordering::SeqCst);
    let calling = async {
        while client.call_tool("name").await.is_err() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    soon(calling).await;
    soon(client.call_tool("name")).await.expect("called");
    let reports = reports.lock().expect("no panic");
    assert_eq!(reports.len(), 2, "{reports:?}");
    assert_eq!(reports[1], "the server `a` can be used again");
}
