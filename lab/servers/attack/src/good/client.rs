//! One client with its connection and its session.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use memchr::memmem;

use super::Endpoint;
use crate::http::{Head, Response, post};
use crate::issuer::GOOD;
use crate::messages;
use crate::proof::ClientKey;

/// The number of access tokens that good clients have used.
static TOKENS: AtomicU64 = AtomicU64::new(0);

/// The era of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Era {
    Modern,
    Session,
}

/// A client that makes one call after the other.
pub(crate) struct GoodClient {
    endpoint: Endpoint,
    key: ClientKey,
    era: Era,
    /// `true` if it keeps its connection between calls.
    keeps: bool,
    stream: Option<TcpStream>,
    session: Option<String>,
    next_id: u64,
}

impl GoodClient {
    /// Connects, and opens a session if the era has sessions.
    pub(crate) fn connect(endpoint: &Endpoint, era: Era, keeps: bool) -> Result<Self> {
        let mut client = Self {
            endpoint: endpoint.clone(),
            key: ClientKey::generate()?,
            era,
            keeps,
            stream: None,
            session: None,
            next_id: 1,
        };
        client.open_session()?;
        Ok(client)
    }

    /// Calls the tool and checks the response.
    pub(crate) fn call(&mut self) -> Result<()> {
        let id = self.next_id;
        self.next_id += 1;
        let tool = &self.endpoint.tool;
        let members = messages::call(&tool.name, &tool.arguments);
        let (headers, body) = match self.era {
            Era::Modern => (
                messages::modern_headers("tools/call", Some(&tool.name)),
                messages::modern(&id.to_string(), "tools/call", &members),
            ),
            Era::Session => (
                messages::session_headers(messages::LEGACY, self.session.as_deref()),
                messages::request(&id.to_string(), "tools/call", &format!("{{{members}}}")),
            ),
        };
        let response = self.exchange(&headers, &body)?;
        ensure!(response.status == 200, "status {}", response.status);
        let has = |text: &str| memmem::find(&response.body, text.as_bytes()).is_some();
        ensure!(
            has(&format!("\"id\":{id}")) && has("\"content\":[") && !has("\"isError\":true"),
            "a wrong response: {}",
            String::from_utf8_lossy(&response.body[..response.body.len().min(200)])
        );
        Ok(())
    }

    /// Reconnects after a failed call, if the server allows it.
    pub(crate) fn recover(&mut self) {
        self.stream = None;
        // The failure was already counted; if this fails too, the next call is counted as failed.
        if self.era == Era::Session {
            let _ = self.open_session();
        }
    }

    fn open_session(&mut self) -> Result<()> {
        if self.era == Era::Modern {
            return Ok(());
        }
        let body = messages::plain_initialize(messages::LEGACY);
        let response = self.exchange("", &body).context("initialize")?;
        ensure!(
            response.status == 200,
            "initialize: status {}",
            response.status
        );
        // A server without sessions responds to calls nevertheless.
        self.session = response.session;
        let headers = messages::session_headers(messages::LEGACY, self.session.as_deref());
        let response = self.exchange(&headers, messages::INITIALIZED)?;
        ensure!(
            response.is_success(),
            "initialized: status {}",
            response.status
        );
        Ok(())
    }

    fn exchange(&mut self, headers: &str, body: &str) -> Result<Response> {
        let deadline = Instant::now() + self.endpoint.patience;
        let host = self.endpoint.address.to_string();
        let mut headers = headers.to_owned();
        if self.endpoint.needs_token {
            // A new token each time, so that the server has to verify each of them.
            let number = TOKENS.fetch_add(1, Ordering::Relaxed);
            headers.push_str(&self.key.headers(GOOD, number)?);
        }
        let request = post(&host, &self.endpoint.path, &headers, body.as_bytes());
        let kept = self.stream.take();
        if let Some(stream) = kept
            && let Some(response) = self.attempt(stream, &request, deadline, true)?
        {
            return Ok(response);
        }
        let address = SocketAddr::V4(self.endpoint.address);
        let stream =
            TcpStream::connect_timeout(&address, left(deadline)?).context("cannot connect")?;
        stream.set_nodelay(true)?;
        let response = self.attempt(stream, &request, deadline, false)?;
        response.context("the connection was closed")
    }

    /// Sends a request and reads its response. If the connection had been kept and was closed
    /// before the first byte of a response, as servers may do, there is no response.
    fn attempt(
        &mut self,
        mut stream: TcpStream,
        request: &[u8],
        deadline: Instant,
        kept: bool,
    ) -> Result<Option<Response>> {
        stream.set_write_timeout(Some(left(deadline)?))?;
        if let Err(error) = stream.write_all(request) {
            if kept && is_closed(error.kind()) {
                return Ok(None);
            }
            return Err(error).context("cannot send");
        }
        let mut input = Vec::new();
        let mut buffer = [0; 4096];
        let mut head = None;
        loop {
            stream.set_read_timeout(Some(left(deadline)?))?;
            let count = match stream.read(&mut buffer) {
                Ok(count) => count,
                Err(error) if kept && input.is_empty() && is_closed(error.kind()) => 0,
                Err(error) if error.kind() == ErrorKind::WouldBlock => bail!("no response"),
                Err(error) => return Err(error).context("cannot receive"),
            };
            if count == 0 {
                ensure!(kept && input.is_empty(), "the connection was closed");
                return Ok(None);
            }
            input.extend_from_slice(&buffer[..count]);
            if head.is_none() {
                head = Head::read(&input)?;
            }
            if let Some(head) = &head
                && let Some(response) = head.take(&mut input)?
            {
                if self.keeps && !response.closes {
                    self.stream = Some(stream);
                }
                return Ok(Some(response));
            }
        }
    }
}

fn is_closed(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::ConnectionReset | ErrorKind::BrokenPipe | ErrorKind::ConnectionAborted
    )
}

/// Returns the time until a deadline.
fn left(deadline: Instant) -> Result<Duration> {
    let left = deadline.saturating_duration_since(Instant::now());
    ensure!(!left.is_zero(), "no response");
    Ok(left)
}
