//! Load over HTTP: requests that are prepared in advance, on connections that stay open.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use memchr::memmem;

use crate::case::{Case, Checker, Era, FIRST_ID, id_place, initialize, initialized, write_id};

/// The timeout of a response.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Connections, each with one request in flight.
pub(crate) struct Load {
    connections: Vec<Connection>,
    checker: Checker,
}

impl Load {
    /// Opens connections, each with its own session if the revision has sessions, and sends one
    /// request on each of them.
    pub(crate) fn open(address: SocketAddr, path: &str, case: Case, count: usize) -> Result<Self> {
        let checker = Checker::new(case);
        let mut connections = Vec::with_capacity(count);
        for _ in 0..count {
            let mut connection = Connection::open(address, path, case)?;
            connection.send()?;
            let id = connection.id;
            let response = connection.receive()?;
            ensure!(response.status == 200, "status {}", response.status);
            checker.check(&response.messages()?, id)?;
            connections.push(connection);
        }
        Ok(Self {
            connections,
            checker,
        })
    }

    /// Sends requests for some time. Returns the number of requests, and the number of wrong
    /// responses.
    pub(crate) fn run(
        &mut self,
        time: Duration,
        mut each: impl FnMut(Duration),
    ) -> Result<(u64, u64)> {
        let (mut requests, mut errors) = (0, 0);
        let start = Instant::now();
        let mut sent = start;
        for connection in &mut self.connections {
            connection.send()?;
        }
        loop {
            let more = start.elapsed() < time;
            for connection in &mut self.connections {
                let id = connection.id;
                let response = connection.receive()?;
                let right = response.status == 200 && self.checker.is_correct(response.body, id);
                requests += 1;
                errors += u64::from(!right);
                each(sent.elapsed());
                if more {
                    sent = Instant::now();
                    connection.send()?;
                }
            }
            if !more {
                return Ok((requests, errors));
            }
        }
    }
}

struct Connection {
    stream: TcpStream,
    request: Vec<u8>,
    id_place: usize,
    id: u64,
    input: Vec<u8>,
    filled: usize,
    decoded: Vec<u8>,
}

/// The parts of a response that are checked.
struct Response<'a> {
    status: u16,
    session: Option<String>,
    events: bool,
    body: &'a [u8],
}

impl Connection {
    fn open(address: SocketAddr, path: &str, case: Case) -> Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(TIMEOUT))?;
        let mut connection = Self {
            stream,
            request: Vec::new(),
            id_place: 0,
            id: FIRST_ID,
            input: vec![0; 16 << 10],
            filled: 0,
            decoded: Vec::new(),
        };
        let mut headers = format!("MCP-Protocol-Version: {}\r\n", case.era.revision());
        match case.era {
            Era::Modern => {
                headers.push_str("Mcp-Method: tools/call\r\nMcp-Name: ");
                headers.push_str(case.tool());
                headers.push_str("\r\n");
            }
            Era::Legacy => {
                connection.request = post(address, path, "", &initialize());
                connection.stream.write_all(&connection.request)?;
                let response = connection.receive()?;
                ensure!(response.status == 200, "status {}", response.status);
                if let Some(session) = response.session {
                    headers.push_str("Mcp-Session-Id: ");
                    headers.push_str(&session);
                    headers.push_str("\r\n");
                }
                connection.request = post(address, path, &headers, &initialized());
                connection.stream.write_all(&connection.request)?;
                let response = connection.receive()?;
                let taken = (200..300).contains(&response.status);
                ensure!(taken, "status {}", response.status);
            }
        }
        connection.request = post(address, path, &headers, &case.request());
        connection.id_place = id_place(&connection.request)?;
        Ok(connection)
    }

    fn send(&mut self) -> Result<()> {
        self.id += 1;
        write_id(&mut self.request, self.id_place, self.id);
        Ok(self.stream.write_all(&self.request)?)
    }

    fn receive(&mut self) -> Result<Response<'_>> {
        self.filled = 0;
        let mut head = None;
        loop {
            if self.filled == self.input.len() {
                self.input.resize(self.filled * 2, 0);
            }
            let count = self.stream.read(&mut self.input[self.filled..])?;
            ensure!(count > 0, "the connection was closed");
            self.filled += count;
            let input = &self.input[..self.filled];
            if head.is_none() {
                head = Head::read(input)?;
            }
            let Some(head) = &head else {
                continue;
            };
            let rest = &input[head.size..];
            let end = match head.length {
                Length::Known(length) => (rest.len() >= length).then_some(length),
                Length::Chunked => decode(rest, &mut self.decoded)?,
            };
            let Some(end) = end else {
                continue;
            };
            ensure!(end == rest.len(), "bytes after the answer");
            // Borrowed again, because the loop may not keep the borrow.
            let (size, length) = (head.size, head.length);
            let (status, events, session) = (head.status, head.events, head.session.clone());
            let body = match length {
                Length::Known(_) => &self.input[size..self.filled],
                Length::Chunked => &self.decoded[..],
            };
            return Ok(Response {
                status,
                session,
                events,
                body,
            });
        }
    }
}

impl Response<'_> {
    /// Returns the messages in the body.
    fn messages(&self) -> Result<Vec<serde_json::Value>> {
        if !self.events {
            return Ok(vec![serde_json::from_slice(self.body)?]);
        }
        let text = std::str::from_utf8(self.body)?;
        let data = text.lines().filter_map(|line| line.strip_prefix("data:"));
        // A stream may begin with an event that has only an id.
        let data = data.filter(|data| !data.trim().is_empty());
        data.map(|data| Ok(serde_json::from_str(data)?)).collect()
    }
}

fn post(address: SocketAddr, path: &str, headers: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!(
        "POST {path} HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\n{headers}Content-Length: {length}\r\n\
         \r\n{body}"
    )
    .into_bytes()
}

struct Head {
    size: usize,
    status: u16,
    length: Length,
    events: bool,
    session: Option<String>,
}

#[derive(Clone, Copy)]
enum Length {
    Known(usize),
    Chunked,
}

impl Head {
    fn read(input: &[u8]) -> Result<Option<Self>> {
        let Some(end) = memmem::find(input, b"\r\n\r\n") else {
            return Ok(None);
        };
        let text = std::str::from_utf8(&input[..end])?;
        let mut lines = text.split("\r\n");
        let status = lines.next().and_then(|line| line.get(9..12));
        let status = status.context("no status")?.parse()?;
        let (mut length, mut events, mut session) = (None, false, None);
        for line in lines {
            let (name, value) = line.split_once(':').context("no header")?;
            let value = value.trim();
            if name.eq_ignore_ascii_case("content-length") {
                length = Some(Length::Known(value.parse()?));
            } else if name.eq_ignore_ascii_case("transfer-encoding") {
                ensure!(value == "chunked", "transfer encoding {value}");
                length = Some(Length::Chunked);
            } else if name.eq_ignore_ascii_case("content-type") {
                events = value.starts_with("text/event-stream");
            } else if name.eq_ignore_ascii_case("mcp-session-id") {
                session = Some(value.to_owned());
            }
        }
        let Some(length) = length else {
            bail!("an answer without a length");
        };
        Ok(Some(Self {
            size: end + 4,
            status,
            length,
            events,
            session,
        }))
    }
}

/// Decodes chunks. Returns their total length when the last one has arrived.
fn decode(input: &[u8], body: &mut Vec<u8>) -> Result<Option<usize>> {
    body.clear();
    let mut at = 0;
    loop {
        let Some(line) = memmem::find(&input[at..], b"\r\n") else {
            return Ok(None);
        };
        let digits = std::str::from_utf8(&input[at..at + line])?;
        let size = usize::from_str_radix(digits, 16).context("no size of a chunk")?;
        let begin = at + line + 2;
        let Some(chunk) = input.get(begin..begin + size + 2) else {
            return Ok(None);
        };
        at = begin + size + 2;
        if size == 0 {
            return Ok(Some(at));
        }
        body.extend_from_slice(&chunk[..size]);
    }
}
