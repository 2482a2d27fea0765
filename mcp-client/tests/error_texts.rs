//! The complete texts of errors that users see: each names the failed operation, the expected and
//! the actual value, and the position.

use std::time::Duration;

use mcp_client::types::Revision;
use mcp_client::{ByteStream, ChildProcess, Client, Http, Transport};
use mcp_server::Server;
use serde_json::json;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};

use crate::support::script::Script;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Add {
    a: f64,
    b: f64,
}

/// Serves a tool over HTTP, and connects to the server.
async fn connected() -> Client {
    let server = Server::builder("adder", "1.0.0")
        .tool("add", "Adds", |args: Add| async move { args.a + args.b })
        .build()
        .expect("the definition is valid");
    let serving = server.serve_http("127.0.0.1:0").expect("bound");
    let url = format!("http://{}/mcp", serving.local_addr());
    tokio::spawn(serving);
    let client = Client::builder("test", "1.0.0").connect(Http::new(url));
    client.await.expect("connected")
}

/// Returns the text of the error with which connecting fails.
async fn fails_to_connect(server: impl Transport) -> String {
    let error = Client::builder("test", "1.0.0").connect(server).await;
    error.expect_err("no connection").to_string()
}

#[tokio::test]
async fn error_of_an_invalid_url_names_the_problem() {
    for (url, text) in [
        ("http://", "invalid syntax in URL `http://`"),
        ("/mcp", "missing scheme or host in URL `/mcp`"),
        (
            "ftp://x/",
            "unsupported scheme (expected `http` or `https`) in URL `ftp://x/`",
        ),
        (
            "http://me:secret@x/mcp?a=b@c",
            "unsupported user name (expected a header for authorization) in URL `http://***@x/mcp`",
        ),
        (
            "http://x:99999",
            "invalid port (expected a number up to 65535) in URL `http://x:99999`",
        ),
    ] {
        assert_eq!(fails_to_connect(Http::new(url)).await, text);
    }
}

#[tokio::test]
async fn error_of_an_invalid_header_names_it() {
    let server = Http::new("http://127.0.0.1:1/mcp").header("a b", "secret");
    assert_eq!(
        fails_to_connect(server).await,
        "invalid name or value of the header `a b`"
    );
}

#[tokio::test]
async fn error_of_a_refused_connection_names_the_address() {
    // Nothing listens on this port once the listener is dropped.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("bound");
    let address = listener.local_addr().expect("an address");
    drop(listener);
    // The system says it in its own words.
    let refused = std::net::TcpStream::connect(address).expect_err("refused");
    assert_eq!(
        fails_to_connect(Http::new(format!("http://{address}/mcp"))).await,
        format!(
            "no response to `server/discover`: cannot connect to `http://{address}`: {refused}"
        )
    );
}

#[tokio::test]
async fn error_of_a_non_mcp_server_describes_the_response() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await;
    let listener = listener.expect("bound");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            // The client sends a request before it reads the response.
            let _ = stream.read(&mut [0; 4096]).await;
            let body = "<html>";
            let head = format!("content-type: text/html\r\ncontent-length: {}", body.len());
            let response = format!("HTTP/1.1 200 OK\r\nconnection: close\r\n{head}\r\n\r\n{body}");
            // The client may have closed the connection.
            let _ = stream.write_all(response.as_bytes()).await;
        }
    });
    assert_eq!(
        fails_to_connect(Http::new(format!("http://{address}/"))).await,
        "no response to `initialize`: the response has the content type `text/html`, \
         expected `application/json` or `text/event-stream`"
    );
}

#[tokio::test]
async fn error_of_a_missing_program_names_it() {
    let reason = if cfg!(windows) {
        "program not found, also with the extensions .com, .exe, .bat, .cmd"
    } else {
        "No such file or directory (os error 2)"
    };
    assert_eq!(
        fails_to_connect(ChildProcess::new("/nowhere/server")).await,
        format!("cannot start `/nowhere/server`: {reason}")
    );
}

/// It needs a shell.
#[cfg(unix)]
#[tokio::test]
async fn error_of_an_exited_process_has_status_and_stderr() {
    let silent = ChildProcess::new("sh").args(["-c", "exit 3"]);
    assert_eq!(
        fails_to_connect(silent).await,
        "no response to `initialize`: the server process exited (exit status: 3)"
    );
    let captured = ChildProcess::new("sh").args(["-c", "echo no key >&2; exit 3"]);
    assert_eq!(
        fails_to_connect(captured.stderr(mcp_client::Stderr::capture(|_| {}))).await,
        "no response to `initialize`: the server process exited (exit status: 3); \
         the last lines of its standard error:\nno key"
    );
}

#[tokio::test]
async fn error_of_an_unknown_tool_has_the_servers_message() {
    let error = connected().await.call_tool("none").await;
    assert_eq!(
        error.expect_err("unknown").to_string(),
        "the server refused `tools/call`: unknown tool `none` (-32602)"
    );
}

#[tokio::test]
async fn error_of_invalid_arguments_names_the_method() {
    let client = connected().await;
    let list = client.call_tool("add").arguments(json!([1, 2])).await;
    assert_eq!(
        list.expect_err("no object").to_string(),
        "cannot encode the params of `tools/call`: invalid type: sequence, expected an object"
    );
    let missing = client.call_tool("add").arguments(json!({"a": 1})).await;
    let missing = missing.expect("a result");
    assert!(missing.has_failed());
    assert_eq!(missing.text(), "arguments of `add`: $: `b` is required");
}

#[tokio::test]
async fn error_of_an_unknown_method_names_it() {
    let client = connected().await;
    let refused = client.request_json("com.example/none", &json!({})).await;
    let refused = refused.expect_err("unknown").to_string();
    assert!(
        refused.starts_with("the server refused `com.example/none`: "),
        "{refused}"
    );
    // The name cannot be sent in a header. It may be that of a peer, such as a client of a gateway.
    let odd = client.request_json("com.example/\u{1b}", &json!({})).await;
    let odd = odd.expect_err("cannot be sent").to_string();
    assert!(
        odd.starts_with(r"no response to `com.example/\u{1b}`: "),
        "{odd}"
    );
}

#[tokio::test(start_paused = true)]
async fn error_of_a_timeout_names_method_and_duration() {
    let builder = Client::builder("test", "1.0.0");
    // A server that answers nothing after the handshake.
    let (client, _script) = Script::modern(builder, r#"{"tools":{}}"#).await;
    let never = client.call_tool("never").timeout(Duration::from_secs(1));
    assert_eq!(
        never.await.expect_err("no response").to_string(),
        "`tools/call` timed out after 1s"
    );
    let late = client.request_json("com.example/late", &json!({}));
    let late = late.timeout(Duration::from_millis(1500)).await;
    assert_eq!(
        late.expect_err("no response").to_string(),
        "`com.example/late` timed out after 1.5s"
    );
}

#[tokio::test]
async fn error_of_an_unsupported_revision_lists_the_servers_revisions() {
    let all: Vec<_> = Revision::ALL.iter().map(|it| it.as_str()).collect();
    for (accepted, accepts) in [
        (None, all.join(", ")),
        (Some(Revision::LATEST), Revision::LATEST.to_string()),
    ] {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        tokio::spawn(async move {
            let (reader, mut writer) = tokio::io::split(theirs);
            let mut lines = BufReader::new(reader).lines();
            // The only request is `server/discover`, with the id 0.
            lines.next_line().await.expect("a request");
            let data = json!({"supported": ["2099-01-01"], "requested": Revision::LATEST.as_str()});
            let error = json!({"code": -32022, "message": "unsupported", "data": data});
            let response = json!({"jsonrpc": "2.0", "id": 0, "error": error});
            let line = format!("{response}\n");
            writer.write_all(line.as_bytes()).await.expect("written");
        });
        let mut builder = Client::builder("test", "1.0.0");
        if let Some(revision) = accepted {
            builder = builder.revision(revision);
        }
        let error = builder.connect(ByteStream::of(ours)).await;
        let text = "no common protocol version: the client accepts";
        let text = format!("{text} {accepts}, the server supports 2099-01-01");
        assert_eq!(error.expect_err("unsupported").to_string(), text);
    }
}
