//! Clients of every revision, over pipes and sockets, with and without proposals.

use std::net::SocketAddr;

use mcp_server::{HttpConfig, Principal, Server};
use serde_json::{Value, json};

use crate::support::apps::serve_app;
use crate::support::exchange;
use crate::support::peer::Peer;

const NEWEST: &str = "2026-07-28";

pub(crate) const OLDER: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

pub(crate) struct Client {
    wire: Wire,
    pub(crate) revision: &'static str,
    /// The proposals that it declares.
    pub(crate) announced: &'static [&'static str],
    /// The status of the last response over HTTP.
    pub(crate) status: Option<u16>,
}

enum Wire {
    Pipe(Peer),
    Http {
        address: SocketAddr,
        session: Option<String>,
        user: Option<&'static str>,
    },
}

impl Client {
    /// Returns a client over a pipe and one over HTTP, both of the newest revision.
    pub(crate) fn newest(server: &Server, announced: &'static [&'static str]) -> [Self; 2] {
        [Wire::Pipe(Peer::modern(server)), http(server)].map(|wire| Self {
            wire,
            revision: NEWEST,
            announced,
            status: None,
        })
    }

    /// Returns clients of all revisions, over pipes and HTTP, whose connections and requests are
    /// authenticated as this user.
    pub(crate) async fn all_of(
        server: &Server,
        announced: &'static [&'static str],
        user: &'static str,
    ) -> Vec<Self> {
        let address = authenticated(server).await;
        let mut clients = Vec::new();
        for revision in [NEWEST].into_iter().chain(OLDER) {
            let over =
                |stream: mcp_server::ByteStream<_, _>| stream.extension(Principal(user.to_owned()));
            let pipe = if revision == NEWEST {
                Peer::over(server, over)
            } else {
                Peer::raw_over(server, over)
            };
            let http = Wire::Http {
                address,
                session: None,
                user: Some(user),
            };
            for wire in [Wire::Pipe(pipe), http] {
                let mut client = Self {
                    wire,
                    revision,
                    announced,
                    status: None,
                };
                if !client.is_newest() {
                    client.initialize().await;
                }
                clients.push(client);
            }
        }
        clients
    }

    /// Returns clients of all older revisions, over pipes and HTTP. They also declare proposals,
    /// which must have no effect.
    pub(crate) async fn older(server: &Server, announced: &'static [&'static str]) -> Vec<Self> {
        let mut clients = Vec::new();
        for revision in OLDER {
            let pipe = Wire::Pipe(Peer::raw(server));
            for wire in [pipe, http(server)] {
                let mut client = Self {
                    wire,
                    revision,
                    announced,
                    status: None,
                };
                client.initialize().await;
                clients.push(client);
            }
        }
        clients
    }

    /// Returns `true` for a client of the newest revision.
    pub(crate) fn is_newest(&self) -> bool {
        self.revision == NEWEST
    }

    pub(crate) fn describe(&self) -> String {
        let way = match self.wire {
            Wire::Pipe(_) => "pipe",
            Wire::Http { .. } => "HTTP",
        };
        format!("{way}, {}, {:?}", self.revision, self.announced)
    }

    fn capabilities(&self) -> Value {
        let announced = self
            .announced
            .iter()
            .map(|name| ((*name).to_owned(), json!({})));
        json!({ "experimental": Value::Object(announced.collect()) })
    }

    async fn initialize(&mut self) {
        let params = json!({
            "protocolVersion": self.revision,
            "capabilities": self.capabilities(),
            "clientInfo": { "name": "test", "version": "1" },
        });
        let answer = self.request("initialize", params).await;
        let agreed = &answer["result"]["protocolVersion"];
        assert_eq!(agreed, self.revision, "{answer}");
        let capabilities = &answer["result"]["capabilities"];
        assert!(capabilities["experimental"].is_null(), "{answer}");
        let done = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        match &mut self.wire {
            Wire::Pipe(peer) => peer.send(done).await,
            Wire::Http { .. } => drop(self.post(&done).await),
        }
    }

    /// Returns the complete response to a request.
    pub(crate) async fn request(&mut self, method: &str, mut params: Value) -> Value {
        if self.is_newest() {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": NEWEST,
                "io.modelcontextprotocol/clientCapabilities": self.capabilities(),
            });
        }
        if let Wire::Pipe(peer) = &mut self.wire {
            return peer.request(method, params).await;
        }
        let request = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let body = self.post(&request).await;
        let body = body.strip_prefix("data: ").unwrap_or(&body);
        let message: Value =
            serde_json::from_str(body.trim()).unwrap_or_else(|error| panic!("{error}: {body:?}"));
        assert_eq!(message["id"], 1, "{message}");
        message
    }

    /// Returns the result of a request.
    pub(crate) async fn result(&mut self, method: &str, params: Value) -> Value {
        let mut answer = self.request(method, params).await;
        let client = self.describe();
        assert!(answer["error"].is_null(), "{client}: {answer}");
        answer["result"].take()
    }

    /// Returns the error of a request.
    pub(crate) async fn error(&mut self, method: &str, params: Value) -> Value {
        let mut answer = self.request(method, params).await;
        let client = self.describe();
        assert!(answer["error"].is_object(), "{client}: {answer}");
        answer["error"].take()
    }

    /// Sends a POST on a new connection, and returns the body of the response.
    async fn post(&mut self, message: &Value) -> String {
        let revision = self.revision;
        let modern = self.is_newest();
        let Wire::Http {
            address,
            session,
            user,
        } = &mut self.wire
        else {
            unreachable!("this is a pipe");
        };
        let host = address.to_string();
        let mut headers = vec![
            ("Host", &*host),
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
        ];
        if modern {
            let (method, params) = (text(&message["method"]), &message["params"]);
            let name = match method {
                "resources/read" => text(&params["uri"]),
                "tools/call" | "prompts/get" => text(&params["name"]),
                _ => "",
            };
            headers.push(("Mcp-Method", method));
            if !name.is_empty() {
                headers.push(("Mcp-Name", name));
            }
        }
        if modern || session.is_some() {
            headers.push(("MCP-Protocol-Version", revision));
        }
        if let Some(session) = session {
            headers.push(("Mcp-Session-Id", session));
        }
        if let Some(user) = user {
            headers.push(("X-User", user));
        }
        let body = message.to_string();
        let reply = exchange::send(*address, "POST", "/mcp", &headers, body).await;
        self.status = Some(reply.status.as_u16());
        let given = reply.get("Mcp-Session-Id");
        if !given.is_empty() {
            *session = Some(given.to_owned());
        }
        reply.text().to_owned()
    }
}

fn http(server: &Server) -> Wire {
    let http = server.serve_http("127.0.0.1:0").unwrap();
    let address = http.local_addr();
    tokio::spawn(http);
    Wire::Http {
        address,
        session: None,
        user: None,
    }
}

/// Serves behind a layer that authenticates the user whom the header `X-User` names.
pub(crate) async fn authenticated(server: &Server) -> SocketAddr {
    let layer = axum::middleware::from_fn(
        async |mut request: axum::extract::Request, next: axum::middleware::Next| {
            let user = request.headers().get("x-user").cloned();
            let user = user.as_ref().and_then(|user| user.to_str().ok());
            if let Some(user) = user.map(|user| Principal(user.to_owned())) {
                request.extensions_mut().insert(user);
            }
            next.run(request).await
        },
    );
    let app = axum::Router::new()
        .route_service("/mcp", server.clone().into_service(HttpConfig::new()))
        .layer(layer);
    let app = match server.resource_urls() {
        Some(urls) => app.route_service("/r/{token}", urls),
        None => app,
    };
    serve_app(app).await
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
