//! The example as an HTTP server, and a client that writes and reads its bytes.

use std::io::{BufRead as _, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;

use serde_json::{Value, json};

use crate::support::process::Process;

use super::peer::{TIMEOUT, command};

pub(crate) const PUBLIC: &str = "https://files.example.com";

/// The example over HTTP. It is killed when this value is dropped.
pub(crate) struct Site {
    _process: Process,
    pub(crate) address: SocketAddr,
}

pub(crate) struct Reply {
    pub(crate) status: u16,
    head: String,
    pub(crate) body: Vec<u8>,
}

impl Reply {
    /// Returns a header, by its name in lower case.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        let found = lines.find(|(other, _)| other.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value)
    }
}

impl Site {
    /// Serves a folder, with URLs.
    pub(crate) fn start(root: &Path, options: &[&str]) -> Self {
        let mut command = command(root, &["--http", "127.0.0.1:0", "--public-url", PUBLIC]);
        let mut process = Process::start(command.args(options));
        let mut line = String::new();
        let mut stdout = process.stdout.take().expect("a pipe");
        stdout.read_line(&mut line).expect("a line");
        let address = line.trim_end().trim_end_matches("/mcp").rsplit('/').next();
        let address = address.and_then(|address| address.parse().ok());
        Self {
            _process: process,
            address: address.unwrap_or_else(|| panic!("no address: {line}")),
        }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).expect("connected");
        stream.set_read_timeout(Some(TIMEOUT)).expect("set");
        stream
    }

    /// Sends a request of the protocol. Returns the result, or the error.
    pub(crate) fn ask(&self, method: &str, params: Value) -> Result<Value, Value> {
        ask(self.connect(), method, params)
    }

    /// Sends a GET to a path, with one more header unless it is empty.
    pub(crate) fn get(&self, path: &str, header: &str) -> Reply {
        exchange(self.connect(), &get(path, header))
    }

    /// Returns all listed resources.
    pub(crate) fn list(&self) -> Vec<Value> {
        let (mut resources, mut params) = (Vec::new(), json!({}));
        loop {
            let mut page = self.ask("resources/list", params.clone()).expect("a page");
            let listed = page["resources"].as_array_mut().expect("resources");
            resources.append(listed);
            match page.get("nextCursor") {
                Some(cursor) => params["cursor"] = cursor.clone(),
                None => return resources,
            }
        }
    }
}

/// Returns the path of a resource's URL.
pub(crate) fn path(resource: &Value) -> &str {
    let url = resource["httpUrl"].as_str();
    let path = url.and_then(|url| url.strip_prefix(PUBLIC));
    path.unwrap_or_else(|| panic!("no URL: {resource}"))
}

pub(crate) fn get(path: &str, header: &str) -> String {
    let header = if header.is_empty() {
        String::new()
    } else {
        format!("{header}\r\n")
    };
    format!("GET {path} HTTP/1.1\r\nHost: files.example.com\r\nConnection: close\r\n{header}\r\n")
}

/// Sends a request of the protocol over a stream.
pub(crate) fn ask(
    stream: impl Read + Write,
    method: &str,
    mut params: Value,
) -> Result<Value, Value> {
    let name = match params["uri"].as_str() {
        Some(uri) if method != "resources/list" => format!("Mcp-Name: {uri}\r\n"),
        _ => String::new(),
    };
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    let body = body.to_string();
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: files.example.com\r\nConnection: close\r\n\
         Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
         MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: {method}\r\n{name}\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let reply = exchange(stream, &request);
    let mut answer: Value = serde_json::from_slice(&reply.body).expect("JSON");
    match answer.get_mut("error") {
        Some(error) => Err(error.take()),
        None => Ok(answer["result"].take()),
    }
}

/// Sends a request and reads the response.
pub(crate) fn exchange(stream: impl Read + Write, request: &str) -> Reply {
    let mut stream = BufReader::new(stream);
    stream
        .get_mut()
        .write_all(request.as_bytes())
        .expect("written");
    stream.get_mut().flush().expect("written");
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        let read = stream.read_line(&mut head).expect("a line");
        assert!(read > 0, "cut off: {head}");
    }
    let status = head
        .split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok());
    let mut reply = Reply {
        status: status.expect("a status"),
        head,
        body: Vec::new(),
    };
    // 304 has no body and no length.
    let length = match reply.get("content-length") {
        None if reply.status == 304 => 0,
        length => length.expect("a length").parse().expect("a number"),
    };
    reply.body = vec![0; length];
    stream.read_exact(&mut reply.body).expect("the whole body");
    reply
}
