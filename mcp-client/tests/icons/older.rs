//! Icons and websites are sent only at revisions that define them: checks the bytes that are sent,
//! over streams and HTTP.

use std::net::SocketAddr;

use mcp_client::types::{Icon, Revision};
use mcp_client::{ByteStream, Client};
use mcp_server::{PromptDef, ResourceDef, Server, TemplateDef, ToolDef};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

use mcp_testkit::soon;

fn icon(of: &str) -> Icon {
    Icon::new(format!("https://example.com/{of}.png"))
}

/// Returns a server with an icon for everything, each set in one line.
fn server() -> Server {
    let tool = ToolDef::new("tool").handler(async || "done");
    let resource = ResourceDef::text("demo://one", "one", "text");
    let template = TemplateDef::new("demo://{id}", "all")
        .handler(|_: std::collections::BTreeMap<String, String>| async { "text".to_owned() });
    let prompt = PromptDef::new("prompt").handler(async || "text");
    Server::builder("demo", "1.0.0")
        .icon(icon("server"))
        .website_url("https://example.com/about")
        .add_tool(tool.icon(icon("tool")))
        .add_resource(resource.icon(icon("resource")))
        .add_resource_template(template.icon(icon("template")))
        .add_prompt(prompt.icon(icon("prompt")))
        .build()
        .expect("the definitions are valid")
}

/// The requests, and the icon in the response at revisions with icons.
const LISTS: [(&str, &str); 4] = [
    ("tools/list", "tool"),
    ("resources/list", "resource"),
    ("resources/templates/list", "template"),
    ("prompts/list", "prompt"),
];

fn knows(revision: Revision) -> bool {
    revision >= Revision::V2025_11_25
}

/// Returns the first request of a peer, and the params of all others.
fn hello(revision: Revision) -> (Value, Value) {
    let info = json!({"name": "peer", "version": "1"});
    let version = revision.as_str();
    if revision.is_modern() {
        let params = json!({"_meta": {
            "io.modelcontextprotocol/protocolVersion": version,
            "io.modelcontextprotocol/clientInfo": info,
            "io.modelcontextprotocol/clientCapabilities": {},
        }});
        return (request(0, "server/discover", &params), params);
    }
    let params = json!({"protocolVersion": version, "capabilities": {}, "clientInfo": info});
    (request(0, "initialize", &params), json!({}))
}

fn request(id: usize, method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

/// Checks that a response has the icon only if the revision defines icons.
fn check_icon(revision: Revision, of: &str, answer: &str) {
    assert!(answer.contains(r#""result""#), "{revision} {of}: {answer}");
    let url = format!(r#""icons":[{{"src":"https://example.com/{of}.png"}}]"#);
    assert_eq!(
        answer.contains(&url),
        knows(revision),
        "{revision}: {answer}"
    );
    assert_eq!(
        answer.contains("icons"),
        knows(revision),
        "{revision}: {answer}"
    );
    let website = answer.contains(r#""websiteUrl":"https://example.com/about""#);
    let expected = knows(revision) && of == "server";
    // Every response of a modern revision has the server info.
    let may = revision.is_modern();
    assert!(
        website == expected || may && website,
        "{revision}: {answer}"
    );
}

#[tokio::test]
async fn icons_follow_the_revision_over_streams() {
    for revision in Revision::ALL.iter().copied() {
        let (ours, theirs) = tokio::io::duplex(64 << 10);
        let server = server();
        tokio::spawn(async move {
            let (reader, writer) = tokio::io::split(theirs);
            server
                .serve(mcp_server::ByteStream::new(reader, writer))
                .await
        });
        let (reader, mut writer) = tokio::io::split(ours);
        let mut lines = BufReader::new(reader).lines();
        let mut ask = async |message: Value, answered: bool| {
            let line = format!("{message}\n");
            soon(writer.write_all(line.as_bytes())).await.expect("sent");
            if !answered {
                return String::new();
            }
            let line = soon(lines.next_line()).await.expect("no error");
            line.expect("an answer")
        };
        let (hello, params) = hello(revision);
        let answer = ask(hello, true).await;
        check_icon(revision, "server", &answer);
        if !revision.is_modern() {
            let received = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
            ask(received, false).await;
        }
        for (at, (method, of)) in LISTS.iter().enumerate() {
            let answer = ask(request(at + 1, method, &params), true).await;
            check_icon(revision, of, &answer);
        }
    }
}

/// Makes one request on a new connection. Returns the head and the body of the response.
async fn post(address: SocketAddr, headers: &[(&str, &str)], body: &Value) -> (String, String) {
    let mut socket = soon(TcpStream::connect(address)).await.expect("connected");
    let body = body.to_string();
    let mut text = format!(
        "POST /mcp HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nConnection: close\r\n\
         Content-Length: {}\r\n",
        body.len()
    );
    for (name, value) in headers {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    text.push_str("\r\n");
    text.push_str(&body);
    soon(socket.write_all(text.as_bytes())).await.expect("sent");
    let mut answer = String::new();
    soon(socket.read_to_string(&mut answer))
        .await
        .expect("read");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
    (head.to_owned(), body.to_owned())
}

#[tokio::test]
async fn icons_follow_the_revision_over_http() {
    let serving = server().serve_http("127.0.0.1:0").expect("bound");
    let address = serving.local_addr();
    tokio::spawn(serving.into_future());
    for revision in Revision::ALL.iter().copied() {
        let (hello, params) = hello(revision);
        let version = ("MCP-Protocol-Version", revision.as_str());
        if revision.is_modern() {
            let ask = async |message: &Value| {
                let method = message["method"].as_str().expect("a method");
                post(address, &[version, ("Mcp-Method", method)], message).await
            };
            check_icon(revision, "server", &ask(&hello).await.1);
            for (method, of) in LISTS {
                let answer = ask(&request(1, method, &params)).await.1;
                check_icon(revision, of, &answer);
            }
            continue;
        }
        if revision == Revision::V2024_11_05 {
            // It uses another transport.
            continue;
        }
        let (head, answer) = post(address, &[], &hello).await;
        check_icon(revision, "server", &answer);
        let mut lines = head.lines().filter_map(|line| line.split_once(": "));
        let session = lines.find(|(name, _)| name.eq_ignore_ascii_case("mcp-session-id"));
        let session = ("Mcp-Session-Id", session.expect("a session").1);
        let received = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        post(address, &[version, session], &received).await;
        for (method, of) in LISTS {
            let asked = request(1, method, &params);
            let answer = post(address, &[version, session], &asked).await.1;
            check_icon(revision, of, &answer);
        }
    }
}

#[tokio::test]
async fn icons_of_the_client_are_sent_if_the_revision_has_them() {
    for revision in Revision::ALL.iter().copied() {
        let (ours, theirs) = tokio::io::duplex(64 << 10);
        let builder = Client::builder("demo", "1.0.0")
            .icon(icon("client"))
            .website_url("https://example.com/about")
            .revision(revision);
        let connecting = tokio::spawn(builder.connect(ByteStream::of(ours)));
        let mut lines = BufReader::new(theirs).lines();
        let line = soon(lines.next_line()).await.expect("no error");
        let line = line.expect("a request");
        assert!(line.contains(r#""name":"demo""#), "{line}");
        for part in [
            r#""icons":[{"src":"https://example.com/client.png"}]"#,
            r#""websiteUrl":"https://example.com/about""#,
        ] {
            assert_eq!(line.contains(part), knows(revision), "{revision}: {line}");
        }
        connecting.abort();
    }
}
