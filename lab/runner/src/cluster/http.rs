//! A client of both eras that shows what arrives: requests, and the events of responses.

use std::io::{BufRead, BufReader};
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::{Value, json};
use ureq::http::Response;
use ureq::{Agent, Body};

/// The time after which no response is expected any more.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// A client, with connections of its own.
pub(crate) struct Client {
    agent: Agent,
    url: String,
    /// The session of an older revision.
    session: Option<String>,
    /// The address that a proxy reports.
    address: Option<String>,
}

/// A response whose body is read event by event.
pub(crate) struct Events {
    pub(crate) status: u16,
    lines: BufReader<ureq::BodyReader<'static>>,
    is_stream: bool,
}

/// A message of the server, with the id of its event.
#[derive(Debug)]
pub(crate) struct Event {
    pub(crate) id: Option<String>,
    pub(crate) message: Value,
}

/// Returns `true` if a health check passes.
pub(crate) fn is_ready(url: &str) -> bool {
    let request = ureq::get(url).config();
    let request = request.timeout_global(Some(Duration::from_secs(1))).build();
    request.call().is_ok()
}

/// Returns the text at a URL.
pub(crate) fn text(url: &str) -> Result<String> {
    Ok(ureq::get(url).call()?.body_mut().read_to_string()?)
}

fn agent() -> Agent {
    let config = Agent::config_builder()
        .http_status_as_error(false)
        .timeout_connect(Some(Duration::from_secs(5)))
        .timeout_recv_response(Some(PATIENCE))
        // The server sends a comment every 15 seconds.
        .timeout_recv_body(None)
        .proxy(None);
    config.build().into()
}

impl Client {
    /// Creates a client of 2026-07-28.
    pub(crate) fn modern(url: &str) -> Self {
        Self {
            agent: agent(),
            url: url.to_owned(),
            session: None,
            address: None,
        }
    }

    /// Returns the client with this address, if the server trusts this machine as a proxy.
    pub(crate) fn with_address(mut self, address: String) -> Self {
        self.address = Some(address);
        self
    }

    /// Starts a session of 2025-11-25.
    pub(crate) fn legacy(url: &str) -> Result<Self> {
        let mut client = Self::modern(url);
        let initialize = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {"elicitation": {}},
            "clientInfo": {"name": "cluster", "version": "1"},
        });
        let request =
            json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": initialize});
        let response = client.send(&request, &[])?;
        ensure!(
            response.status() == 200,
            "initialize: {}",
            response.status()
        );
        let id = response.headers().get("mcp-session-id");
        let id = id.context("no session")?.to_str()?.to_owned();
        client.session = Some(id);
        let done = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        let done = client.send(&done, &[])?;
        ensure!(done.status() == 202, "initialized: {}", done.status());
        Ok(client)
    }

    /// Returns the same client at another process.
    pub(crate) fn at(&self, url: &str) -> Self {
        Self {
            agent: agent(),
            url: url.to_owned(),
            session: self.session.clone(),
            address: self.address.clone(),
        }
    }

    fn send(&self, message: &Value, headers: &[(&str, &str)]) -> Result<Response<Body>> {
        let mut request = self
            .agent
            .post(&self.url)
            .header("Content-Type", "application/json")
            .header("Accept", "application/json, text/event-stream");
        if let Some(session) = &self.session {
            request = request
                .header("Mcp-Session-Id", session)
                .header("MCP-Protocol-Version", "2025-11-25");
        }
        if let Some(address) = &self.address {
            request = request.header("X-Forwarded-For", address);
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        Ok(request.send(message.to_string())?)
    }

    /// Sends a message of a session, and returns the status.
    pub(crate) fn post(&self, message: &Value) -> Result<u16> {
        Ok(self.send(message, &[])?.status().as_u16())
    }

    /// Sends a request, and returns its response.
    pub(crate) fn request(&self, id: u64, method: &str, params: Value) -> Result<Events> {
        let mut params = params;
        let name = params["name"].as_str().or(params["taskId"].as_str());
        let name = name.map(str::to_owned);
        let mut headers = Vec::new();
        if self.session.is_none() {
            params["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2026-07-28".into();
            params["_meta"]["io.modelcontextprotocol/clientInfo"] =
                json!({"name": "cluster", "version": "1"});
            params["_meta"]["io.modelcontextprotocol/clientCapabilities"] =
                json!({"elicitation": {}, "extensions": {"io.modelcontextprotocol/tasks": {}}});
            headers.push(("MCP-Protocol-Version", "2026-07-28"));
            headers.push(("Mcp-Method", method));
            headers.extend(name.as_deref().map(|name| ("Mcp-Name", name)));
        }
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        Ok(Events::of(self.send(&request, &headers)?))
    }

    /// Calls a tool.
    pub(crate) fn call(&self, id: u64, tool: &str, arguments: &Value) -> Result<Events> {
        let meta = json!({"progressToken": id});
        let params = json!({"name": tool, "arguments": arguments, "_meta": meta});
        self.request(id, "tools/call", params)
    }

    /// Opens the stream of announcements, or resumes the stream of an event.
    pub(crate) fn get(&self, last_event: Option<&str>) -> Result<Events> {
        let session = self.session.as_deref().context("no session")?;
        let mut request = self
            .agent
            .get(&self.url)
            .header("Accept", "text/event-stream")
            .header("Mcp-Session-Id", session)
            .header("MCP-Protocol-Version", "2025-11-25");
        if let Some(id) = last_event {
            request = request.header("Last-Event-ID", id);
        }
        Ok(Events::of(request.call()?))
    }

    /// Ends the session, and returns the status.
    pub(crate) fn delete(&self) -> Result<u16> {
        let session = self.session.as_deref().context("no session")?;
        let request = self.agent.delete(&self.url);
        let response = request.header("Mcp-Session-Id", session).call()?;
        Ok(response.status().as_u16())
    }
}

impl Events {
    fn of(response: Response<Body>) -> Self {
        let media_type = response.headers().get("content-type");
        let is_stream =
            media_type.is_some_and(|it| it.as_bytes().starts_with(b"text/event-stream"));
        Self {
            status: response.status().as_u16(),
            lines: BufReader::new(response.into_body().into_reader()),
            is_stream,
        }
    }

    /// Returns the next message, or `None` at the end.
    pub(crate) fn next(&mut self) -> Result<Option<Event>> {
        if !self.is_stream {
            let mut text = String::new();
            std::io::Read::read_to_string(&mut self.lines, &mut text)?;
            if text.is_empty() {
                return Ok(None);
            }
            let message = serde_json::from_str(&text)?;
            return Ok(Some(Event { id: None, message }));
        }
        let (mut id, mut data) = (None, String::new());
        loop {
            let mut line = String::new();
            if self.lines.read_line(&mut line)? == 0 {
                return Ok(None);
            }
            let line = line.trim_end_matches(['\r', '\n']);
            if let Some(value) = line.strip_prefix("id:") {
                id = Some(value.trim_start().to_owned());
            } else if let Some(value) = line.strip_prefix("data:") {
                data.push_str(value.trim_start());
            } else if line.is_empty() && (id.is_some() || !data.is_empty()) {
                // A priming event has no data.
                let message = match data.as_str() {
                    "" => Value::Null,
                    data => serde_json::from_str(data)?,
                };
                return Ok(Some(Event { id, message }));
            }
        }
    }

    /// Returns the next message for which a function returns `true`.
    pub(crate) fn until(&mut self, wanted: impl Fn(&Value) -> bool) -> Result<Event> {
        while let Some(event) = self.next()? {
            if wanted(&event.message) {
                return Ok(event);
            }
        }
        bail!("the response ended (status {})", self.status)
    }

    /// Returns the result of the request with this id.
    pub(crate) fn result(&mut self, id: u64) -> Result<Value> {
        let event = self.until(|message| message["id"] == id && message["method"].is_null())?;
        ensure!(
            event.message["error"].is_null(),
            "{}",
            event.message["error"]
        );
        Ok(event.message["result"].clone())
    }
}
