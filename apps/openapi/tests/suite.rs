//! OpenAPI documents as tools, called over a real HTTP server that records the bytes of requests.

mod attacks;
mod authorization;
mod bodies;
mod documents;
mod files;
mod parameters;
mod results;
mod schemas;
mod servers;

use std::sync::{Arc, Mutex};

use mcp_client::{ByteStream, Client};
use mcp_openapi::{OpenApi, OpenApiTools};
use mcp_server::Server;
use mcp_server::types::CallToolResult;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

/// A response in JSON.
const OK: &str = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 13\r\n\r\n{\"fine\":true}";

/// An HTTP server that records each request, and always answers with the same bytes.
struct Api {
    url: String,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Api {
    async fn start(response: impl Into<Vec<u8>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1/", listener.local_addr().unwrap());
        let requests = Arc::<Mutex<Vec<String>>>::default();
        let (response, log) = (response.into(), Arc::clone(&requests));
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let (response, log) = (response.clone(), Arc::clone(&log));
                tokio::spawn(async move {
                    let mut read = Vec::new();
                    while !is_complete(&read) {
                        if stream.read_buf(&mut read).await.unwrap_or(0) == 0 {
                            return;
                        }
                    }
                    log.lock()
                        .unwrap()
                        .push(String::from_utf8_lossy(&read).into_owned());
                    let _ = stream.write_all(&response).await;
                    let _ = stream.shutdown().await;
                });
            }
        });
        Self { url, requests }
    }

    /// Returns the only request, and forgets it.
    fn request(&self) -> String {
        let mut requests = self.requests.lock().unwrap();
        assert_eq!(requests.len(), 1, "{requests:?}");
        requests.remove(0)
    }

    /// Returns the target of the only request.
    fn target(&self) -> String {
        let request = self.request();
        request.split(' ').nth(1).unwrap().to_owned()
    }

    /// Returns the body of the only request.
    fn body(&self) -> String {
        let request = self.request();
        request.split_once("\r\n\r\n").unwrap().1.to_owned()
    }

    fn is_untouched(&self) -> bool {
        self.requests.lock().unwrap().is_empty()
    }
}

fn is_complete(read: &[u8]) -> bool {
    let text = String::from_utf8_lossy(read);
    let Some((head, _)) = text.split_once("\r\n\r\n") else {
        return false;
    };
    let length = head.to_lowercase();
    let length = length
        .lines()
        .find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
    read.len() >= head.len() + 4 + length.unwrap_or(0)
}

/// Returns a document with one path.
fn document(version: &str, path: &str, item: &Value) -> String {
    json!({
        "openapi": version,
        "info": { "title": "Test", "version": "1" },
        "paths": { path: item },
    })
    .to_string()
}

/// Returns a document with `GET /things`, which has these parameters and the id `get`.
fn with_parameters(path: &str, parameters: &Value) -> String {
    let operation = json!({ "operationId": "get", "parameters": parameters });
    document("3.1.0", path, &json!({ "get": operation }))
}

/// Returns a document with `POST /things`, which has this body and the id `send`.
fn with_body(body: &Value) -> String {
    let operation = json!({ "operationId": "send", "requestBody": body });
    document("3.0.3", "/things", &json!({ "post": operation }))
}

async fn connect(tools: OpenApiTools) -> Client {
    let server = Server::builder("test", "1.0.0")
        .merge(tools.into_group())
        .build()
        .unwrap();
    let client = Client::builder("test", "1.0.0");
    client
        .connect(ByteStream::of(server.in_memory()))
        .await
        .unwrap()
}

/// Makes the tools of a document, with the URL of the API.
fn open(document: &str, api: &Api) -> OpenApi {
    OpenApi::parse(document).unwrap().base_url(&api.url)
}

/// Calls a tool of a document once.
async fn call(document: &str, api: &Api, tool: &str, arguments: Value) -> CallToolResult {
    let client = connect(open(document, api).tools().unwrap()).await;
    client.call_tool(tool).arguments(&arguments).await.unwrap()
}

/// Returns the definitions of tools, as clients list them.
async fn listed(document: &str) -> Vec<Value> {
    let api = OpenApi::parse(document)
        .unwrap()
        .base_url("http://localhost");
    let tools = connect(api.tools().unwrap())
        .await
        .tools()
        .all()
        .await
        .unwrap();
    tools
        .items
        .iter()
        .map(|tool| serde_json::to_value(tool).unwrap())
        .collect()
}
