//! The same over HTTP, where requests of a peer have no common connection.

use std::net::SocketAddr;

use http::request::Builder;
use http::{Request, StatusCode};
use hyper::body::Incoming;
use hyper::client::conn::http1::handshake;
use hyper_util::rt::TokioIo;
use mcp_server::{Http, HttpConfig, ResourceDef, Server};
use serde_json::{Value, json};
use tokio::net::TcpStream;

use crate::support::exchange::next_data;
use crate::support::soon;

use super::notes::Notes;
use super::{CHANGED, SUBSCRIPTION, opted, speaking};

pub(crate) fn serve(server: &Server) -> SocketAddr {
    let config = HttpConfig::new().http_sse("/sse");
    let http = server.serve_http(Http::at("127.0.0.1:0").config(config));
    let http = http.expect("bound");
    let address = http.local_addr();
    tokio::spawn(http);
    address
}

/// The messages of a response stream.
pub(crate) struct Messages {
    pub(crate) status: StatusCode,
    /// The id of the session that began with the response.
    pub(crate) session: Option<String>,
    body: Incoming,
    read: String,
}

impl Messages {
    /// Sends a POST on a new connection.
    pub(crate) async fn post(address: SocketAddr, method: &str, params: Value) -> Self {
        Self::post_to(address, "/mcp", method, params).await
    }

    async fn post_to(address: SocketAddr, path: &str, method: &str, params: Value) -> Self {
        let message = json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params });
        let request = Request::post(path)
            .header("Content-Type", "application/json")
            .header("Accept", "application/json, text/event-stream")
            .header("MCP-Protocol-Version", "2026-07-28")
            .header("Mcp-Method", method);
        Self::send(address, request, message.to_string()).await
    }

    pub(crate) async fn send(address: SocketAddr, request: Builder, body: String) -> Self {
        let stream = TcpStream::connect(address).await.expect("connected");
        let (mut sender, connection) = handshake(TokioIo::new(stream)).await.expect("HTTP");
        tokio::spawn(connection);
        let request = request.header("Host", address.to_string()).body(body);
        let response = sender.send_request(request.expect("a request"));
        let response = soon(response).await;
        let (head, body) = response.expect("answered").into_parts();
        let session = head.headers.get("Mcp-Session-Id");
        let session = session.and_then(|session| session.to_str().ok());
        Self {
            status: head.status,
            session: session.map(str::to_owned),
            body,
            read: String::new(),
        }
    }

    /// Returns the data of the next event.
    async fn data(&mut self) -> String {
        loop {
            while let Some((event, rest)) = self.read.split_once("\n\n") {
                let data = event.lines().find_map(|line| line.strip_prefix("data: "));
                // The first event of a stream in a session is empty.
                let data = data.filter(|data| !data.is_empty());
                let data = data.map(str::to_owned);
                let rest = rest.to_owned();
                self.read = rest;
                if let Some(data) = data {
                    return data;
                }
            }
            assert!(self.more().await, "the stream ended early: {}", self.read);
        }
    }

    /// Returns the message of the next event.
    pub(crate) async fn next(&mut self) -> Value {
        serde_json::from_str(&self.data().await).expect("JSON")
    }

    async fn more(&mut self) -> bool {
        let Some(data) = next_data(&mut self.body).await else {
            return false;
        };
        self.read.push_str(str::from_utf8(&data).expect("UTF-8"));
        true
    }

    /// Returns the id of the first event.
    pub(crate) async fn event_id(&mut self) -> String {
        loop {
            let id = self.read.lines().find_map(|line| line.strip_prefix("id:"));
            if let Some(id) = id.filter(|_| self.read.contains("\n\n")) {
                return id.trim().to_owned();
            }
            assert!(self.more().await, "the stream ended early: {}", self.read);
        }
    }

    /// Waits for the end.
    pub(crate) async fn answer_text(mut self) -> String {
        while self.more().await {}
        self.read
    }

    /// Returns the only response.
    pub(crate) async fn answer(mut self) -> (StatusCode, Value) {
        while self.more().await {}
        (self.status, serde_json::from_str(&self.read).expect("JSON"))
    }
}

async fn ask(address: SocketAddr, method: &str, params: Value) -> (StatusCode, Value) {
    Messages::post(address, method, params).await.answer().await
}

#[tokio::test]
async fn subscribe_over_http_is_rejected_with_an_alternative() {
    let server = opted().add_resource_template(Notes::default().versioned());
    let address = serve(&server.build().unwrap());
    for method in ["resources/subscribe", "resources/unsubscribe"] {
        let params = speaking(json!({ "uris": ["n:a"] }));
        let (status, answer) = ask(address, method, params).await;
        assert_eq!(status, StatusCode::NOT_FOUND);
        assert_eq!(answer["error"]["code"], -32601);
        let message = answer["error"]["message"].as_str().unwrap();
        for way in [method, "subscriptions/listen", "resourceSubscriptions"] {
            assert!(message.contains(way), "{message}");
        }
    }
}

/// It belongs to an older revision, and clients reconnect.
#[tokio::test]
async fn subscribe_over_http_sse_is_rejected() {
    let server = opted().add_resource_template(Notes::default().versioned());
    let address = serve(&server.build().unwrap());
    let open = Request::get("/sse").header("Accept", "text/event-stream");
    let mut channel = Messages::send(address, open, String::new()).await;
    let path = channel.data().await;
    let params = speaking(json!({ "uris": ["n:a"] }));
    let taken = Messages::post_to(address, &path, "resources/subscribe", params).await;
    assert_eq!(taken.status, StatusCode::ACCEPTED);
    assert_eq!(channel.next().await["error"]["code"], -32601);
}

#[tokio::test]
async fn one_stream_notifies_of_several_resources() {
    let notes = Notes::default();
    let server = notes.server();
    let address = serve(&server);
    let uris = ["n:a", "n:b"];
    let params = json!({ "notifications": { "resourceSubscriptions": uris } });
    let mut stream = Messages::post(address, "subscriptions/listen", speaking(params)).await;
    let first = stream.next().await;
    assert_eq!(
        first["params"]["notifications"]["resourceSubscriptions"],
        json!(uris)
    );
    for (version, name) in ["b", "a", "b"].into_iter().enumerate() {
        notes.change(&server, name, version);
        let received = stream.next().await;
        assert_eq!(received["method"], CHANGED, "{received}");
        assert_eq!(received["params"]["resource"]["uri"], format!("n:{name}"));
        assert_eq!(
            received["params"]["resource"]["version"],
            version.to_string()
        );
        assert_eq!(received["params"]["_meta"], json!({ SUBSCRIPTION: 7 }));
    }
}

#[tokio::test]
async fn burst_of_changes_ends_with_the_last_version() {
    const CHANGES: usize = 10_000;
    let notes = Notes::default();
    let server = notes.server();
    let address = serve(&server);
    let params = json!({ "notifications": { "resourceSubscriptions": ["n:a", "n:b"] } });
    let listen = || Messages::post(address, "subscriptions/listen", speaking(params.clone()));
    let (mut stream, mut slow) = (listen().await, listen().await);
    let (first, _) = (stream.next().await, slow.next().await);
    assert_eq!(first["method"], "notifications/subscriptions/acknowledged");
    for change in 1..=CHANGES {
        notes.change(&server, if change % 2 == 0 { "a" } else { "b" }, change);
        if change % 100 == 0 {
            tokio::task::yield_now().await;
        }
    }
    // One after the other: an unread stream does not block the others.
    for stream in [&mut stream, &mut slow] {
        let (mut a, mut b, mut count) = (0, 0, 0);
        while (a, b) != (CHANGES, CHANGES - 1) {
            let received = stream.next().await;
            count += 1;
            let resource = &received["params"]["resource"];
            let version: usize = resource["version"].as_str().unwrap().parse().unwrap();
            let last = if resource["uri"] == "n:a" {
                &mut a
            } else {
                &mut b
            };
            assert!(version >= *last, "{received}");
            *last = version;
        }
        // Changes that were not sent yet are joined: the server runs once for 100 of them.
        assert!(count <= CHANGES / 10, "{count} notifications");
    }
}

#[tokio::test]
async fn get_and_filters_work_over_http() {
    let server = opted()
        .add_resource(ResourceDef::text("d:a", "a", "text").kind("file"))
        .add_resource(ResourceDef::text("d:b", "b", "text"));
    let address = serve(&server.build().unwrap());
    let uri = json!({ "uri": "d:a" });
    let (status, answer) = ask(address, "resources/get", speaking(uri)).await;
    assert_eq!(status, StatusCode::OK);
    let contents = json!({ "contentType": "text/plain", "content": "text" });
    assert_eq!(answer["result"]["contents"], contents);
    let version = &answer["result"]["resource"]["version"];
    let known = json!({ "uri": "d:a", "version": version });
    let (status, answer) = ask(address, "resources/get", speaking(known.clone())).await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(answer["error"]["code"], 304);
    assert_eq!(answer["error"]["data"], known);
    let filter = |filter: Value| speaking(json!({ "filter": filter }));
    let (_, answer) = ask(address, "resources/list", filter(json!({ "kind": "file" }))).await;
    assert_eq!(answer["result"]["resources"].as_array().unwrap().len(), 1);
    let (status, answer) = ask(address, "resources/list", filter(json!({ "colour": 1 }))).await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(answer["error"]["code"], -32602);
}
